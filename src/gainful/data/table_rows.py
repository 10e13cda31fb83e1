"""Stream the rows of CSV, TSV and JSON lines with named columns."""

from __future__ import annotations

from itertools import chain

from gainful.data.delimited import decode_lines, parse_csv, parse_tsv
from gainful.data.records import check_surrogates, strict_json_value
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    Row: TypeAlias = tuple[int, Mapping[str, object]]

__all__ = ["keys", "table_rows"]


def table_rows(stream: Iterable[bytes], label: str) -> tuple[Sequence[str], Iterable[Row]] | None:
    """Return the columns of a table, and an iterable of its rows.

    Parameters
    ----------
    stream : iterable of bytes
        The lines of the file. Cells are separated by tabs, by commas, or by semicolons if the first
        line has no comma, as some spreadsheets write them.
    label : str
        The file's name, for messages.

    Returns
    -------
    columns : sequence of str
        Their names, stripped.
    rows : iterable of (int, mapping)
        The number of the line, and the cells by column; missing cells are empty, and empty rows
        are skipped.

    Or None if it is not a table.

    Raises
    ------
    FormatError
        For an empty file, a row with too many cells, or a line that is not a JSON object.
    """
    lines = decode_lines(stream, label)
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        raise FormatError("the file is empty", file=label)
    if first[1].lstrip().startswith("{"):
        objects = _objects(chain([first], lines), label)
        return keys([row for _, row in objects]), objects
    whole = chain([first], lines)
    csv = label.lower().removesuffix(".gz").endswith(".csv")
    if "\t" in first[1] and not (csv and "," in first[1]):
        rows = parse_tsv(whole, label)
    elif "," in first[1]:
        rows = parse_csv(whole, label)
    elif ";" in first[1]:
        rows = parse_csv(whole, label, delimiter=";")
    else:
        return None
    _, header = next(rows)
    names = [name.strip() for name in header]
    return names, _cells(rows, names, label)


def keys(rows: Iterable[Mapping[str, object]]) -> list[str]:
    """Return the names in all rows, in order of appearance; rows may have different names."""
    return list(dict.fromkeys(str(name) for row in rows for name in row))


def _objects(lines: Iterable[tuple[int, str]], label: str) -> list[Row]:
    """Return JSON lines as rows; an empty list if the first line is not a JSON object."""
    rows: list[Row] = []
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = strict_json_value(line)
        except (ValueError, RecursionError):
            row = None
        except KeyError as error:
            raise FormatError(
                f"the field {error.args[0]!r} occurs twice", file=label, line=number
            ) from None
        if not isinstance(row, dict):
            # The whole file may be one JSON value, which the kernel reads.
            if not rows:
                return []
            raise FormatError("not a JSON object", file=label, line=number)
        check_surrogates(row, label, number)
        rows.append((number, row))
    return rows


def _cells(
    rows: Iterable[tuple[int, list[str]]], names: Sequence[str], label: str
) -> Iterator[Row]:
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(names):
            raise FormatError(
                f"found {len(row)} fields, expected {len(names)}, as in the header",
                file=label,
                line=number,
            )
        yield number, dict(zip(names, row + [""] * (len(names) - len(row)), strict=True))

"""Parse the records of a collection: one function per format."""

from __future__ import annotations

from itertools import chain

from gainful._kernel import names_of, names_with
from gainful.data.column_names import find_column, missing_column, refuse_repeated
from gainful.data.corpus_fields import Fields, Text, has_lone_surrogate
from gainful.data.delimited import delimiter_of, named_rows, parse_cells, text_from
from gainful.data.records import json_value
from gainful.errors import FormatError
from gainful.quoting import names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from gainful.data.delimited import Lines

    Records: TypeAlias = Iterator[tuple[str, Text]]
    Wanted: TypeAlias = frozenset[str] | None


def records(stream: Iterable[bytes], label: str, fields: Fields, wanted: Wanted) -> Records:
    """Yield id and text of each record of a stream, detecting the format.

    Parameters
    ----------
    stream : binary file
        Decompressed bytes, line by line.
    label : str
        The file's name, for messages.
    fields : Fields
        The field names.
    wanted : frozenset of str or None
        The ids to return; only TREC markup is filtered, since parsing it is slow.
    """
    empty = f"the file is empty, expected {fields.what} texts"
    first, document = text_from(stream, label, empty)
    start = first[1].lstrip()[0]
    if start in "{[":
        yield from _json(document, label, fields)
    elif start == "<":
        from gainful.data.corpus_markup import markup

        yield from markup(document, label, fields, wanted)
    else:
        yield from _delimited(document, label, fields)


def _json(lines: Lines, label: str, fields: Fields) -> Records:
    """Yield the records of JSON lines or of one document, a list or a mapping by id."""
    first = next(lines)
    second = next((line for line in lines if line[1].strip()), None)
    record = json_value(first[1], label, first[0])
    if not isinstance(record, dict) or (second is None and fields.identifier(record) is None):
        rest = "" if second is None else second[1] + "".join(line for _, line in lines)
        yield from _one_document(first[1] + rest, label, fields)
        return
    yield _record(record, label, fields, first[0])
    for number, line in chain([second], lines) if second else ():
        if line.strip():
            record = json_value(line, label, number)
            if record is None:
                raise FormatError("not a JSON object", file=label, line=number)
            yield _record(record, label, fields, number)


def _one_document(text: str, label: str, fields: Fields) -> Records:
    document = json_value(text, label)
    if not isinstance(document, (dict, list)):
        raise FormatError("not JSON lines, nor one JSON document", file=label)
    if isinstance(document, list):
        for record in document:
            yield _record(record, label, fields, None)
        return
    for identifier, value in document.items():
        parsed = fields.text(value)
        if parsed is None:
            raise _missing_id(label, fields, None, f"the value of {shown(identifier)}")
        yield _checked(identifier, label, fields, None), parsed


def _record(record: object, label: str, fields: Fields, line: int | None) -> tuple[str, Text]:
    if not isinstance(record, dict):
        raise _missing_id(label, fields, line, type(record).__name__)
    identifier = fields.identifier(record)
    if identifier is None:
        raise _missing_id(label, fields, line, f"the fields {names_shown(record)}")
    text = fields.text(record)
    assert text is not None  # a dictionary always has one
    return _checked(identifier, label, fields, line), text


def _checked(identifier: str, label: str, fields: Fields, line: int | None) -> str:
    """Return an id, which may not contain half a character."""
    if has_lone_surrogate(identifier):
        found = f"the {fields.what}'s id {shown(identifier)} has a lone surrogate"
        raise FormatError(found, file=label, line=line)
    return identifier


def _missing_id(label: str, fields: Fields, line: int | None, found: str) -> FormatError:
    accepted = ", ".join(names_of(f"{fields.what}.id"))
    return FormatError(
        file=label,
        line=line,
        found=found,
        expected=f"a record with the {fields.what}'s id ({accepted})",
    )


def _delimited(lines: Lines, label: str, fields: Fields) -> Records:
    """Yield the rows of CSV or TSV with a header, or with two columns: id and text."""
    parts = [f"{fields.what}.{part}" for part in ("id", "title", "text")]

    def unnamed(cells: Sequence[str]) -> Sequence[str] | None:
        known = any(names_with(list(cells), part) for part in parts)
        return None if known or len(cells) != 2 else ("id", "text")

    first = next(lines)
    delimiter = delimiter_of(first[1], label) or ","
    rows = parse_cells(chain([first], lines), label, delimiter)
    names, table = named_rows(rows, label, unnamed)
    if find_column(names, parts[0], label) is None:
        raise missing_column(names, parts[0], f"{fields.what} ids", label)
    for part in parts[1:]:
        find_column(names, part, label)
    if fields.keeps_others:
        refuse_repeated(names, label)
    for number, row in table:
        identifier, text = _record(row, label, fields, number)
        yield identifier.strip(), text

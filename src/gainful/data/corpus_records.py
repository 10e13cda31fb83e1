"""Parse the records of a collection: one function per format."""

from __future__ import annotations

from gainful.data.corpus_fields import Fields, Text, has_lone_surrogate, plain_name, readable
from gainful.data.delimited import decode_lines, parse_csv, parse_tsv
from gainful.data.records import json_value
from gainful.errors import ColumnError, FormatError
from gainful.quoting import names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
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
    lines = decode_lines(stream, label)
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        raise FormatError(f"the file is empty, expected {fields.what} texts", file=label)
    document = _chain(first, lines)
    start = first[1].lstrip()[0]
    if start in "{[":
        yield from _json(document, label, fields)
    elif start == "<":
        from gainful.data.corpus_markup import markup

        yield from markup(document, label, fields, wanted)
    else:
        yield from _delimited(document, label, fields)


def _chain(first: tuple[int, str], lines: Lines) -> Lines:
    yield first
    yield from lines


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
    for number, line in _chain(second, lines) if second else ():
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
    return FormatError(
        file=label,
        line=line,
        found=found,
        expected=f"a record with the {fields.what}'s id ({', '.join(fields.ids)})",
    )


def _delimited(lines: Lines, label: str, fields: Fields) -> Records:
    """Yield the rows of CSV or TSV with a header, or with two columns: id and text."""
    first = next(lines)
    tabs = "\t" in first[1] and not label.lower().endswith(".csv")
    rows = (parse_tsv if tabs else parse_csv)(_chain(first, lines), label)
    _, header = next(rows)
    names = [plain_name(name) for name in header]
    known = {*fields.ids, *fields.titles, *fields.texts}
    if len(names) == 2 and not known.intersection(names):
        yield header[0].strip(), Text("", readable(header[1].strip()))
        names = [fields.ids[0], fields.texts[0]]
    if not any(name in fields.ids for name in names):
        raise ColumnError(
            file=label,
            found=f"the columns {names_shown(header)}",
            expected=f"one of the {fields.what}'s id ({', '.join(fields.ids)})",
        )
    for number, row in rows:
        if any(row):
            record: dict[str, object] = dict(zip(names, row, strict=False))
            identifier, text = _record(record, label, fields, number)
            yield identifier.strip(), text

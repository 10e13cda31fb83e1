"""Small tables in files: TSV, CSV or JSON lines with named columns, and paths in JSON."""

from __future__ import annotations

import json
import re
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from os import fspath
from typing import NamedTuple

from gainful._kernel import names_of, names_with
from gainful.data.columns import repeated
from gainful.data.text_files import (
    delimiter_of,
    named_rows,
    opened,
    parse_cells,
    parse_csv,
    text_from,
)
from gainful.errors import FormatError
from gainful.numerals import parse_number
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Any, TypeAlias

    from gainful.data.text_files import Lines, Table, Unnamed

    Step: TypeAlias = "Key | int"

__all__ = [
    "ALL",
    "DOCUMENT",
    "MEMBERS",
    "QUERY",
    "Fields",
    "Key",
    "Part",
    "Path",
    "Record",
    "Records",
    "Text",
    "finite",
    "has_lone_surrogate",
    "id_text",
    "json_lines",
    "json_value",
    "keys",
    "kind_of",
    "load",
    "parts_at",
    "read_records",
    "readable",
    "strict_json_prefix",
    "strict_json_value",
    "table_rows",
]


@dataclass(frozen=True)
class Text:
    """The text of a document or query.

    Attributes
    ----------
    title : str
        Empty if there is none.
    text : str
        Body, abstract or description of a document, or the words of a query.
    fields : tuple of (str, str)
        The other fields by name, if they were requested: brand, narrative, url.

    Examples
    --------
    >>> Text("Tomato soup", "Roasted tomatoes and basil.").snippet
    'Tomato soup – Roasted tomatoes and basil.'
    """

    title: str = ""
    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def snippet(self) -> str:
        """The title and text on one line, with white space collapsed."""
        parts = (" ".join(part.split()) for part in (self.title, self.text))
        return " – ".join(part for part in parts if part)

    def __repr__(self) -> str:
        return f"Text(title={self.title!r}, text={self.text!r})"


@dataclass(frozen=True)
class Fields:
    """The fields of a collection of documents or of queries.

    Parameters
    ----------
    what : str
        "document" or "query".
    files : tuple of str
        Names in a BEIR folder.
    members : tuple of str
        Words in the member names of archives.
    keeps_others : bool
        Whether to keep the fields that are not an id, title or text.
    """

    what: str
    _: KW_ONLY
    files: tuple[str, ...]
    members: tuple[str, ...]
    keeps_others: bool = False

    def text(self, value: object) -> Text | None:
        """Return the text of a record or string, or ``None`` for other values."""
        if isinstance(value, Text):
            return value
        if isinstance(value, str):
            return Text("", readable(value))
        if not isinstance(value, dict):
            return None
        names = self._names(value)
        parts = [[name for name in part if value[name]][:1] for part in names[1:]]
        title, text = ("".join(field_text(value[name]) for name in part) for part in parts)
        if not self.keeps_others:
            return Text(title, text)
        used = {*names[0], *parts[0], *parts[1]}
        others = (
            (str(name), field_text(field)) for name, field in value.items() if name not in used
        )
        return Text(title, text, tuple((name, field) for name, field in others if field))

    def identifier(self, record: dict[str, object]) -> str | None:
        """Return the id of a record, or ``None``."""
        ids = (id_text(record[name]) for name in self._names(record)[0])
        return next(filter(None, ids), None)

    def _names(self, record: dict[str, object]) -> tuple[list[str], list[str], list[str]]:
        """Return the fields of the id, the title and the text, best first."""
        return _fields(self.what, tuple(map(str, record)))


# Records of a collection mostly have the same fields.
@lru_cache(1024)
def _fields(what: str, names: tuple[str, ...]) -> tuple[list[str], list[str], list[str]]:
    parts = (names_with(list(names), f"{what}.{part}") for part in ("id", "title", "text"))
    ids, titles, texts = parts
    return ids, titles, texts


DOCUMENT = Fields(
    "document",
    files=("corpus.jsonl", "documents.jsonl", "corpus.tsv"),
    members=("corpus", "docs", "document", "collection", "passages", "products"),
)
QUERY = Fields(
    "query",
    files=("queries.jsonl", "queries.tsv", "topics.tsv"),
    members=("quer", "topic", "claim"),
)


def id_text(value: object) -> str | None:
    """Return a text or a whole number as text; None for other values."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


def field_text(value: object) -> str:
    """Return a field's value as text: lists are joined, other types give an empty text."""
    if isinstance(value, str):
        return readable(value)
    parts: list[str] = []
    # Not by recursion: JSON may nest lists deeper than calls can.
    waiting = [value]
    while waiting:
        value_waiting = waiting.pop()
        if isinstance(value_waiting, (list, tuple)):
            waiting.extend(reversed(value_waiting))
        elif isinstance(value_waiting, str):
            parts.append(readable(value_waiting))
        else:
            parts.append(str(value_waiting) if isinstance(value_waiting, (int, float)) else "")
    return " ".join(parts)


def readable(text: str) -> str:
    r"""Replace bytes that are not UTF-8, and lone surrogates, by U+FFFD.

    JSON escapes can encode lone surrogates, which are half a character.

    Examples
    --------
    >>> readable(b"caf\xe9".decode("utf-8", "surrogateescape")), readable("half \ud83d here")
    ('caf\ufffd', 'half \ufffd here')
    """
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return text.translate(dict.fromkeys(range(0xD800, 0xE000), "\ufffd"))


def has_lone_surrogate(text: str) -> bool:
    r"""Return whether a text has a lone surrogate; bytes that are not UTF-8 do not count as one.

    Examples
    --------
    >>> [has_lone_surrogate(text) for text in ("\ud83d", "\U0001f600", "\udcff")]
    [True, False, False]
    """
    if text.isascii():
        return False
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False


class Record(NamedTuple):
    """A row: its line number, and its cells by column; missing cells are None."""

    line: int | None
    cells: dict[str, object]


class Records(NamedTuple):
    """The rows of a file.

    Attributes
    ----------
    name : str
        The file's name in messages.
    columns : tuple of str
        The column names, in the order of the file.
    rows : list of Record
        Cells of TSV and CSV are texts, those of JSON lines have JSON types.
    """

    name: str
    columns: tuple[str, ...]
    rows: list[Record]


def read_records(path: str | PathLike[str]) -> Records:
    r"""Read a file whose first line names the columns, or whose lines are JSON objects.

    Examples
    --------
    >>> with open("tests.tsv", "w") as file:
    ...     _ = file.write("experiment\toffline\nnew ranker\t0.02\nold ranker\t\n")
    >>> table = read_records("tests.tsv")
    >>> table.columns
    ('experiment', 'offline')
    >>> table.rows[1]
    Record(line=3, cells={'experiment': 'old ranker', 'offline': None})
    """
    with opened(fspath(path)) as (name, stream):
        first, lines = text_from(stream, name, "the file is empty, expected a header and rows")
        if first[1].lstrip().startswith("{"):
            rows = [Record(number, cells) for number, cells in _checked_objects(lines, name)]
            return Records(name, tuple(keys(row.cells for row in rows)), rows)
        delimiter = delimiter_of(first[1], name) or ","
        names, cells_of_rows = named_rows(parse_csv(lines, name, delimiter), name)
        if twice := repeated(names):
            raise FormatError(f"two columns named {twice[0]!r}", file=name, line=first[0])
        rows = [
            Record(number, {key: str(cell).strip() or None for key, cell in cells.items()})
            for number, cells in cells_of_rows
        ]
        return Records(name, tuple(names), rows)


def json_value(text: str, file: str | None = None, line: int | None = None) -> object:
    """Parse a JSON value; return ``None`` if it is invalid."""
    try:
        return strict_json_value(text)
    except KeyError as error:
        raise FormatError(
            f"the key {shown(error.args[0])} occurs twice in one object", file=file, line=line
        ) from None
    except (ValueError, RecursionError):
        return None


def strict_json_value(text: str) -> Any:
    """Parse a JSON text; NaN and infinities become texts, which are not valid grades."""
    return json.loads(text, object_pairs_hook=_unique, parse_constant=str)


def strict_json_prefix(text: str, start: int) -> tuple[Any, int]:
    """Parse the JSON value that begins at a place of a text; return it and where it ends."""
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=str)
    return decoder.raw_decode(text, start)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise KeyError(repeated(key for key, _ in pairs)[0])
    return members


def json_lines(lines: Lines, label: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines, with line numbers."""
    for number, line in lines:
        if line.strip():
            cells = json_value(line, label, number)
            if not isinstance(cells, dict):
                problem = f"not a JSON object: {line.strip()[:80]!r}"
                raise FormatError(problem, file=label, line=number)
            yield number, cells


def _checked_objects(lines: Lines, label: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the objects of JSON lines, without lone surrogates in names and texts."""
    objects = []
    for number, cells in json_lines(lines, label):
        check_surrogates(cells, label, number)
        objects.append((number, cells))
    return objects


def check_surrogates(cells: dict[str, object], name: str, number: int | None) -> None:
    """Refuse lone surrogates in the names and texts of a record; JSON can encode them."""
    for text in (*cells, *cells.values()):
        if isinstance(text, str) and has_lone_surrogate(text):
            raise FormatError(f"a lone surrogate in {shown(text)}", file=name, line=number)


def finite(
    name: str, row: Record, column: str, *, expected: str, least: float = float("-inf")
) -> float | None:
    """Return the number in a cell, ``None`` for an empty cell."""
    value = row.cells.get(column)
    if value is None:
        return None
    try:
        number = parse_number(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    # The difference of a number with itself is 0 only if it is finite.
    if number - number != 0.0 or number < least:
        raise FormatError(
            f"{column}: found {shown(value)}, expected {expected}", file=name, line=row.line
        )
    return number


def table_rows(stream: Iterable[bytes], label: str, unnamed: Unnamed | None = None) -> Table | None:
    """Return the columns of a table, and an iterable of its rows."""
    first, lines = text_from(stream, label)
    if first[1].lstrip().startswith("{"):
        # The whole file may be one JSON value, which the kernel reads.
        is_record = isinstance(json_value(first[1], label, first[0]), dict)
        objects = _checked_objects(lines, label) if is_record else []
        return keys(row for _, row in objects), objects
    delimiter = delimiter_of(first[1], label)
    if delimiter is None:
        return None
    return named_rows(parse_cells(lines, label, delimiter), label, unnamed)


def keys(rows: Iterable[Mapping[str, object]]) -> list[str]:
    """Return the names in all rows, in order of appearance; rows may have different names."""
    return list(dict.fromkeys(str(name) for row in rows for name in row))


_STEP = re.compile(
    r"""(?:^|\.)(?:(?P<name>[^.\[\]{}"?]+)|"(?P<quoted>[^"]+)")(?P<optional>\[\]\?|\?)?"""
    r"""|\[(?P<index>\d*)\]|(?P<members>\{\})"""
)
#: Steps to every item of a list, and to every member of an object.
ALL, MEMBERS = -1, -2


class Key(NamedTuple):
    """A step to a key of an object; a layer is a list that may be missing around its items."""

    name: str
    optional: bool = False
    is_layer: bool = False


class Path:
    """A path in JSON.

    Parameters
    ----------
    text : str
        Names with dots between them, such as ``hits.hits[]``: ``[]`` is every item of a list,
        ``[0]`` the first, and ``{}`` every member of an object; ``name?`` may be absent; a name
        with dots is quoted. ``name[]?`` is a list that may be missing around its items. An empty
        path is the value itself.

    Raises
    ------
    ValueError
        If it is invalid.

    Examples
    --------
    >>> Path("hits[].id").find({"hits": [{"id": 7}, {"id": 8}]})
    [7, 8]
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps: list[Step] = []
        place = 0
        while place < len(text):
            match = _STEP.match(text, place)
            if match is None or text[0] == ".":
                raise ValueError(text)
            place = match.end()
            name = match["name"] or match["quoted"]
            if name:
                optional = match["optional"]
                self.steps.append(Key(name, optional is not None, optional == "[]?"))
            elif match["members"]:
                self.steps.append(MEMBERS)
            else:
                self.steps.append(int(match["index"]) if match["index"] else ALL)

    @property
    def key(self) -> str | None:
        """The name, if the path is a single required name, which is the usual case."""
        first = self.steps[0] if len(self.steps) == 1 else None
        return first.name if isinstance(first, Key) and not first.optional else None

    def find(self, value: Any) -> list[Any]:
        """Return all values at the path."""
        here = [value]
        for step in self.steps:
            here = [inner for outer in here for _, _, inner in _next(outer, step)]
        return here

    def items(self, value: Any) -> list[Any]:
        """Return the items of the lists at the path, with or without ``[]`` at its end."""
        values = self.find(value)
        if self.steps[-1:] == [ALL]:
            return values
        return [item for one in values for _, _, item in _next(one, ALL)]


def _next(value: Any, step: Step) -> list[tuple[str, str, Any]]:
    """Return the values one step further, with what the step adds to a location, and the key."""
    if isinstance(step, Key):
        return _members(value, step)
    # Servers written in Go write null for an empty list.
    if value is None and step == ALL:
        return []
    if step == MEMBERS:
        if not isinstance(value, dict):
            raise LookupError(f"{kind_of(value)} instead of an object")
        return [(f".{key}", key, inner) for key, inner in value.items()]
    if not isinstance(value, list):
        raise LookupError(f"{kind_of(value)} instead of a list")
    if step >= len(value):
        raise LookupError(f"no item [{step}] in a list of {len(value)}")
    items = enumerate(value) if step == ALL else [(step, value[step])]
    return [(f"[{place}]", "", item) for place, item in items]


def _members(value: Any, step: Key) -> list[tuple[str, str, Any]]:
    role = step.name[1:].replace("text", "query.question") if step.name[0] == "~" else None
    if not isinstance(value, dict):
        if step.optional and value is None:
            return []
        what = repr(step.name) if role is None else f"a field for {role}"
        raise LookupError(f"{kind_of(value)} instead of an object with {what}")
    name = step.name if role is None else _named(value, role)
    if name is None or name not in value or (step.optional and value[name] is None):
        if step.optional:
            return [("", "", value)] if step.is_layer else []
        keys = ", ".join(list(value)[:8]) or "no keys"
        known = repr(name) if role is None else f"field such as {', '.join(names_of(role)[:3])}"
        raise LookupError(f"no {known} ({keys})")
    if not step.is_layer:
        return [(f".{name}", name, value[name])]
    return [(f".{name}{place}", "", item) for place, _, item in _next(value[name], ALL)]


def _named(value: dict[str, Any], role: str) -> str | None:
    """Return the best name of a role; an id without a name is that of the record.

    Examples
    --------
    >>> _named({"id": 7, "query": "soup", "docid": "r01"}, "query_id")
    'query'
    """
    names = [*value]
    documents = names_with(names, "document.id") if role == "query_id" else []
    best = names_with(names, "document") if role == "doc_id" else []
    names_of_role = [*best, *(name for name in names_with(names, role) if name not in documents)]
    return names_of_role[0] if names_of_role else None


def kind_of(value: Any) -> str:
    """Return what a JSON value is, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
    return kinds.get(type(value), type(value).__name__)


class Part(NamedTuple):
    """A value in a JSON text with its location, as in ``topics[0].queries``, and its key."""

    value: Any
    file: str
    where: str = ""
    key: str = ""

    def text(self) -> str:
        """Return a text that is not empty; whole numbers are converted."""
        text = id_text(self.value)
        if not text:
            description = shown(self.value)
            raise FormatError(
                file=self.file, where=self.where, found=description, expected="a text"
            )
        return text

    def next(self, step: Step) -> list[Part]:
        """Return the parts one step further; ``@key`` is the name of a member."""
        if isinstance(step, Key) and step.name == "@key":
            return [self._replace(value=self.key)]
        try:
            values = _next(self.value, step)
        except LookupError as error:
            raise FormatError(str(error), file=self.file, where=self.where or None) from None
        return [
            Part(value, self.file, (self.where + place).lstrip("."), key)
            for place, key, value in values
        ]


def parts_at(part: Part, steps: Sequence[Step]) -> Iterator[tuple[Part, ...]]:
    """Yield each part at the end of some steps, after the parts on the way to it.

    Examples
    --------
    >>> chains = parts_at(Part({"a": [{"b": 1}, {"b": 2}]}, "x.json"), Path("a[].b").steps)
    >>> [[part.where for part in chain] for chain in chains]
    [['', 'a', 'a[0]', 'a[0].b'], ['', 'a', 'a[1]', 'a[1].b']]
    """
    if not steps:
        yield (part,)
        return
    for inner in part.next(steps[0]):
        for inner_parts in parts_at(inner, steps[1:]):
            yield (part, *inner_parts)


def load(text: str, file: str) -> Part:
    """Parse a JSON text."""
    try:
        return Part(strict_json_value(text), file)
    except KeyError as error:
        raise FormatError(
            f"the key {shown(error.args[0])} occurs twice in one object", file=file
        ) from None
    except json.JSONDecodeError as error:
        raise FormatError(f"invalid JSON: {error.msg}", file=file, line=error.lineno) from None
    except (RecursionError, ValueError):
        raise FormatError("the JSON is too large or too deep", file=file) from None

"""From the bytes of a collection to its records: one function a format, and the names of fields."""

from __future__ import annotations

import json

from gainful.errors import ColumnError, FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

    Records = Iterator[tuple[str, "Text"]]
    Wanted = frozenset[str] | None


class Text:
    """The words that belong to an id.

    Attributes
    ----------
    title : str
        Empty where there is none.
    text : str
        Body, abstract or description of a document; what was typed, of a query.

    Examples
    --------
    >>> Text("Tomato soup", "Roasted tomatoes and basil.").snippet
    'Tomato soup – Roasted tomatoes and basil.'
    """

    __slots__ = ("text", "title")

    def __init__(self, title: str = "", text: str = "") -> None:
        self.title = title
        self.text = text

    @property
    def snippet(self) -> str:
        """Title and text on one line, white space collapsed."""
        parts = (" ".join(part.split()) for part in (self.title, self.text))
        return " – ".join(part for part in parts if part)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Text):
            return NotImplemented
        return (self.title, self.text) == (other.title, other.text)

    def __hash__(self) -> int:
        return hash((self.title, self.text))

    def __repr__(self) -> str:
        return f"Text(title={self.title!r}, text={self.text!r})"


class Fields:
    """The names under which collections keep ids, titles and texts; the first that is there counts.

    Parameters
    ----------
    what : str
        "document" or "query".
    ids, titles, texts : tuple of str
        Names of fields and columns, in lower case.
    files : tuple of str
        Names in a BEIR folder.
    members : tuple of str
        Words in the names of an archive's members.
    """

    __slots__ = ("files", "ids", "members", "texts", "titles", "what")

    def __init__(
        self,
        what: str,
        *,
        ids: tuple[str, ...],
        titles: tuple[str, ...],
        texts: tuple[str, ...],
        files: tuple[str, ...],
        members: tuple[str, ...],
    ) -> None:
        self.what = what
        self.ids = ids
        self.titles = titles
        self.texts = texts
        self.files = files
        self.members = members

    def text(self, value: object) -> Text | None:
        """Return the words of a record, of a text, or ``None`` for what is neither."""
        if isinstance(value, Text):
            return value
        if isinstance(value, str):
            return Text("", readable(value))
        if not isinstance(value, dict):
            return None
        fields = {_plain(name): each for name, each in value.items()}
        title = next((words(fields[name]) for name in self.titles if fields.get(name)), "")
        text = next((words(fields[name]) for name in self.texts if fields.get(name)), "")
        return Text(title, text)

    def identifier(self, record: dict[str, object]) -> str | None:
        """Return the id of a record, or ``None``."""
        fields = {_plain(name): value for name, value in record.items()}
        for name in self.ids:
            value = fields.get(name)
            if isinstance(value, str) and value:
                return value
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
        return None


DOCUMENT = Fields(
    "document",
    ids=(
        *("_id", "doc_id", "docid", "docno", "document_id", "corpus_id", "id", "pid"),
        *("product_id", "passage_id", "asin", "sku"),
    ),
    titles=("title", "name", "product_title", "headline", "heading", "subject"),
    texts=(
        *("text", "contents", "content", "body", "abstract", "description", "passage", "snippet"),
        *("product_description", "raw"),
    ),
    files=("corpus.jsonl", "documents.jsonl", "corpus.tsv"),
    members=("corpus", "docs", "document", "collection", "passages", "products"),
)
QUERY = Fields(
    "query",
    ids=("_id", "query_id", "queryid", "qid", "topic_id", "id", "number", "num"),
    titles=(),
    texts=(
        *("text", "query", "query_text", "querytext", "title", "question", "claim", "topic"),
        "description",
    ),
    files=("queries.jsonl", "queries.tsv", "topics.tsv"),
    members=("quer", "topic", "claim"),
)


def words(value: object) -> str:
    """Return a field's value as text: sentences of a list are joined, other values are nothing."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, (list, tuple)):
        return " ".join(words(each) for each in value)
    return str(value) if isinstance(value, (int, float)) else ""


def readable(text: str) -> str:
    """Return a text without the bytes that were no UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def records(stream: BinaryIO, label: str, fields: Fields, wanted: Wanted) -> Records:
    """Yield id and words of each record of a stream, in whichever format it is.

    Parameters
    ----------
    stream : binary file
        Decompressed bytes.
    label : str
        The file's name, for messages.
    fields : Fields
        What to look for.
    wanted : frozenset of str or None
        The ids that are wanted; formats that are slow to take apart look at it first.
    """
    lines = _lines(stream)
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        raise FormatError(file=label, found="an empty file", expected=f"{fields.what} texts")
    start = first.lstrip()[0]
    if start in "{[":
        yield from _json(first, lines, label, fields)
    elif start == "<":
        from gainful.data.corpus_markup import markup

        yield from markup(_chain(first, lines), label, fields, wanted)
    else:
        yield from _delimited(first, lines, label, fields)


def _lines(stream: BinaryIO) -> Iterator[str]:
    for number, line in enumerate(stream):
        if number == 0 and line.startswith(b"\xef\xbb\xbf"):
            line = line[3:]
        yield line.decode("utf-8", "surrogateescape")


def _chain(first: str, lines: Iterable[str]) -> Iterator[str]:
    yield first
    yield from lines


def _json(first: str, lines: Iterator[str], label: str, fields: Fields) -> Records:
    """JSON lines; or one document: a list of records, or records or texts by id."""
    try:
        record = json.loads(first)
    except ValueError:
        yield from _one_document(first + "".join(lines), label, fields)
        return
    second = next((line for line in lines if line.strip()), None)
    if second is None and (isinstance(record, list) or fields.identifier(record) is None):
        yield from _one_document(first, label, fields)
        return
    for number, line in enumerate(_chain(first, _chain(second or "", lines)), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise FormatError(
                file=label, line=number, found=f"what is no JSON ({error})", expected="an object"
            ) from error
        yield _record(record, label, fields, number)


def _one_document(text: str, label: str, fields: Fields) -> Records:
    try:
        whole = json.loads(text)
    except ValueError as error:
        raise FormatError(
            file=label, found=f"what is no JSON ({error})", expected="JSON or JSON lines"
        ) from error
    if isinstance(whole, list):
        for record in whole:
            yield _record(record, label, fields, None)
        return
    for identifier, value in whole.items():
        text_of = fields.text(value)
        if text_of is None:
            raise _no_id(label, fields, None, f"the value of {identifier!r}")
        yield identifier, text_of


def _record(record: object, label: str, fields: Fields, line: int | None) -> tuple[str, Text]:
    if not isinstance(record, dict):
        raise _no_id(label, fields, line, type(record).__name__)
    identifier = fields.identifier(record)
    if identifier is None:
        raise _no_id(label, fields, line, f"the fields {', '.join(map(str, record))}")
    text = fields.text(record)
    assert text is not None  # a dictionary always has one
    return identifier, text


def _no_id(label: str, fields: Fields, line: int | None, found: str) -> FormatError:
    return FormatError(
        file=label,
        line=line,
        found=found,
        expected=f"a record with the {fields.what}'s id ({', '.join(fields.ids)})",
    )


def _delimited(first: str, lines: Iterator[str], label: str, fields: Fields) -> Records:
    """CSV with quotes, TSV without; a header, or two columns: id and text."""
    rows: Iterator[list[str]]
    tabs = "\t" in first and not label.lower().endswith(".csv")
    if tabs:
        rows = (line.rstrip("\r\n").split("\t") for line in _chain(first, lines))
    else:
        import csv

        # The limit guards against files that are no CSV; a document may well be longer.
        csv.field_size_limit(2**31 - 1)
        rows = csv.reader(_chain(first, lines))
    header = next(rows)
    names = [_plain(name) for name in header]
    known = {*fields.ids, *fields.titles, *fields.texts}
    if len(names) == 2 and not known.intersection(names):
        yield header[0].strip(), Text("", readable(header[1].strip()))
        names = [fields.ids[0], fields.texts[0]]
    if not any(name in fields.ids for name in names):
        raise ColumnError(
            file=label,
            found=f"the columns {', '.join(header)}",
            expected=f"one of the {fields.what}'s id ({', '.join(fields.ids)})",
        )
    for number, row in enumerate(rows, start=2):
        if not any(row):
            continue
        record: dict[str, object] = dict(zip(names, row, strict=False))
        identifier = fields.identifier(record)
        text = fields.text(record)
        if identifier is None or text is None:
            raise _no_id(label, fields, number if tabs else None, f"a row of {len(row)} fields")
        yield identifier.strip(), text


def _plain(name: object) -> str:
    return str(name).strip().lower().replace(" ", "_").replace("-", "_")

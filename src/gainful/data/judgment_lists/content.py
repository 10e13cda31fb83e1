"""What a file holds: which judgment list it is, if it is one, and who reads it."""

from __future__ import annotations

from io import BytesIO
from os.path import getsize

from gainful.data.columns import ALIASES, normal
from gainful.data.decompressed import opened
from gainful.data.delimited import decoded
from gainful.data.judgment_lists import (
    es_ltr,
    esci,
    opensearch,
    quepid,
    raters,
    rre,
)
from gainful.data.judgment_lists import (
    rank_eval as rank_eval_body,
)
from gainful.data.judgment_lists.json_text import Part, load
from gainful.data.judgment_lists.list_format import ListFormat
from gainful.data.records import json_value
from gainful.data.table_rows import table_rows
from gainful.errors import ColumnError, FormatError, GainfulError
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.table_rows import Row

__all__ = ["Content", "content_formats", "content_of", "format_of_json", "read_json"]

#: Lines of a table that tell what it is; the longest of them; the decompressed size beyond which a
#: file is not tried as a list.
_HEAD, _LONGEST, _LARGEST = 100, 2**20, 2**28
_MARK = b"\xef\xbb\xbf"


def content_formats(paths: Sequence[str]) -> set[str]:
    """Return the names of the formats of files; none where one is no judgment list.

    Of a table only the beginning is read. A file that is larger than any list is none.
    """
    try:
        if any(_size(path) > _LARGEST for path in paths):
            return set()
        formats = [Content(*content_of(path, beginning=True)).format() for path in paths]
    except (GainfulError, OSError):
        return set()
    return set() if None in formats else {each.name for each in formats if each is not None}


def _size(path: str) -> int:
    length = getattr(path, "length", None)  # of a file that is not here
    return getsize(path) if length is None else length()


def content_of(path: str, *, beginning: bool = False) -> tuple[str, list[bytes]]:
    """Return the name of a file and its lines; if asked for, of a table only the first ones."""
    with opened(path) as (name, stream):
        if not beginning:
            return name, list(stream)
        head: list[bytes] = []
        long = False
        while len(head) < _HEAD and not long and (line := stream.readline(_LONGEST + 1)):
            head.append(line)
            long = len(line) > _LONGEST
        if _is_document(head):
            head.append(stream.read(_LARGEST + 1))
            if sum(map(len, head)) > _LARGEST:
                raise FormatError(file=name, found="a larger file", expected="a judgment list")
            return name, BytesIO(b"".join(head)).readlines()
        if long:  # Only JSON may be one long line.
            raise FormatError(file=name, found="a line longer than 1 MiB", expected="a table")
        return name, head


def _is_document(lines: Sequence[bytes]) -> bool:
    """Whether a file that begins so is one JSON value; JSON lines are a table."""
    filled = [line for line in lines if line.strip()]
    first = filled[0].removeprefix(_MARK).strip() if filled else b""
    if first[:1] not in (b"{", b"["):
        return False
    several = len(filled) > 1
    return not (several and isinstance(json_value(first.decode("utf-8", "replace")), dict))


class Content:
    """The lines of a file, and what they are."""

    def __init__(self, name: str, lines: list[bytes]) -> None:
        self.name = name
        self.lines = lines
        self._whole: Part | None = None
        if _is_document(lines):
            text = b"".join(lines).removeprefix(_MARK)
            self._whole = load(text.decode("utf-8", "surrogateescape"), name)

    def format(self, queries: bool = False) -> ListFormat | None:
        """Return the format that the content has, if it is a list without doubt.

        Where only queries are wanted, judgments of any other table do, if they have texts.
        """
        if self._whole is not None:
            return format_of_json(self._whole)
        if any(es_ltr.looks_like(line) for _, line in self._head()):
            return ListFormat("es_ltr")
        names = self._columns()
        if not names:
            return None
        if esci.is_table(names):
            return ListFormat("esci")
        if raters.is_table(names):
            return ListFormat("raters")
        if quepid.is_table(names) or (queries and quepid.has_texts(names)):
            return ListFormat("quepid")
        return None

    def read(self, into: Entries) -> None:
        """Hand the content to the reader of a format."""
        name = into.format.name
        if self._whole is not None:
            read_json(self._whole, into)
            return
        if name == "es_ltr":
            es_ltr.text(decoded(self.lines, self.name), into)
            return
        readers = {"quepid": quepid.csv, "esci": esci.csv, "raters": raters.csv}
        table = self._table() if name in readers else None
        if table is None or not table[0]:
            raise FormatError(
                file=self.name,
                found=f"what is no {'table' if name in readers else 'JSON'}",
                expected=f"a list of the format {name}",
            )
        try:
            readers[name](*table, into)
        except ColumnError as error:
            raise ColumnError(
                file=self.name,
                found=f"the columns {names_shown(table[0])}",
                expected=error.expected,
            ) from None

    def _head(self) -> list[tuple[int, str]]:
        return list(decoded(self.lines[:_HEAD], self.name))

    def _table(self) -> tuple[Sequence[str], Iterable[Row]] | None:
        table = table_rows(self.lines, self.name) if self.lines else None
        twice = table and _twice(table[0])
        if twice:
            raise ColumnError(
                file=self.name, line=1, found=f"two columns named {twice!r}", expected="one"
            )
        return table

    def _columns(self) -> Sequence[str]:
        table = self._table()
        return table[0] if table else ()


def _twice(names: Sequence[str]) -> str | None:
    """Return a column that stands twice, if one of the two would be taken and the other lost."""
    plain = [normal(name) for name in names]
    several = {name for name in plain if plain.count(name) > 1}
    if not several:
        return None
    said = {alias for role in ("query_id", "doc_id", "grade") for alias in ALIASES[role]}
    said.update(quepid.TEXTS, raters.columns(names), [esci.LABEL])
    return next((name for name in plain if name in several & said), None)


_JSON = {
    "quepid": quepid.json,
    "rre": rre.json,
    "rank_eval": rank_eval_body.json,
    "opensearch": opensearch.json,
    "raters": raters.book,
}


def read_json(whole: Part, into: Entries) -> None:
    """Hand a JSON value to the reader of a format.

    Raises
    ------
    FormatError
        If the format is no JSON.
    """
    name = into.format.name
    if name not in _JSON:
        raise FormatError(
            file=whole.file, found="JSON", expected=f"a list of the format {name}, which is no JSON"
        )
    _JSON[name](whole, into)


def format_of_json(whole: Part) -> ListFormat | None:
    """Return the format that a JSON value is in; None if it is no list."""
    inner = opensearch.unwrapped(whole).value
    if not isinstance(inner, dict):
        return None

    def first(key: str, of: dict[str, object] = inner) -> dict[str, object]:
        value = of.get(key)
        one = value[0] if isinstance(value, list) and value else None
        return one if isinstance(one, dict) else {}

    if isinstance(inner.get(opensearch.JUDGMENTS), list) or opensearch.QUERIES in inner:
        return ListFormat("opensearch")
    if isinstance(inner.get("query_doc_pairs"), list):
        return ListFormat("raters")
    if "ratings" in first("requests"):
        return ListFormat("rank_eval")
    query = first("queries")
    if "ratings" in query and ("query" in query or "query_text" in query):
        return ListFormat("quepid")
    topic = first("topics") or inner
    if first("query_groups", topic) or "relevant_documents" in (*topic, *query):
        return ListFormat("rre")
    return None

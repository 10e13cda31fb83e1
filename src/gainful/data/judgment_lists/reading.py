"""From the files of a judgment list to what they hold."""

from __future__ import annotations

from itertools import islice
from os.path import getsize, isdir

from gainful.data.judgment_lists import es_ltr, esci, opensearch, quepid, raters, rre
from gainful.data.judgment_lists import rank_eval as rank_eval_body
from gainful.data.judgment_lists.entries import Entries
from gainful.data.judgment_lists.json_text import Part, load
from gainful.data.judgment_lists.list_format import FORMATS, ListFormat, list_format
from gainful.data.paths import as_paths
from gainful.data.records import json_value
from gainful.errors import ArgumentError, ColumnError, FormatError, GainfulError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.data.judgment_lists.judgment_list import JudgmentList, ListedQuery
    from gainful.data.paths import Paths
    from gainful.data.table_rows import Row

__all__ = [
    "chosen_format",
    "content_formats",
    "known_texts",
    "listed_queries",
    "read_judgment_list",
]

#: Lines of a table that tell what it is; the size beyond which a file is not tried as a list.
_HEAD, _LARGEST = 100, 2**28
_MARK = b"\xef\xbb\xbf"


def read_judgment_list(
    path: Paths, *, format: str | None = None, duplicates: str = "error"
) -> JudgmentList:
    r"""Read a judgment list: its judgments, its queries, and how much of it is neither.

    Parameters
    ----------
    path : str, path or list of them
        The file; compressed files (gzip, bzip2, xz) are read as what they hold, and ``"-"`` is the
        standard input. Of several, all are read as one.
    format : str, optional
        ``"quepid"`` (also of Chorus), ``"rre"``, ``"rank_eval"``, ``"es-ltr"``, ``"opensearch"``,
        ``"esci"`` or ``"raters"``; without it the content tells. After a colon stands what is
        chosen: ``"raters:mean"``, ``"raters:median"``, ``"raters:majority"``, ``"raters:final"`` or
        ``"raters:NAME"``; ``"esci:amazon"`` or ``"esci:E=4,S=2,C=1,I=0"``; in any of them
        ``scale=0-3``, which refuses other grades, and ``ids=texts``, which calls queries by their
        texts where the list has ids, too.
    duplicates : {"error", "first", "last", "best", "count"}
        What to do with a document that has two grades under a query. The same grade said again is
        passed over, and counted.

    Returns
    -------
    JudgmentList

    Raises
    ------
    FormatError, GradeError, DuplicateError, ParameterError
        For the first entry that cannot be read, a grade outside the scale, and a choice that has to
        be made; the message says which.
    SourceError
        For a file that cannot be read.

    Examples
    --------
    >>> with open("ratings.csv", "w") as file:
    ...     _ = file.write("query,docid,rater_1,rater_2\nsoup,r01,3,2\nsoup,r02,0,\nstew,r07,,\n")
    >>> held = read_judgment_list("ratings.csv", format="raters:mean")
    >>> held.qrels.to_dict()
    {'soup': {'r01': 2.5, 'r02': 0.0}}
    >>> held.entries, held.unrated, held.decided
    (3, 1, 'the grade is the mean over 2 raters')
    """
    paths = as_paths(path)
    if paths is None:
        raise ArgumentError(
            where="read_judgment_list",
            found=type(path).__name__,
            expected="a path or a list of paths",
        )
    chosen = None if format is None else chosen_format(format)
    into: Entries | None = None
    names = []
    for each in paths:
        name, content = _content(each)
        names.append(name)
        found = _Content(name, content)
        kind = chosen or found.format()
        if kind is None:
            raise FormatError(
                file=name,
                found="what is no judgment list",
                expected=f"one of the formats {', '.join(FORMATS)}",
                hint="gainful.read_qrels reads other judgments",
            )
        if into is None:
            into = Entries(kind, duplicates)
        elif into.format.name != kind.name:
            raise FormatError(
                file=name,
                found=f"a list of the format {kind.name}",
                expected=f"{into.format.name}, as in {paths[0]}",
            )
        into.file = name
        found.read(into)
    assert into is not None
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return into.finish(names[0] + more)


def listed_queries(path: Paths, *, format: str | None = None) -> tuple[ListedQuery, ...] | None:
    r"""Return the queries of a judgment list or of a query set; None for what is neither.

    Parameters
    ----------
    path, format
        As `read_judgment_list` has them. What is chosen of grades does not matter.

    Returns
    -------
    tuple of ListedQuery or None
        All of them, also those of which no document is rated, in the order of the file.

    Raises
    ------
    FormatError
        For a list that cannot be read, or that does not say what was typed.

    Examples
    --------
    >>> import json
    >>> with open("set.json", "w") as file:
    ...     json.dump({"querySetQueries": [{"queryText": "lentil soup"}]}, file)
    >>> listed_queries("set.json")
    (ListedQuery(id='lentil soup', text='lentil soup', fields={}),)
    >>> listed_queries("qrels.txt") is None
    True
    """
    paths = as_paths(path)
    queries = None if paths is None else _queries(paths, format)
    if paths is None or queries is None:
        return None
    return _with_texts(queries, paths[0])


def queries_in_json(value: object, file: str) -> tuple[ListedQuery, ...] | None:
    """Return the queries of a JSON value that was read already; None if it is no judgment list."""
    whole = Part(value, file)
    format = _of_json(whole)
    if format is None:
        return None
    into = Entries(_without_grades(format), "last")
    into.file = file
    _read_json(whole, into)
    return _with_texts(into.queries.values(), file)


def queries_in_text(lines: Iterable[tuple[int, str]], file: str) -> tuple[ListedQuery, ...]:
    """Return the queries of RankLib's text."""
    into = Entries(ListFormat("es_ltr"), "last")
    into.file = file
    es_ltr.text(lines, into)
    return _with_texts(into.queries.values(), file)


def _without_grades(format: ListFormat) -> ListFormat:
    """Return a format in which no grade has to be decided, for none is asked for."""
    word = "mean" if format.name == "raters" and not format.word else format.word
    return ListFormat(format.name, word, format.settings)


def _with_texts(queries: Iterable[ListedQuery], file: str) -> tuple[ListedQuery, ...]:
    found = tuple(queries)
    for query in found:
        if query.text is None:
            raise FormatError(
                file=file,
                query=query.id,
                found="no text, or several",
                expected="what is typed for it",
                hint="a file of queries, an id and a text a line, says it",
            )
    return found


def known_texts(path: Paths, format: str | None = None) -> dict[str, str]:
    """Return the texts of the queries of a file by id, as far as it is a list that says them."""
    queries = _queries(as_paths(path) or [], None if format and not list_format(format) else format)
    return {query.id: query.text for query in queries or () if query.text is not None}


def _queries(paths: Sequence[str], format: str | None) -> tuple[ListedQuery, ...] | None:
    if any(isdir(path) for path in paths):
        return None
    found = [_Content(*_content(each)) for each in paths]
    kinds = [one.format(queries=True) if format is None else chosen_format(format) for one in found]
    if None in kinds:
        return None
    queries: dict[str, ListedQuery] = {}
    for one, kind in zip(found, kinds, strict=True):
        assert kind is not None
        into = Entries(_without_grades(kind), "last")
        into.file = one.name
        one.read(into)
        for query in into.queries.values():
            queries.setdefault(query.id, query)
    return tuple(queries.values())


def content_formats(paths: Sequence[str]) -> set[str]:
    """Return the names of the formats of files; none where one is no judgment list.

    Of a table only the beginning is read. A file that is larger than any list is none.
    """
    try:
        if any(getsize(path) > _LARGEST for path in paths):
            return set()
        formats = [_Content(*_content(path, beginning=True)).format() for path in paths]
    except (GainfulError, OSError):
        return set()
    return set() if None in formats else {each.name for each in formats if each is not None}


def chosen_format(format: str) -> ListFormat:
    """Return a format of judgment lists by what a caller calls it.

    Raises
    ------
    ParameterError
        If it is none.
    """
    found = list_format(format)
    if found is None:
        raise ParameterError(
            where="format", found=repr(format), expected=f"one of {', '.join(FORMATS)}"
        )
    return found


def _content(path: str, *, beginning: bool = False) -> tuple[str, list[bytes]]:
    """Return the name of a file and its lines; if asked for, of a table only the first ones."""
    from gainful.data.decompressed import opened

    with opened(path) as (name, stream):
        lines = iter(stream)
        head = list(islice(lines, _HEAD))
        if not beginning or b"".join(head).removeprefix(_MARK).lstrip()[:1] in (b"{", b"["):
            head.extend(lines)
        return name, head


class _Content:
    """The lines of a file, and what they are."""

    def __init__(self, name: str, lines: list[bytes]) -> None:
        self.name = name
        self.lines = lines
        first = next((line for line in lines if line.strip()), b"")
        start = first.removeprefix(_MARK).strip()[:1]
        self._whole: Part | None = None
        if start in (b"{", b"["):
            several = sum(bool(line.strip()) for line in lines) > 1
            # JSON lines are a table.
            if not (several and isinstance(json_value(first.decode("utf-8", "replace")), dict)):
                text = b"".join(lines).removeprefix(_MARK)
                self._whole = load(text.decode("utf-8", "surrogateescape"), name)

    def format(self, queries: bool = False) -> ListFormat | None:
        """Return the format that the content has, if it is a list without doubt.

        Where only queries are wanted, judgments of any other table do, if they have texts.
        """
        if self._whole is not None:
            return _of_json(self._whole)
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
            _read_json(self._whole, into)
            return
        if name == "es_ltr":
            from gainful.data.corpus_records import decoded

            es_ltr.text(decoded(self.lines), into)
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
                found=f"the columns {', '.join(table[0])}",
                expected=error.expected,
            ) from None

    def _head(self) -> list[tuple[int, str]]:
        from gainful.data.corpus_records import decoded

        return list(decoded(self.lines[:_HEAD]))

    def _table(self) -> tuple[Sequence[str], Iterable[Row]] | None:
        from gainful.data.table_rows import table_rows

        return table_rows(self.lines, self.name) if self.lines else None

    def _columns(self) -> Sequence[str]:
        table = self._table()
        return table[0] if table else ()


_JSON = {
    "quepid": quepid.json,
    "rre": rre.json,
    "rank_eval": rank_eval_body.json,
    "opensearch": opensearch.json,
    "raters": raters.book,
}


def _read_json(whole: Part, into: Entries) -> None:
    name = into.format.name
    if name not in _JSON:
        raise FormatError(
            file=whole.file, found="JSON", expected=f"a list of the format {name}, which is no JSON"
        )
    _JSON[name](whole, into)


def _of_json(whole: Part) -> ListFormat | None:
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

"""Read quotes and chunks: golden sets, results of retrievers, lists of chunks, tables."""

from __future__ import annotations

import ast
import json
from enum import Enum
from functools import lru_cache
from io import StringIO
from token import OP, STRING
from tokenize import TokenError, generate_tokens
from typing import Any, NamedTuple

from gainful._kernel import detect, names_of, names_with
from gainful.data.array_files import list_rows
from gainful.data.columns import column_names
from gainful.data.judgment_lists.reading import open_content
from gainful.data.objects import as_mapping, rows_of_table
from gainful.data.paths import as_paths
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.location.searching import Sought
from gainful.numerals import is_number, parse_number
from gainful.quoting import names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    Fields: TypeAlias = Mapping[str, Any]

__all__ = ["Kind", "Quote", "Quotes", "read_quotes"]


#: The parts of records by the words with which callers name their fields.
PARTS = {
    "query": "query.id",
    "quote": "quote",
    "results": "quote.returned",
    "text": "quote.text",
    "doc": "quote.document",
    "start": "start",
    "end": "end",
    "group": "subtopic",
    "weight": "weight",
    "rank": "rank",
    "score": "score",
    "chunk": "quote.chunk",
    "tokens": "tokens",
}


class Kind(Enum):
    """What quotes are: evidence for queries, what a system returned, or chunks of documents."""

    QRELS = "qrels"
    RUN = "run"
    CHUNKS = "chunks"


class Quote(NamedTuple):
    """A quote or chunk with what is known of it.

    Attributes
    ----------
    sought : Sought
        The text, its document and the given offsets.
    query : str or None
        The id or text of the query.
    item : int
        The number of the quote, or of the list of alternatives, among those of its query.
    group : str or None
        The named alternatives it belongs to.
    weight : float or None
        The weight of the group.
    rank : int or None
        Its rank in a run.
    score : float or None
        Its score in a run.
    chunk : str or None
        The id of the chunk.
    tokens : int or None
        The number of its tokens.
    grade : float
        The grade of the evidence.
    """

    sought: Sought
    query: str | None = None
    item: int = 0
    group: str | None = None
    weight: float | None = None
    rank: int | None = None
    score: float | None = None
    chunk: str | None = None
    tokens: int | None = None
    grade: float = 1


class Quotes(NamedTuple):
    """The quotes of a file.

    Attributes
    ----------
    name : str
        The file, for messages.
    kind : Kind
        What the quotes are.
    entries : list of Quote
        The quotes in the order of the file.
    queries : tuple of str
        All queries, including those without quotes.
    """

    name: str
    kind: Kind
    entries: list[Quote]
    queries: tuple[str, ...]


def read_quotes(
    source: object, kind: Kind | None = None, columns: Mapping[str, str] | None = None
) -> Quotes:
    """Read the quotes of a file, a table or records."""
    naming = _Naming(columns or {})
    name, records = _records(source, naming)
    entries: list[Quote] = []
    queries: dict[str, int] = {}
    for number, record in records:
        reader = _Reader(naming.record(_flat(record), name, number), name, number, naming)
        kind = kind or reader.kind()
        entries += reader.quotes(kind, queries)
    if kind is None:
        raise FormatError("no records", file=name)
    return Quotes(name, kind, entries, tuple(queries))


def _records(source: Any, naming: _Naming) -> tuple[str, Iterator[tuple[int, Fields]]]:
    paths = as_paths(source)
    if paths is None:
        return "quotes", _numbered(_objects(source, naming), "quotes")
    if len(paths) > 1:
        raise ArgumentError(where="quotes", found=f"{len(paths)} files", expected="one file")
    if paths[0] != "-" and detect(paths[0], "qrels") == "parquet":
        return paths[0], _numbered(list_rows(paths, "parquet"), paths[0])
    content = open_content(paths[0])
    whole = content.whole
    if whole is not None:
        return content.name, _numbered(_listed(whole.value, content.name, naming), content.name)
    table = content.table
    if table is None:
        raise FormatError("neither JSON nor a table", file=content.name)
    cells = ({key: _cell(value) for key, value in row.items()} for _, row in table[1])
    return content.name, _numbered(cells, content.name)


def _objects(source: Any, naming: _Naming) -> Iterable[object]:
    """Return the records of an object in memory."""
    if isinstance(source, dict):
        return _listed(source, "quotes", naming)
    names = column_names(source)
    if names is not None:
        return rows_of_table(source, names)
    for name in ("samples", "goldens"):
        listed = getattr(source, name, None)
        if isinstance(listed, list):
            return listed
    if not hasattr(source, "__iter__"):
        raise ArgumentError(
            where="quotes", found=type(source).__name__, expected="a path, records or a table"
        )
    records: Iterable[object] = source
    return records


def _listed(value: object, name: str, naming: _Naming) -> Sequence[object]:
    """Return the records of a JSON value: a list, the only list in an object, or one by id."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise FormatError("not a list of records", file=name)
    if isinstance(_pick(value, "query.question"), list):
        return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]
    is_record = _Reader(_flat(value), name, 0).query(by_own_id=False) is not None
    if is_record or naming.fits(_flat(value)) or _pick(value, "quote") is not None:
        return [value]
    lists = [
        part
        for part in value.values()
        if isinstance(part, list) and part and all(isinstance(item, dict) for item in part)
    ]
    if len(lists) == 1:
        return lists[0]
    if value and all(isinstance(part, dict) for part in value.values()):
        return [{"query_id": key, **part} for key, part in value.items()]
    return [value]


def _numbered(records: Iterable[object], name: str) -> Iterator[tuple[int, Fields]]:
    for number, record in enumerate(records):
        fields = as_mapping(record)
        if fields is None:
            label = type(record).__name__
            raise FormatError(file=name, row=number, found=label, expected="an object with fields")
        yield number, fields


class _Naming:
    """Gives fields that the caller names the names that parts of records have."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        #: Names of fields in records and in the objects of their lists, with the known ones.
        self._outer: dict[str, str] = {}
        self._inner: dict[str, str] = {}
        for word, name in columns.items():
            if word not in PARTS:
                raise ParameterError(
                    where="columns", found=shown(word), expected=f"one of {', '.join(PARTS)}"
                )
            listed, is_inside, inner = name.partition("[].")
            known = names_of(PARTS[word])[0]
            if not is_inside:
                self._outer[name] = known
                continue
            self._inner[inner] = (
                names_of("quote.text")[0] if word in ("quote", "results") else known
            )
            self._outer.setdefault(
                listed, names_of(PARTS["results" if word == "results" else "quote"])[0]
            )

    def fits(self, fields: Fields) -> bool:
        """Return whether there are names, and the fields have all of them."""
        return bool(self._outer) and self._outer.keys() <= fields.keys()

    def record(self, fields: Fields, file: str, row: int) -> Fields:
        """Return the fields of a record by known names."""
        missing = next((name for name in self._outer if name not in fields), None)
        if missing is not None:
            problem = f"no field {shown(missing)} ({names_shown(fields)})"
            # A name that the first record lacks is probably misspelled.
            raise FormatError(problem, file=file, row=row or None)
        return _renamed(fields, self._outer)

    def item(self, fields: Fields) -> Fields:
        """Return the fields of an object in a list by known names."""
        return _renamed(fields, self._inner)


def _renamed(fields: Fields, names: Mapping[str, str]) -> Fields:
    if not names:
        return fields
    others = {name: value for name, value in fields.items() if name not in names}
    return {**others, **{names[name]: fields[name] for name in names if name in fields}}


def _flat(record: Fields) -> dict[str, Any]:
    """Return the fields of a record and of its parts, such as `metadata` and `node`.

    Examples
    --------
    >>> _flat({"page_content": "x", "metadata": {"source": "a.md", "start_index": 0}})
    {'source': 'a.md', 'start_index': 0, 'page_content': 'x'}
    """
    fields = dict(record)
    for part in (*_names(record, "part"), *_parts_of_hits(record)):
        inner = fields.pop(part, None)
        if isinstance(inner, dict):
            fields = {**_flat(inner), **fields}
        elif inner is not None:
            fields[part] = inner
    # LlamaIndex: the node that a chunk was cut from.
    related = fields.get("relationships")
    if isinstance(related, dict) and isinstance(related.get("1"), dict):
        fields.setdefault("ref_doc_id", related["1"].get("node_id"))
    return fields


def _parts_of_hits(record: Fields) -> list[str]:
    return [name for name in _names(record, "hit.part") if isinstance(record.get(name), dict)]


# Records mostly have the same fields.
@lru_cache(4096)
def _known(names: tuple[str, ...], part: str) -> list[str]:
    return names_with(list(names), part)


def _names(fields: Fields, part: str) -> list[str]:
    """Return the names of fields that are of a part of a record, best first."""
    return _known(tuple(map(str, fields)), part)


def _pick(fields: Fields, part: str) -> Any:
    """Return the value of the best name of a part of a record that is not null or empty."""
    for name in _names(fields, part):
        if fields.get(name) not in (None, ""):
            return fields[name]
    return None


def _cell(cell: object) -> object:
    """Return the list that a cell of a table contains, in JSON or as Python and NumPy print it.

    Examples
    --------
    >>> _cell('["a", "b"]'), _cell("['a' 'b']"), _cell("[1] says so")
    (['a', 'b'], ['a', 'b'], '[1] says so')
    """
    if not isinstance(cell, str) or cell.strip()[:1] not in ("[", "{"):
        return cell
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        value = _printed(cell.strip())
    is_list = isinstance(value, list) and all(isinstance(item, (str, list, dict)) for item in value)
    return value if is_list or isinstance(value, dict) else cell


def _printed(text: str) -> object:
    """Return a printed list, also if there are no commas between its texts, or None."""
    # Adjacent texts would otherwise be one.
    parts: list[str] = []
    try:
        for token in generate_tokens(StringIO(text.replace("\n", " ")).readline):
            if token.type == STRING and parts[-1:] not in (["["], [","], [":"], ["{"], ["("]):
                parts.append(",")
            if token.type in (STRING, OP) or token.string.strip():
                parts.append(token.string)
        return ast.literal_eval("".join(parts))
    except (TokenError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Reader:
    """Reads a record."""

    def __init__(self, fields: Fields, file: str, row: int, naming: _Naming | None = None) -> None:
        self._naming = naming or _Naming({})
        self.fields = fields
        self.file = file
        self.row = row

    def error(
        self, found: str, expected: str | None = None, hint: str | None = None
    ) -> FormatError:
        """Return an error with the place of the record."""
        return FormatError(
            None if expected else found,
            file=self.file,
            row=self.row,
            found=found if expected else None,
            expected=expected,
            hint=hint,
        )

    def kind(self) -> Kind:
        """Return what the quotes of the record are."""
        names = list(map(str, self.fields))
        gold, returned = _names(self.fields, "quote"), _names(self.fields, "quote.returned")
        listed = [name for name in returned if isinstance(self.fields[name], list)]
        has_query = bool(self.query(by_own_id=False))
        texts = _names(self.fields, "quote.text")
        # The id of a record with another text is that of a chunk.
        if gold and (has_query or (self.query(by_own_id=True) and not {*texts} - {*gold})):
            return Kind.QRELS
        if listed and has_query:
            return Kind.RUN
        if has_query and (texts or _names(self.fields, "start")):
            ranked = _names(self.fields, "rank") or _names(self.fields, "score")
            return Kind.RUN if ranked else Kind.QRELS
        if texts:
            return Kind.CHUNKS
        raise self.error(
            f"the fields {names_shown(names)}",
            expected=f"a field with quotes ({', '.join(names_of('quote')[:4])}) or texts of chunks"
            f" ({', '.join(names_of('quote.text')[:3])})",
        )

    def quotes(self, kind: Kind, queries: dict[str, int]) -> Iterator[Quote]:
        """Yield the quotes; those of queries are counted in `queries`."""
        if kind is Kind.CHUNKS:
            yield self._quote(self.fields, kind)
            return
        value = _pick(self.fields, "quote" if kind is Kind.QRELS else "quote.returned")
        is_list = isinstance(value, list if kind is Kind.RUN else (list, dict))
        query = self.query(by_own_id=is_list or kind is Kind.QRELS)
        if query is None:
            raise self.error("no query", hint="add its id or its text as query_id or question")
        queries.setdefault(query, 0)
        items = value if isinstance(value, list) else [value if is_list else self.fields]
        if value is None and self._is_empty():
            items = []
        documents = self._documents(items) if is_list else [None] * len(items)
        for item, document in zip(items, documents, strict=True):
            queries[query] += 1
            number = queries[query]
            for inner in item if isinstance(item, (list, tuple)) else [item]:
                quote = self._quote(inner, kind, None if is_list else value, document)
                quote = quote._replace(query=query, item=number)
                if kind is Kind.RUN and (is_list or quote.rank is None):
                    quote = quote._replace(rank=number)
                yield quote

    def _is_empty(self) -> bool:
        """Return whether the record has a field for quotes, which is empty, and no offsets."""
        return bool(_names(self.fields, "quote")) and _pick(self.fields, "start") is None

    def query(self, *, by_own_id: bool) -> str | None:
        """Return the id of the query, or its text; its field may be called `id`."""
        # Without numbers, which topics of TREC have.
        known = _names(self.fields, "query_id")
        ids = [name for name in _names(self.fields, "query.id") if name in known]
        of_chunk = () if by_own_id else _names(self.fields, "quote.chunk")
        for name in (*ids, *_names(self.fields, "query.question")):
            value = self.fields[name]
            if isinstance(value, dict):
                value = _pick(value, "query.id") or _pick(value, "query.text")
            is_id = isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""
            if is_id and name not in of_chunk:
                return str(value)
        return None

    def _documents(self, items: Sequence[object]) -> Sequence[str | None]:
        """Return the documents of quotes that the record names: one, or one for each."""
        named = _pick(self.fields, "quote.document")
        if not isinstance(named, (list, tuple)):
            return [self._identifier(named)] * len(items)
        documents = [self._identifier(name) for name in named]
        if len(documents) == 1:
            return documents * len(items)
        if len(documents) != len(items):
            raise self.error(
                f"{len(documents)} documents for {len(items)} quotes",
                expected="one document, or one for each quote",
            )
        return documents

    def _identifier(self, value: object) -> str | None:
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise self.error(shown(value), expected="the id of a document")

    def _quote(
        self, item: object, kind: Kind, text: object = None, document: str | None = None
    ) -> Quote:
        if isinstance(item, str):
            return Quote(self._sought(item, document, None, None))
        fields = as_mapping(item)
        if fields is None:
            raise self.error(shown(item), expected="a text, or an object with a text")
        if fields is not self.fields:
            fields = self._naming.item(_flat(fields))
        if not isinstance(text, str):
            text = _pick(fields, "quote.text")
        named = _pick(fields, "quote.document")
        # Some tools write the text of a document where others write its id.
        source = None if named is text else self._identifier(named)
        start, end = (self._whole(fields, part) for part in ("start", "end"))
        sought = self._sought(text, source or document, start, end)
        if kind is Kind.QRELS:
            group, weight = _pick(fields, "subtopic"), self._number(fields, "weight")
            name = None if group is None else str(group)
            return Quote(sought, group=name, weight=weight, grade=self._grade(fields))
        rank, score = self._number(fields, "rank"), self._number(fields, "score")
        chunk = _pick(fields, "quote.chunk")
        return Quote(
            sought,
            rank=None if rank is None else int(rank),
            score=score,
            chunk=None if chunk is None else str(chunk),
            tokens=self._whole(fields, "tokens"),
        )

    def _sought(
        self, text: object, document: str | None, start: int | None, end: int | None
    ) -> Sought:
        if not (isinstance(text, str) and text.strip()):
            if text is not None and not isinstance(text, str):
                raise self.error(shown(text), expected="a quote, which is text")
            if start is None or end is None or document is None:
                raise self.error("an empty quote" if text is not None else "no quote")
            text = None
        if start is not None and end is not None and end < start:
            raise self.error(f"the end {end} is before the start {start}")
        if end is not None and start is None:
            raise self.error(f"the end {end} without a start")
        return Sought(text, document, start, end)

    def _grade(self, fields: Fields) -> float:
        """Return a grade that is a number, or else 1; a score is no grade."""
        scores = _names(fields, "score")
        names = (name for name in _names(fields, "grade") if name not in scores)
        for name in names:
            value = fields[name]
            if isinstance(value, str) and is_number(value):
                value = parse_number(value)
            is_grade = isinstance(value, (int, float)) and not isinstance(value, bool)
            if is_grade and value - value == 0:
                return int(value) if value == int(value) else value
        return 1

    def _whole(self, fields: Fields, part: str) -> int | None:
        number = self._number(fields, part)
        if number is None:
            return None
        if number < 0 or number != int(number):
            what = "a number of tokens" if part == "tokens" else "an offset"
            raise self.error(shown(_pick(fields, part)), expected=f"{what}, a whole number")
        return int(number)

    def _number(self, fields: Fields, part: str) -> float | None:
        value = _pick(fields, part)
        if value is None:
            return None
        try:
            number = parse_number(value)
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if number - number != 0.0:
            raise self.error(shown(value), expected="a number")
        return number

"""Recognize files of judgment lists, and read them."""

from __future__ import annotations

from collections import Counter
from functools import cache, cached_property
from io import BytesIO
from os.path import getsize
from typing import Any, NamedTuple

from gainful import _kernel
from gainful._kernel import names_with, plain_name
from gainful.data.array_files import parquet_rows
from gainful.data.column_names import (
    RaterColumns,
    find_column,
    find_rater_columns,
    missing_column,
    refuse_several,
)
from gainful.data.columns import find_columns
from gainful.data.judgment_lists.entries import Entries
from gainful.data.layouts import known_layouts, list_format
from gainful.data.list_formats import ListFormat
from gainful.data.paths import as_paths
from gainful.data.read_options import ReadOptions
from gainful.data.records import (
    ALL,
    MEMBERS,
    Key,
    Part,
    Path,
    json_value,
    load,
    parts_at,
    table_rows,
)
from gainful.data.text_files import decode_lines, opened
from gainful.errors import ArgumentError, ColumnError, FormatError, GainfulError, ParameterError
from gainful.keywords import suggest_keywords
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from gainful.data.judgment_lists.entries import JudgmentList
    from gainful.data.layouts import Layout
    from gainful.data.paths import Paths
    from gainful.data.text_files import Row

    Steps: TypeAlias = tuple[Key | int, ...]

    Ratings: TypeAlias = list[tuple[str, dict[str, Part | None]]]

    Query: TypeAlias = tuple[str, tuple[Part | None, ...], dict[str, Any], Ratings]

__all__ = ["listed_formats", "listed_run", "open_content", "read_judgment_list"]


#: Roles of a query, and of a rating.
_QUERY = ("query_id", "text", "only", "collection")
_RATING = (
    *("doc_id", "grade", "score", "group", "weight"),
    *("rater", "question", "unless", "final", "index"),
)


def roots_of(layout: Layout, whole: Part) -> list[Part]:
    """Return the values in a file that have the shape of a layout."""
    wrapped = [part for path in layout.wrappers for part in _all((whole,), (), _steps(path))]
    if any(path.startswith("[") for path in layout.shape):
        # One line of JSON lines is an object.
        one = [
            part._replace(value=[part.value]) for part in wrapped if isinstance(part.value, dict)
        ]
        wrapped += one
    if layout.dotted:
        inside = (ALL, Key(layout.dotted))
        wrapped = [_nested(part, layout.dotted) for part in wrapped if _has(part, inside)]

    def fits(part: Part) -> bool:
        alternatives = [[*map(_steps, paths.split("|"))] for paths in layout.shape]
        return all(any(_has(part, steps) for steps in paths) for paths in alternatives)

    return [part for part in wrapped if fits(part)] if layout.shape else []


def read_json(whole: Part, into: Entries) -> None:
    """Read the queries and the ratings of a JSON value."""
    roots = roots_of(into.layout, whole) or [whole]
    queries = [query for root in roots for query in _queries(into.layout, root)]
    parts = (rating["index"] for *_, ratings in queries for _, rating in ratings)
    indices = {part.value for part in parts if part is not None and isinstance(part.value, str)}
    if len(indices) > 1:
        into.decided = f"the ids of documents are INDEX/ID, as there are {len(indices)} indices"
    numbers: Counter[str] = Counter()
    is_graded = bool(into.layout.roles.get("grade"))
    for where, parts_of_query, fields, ratings in queries:
        identifier, text, _, collection = parts_of_query
        name = identifier and identifier.text()
        if collection is not None:
            numbers[collection.text()] += 1
            name = f"{collection.text()}-q{numbers[collection.text()]:03}"
        query = into.add_query(name, text and text.text(), fields, where=where)
        for place, rating in ratings:
            values = {role: part and part.value for role, part in rating.items()}
            if not is_graded:
                values["grade"] = 1
            index, document = rating["index"], rating["doc_id"]
            if len(indices) > 1 and index is not None and document is not None:
                values["doc_id"] = f"{index.text()}/{document.text()}"
            into.rate(query, values["doc_id"], values, where=place)


def run_records(whole: Part, layout: Layout) -> Iterator[dict[str, object]]:
    """Yield a record per query of what a system returned."""
    for where, (identifier, text, *_), _, ratings in (
        query for root in roots_of(layout, whole) for query in _queries(layout, root)
    ):
        query = identifier or text
        if query is None:
            raise FormatError("no query", file=whole.file, where=where)
        results = [
            {role: part.value for role in ("doc_id", "score") if (part := rating[role])}
            for _, rating in ratings
        ]
        yield {"query_id": query.text(), "results": results}


class _Variant(NamedTuple):
    """The paths of roles, with those of the items that are queries and ratings."""

    paths: dict[str, list[Steps]]
    queries: Steps
    ratings: Steps


def _queries(layout: Layout, root: Part) -> Iterator[Query]:
    """Yield the location of each query, the parts with its roles, its fields and its ratings."""
    names = {
        name: str(part[-1].value)
        for name, path in layout.renames.items()
        for part in parts_at(root, _steps(path))
    }
    variants = [_variant({**layout.roles, **other}, names) for other in (*layout.otherwise, {})]
    fitting = [one for one in variants if _fits(root, one.queries)] or variants[-1:]
    paths, items, _ = fitting[0]
    fitting = [one for one in fitting if one.queries == items]
    for chain in parts_at(root, items):
        identifier, text, only, collection = (_first(chain, items, paths[role]) for role in _QUERY)
        if paths["only"] and only is None:
            continue
        if layout.text is not None:
            text = layout.text(chain[-1])
        fields = {
            part.key.removeprefix("$"): part.value
            for path in layout.fields
            for part in _all(chain, items, _steps(path))
            if part.value not in (None, "", {}, []) and part.where != (text and text.where)
        }
        roles = (identifier, text, only, collection)
        yield chain[-1].where, roles, fields, _json_reading_ratings(chain, fitting)


def _json_reading_ratings(chain: Sequence[Part], variants: Sequence[_Variant]) -> Ratings:
    """Return the ratings of a query, with their locations."""
    for paths, queries, items in variants:
        start = _common(queries, items)
        if paths is variants[-1].paths or _fits(chain[start], items[start:]):
            break
    wholes = [(*chain[:start], *inner) for inner in parts_at(chain[start], items[start:])]
    ratings = [
        (whole[-1].where, {role: _first(whole, items, paths[role]) for role in _RATING})
        for whole in (wholes if paths["doc_id"] else ())
    ]
    # A rating of something else, such as a comment, has a question, but no grade.
    return [one for one in ratings if one[1]["grade"] is not None or not paths["question"]]


def _variant(roles: Mapping[str, str], names: Mapping[str, str]) -> _Variant:
    def renamed(path: str) -> Steps:
        return tuple(
            step._replace(name=names.get(step.name, step.name)) if isinstance(step, Key) else step
            for step in _steps(path)
        )

    paths = {
        role: [renamed(path) for path in roles.get(role, "").split("|") if path]
        for role in (*_QUERY, *_RATING)
    }
    queries, ratings = (
        max((_items(steps) for role in group for steps in paths[role]), key=len, default=())
        for group in (_QUERY, _RATING)
    )
    return _Variant(paths, queries, ratings)


@cache
def _steps(path: str) -> Steps:
    return tuple(Path(path).steps)


def _items(steps: Steps) -> Steps:
    """Return the steps to the innermost items."""
    places = range(len(steps), 0, -1)
    several = (place for place in places if _is_several(steps[place - 1]))
    return steps[: next(several, 0)]


def _is_several(step: Key | int) -> bool:
    return step.is_layer if isinstance(step, Key) else step in (ALL, MEMBERS)


def _common(one: Steps, other: Steps) -> int:
    """Return how many steps are equal."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _first(chain: Sequence[Part], items: Steps, paths: Sequence[Steps]) -> Part | None:
    """Return the part at the first path that exists; only the last may be wrong."""
    for steps in paths[:-1]:
        if values := _all(chain, items, steps):
            return values[0]
    for steps in paths[-1:]:
        start = _common(items, steps)
        for inner in parts_at(chain[start], steps[start:]):
            return inner[-1]
    return None


def _all(chain: Sequence[Part], items: Steps, steps: Steps) -> list[Part]:
    """Return all parts at a path that begins as that of the items does."""
    start = _common(items, steps)
    try:
        return [inner[-1] for inner in parts_at(chain[start], steps[start:])]
    except FormatError:
        return []


def _fits(part: Part, steps: Steps) -> bool:
    """Return whether the first items have the steps."""
    try:
        next(parts_at(part, steps), None)
    except FormatError:
        return False
    return True


def _has(part: Part, steps: Steps) -> bool:
    """Return whether some item has the steps."""
    if not steps:
        return True
    try:
        return any(_has(inner, steps[1:]) for inner in part.next(steps[0]))
    except FormatError:
        return False


def _nested(part: Part, name: str) -> Part:
    """Return a list of records with nested objects in place of the dots in their keys."""
    dicts = [record for record in part.value if isinstance(record, dict)]
    records = [{**record, name: _undotted(record.get(name))} for record in dicts]
    return part._replace(value=records)


def _undotted(value: Any) -> Any:
    """Return a value without dots in keys; OTLP writes objects as lists of keys and values.

    Examples
    --------
    >>> _undotted({"docs.0.id": "a", "docs.1.id": "b", "input.value": "soup"})
    {'docs': [{'id': 'a'}, {'id': 'b'}], 'input': {'value': 'soup'}}
    >>> _undotted([{"key": "input.value", "value": {"stringValue": "soup"}}])
    {'input': {'value': 'soup'}}
    """
    if isinstance(value, list):
        if value and all(map(_is_typed, value)):
            value = {item["key"]: next(iter(item["value"].values()), None) for item in value}
        else:
            return [_undotted(item) for item in value]
    if not isinstance(value, dict):
        return value
    inner: dict[str, Any] = {}
    outer: dict[str, dict[str, Any]] = {}
    for key, member in value.items():
        first, dot, rest = str(key).partition(".")
        if dot:
            outer.setdefault(first, {})[rest] = member
        else:
            inner[first] = _undotted(member)
    for key, members in outer.items():
        nested, known = _undotted(members), inner.get(key)
        if isinstance(nested, dict) and isinstance(known, dict):
            nested |= known
        inner[key] = nested
    if inner and all(key.isascii() and key.isdigit() for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner


def _is_typed(item: Any) -> bool:
    """Return whether a value is an attribute of OTLP."""
    is_pair = isinstance(item, dict) and {*item} == {"key", "value"}
    return is_pair and isinstance(item["key"], str) and isinstance(item["value"], dict)


#: The header of tables with any columns of raters.
_OF_RATERS = ("~rater",)


def has_header(names: Sequence[str], layout: Layout) -> bool:
    """Return whether the columns of a table are certainly those of a layout."""
    if layout.header == _OF_RATERS:
        try:
            rater_columns = find_rater_columns(names, {}, None, None)
        except GainfulError:
            return False
        return rater_columns is not None and (
            "rater" in rater_columns.who or bool(rater_columns.raters)
        )
    wanted = {plain_name(name) for name in layout.header}
    if not wanted or not wanted <= {plain_name(name) for name in names}:
        return False
    if "grade" in _declared(layout) or not _is_graded(layout):
        return True
    return plain_name(_judged(names).get("grade", "")) in wanted


def has_texts(names: Sequence[str]) -> bool:
    """Return whether a table has judgments and query texts."""
    judged = _judged(names)
    return bool(judged) and _query_columns(names, judged["query_id"])[1] is not None


def _judged(names: Sequence[str]) -> dict[str, str]:
    try:
        return find_columns(names, "qrels")
    except ColumnError:
        return {}


def read_table(names: Sequence[str], rows: Iterable[Row], into: Entries) -> None:
    """Read the queries and the ratings of a table."""
    layout = into.format.layout
    columns = _columns(names, layout, into.file)
    into.final = columns.final
    column, text = _query_columns(names, columns.query)
    column = _of_role(names, layout, "query_id", into.file) or column
    text = _of_role(names, layout, "text", into.file) or text
    described = {plain_name(name): name for name in layout.fields}
    fields = {name: described[plain] for name in names if (plain := plain_name(name)) in described}
    is_graded = _is_graded(layout)
    for line, row in rows:
        query = into.add_query(
            into.cell(row, column, line),
            into.cell(row, text, line),
            {key: row[name] for name, key in fields.items() if row.get(name)},
            line=line,
        )
        document = row.get(columns.document)
        ratings = _table_reading_ratings(columns, row) if is_graded else [("", 1)]
        if not document and (not is_graded or all(grade in (None, "") for _, grade in ratings)):
            continue  # a query without ratings
        for rater, grade in ratings:
            into.rate(query, document, {"rater": rater, "grade": grade}, line=line)


def _columns(names: Sequence[str], layout: Layout, file: str) -> RaterColumns:
    """Return the columns of the ids and of the grades."""
    if layout.header == _OF_RATERS:
        rater_columns = find_rater_columns(names, {}, None, None)
        if rater_columns is None:
            raise FormatError(
                "no column of raters",
                file=file,
                hint="add a column rater, or several columns of grades, such as rater_1 and"
                " rater_2",
            )
        return rater_columns
    roles = ("query_id", "doc_id", "grade")
    columns = {role: _of_role(names, layout, role, file) for role in roles}
    named = {role: column for role, column in columns.items() if column is not None}
    if "grade" in _declared(layout) and "grade" not in named:
        grade = find_column(names, "grade", file)
        named |= {"grade": grade} if grade else {}
    if not _is_graded(layout):
        query = named.get("query_id") or find_column(names, "query_id", file)
        if query is None:
            raise missing_column(names, "query_id", "query ids", file)
        return RaterColumns(query, named["doc_id"], None, {}, {}, None)
    ids = find_columns(names, "qrels", named)
    for role in ids.keys() - named.keys():
        find_column(names, role, file)
    return RaterColumns(ids["query_id"], ids["doc_id"], ids["grade"], {}, {}, None)


def _declared(layout: Layout) -> Mapping[str, str]:
    """Return the columns of roles; with a shape, roles are paths."""
    return layout.columns or ({} if layout.shape else layout.roles)


def _is_graded(layout: Layout) -> bool:
    """Return whether a table of a layout has grades; without them, documents are relevant."""
    return not layout.columns or "grade" in layout.columns


def _of_role(names: Sequence[str], layout: Layout, role: str, file: str) -> str | None:
    """Return the column that a layout declares for a role."""
    declared = _declared(layout).get(role)
    if declared is None:
        return None
    matches = [name for name in names if plain_name(name) == plain_name(declared)]
    refuse_several(matches, file)
    return matches[0] if matches else None


def _query_columns(names: Sequence[str], chosen: str) -> tuple[str | None, str | None]:
    """Return the columns of the ids and of the texts of queries, given the one of queries.

    Examples
    --------
    >>> _query_columns(["query", "docid", "rating"], "query")
    (None, 'query')
    >>> _query_columns(["qid", "keywords", "docid", "grade"], "qid")
    ('qid', 'keywords')
    """
    if names_with([chosen], "query.text_of_pair"):
        return None, chosen
    return chosen, find_column(names, "query.text_of_pair")


def _table_reading_ratings(
    found: RaterColumns, row: Mapping[str, object]
) -> list[tuple[str, object]]:
    """Return the raters of a row, with their grades."""
    if found.grade is not None:
        identities = [str(row.get(column) or "") for column in found.who.values()]
        return [(next(filter(None, identities), ""), row.get(found.grade))]
    columns = {**found.raters, **({found.final: found.final} if found.final else {})}
    return [(rater, row.get(column)) for rater, column in columns.items()]


#: Limits of detection: lines read, bytes of a line, and decompressed bytes of a file.
_HEAD, _LONGEST, _LARGEST = 100, 2**20, 2**28
_BOM = b"\xef\xbb\xbf"


def listed_formats(paths: Sequence[str], *, run: bool = False) -> list[ListFormat]:
    """Return the formats of files, or an empty list if one is not a judgment list.

    Reads only the beginning of tables. Very large files are not lists.
    """
    try:
        if any(_size(path) > _LARGEST for path in paths):
            return []
        formats = [open_content(path, beginning=True).format(run=run) for path in paths]
    except (GainfulError, OSError):
        return []
    known_formats = [format for format in formats if format is not None]
    return known_formats if len(known_formats) == len(formats) else []


def _size(path: str) -> int:
    length = getattr(path, "length", None)  # a remote file
    return getsize(path) if length is None else length()


def open_content(path: str, *, beginning: bool = False) -> Content:
    """Return the content of a file, or only the beginning of its text."""
    if path != "-" and _kernel.detect(path, "qrels") == "parquet":
        return Content(path, [], parquet_rows(path))
    return Content(*_lines(path, beginning))


def _lines(path: str, beginning: bool) -> tuple[str, list[bytes]]:
    """Return the name and lines of a file, or only the first lines of a table."""
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
                raise FormatError("too large for a judgment list", file=name)
            return name, BytesIO(b"".join(head)).readlines()
        if long:  # Only JSON may be one long line.
            raise FormatError("a line longer than 1 MiB", file=name)
        return name, head


def _is_document(lines: Sequence[bytes]) -> bool:
    """Return whether a file is one JSON value, from its beginning; JSON lines are a table."""
    filled = [line for line in lines if line.strip()]
    first = filled[0].removeprefix(_BOM).strip() if filled else b""
    if first[:1] not in (b"{", b"["):
        return False
    several = len(filled) > 1
    return not (several and isinstance(json_value(first.decode("utf-8", "replace")), dict))


class Content:
    """The lines of a file, or the columns and rows of its table, and their format."""

    def __init__(
        self,
        name: str,
        lines: list[bytes],
        columns: tuple[Sequence[str], Iterable[Row]] | None = None,
    ) -> None:
        self.name = name
        self.lines = lines
        self._columns = columns
        self.is_document = _is_document(lines)

    @cached_property
    def table(self) -> tuple[Sequence[str], Iterable[Row]] | None:
        """The columns and the rows of a table; None for other content."""
        return self._columns or (table_rows(self.lines, self.name) if self.lines else None)

    @cached_property
    def whole(self) -> Part | None:
        """The JSON value, or the list of those of JSON lines; None for other content."""
        if self.is_document:
            text = b"".join(self.lines).removeprefix(_BOM)
            return load(text.decode("utf-8", "surrogateescape"), self.name)
        first = next(filter(None, (line.strip() for line in self.lines)), b"")
        is_json = self._columns is None and first.removeprefix(_BOM)[:1] == b"{"
        return (
            Part([row for _, row in self.table[1]], self.name) if is_json and self.table else None
        )

    def format(self, *, queries: bool = False, run: bool = False) -> ListFormat | None:
        """Return the format of the content if it is certainly a list.

        If only queries are needed, any table of judgments with texts is accepted.
        """
        listed = self.whole and json_format(self.whole, queries=queries, run=run)
        if listed or self.is_document:
            return listed
        head = [line for _, line in decode_lines(self.lines[:_HEAD], self.name)]
        names = (self.table or [()])[0]
        for layout in known_layouts().values():
            is_text = layout.is_line is not None and any(map(layout.is_line, head))
            if layout.run == run and (is_text or (names and has_header(names, layout))):
                return ListFormat(layout)
        if not queries or self._columns is not None or not names:
            return None
        if _kernel.questions([dict.fromkeys(names, "")]) is not None:
            return list_format("golden")
        return list_format("quepid") if has_texts(names) else None

    def read(self, into: Entries) -> None:
        """Read the content as the layout of a format declares."""
        layout = into.layout
        into.file = self.name
        takes_lines = bool(layout.header or layout.read_text)
        whole = None if takes_lines and not self.is_document else self.whole
        if layout.name == "golden" and whole is None:
            whole = Part([row for _, row in (self.table or ((), ()))[1]], self.name)
        if whole is not None:
            read_value(whole, into)
            return
        if not self.lines and self._columns is None:
            raise FormatError("the file is empty", file=self.name)
        if layout.read_text is not None and self._columns is None:
            into.add_text(layout.read_text(decode_lines(self.lines, self.name), self.name))
            return
        table = self.table if layout.header else None
        if table is None or not table[0]:
            raise FormatError(
                f"not {'a table' if layout.header else 'JSON'}, as the format {layout.name}"
                " requires",
                file=self.name,
            )
        try:
            read_table(*table, into)
        except ColumnError as error:
            actual = f"the columns {names_shown(table[0])}" if error.expected else error.found
            raise error.replace(file=self.name, where=None, found=actual) from None


def json_format(whole: Part, *, queries: bool = False, run: bool = False) -> ListFormat | None:
    """Return the format of a JSON value; None if it is not a list."""
    for layout in known_layouts().values():
        if layout.run == run and roots_of(layout, whole):
            return ListFormat(layout)
    # Records are judgments like any other, so that only their queries are a list.
    is_golden = queries and _kernel.questions(whole.value) is not None
    return list_format("golden") if is_golden else None


def read_value(whole: Part, into: Entries) -> None:
    """Read a JSON value as the layout of a format declares; of golden sets, the queries."""
    if into.layout.name == "golden":
        for index, (identifier, question) in enumerate(_kernel.questions(whole.value) or ()):
            into.add_query(identifier, question, where=f"record {index:,}")
    elif into.layout.shape:
        read_json(whole, into)
    else:
        raise FormatError(f"JSON, but the format {into.layout.name} is not", file=whole.file)


def listed_run(paths: Sequence[str], format: str | None) -> list[dict[str, object]]:
    """Return the records of files of what a system returned."""
    chosen = None if format is None else list_format(format)
    formats = listed_formats(paths, run=True) if chosen is None else [chosen] * len(paths)
    records: list[dict[str, object]] = []
    for path, kind in zip(paths, formats, strict=False):
        whole = (content := open_content(path)).whole
        if not kind.layout.run or whole is None or not roots_of(kind.layout, whole):
            raise FormatError(
                f"not a run in the format {kind.name}"
                if kind.layout.run
                else f"the format {kind.name} is of judgments",
                file=content.name,
            )
        records += run_records(whole, kind.layout)
    return records


@suggest_keywords
def read_judgment_list(
    path: Paths,
    *,
    format: str | None = None,
    duplicates: str = "error",
) -> JudgmentList:
    r"""Read a judgment list: judgments, queries, and counts of skipped rows.

    Parameters
    ----------
    path : str, path or list of them
        The file; compressed files (gzip, bzip2, xz, zstandard) are decompressed, and ``"-"`` is the
        standard input. Several files form one list.
    format : str, optional
        Such as ``"quepid"``, ``"rank_eval"`` or ``"es-ltr"``. Default: detected from the content.
        Options follow a colon: ``"raters:mean"``, ``"raters:median"``,
        ``"raters:majority"``, ``"raters:final"`` or ``"raters:NAME"``; ``"esci:amazon"`` or
        ``"esci:E=4,S=2,C=1,I=0"``; for all formats ``scale=0-3``, which refuses other
        grades, and ``ids=texts``, which uses texts as query ids even if the list has ids.
    duplicates : {"error", "first", "last", "best", "count"}
        How duplicate documents of a query are handled. Identical duplicates are skipped and
        counted.

    Returns
    -------
    JudgmentList

    Raises
    ------
    FormatError, GradeError, DuplicateError, ParameterError
        For the first invalid entry, a grade outside the scale, or a missing option.
    SourceError
        For a file that cannot be read.

    Examples
    --------
    >>> import gainful
    >>> with open("ratings.csv", "w") as file:
    ...     _ = file.write("query,docid,rater_1,rater_2\nsoup,r01,3,2\nsoup,r02,0,\nstew,r07,,\n")
    >>> judged = read_judgment_list("ratings.csv", format="raters:mean")
    >>> gainful.Qrels(judged).to_dict()
    {'soup': {'r01': 2.5, 'r02': 0.0}}
    >>> judged.entries, judged.unrated, judged.decided
    (3, 1, 'the grade is the mean over 2 raters')
    """
    # Raises an error for invalid values.
    ReadOptions(format=format, duplicates=duplicates)
    paths = as_paths(path)
    if paths is None:
        raise ArgumentError(
            where="read_judgment_list",
            found=type(path).__name__,
            expected="a path or a list of paths",
        )
    chosen = None if format is None else list_format(format)
    if chosen is not None and (chosen.layout.run or chosen.name == "golden"):
        raise ParameterError(
            where="format",
            found=repr(format),
            expected="judgments" if chosen.layout.run else "another judgment list",
            hint="gainful.read_run reads it"
            if chosen.layout.run
            else "gainful.read_qrels reads golden sets, without options of the format",
        )
    contents = [open_content(one) for one in paths]
    formats: list[ListFormat] = []
    for content in contents:
        kind = chosen or content.format()
        if kind is None:
            hint = "gainful.read_qrels reads other formats"
            raise FormatError("not a judgment list", file=content.name, hint=hint)
        formats.append(kind)
        if kind != formats[0]:
            problem = f"a list of the format {kind}, but {paths[0]} is {formats[0]}"
            raise FormatError(problem, file=content.name)
    into = Entries(formats[0], duplicates)
    for content in contents:
        content.read(into)
        into.combine()
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return into.finish(contents[0].name + more)

"""Read queries from TSV, CSV, JSON, JSON lines, TREC topics, lines of text and judgments."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from re import compile as pattern

from gainful._kernel import names_with, plain_name
from gainful.data.column_names import find_column, missing_column, refuse_repeated
from gainful.data.columns import column_names
from gainful.data.corpus import read_file
from gainful.data.judgment_lists.queries import queries_in_json, queries_in_text
from gainful.data.list_formats import is_ranklib
from gainful.data.objects import rows_of_table
from gainful.data.paths import uncompressed
from gainful.data.records import QUERY, json_lines, json_value, keys, readable
from gainful.data.text_files import delimiter_of, named_rows, parse_cells, text_from
from gainful.errors import ColumnError, FormatError
from gainful.numerals import is_number
from gainful.systems.protocol import Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from gainful.data.judgment_lists import ListedQuery
    from gainful.data.text_files import Lines, Row

    Placed: TypeAlias = tuple[str, int | None, Query]

__all__ = ["identifier_of", "query_of_value", "read", "rows_of_frame"]


def roles(names: Iterable[str]) -> tuple[str | None, str | None]:
    """Return the names of id and text among some names.

    The column of users is both if there is no other text.

    Examples
    --------
    >>> roles(["qid", "Query", "locale"])
    ('qid', 'Query')
    >>> roles(["query", "docid", "rating"])
    (None, 'query')
    >>> roles(["user_id", "history"]), roles(["user_id", "text"]), roles(["query", "at", "user"])
    (('user_id', 'user_id'), ('user_id', 'text'), (None, 'query'))
    """
    return _roles(tuple(names))


# Records of a file mostly have the same fields.
@lru_cache(1024)
def _roles(names: tuple[str, ...]) -> tuple[str | None, str | None]:
    identifier, text, user = (
        next(iter(names_with(list(names), part)), None)
        for part in ("query.id", "query.text", "query.user")
    )
    if user is not None and text is None and identifier is None:
        return user, user
    if user is not None and identifier is None and len(names) == 2:
        identifier = user
    return identifier, text


def query_of(
    record: Any,
    *,
    where: str | None = None,
    file: str | None = None,
    line: int | None = None,
    identifier: str | None = None,
) -> Query:
    """Convert a record to a query."""
    names = [str(name) for name in record]
    id_name, text_name = roles(names)
    if identifier is not None:
        id_name = None
    if text_name is None:
        error = missing_column(names, "query.text", "the text of queries", file, where)
        raise error.replace(line=line)
    text = record[text_name]
    if identifier is None:
        identifier = text if id_name is None else record[id_name]
        if not isinstance(identifier, str):
            identifier = identifier_of(identifier)
    if text_name == id_name:
        text = identifier
    fields = {name: record[name] for name in names if name not in (id_name, text_name)}
    return Query(identifier, text, fields)


def query_of_value(value: Any, identifier: str | None = None, **place: Any) -> Query:
    """Convert a text, or a record with a text, to a query; without an id, the text is the id."""
    if isinstance(value, str):
        return Query(value if identifier is None else identifier, value)
    if not hasattr(value, "items"):
        raise FormatError(
            f"the query is a {type(value).__name__}, not text or an object with a text",
            query=identifier,
            **place,
        )
    return query_of(value, identifier=identifier, **place)


def rows_of_frame(frame: Any) -> list[dict[str, Any]] | None:
    """Return the rows of a data frame without empty cells; None for other objects.

    Examples
    --------
    >>> import polars
    >>> rows_of_frame(polars.DataFrame({"qid": ["q1", "q2"], "locale": ["de", None]}))
    [{'qid': 'q1', 'locale': 'de'}, {'qid': 'q2'}]
    """
    names = column_names(frame)
    if names is None:
        return None
    return [
        {
            str(name): cell
            for name, cell in row.items()
            if cell is not None and not (isinstance(cell, float) and cell != cell)
        }
        for row in rows_of_table(frame, names)
    ]


def identifier_of(found: object) -> str:
    """Return an id as text; whole numbers are converted."""
    if isinstance(found, str):
        return found
    if hasattr(found, "__index__") and not isinstance(found, bool):
        return str(found.__index__())
    raise FormatError(f"id {found!r} is neither text nor a whole number", where="queries")


#: Names of grades of raters and of ESCI.
_GRADES = frozenset(("finalrating", "escilabel"))


def is_judged(header: Sequence[str]) -> bool:
    """Return whether columns contain documents and grades."""
    names = list(header)
    plain = {plain_name(name) for name in names}
    has_grade = bool(names_with(names, "grade")) or not plain.isdisjoint(_GRADES)
    return has_grade and bool(names_with(names, "document"))


def _query_columns(header: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the columns of the texts of queries, and of their ids."""
    names = list(header)
    text = find_column(names, "query.text_of_pair")
    # An id may be that of the row.
    others = {name for part in ("document.id", "query.text") for name in names_with(names, part)}
    users = names_with(names, "query.user")
    ids = [name for name in names_with(names, "query.id") if name not in {*others, *users}]
    if text is not None and not (ids or names_with([text], "query_id")):
        text = None  # A text that is no id may be that of a document.
    return text, next(iter(ids if text is not None else [*ids, *users]), None)


def ids_of(header: Sequence[str]) -> list[str | None]:
    """Return the column of query ids in judgments, which may be that of the texts."""
    text, identifier = _query_columns(header)
    return [identifier or text]


def of_judgments(
    table: Iterable[tuple[int | None, Mapping[str, Any]]], header: Sequence[str], label: str
) -> Iterator[Placed]:
    """Yield the queries of rows of judgments, with the fields that all rows of a query share.

    Ids are unchanged, even if they are texts, as when judgments are read.
    """
    text_name, id_name = _query_columns(header)
    if text_name is None:
        if id_name is None:
            raise no_texts(label, f"judgments with the columns {', '.join(header)}")
        ids = dict.fromkeys(_cell_text(row, id_name, label, line) for line, row in table)
        if names_with([id_name], "query.user"):
            yield from ((label, None, Query(user, user)) for user in ids)
            return
        yield from texts_as_ids(ids, label)
        return
    entries: dict[str, tuple[int | None, str, Mapping[str, Any]]] = {}
    varying: set[str] = {text_name, *([id_name] if id_name else [])}
    rows = 0
    for rows, (line, row) in enumerate(table, start=1):  # noqa: B007
        identifier = _cell_text(row, id_name or text_name, label, line)
        text = readable(_cell_text(row, text_name, label, line)).strip()
        first, before, fields = entries.setdefault(identifier, (line, text, row))
        if text != before:
            raise FormatError(
                f"two texts: {text!r}, and in line {first} {before!r}",
                file=label,
                line=line,
                query=identifier,
            )
        varying.update(name for name in header if row.get(name) != fields.get(name))
    for part in ("document", "grade", "rank"):
        varying.update(names_with(list(header), part))
    if rows == len(entries):
        # Fields of the query cannot be distinguished from fields of documents.
        varying.update(header)
    for identifier, (line, text, fields) in entries.items():
        kept = {name: value for name, value in fields.items() if name not in varying}
        yield label, line, Query(identifier, text, kept)


def of_records(
    rows: Iterable[tuple[int | None, Mapping[str, Any]]], header: Sequence[str], label: str
) -> Iterator[Placed]:
    """Yield the queries of records: of judgments, or one in each."""
    if is_judged(header):
        yield from of_judgments(rows, header, label)
        return
    for line, row in rows:
        yield label, line, query_of(row, file=label, line=line)


def texts_as_ids(ids: Iterable[str] | Mapping[str, Any], label: str) -> Iterator[Placed]:
    """Yield ids of judgments as texts, if at least one has several words."""
    texts = list(ids)
    if not any(" " in text.strip() for text in texts):
        raise no_texts(label, f"judgments with the query ids {', '.join(texts[:3])}")
    for text in texts:
        yield label, None, Query(text, readable(text))


def no_texts(label: str, found: str) -> FormatError:
    """Return the error of a file without texts of queries."""
    return FormatError(
        f"no texts of queries, but {found}",
        file=label,
        hint="if ids are texts, use gainful.systems.Queries.of(qrels)",
    )


def _cell_text(row: Mapping[str, Any], column: str, label: str, line: int | None) -> str:
    """Return a cell as text, or a number as text."""
    try:
        return identifier_of(row.get(column, ""))
    except FormatError as error:
        raise error.replace(file=label, line=line) from None


#: A number before a text; a file is numbered if all lines have distinct ones.
_NUMBERED = pattern(r"(\d+):\s*(\S.*)")
#: The keys of the queries in a JSON document.
_LISTS = ("queries", "topics", "querySetQueries")


def read(path: str) -> Iterator[Placed]:
    r"""Yield the queries of a file or folder, each with file and line.

    Raises
    ------
    SourceError, FormatError, ColumnError
        For a file that cannot be read, or has no texts of queries.

    Examples
    --------
    >>> with open("q.tsv", "w") as file:
    ...     _ = file.write("qid\tquery\tlocale\nq1\tlentil soup\tde\nq2\tbread\t\n")
    >>> for _, line, query in read("q.tsv"):
    ...     print(line, *query)
    2 q1 lentil soup {'locale': 'de'}
    3 q2 bread {}
    """
    return read_file(path, QUERY, _of_stream)


def _of_stream(stream: Iterable[bytes], label: str) -> Iterator[Placed]:
    queries = list(_of_text(stream, label))
    if not queries:
        raise FormatError("a header without queries", file=label)
    return iter(queries)


def _of_text(stream: Iterable[bytes], label: str) -> Iterator[Placed]:
    first, whole = text_from(stream, label)
    start = first[1].lstrip()
    if start[0] in "{[":
        yield from _of_json(whole, label)
        return
    if start[0] == "<":
        from gainful.data.corpus import topics

        for number, identifier, text, fields in topics(whole, label):
            yield label, number, Query(identifier, text, fields)
        return
    texts = list(whole)
    if is_ranklib(line for _, line in texts):
        yield from _listed(queries_in_text(texts, label), label)
    else:
        yield from _of_cells(first, iter(texts), label)


# --- JSON ---------------------------------------------------------------------------------------


def _of_json(lines: Lines, label: str) -> Iterator[Placed]:
    """Read JSON lines, or one document, which may be a judgment list."""
    number, line = next(lines)
    record = json_value(line, label, number)
    if isinstance(record, dict) and roles(record)[1] is not None:
        rows = list(json_lines(chain([(number, line)], lines), label))
        yield from of_records(rows, keys(row for _, row in rows), label)
        return
    whole = json_value(line + "".join(value for _, value in lines), label)
    listed = queries_in_json(whole, label)
    if listed is not None:
        yield from _listed(listed, label)
        return
    if isinstance(whole, dict):
        lists = (whole[name] for name in _LISTS if isinstance(whole.get(name), list))
        whole = next(lists, whole)
    if not isinstance(whole, (dict, list)) or not whole:
        if isinstance(record, dict):
            query_of(record, file=label, line=number)  # JSON lines without a text: raises the error
        raise FormatError(
            "not JSON" if whole is None else "no queries in the JSON document",
            file=label,
            hint="use a JSON object per line, a list of queries, or texts by id",
        )
    values = list(whole.values()) if isinstance(whole, dict) else whole
    are_records = all(isinstance(value, dict) for value in values)
    if isinstance(whole, list) and are_records:
        yield from of_records([(None, row) for row in whole], keys(whole), label)
    elif isinstance(whole, dict) and are_records and not any(roles(row)[1] for row in values):
        # {query: {document: grade}}
        yield from texts_as_ids(whole, label)
    else:
        ids = whole if isinstance(whole, dict) else [None] * len(values)
        for identifier, value in zip(ids, values, strict=True):
            yield label, None, query_of_value(value, identifier, file=label)


def _listed(queries: Iterable[ListedQuery], label: str) -> Iterator[Placed]:
    for query in queries:
        assert query.text is not None  # queries without a text were refused
        yield label, None, Query(query.id, query.text, query.fields)


# --- lines and cells ----------------------------------------------------------------------------


def _of_cells(first: tuple[int, str], lines: Lines, label: str) -> Iterator[Placed]:
    """Read TSV, CSV, or lines of text."""
    number, line = first
    delimiter = delimiter_of(line, label) or ","
    names = [name.strip().strip('"') for name in line.rstrip("\r\n").split(delimiter)]
    is_csv = uncompressed(label.lower()).endswith(".csv")
    # Texts may contain commas and semicolons.
    if not (delimiter == "\t" or is_csv) and (len(names) == 1 or not _is_header(names)):
        if _is_header(names):
            next(lines)
        yield from _of_lines(lines, label)
        return

    def unnamed(cells: Sequence[str]) -> Sequence[str] | None:
        if _is_header(cells):
            refuse_repeated(cells, label)
            return None
        if len(cells) > 2:
            raise ColumnError(
                f"{len(cells)} columns without a header that names the text",
                file=label,
                line=number,
                hint="add a header such as query_id, text, or use two columns: id and text",
            )
        return ["query_id", "text"][-len(cells) :]

    header, rows = named_rows(parse_cells(lines, label, delimiter), label, unnamed)
    identifier, text = roles(header)
    if len(header) == 2 and text is None:
        # An id and one other column, which is the text.
        header = [name if name == identifier else "text" for name in header]
    yield from of_records(_records(rows, header), header, label)


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether the first row is a header, not a query."""
    identifier, text = roles(cells)
    if len(cells) == 1:
        return bool(names_with(list(cells), "query.alone"))
    if identifier is not None:
        return len(cells) == 2 or text is not None or is_judged(cells)
    # Without a header the first cell is an id, so a text name there is a header.
    return text is not None and (text == cells[0] or len(cells) > 2)


def _records(rows: Iterable[Row], header: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield rows as records without empty cells; ids of judgments are unchanged."""
    is_list = is_judged(header)
    ids = ids_of(header) if is_list else roles(header)[:1]
    kept = {*roles(header), *ids}
    for line, row in rows:
        cells = {name: str(cell) for name, cell in zip(header, row.values(), strict=True)}
        for name, cell in cells.items():
            if name not in ids:
                cells[name] = readable(cell.strip())
            elif not is_list:
                cells[name] = cell.strip()
        yield line, {name: cell for name, cell in cells.items() if cell or name in kept}


def _of_lines(lines: Lines, label: str) -> Iterator[Placed]:
    """Read one text per line, which is also the id."""
    texts = [(number, line.strip()) for number, line in lines if line.strip()]
    if texts and _are_trec([text.split() for _, text in texts]):
        raise no_texts(label, f"TREC judgments or a run, such as {texts[0][1]!r}")
    numbered = [_NUMBERED.fullmatch(text) for _, text in texts]
    if len(texts) > 1 and len({match[1] for match in numbered if match}) == len(texts):
        # The Web track's 201:raspberry pi
        for (number, _), match in zip(texts, numbered, strict=True):
            assert match is not None
            yield label, number, Query(match[1], readable(match[2]))
        return
    for number, text in texts:
        # The id is unchanged, as in the judgments.
        yield label, number, Query(text, readable(text))


def _are_trec(lines: Sequence[Sequence[str]]) -> bool:
    """Return whether lines are TREC judgments or runs, which have no texts."""
    if not all(
        len(words) in (4, 6) and is_number(words[-(len(words) == 6) - 1]) for words in lines
    ):
        return False
    return len(lines) > 2 or all(words[1].lower() in ("0", "q0") for words in lines)

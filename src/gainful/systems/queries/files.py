"""Read queries from TSV, CSV, JSON, JSON lines, TREC topics, lines of text and judgments."""

from __future__ import annotations

from itertools import chain
from re import compile as pattern

from gainful._kernel import names_with
from gainful.data.column_names import refuse_repeated
from gainful.data.corpus import read_file
from gainful.data.judgment_lists.queries import queries_in_json, queries_in_text
from gainful.data.list_texts import is_ranklib
from gainful.data.paths import uncompressed
from gainful.data.records import QUERY, json_value, readable
from gainful.data.text_files import by_name, delimiter_of, parse_cells, text_from
from gainful.errors import ColumnError, FormatError
from gainful.numerals import is_number
from gainful.systems.protocol import Query
from gainful.systems.queries.from_judgments import (
    ids_of,
    is_judged,
    no_texts,
    of_judgments,
    of_records,
    texts_as_ids,
)
from gainful.systems.queries.records import query_of, roles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from gainful.data.judgment_lists import ListedQuery

    Placed: TypeAlias = tuple[str, int | None, Query]
    Lines: TypeAlias = Iterator[tuple[int, str]]

__all__ = ["read"]

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
    query = None
    for query in _of_text(stream, label):
        yield query
    if query is None:
        raise FormatError("a header without queries", file=label)


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
    head = _up_to_a_row(whole)
    if is_ranklib(line for _, line in head):
        yield from _listed(queries_in_text(chain(head, whole), label), label)
    else:
        yield from _of_cells(first[1], chain(head, whole), label)


# --- JSON ---------------------------------------------------------------------------------------


def _of_json(lines: Lines, label: str) -> Iterator[Placed]:
    """Read JSON lines, or one document, which may be a judgment list."""
    number, line = next(lines)
    record = json_value(line, label, number)
    if isinstance(record, dict) and roles(record)[1] is not None:
        records = _json_lines(chain([(number, line)], lines), label)
        if is_judged(list(record)):
            yield from of_records(records, label)
        else:
            for number, record in records:
                yield label, number, query_of(record, file=label, line=number)
        return
    whole = json_value(line + "".join(each for _, each in lines), label)
    listed = queries_in_json(whole, label)
    if listed is not None:
        yield from _listed(listed, label)
        return
    if isinstance(whole, dict):
        queries = next((whole[name] for name in _LISTS if isinstance(whole.get(name), list)), None)
        whole = whole if queries is None else queries
    if isinstance(whole, dict) and whole:
        if all(isinstance(each, dict) and roles(each)[1] is None for each in whole.values()):
            # {query: {document: grade}}
            yield from texts_as_ids(whole, label)
            return
        for identifier, value in whole.items():
            yield label, None, _of_json_value(value, label, identifier)
    elif isinstance(whole, list) and whole:
        if all(isinstance(each, dict) for each in whole) and is_judged(list(whole[0])):
            yield from of_records([(None, each) for each in whole], label)
            return
        for value in whole:
            yield label, None, _of_json_value(value, label, None)
    else:
        if isinstance(record, dict):
            query_of(record, file=label, line=number)  # JSON lines without a text: raises the error
        raise FormatError(
            "not JSON" if whole is None else "no queries in the JSON document",
            file=label,
            hint="use a JSON object per line, a list of queries, or texts by id",
        )


def _json_lines(lines: Lines, label: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in lines:
        if line.strip():
            record = json_value(line, label, number)
            if not isinstance(record, dict):
                raise FormatError("not a JSON object", file=label, line=number)
            yield number, record


def _of_json_value(value: object, label: str, identifier: str | None) -> Query:
    if isinstance(value, str):
        return Query(value if identifier is None else identifier, value)
    if not isinstance(value, dict):
        raise FormatError(
            f"the query is a {type(value).__name__}, not text or an object with a text",
            file=label,
            query=identifier,
        )
    return query_of(value, file=label, identifier=identifier)


def _up_to_a_row(lines: Lines) -> list[tuple[int, str]]:
    """Yield lines up to the first that is not a comment, which in RankLib text is a judgment."""
    head = []
    for number, line in lines:
        head.append((number, line))
        if line.strip() and not line.lstrip().startswith("#"):
            break
    return head


def _listed(queries: Iterable[ListedQuery], label: str) -> Iterator[Placed]:
    for query in queries:
        assert query.text is not None  # queries without a text were refused
        yield label, None, Query(query.id, query.text, query.fields)


# --- lines and cells ----------------------------------------------------------------------------


def _of_cells(first: str, lines: Lines, label: str) -> Iterator[Placed]:
    """Read TSV, CSV, or lines of text."""
    delimiter = delimiter_of(first, label) or ","
    names = [name.strip().strip('"') for name in first.rstrip("\r\n").split(delimiter)]
    is_csv = uncompressed(label.lower()).endswith(".csv")
    # Texts may contain commas and semicolons.
    if not (delimiter == "\t" or is_csv) and (len(names) == 1 or not _is_header(names)):
        if _is_header(names):
            next(lines)
        yield from _of_lines(lines, label)
        return
    rows = parse_cells(lines, label, delimiter)
    number, cells = next(rows)
    header = [cell.strip() for cell in cells]
    if _is_header(header):
        refuse_repeated(header, label)
    if not _is_header(header):
        if len(header) > 2:
            raise ColumnError(
                f"{len(header)} columns without a header that names the text",
                file=label,
                line=number,
                hint="add a header such as query_id, text, or use two columns: id and text",
            )
        header = ["query_id", "text"][-len(header) :]
        rows = chain([(number, cells)], rows)
    elif len(header) == 2 and roles(header)[1] is None:
        # An id and one other column, which is the text.
        header = [name if name == roles(header)[0] else "text" for name in header]
    if is_judged(header):
        yield from of_judgments(_records(rows, header, label, ids_of(header)), header, label)
        return
    for line, record in _records(rows, header, label, roles(header)[:1]):
        yield label, line, query_of(record, file=label, line=line)


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether the first row is a header, not a query."""
    identifier, text = roles(cells)
    if len(cells) == 1:
        return bool(names_with(list(cells), "query.alone"))
    if identifier is not None:
        return len(cells) == 2 or text is not None or is_judged(cells)
    # Without a header the first cell is an id, so a text name there is a header.
    return text is not None and (text == cells[0] or len(cells) > 2)


def _records(
    rows: Iterator[tuple[int, list[str]]],
    header: Sequence[str],
    label: str,
    ids: Sequence[str | None],
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield rows as records without empty cells; ids are unchanged."""
    wanted = {*roles(header), *ids}
    judged = is_judged(header)
    for line, row in by_name(rows, header, label):
        record = {
            name: readable(cell.strip()) if name not in ids else cell if judged else cell.strip()
            for name, cell in row.items()
        }
        yield line, {name: cell for name, cell in record.items() if cell or name in wanted}


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

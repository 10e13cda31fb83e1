"""Files of queries: TSV, CSV, JSON, JSON lines, TREC topics, lines of text, and judgments."""

from __future__ import annotations

from itertools import chain
from re import compile as pattern

from gainful.data.columns import ALIASES
from gainful.data.corpus_fields import QUERY, plain_name, readable
from gainful.errors import ColumnError, FormatError, SourceError, SourceNotFoundError
from gainful.systems.protocol import Query
from gainful.systems.queries.records import IDS, query_of, roles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from gainful.data.judgment_lists import ListedQuery

    Placed: TypeAlias = tuple[str, int | None, Query]
    Lines: TypeAlias = Iterator[tuple[int, str]]

__all__ = ["read"]

#: A number before a text, in lines of which all have another.
_NUMBERED = pattern(r"(\d+):\s*(\S.*)")
#: Where a JSON document keeps its queries.
_LISTS = ("queries", "topics", "querySetQueries")


def read(path: str) -> Iterator[Placed]:
    r"""Yield the queries of a file or folder, each with the file's name and its line.

    Raises
    ------
    SourceError, FormatError, ColumnError
        For what cannot be read, or holds no texts of queries.

    Examples
    --------
    >>> with open("q.tsv", "w") as file:
    ...     _ = file.write("qid\tquery\tlocale\nq1\tlentil soup\tde\nq2\tbread\t\n")
    >>> for _, line, query in read("q.tsv"):
    ...     print(line, *query)
    2 q1 lentil soup {'locale': 'de'}
    3 q2 bread {}
    """
    import os

    from gainful.data.corpus import in_folder, streams
    from gainful.data.decompressed import damage

    if os.path.isdir(path):
        path = in_folder(path, QUERY)
    try:
        for label, stream in streams(path, QUERY):
            yield from _of_stream(stream, label)
    except FileNotFoundError as error:
        raise SourceNotFoundError(
            file=path, found="no such file", expected="a file of queries"
        ) from error
    except SourceError:
        raise
    except damage() as error:
        raise SourceError(
            file=path, found=f"what cannot be read ({error})", expected="a whole file"
        ) from error


def _of_stream(stream: Iterable[bytes], label: str) -> Iterator[Placed]:
    from gainful.data.corpus_records import decoded
    from gainful.data.judgment_lists import es_ltr
    from gainful.data.judgment_lists.queries import queries_in_text

    lines = decoded(stream)
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        raise FormatError(file=label, found="an empty file", expected="queries")
    whole = chain([first], lines)
    start = first[1].lstrip()
    if start[0] in "{[":
        yield from _of_json(whole, label)
        return
    if start[0] == "<":
        from gainful.data.corpus_markup import topics

        for number, identifier, text, fields in topics(whole, label):
            yield label, number, Query(identifier, text, fields)
        return
    head = _up_to_a_row(whole)
    if es_ltr.is_text(line for _, line in head):
        yield from _listed(queries_in_text(chain(head, whole), label), label)
    else:
        yield from _of_cells(first[1], chain(head, whole), label)


# --- JSON ---------------------------------------------------------------------------------------


def _of_json(lines: Lines, label: str) -> Iterator[Placed]:
    """JSON lines, or one document, be it the judgment list of another tool."""
    from gainful.data.judgment_lists.queries import queries_in_json
    from gainful.data.records import json_value

    number, line = next(lines)
    record = json_value(line)
    if isinstance(record, dict) and roles(record)[1] is not None:
        yield from _of_json_lines(chain([(number, line)], lines), label)
        return
    whole = json_value(line + "".join(each for _, each in lines))
    listed = queries_in_json(whole, label)
    if listed is not None:
        yield from _listed(listed, label)
        return
    if isinstance(whole, dict):
        held = next((whole[name] for name in _LISTS if isinstance(whole.get(name), list)), None)
        whole = whole if held is None else held
    if isinstance(whole, dict) and whole:
        if all(isinstance(each, dict) and roles(each)[1] is None for each in whole.values()):
            # {query: {document: grade}}
            yield from _texts_of_judgments(whole, label)
            return
        for identifier, value in whole.items():
            yield label, None, _of_json_value(value, label, identifier)
    elif isinstance(whole, list) and whole:
        for value in whole:
            yield label, None, _of_json_value(value, label, None)
    else:
        raise FormatError(
            file=label,
            found="what is no JSON" if whole is None else "JSON without queries",
            expected="a JSON object a line, a list of queries, or texts by their ids",
        )


def _of_json_lines(lines: Lines, label: str) -> Iterator[Placed]:
    from gainful.data.records import json_value

    for number, line in lines:
        if line.strip():
            record = json_value(line)
            if not isinstance(record, dict):
                raise FormatError(
                    file=label, line=number, found="what is no JSON object", expected="one a line"
                )
            yield label, number, query_of(record, file=label, line=number)


def _of_json_value(value: object, label: str, identifier: str | None) -> Query:
    if isinstance(value, str):
        return Query(value if identifier is None else identifier, value)
    if not isinstance(value, dict):
        raise FormatError(
            file=label,
            query=identifier,
            found=f"{type(value).__name__} as a query",
            expected="a text, or an object with a text and further fields",
        )
    return query_of(value, file=label, identifier=identifier)


def _up_to_a_row(lines: Lines) -> list[tuple[int, str]]:
    """Take lines up to the first that is no comment: in RankLib's text it is a judgment."""
    head = []
    for number, line in lines:
        head.append((number, line))
        if line.strip() and not line.lstrip().startswith("#"):
            break
    return head


def _listed(queries: Iterable[ListedQuery], label: str) -> Iterator[Placed]:
    for query in queries:
        assert query.text is not None  # those without one were refused
        yield label, None, Query(query.id, query.text, query.fields)


# --- lines and cells ----------------------------------------------------------------------------


def _of_cells(first: str, lines: Lines, label: str) -> Iterator[Placed]:
    """TSV, CSV, or lines of text."""
    from gainful.data.corpus_records import quoted, tabbed

    tabs = "\t" in first and not _is_csv(label)
    names = [name.strip().strip('"') for name in first.rstrip("\r\n").split(",")]
    if not tabs and not _is_csv(label) and (len(names) == 1 or not _is_header(names)):
        if _is_header(names):
            next(lines)
        yield from _of_lines(lines, label)
        return
    rows = (tabbed if tabs else quoted)(lines, label)
    number, cells = next(rows)
    header = [cell.strip() for cell in cells]
    if not _is_header(header):
        if len(header) > 2:
            raise ColumnError(
                file=label,
                line=number,
                found=f"{len(header)} columns without a header that names the query's text",
                expected="a header such as query_id, text, or two columns: id and text",
            )
        header = ["text"] if len(header) == 1 else [IDS[0], "text"]
        rows = chain([(number, cells)], rows)
    elif len(header) == 2 and roles(header)[1] is None:
        # An id, and a column of another name: what is left is the text.
        header = [name if name == roles(header)[0] else "text" for name in header]
    table = _records(rows, header, label)
    if _is_judged(header):
        yield from _of_judgments(table, header, label)
        return
    for line, record in table:
        yield label, line, query_of(record, file=label, line=line)


def _is_csv(label: str) -> bool:
    name = label.lower()
    for suffix in (".gz", ".bz2", ".xz"):
        name = name.removesuffix(suffix)
    return name.endswith(".csv")


def _is_header(cells: Sequence[str]) -> bool:
    """Say whether the first row names columns, and is no query itself."""
    identifier, text = roles(cells)
    if len(cells) == 1:
        return text is not None and plain_name(text) in ("text", "query", "query_text")
    if len(set(cells)) < len(cells):
        return False
    if identifier is not None:
        return len(cells) == 2 or text is not None or _is_judged(cells)
    # Without a header an id stands first, so that a text there is a name.
    return text is not None and (text == cells[0] or len(cells) > 2)


def _records(
    rows: Iterable[tuple[int, list[str]]], header: Sequence[str], label: str
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row by its columns, without cells that are empty."""
    wanted = roles(header)
    for line, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(header):
            raise FormatError(
                file=label,
                line=line,
                found=f"{len(row)} cells",
                expected=f"{len(header)}, as there are columns",
            )
        cells = [*row, *[""] * (len(header) - len(row))]
        record = {
            name: readable(cell.strip()) if name != wanted[0] else cell.strip()
            for name, cell in zip(header, cells, strict=True)
        }
        yield line, {name: cell for name, cell in record.items() if cell or name in wanted}


def _of_lines(lines: Lines, label: str) -> Iterator[Placed]:
    """A text a line, which is its id, too."""
    texts = [(number, line.strip()) for number, line in lines if line.strip()]
    if _are_trec([text.split() for _, text in texts]):
        raise _no_texts(label, f"TREC judgments or a run, such as {texts[0][1]!r}")
    numbered = [_NUMBERED.fullmatch(text) for _, text in texts]
    if len(texts) > 1 and len({match[1] for match in numbered if match}) == len(texts):
        # The Web track's 201:raspberry pi
        for (number, _), match in zip(texts, numbered, strict=True):
            assert match is not None
            yield label, number, Query(match[1], readable(match[2]))
        return
    for number, text in texts:
        # The id as it stands in the file, for judgments have it so, too.
        yield label, number, Query(text, readable(text))


def _are_trec(lines: Sequence[Sequence[str]]) -> bool:
    """Say whether lines are of TREC's judgments or runs, in which there are no texts."""
    if not all(
        len(words) in (4, 6) and _is_number(words[-(len(words) == 6) - 1]) for words in lines
    ):
        return False
    return len(lines) > 2 or all(words[1].lower() in ("0", "q0") for words in lines)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


# --- judgments in which the texts of queries stand ----------------------------------------------

_DOCUMENTS, _GRADES = frozenset(ALIASES["doc_id"]), frozenset(ALIASES["grade"])
#: In judgments, a title or a description is the document's, and an id may be the row's.
_ASKED = ("query", "query_text", "querytext", "keywords", "question", "claim", "topic")
_ASKED_BY = ("query_id", "queryid", "qid", "topic_id")


def _is_judged(header: Sequence[str]) -> bool:
    names = {plain_name(name) for name in header}
    return bool(names & _DOCUMENTS) and bool(names & (_GRADES | {"final_rating", "esci_label"}))


def _of_judgments(
    table: Iterable[tuple[int, dict[str, str]]], header: Sequence[str], label: str
) -> Iterator[Placed]:
    """The queries of rows of judgments, each once, with what is the same in all its rows."""
    names = {plain_name(name): name for name in reversed(header)}
    text_name = next((names[name] for name in _ASKED if name in names), None)
    id_name = next((names[name] for name in _ASKED_BY if name in names), None)
    if text_name is None:
        assert id_name is not None  # what was taken for a header has one of them
        ids = dict.fromkeys(row[id_name] for _, row in table)
        yield from _texts_of_judgments(ids, label)
        return
    found: dict[str, tuple[int, str, dict[str, str]]] = {}
    varying: set[str] = {text_name, *([id_name] if id_name else [])}
    rows = 0
    for rows, (line, row) in enumerate(table, start=1):  # noqa: B007
        identifier, text = row.get(id_name or text_name, ""), row.get(text_name, "")
        first, before, fields = found.setdefault(identifier, (line, text, row))
        if text != before:
            raise FormatError(
                file=label,
                line=line,
                query=identifier,
                found=f"the text {text!r}, after {before!r} in line {first}",
                expected="one text a query",
            )
        varying.update(name for name in header if row.get(name) != fields.get(name))
    judged = _DOCUMENTS | _GRADES | frozenset(ALIASES["rank"])
    varying.update(name for name in header if plain_name(name) in judged)
    if rows == len(found):
        # Nothing tells what belongs to the query, and what to the document.
        varying.update(header)
    for identifier, (line, text, fields) in found.items():
        kept = {name: value for name, value in fields.items() if name not in varying}
        yield label, line, Query(identifier, text, kept)


def _texts_of_judgments(ids: Iterable[str] | Mapping[str, Any], label: str) -> Iterator[Placed]:
    """Ids of judgments as texts, if they are texts: if one of them has more than one word."""
    texts = list(ids)
    if not any(" " in text.strip() for text in texts):
        raise _no_texts(label, f"judgments with the query ids {', '.join(texts[:3])}")
    for text in texts:
        yield label, None, Query(text, readable(text))


def _no_texts(label: str, found: str) -> FormatError:
    return FormatError(
        file=label,
        found=found,
        expected="the texts of queries",
        hint="where the ids are what is searched for, gainful.systems.Queries.of(qrels) takes"
        " them so",
    )

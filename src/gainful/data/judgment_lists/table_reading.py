"""Read tables of judgments, with one row per rating or one column per rater."""

from __future__ import annotations

from gainful._kernel import names_with, plain_name
from gainful.data.column_names import find_column, missing_column, refuse_several
from gainful.data.columns import find_columns
from gainful.data.rater_columns import RaterColumns, find_rater_columns
from gainful.errors import ColumnError, FormatError, GainfulError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gainful.data.delimited import Row
    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.layouts import Layout

__all__ = ["has_header", "has_texts", "read_table"]

#: The header of tables with any columns of raters.
_OF_RATERS = ("~rater",)


def has_header(names: Sequence[str], layout: Layout) -> bool:
    """Return whether the columns of a table are certainly those of a layout."""
    if layout.header == _OF_RATERS:
        try:
            found = find_rater_columns(names, {}, None, None)
        except GainfulError:
            return False
        return found is not None and ("rater" in found.who or bool(found.raters))
    wanted = {plain_name(name) for name in layout.header}
    if not wanted or not wanted <= {plain_name(name) for name in names}:
        return False
    if "grade" in _declared(layout) or not _is_graded(layout):
        return True
    return plain_name(_judged(names).get("grade", "")) in wanted


def has_texts(names: Sequence[str]) -> bool:
    """Return whether a table has judgments and query texts."""
    found = _judged(names)
    return bool(found) and _query_columns(names, found["query_id"])[1] is not None


def _judged(names: Sequence[str]) -> dict[str, str]:
    try:
        return find_columns(names, "qrels")
    except ColumnError:
        return {}


def read_table(names: Sequence[str], rows: Iterable[Row], into: Entries) -> None:
    """Read the queries and the ratings of a table."""
    layout = into.format.layout
    found = _columns(names, layout, into.file)
    into.final = found.final
    own, text = _query_columns(names, found.query)
    own = _of_role(names, layout, "query_id", into.file) or own
    text = _of_role(names, layout, "text", into.file) or text
    described = {plain_name(name): name for name in layout.fields}
    fields = {name: described[plain] for name in names if (plain := plain_name(name)) in described}
    is_graded = _is_graded(layout)
    for line, row in rows:
        query = into.add_query(
            into.cell(row, own, line),
            into.cell(row, text, line),
            {key: row[name] for name, key in fields.items() if row.get(name)},
            line=line,
        )
        document = row.get(found.document)
        ratings = _ratings(found, row) if is_graded else [("", 1)]
        if not document and (not is_graded or all(grade in (None, "") for _, grade in ratings)):
            continue  # a query without ratings
        for rater, grade in ratings:
            into.rate(query, document, {"rater": rater, "grade": grade}, line=line)


def _columns(names: Sequence[str], layout: Layout, file: str) -> RaterColumns:
    """Return the columns of the ids and of the grades."""
    if layout.header == _OF_RATERS:
        found = find_rater_columns(names, {}, None, None)
        if found is None:
            raise FormatError(
                "no column of raters",
                file=file,
                hint="add a column rater, or several columns of grades, such as rater_1 and"
                " rater_2",
            )
        return found
    roles = ("query_id", "doc_id", "grade")
    columns = {role: _of_role(names, layout, role, file) for role in roles}
    given = {role: column for role, column in columns.items() if column is not None}
    if "grade" in _declared(layout) and "grade" not in given:
        grade = find_column(names, "grade", file)
        given |= {"grade": grade} if grade else {}
    if not _is_graded(layout):
        query = given.get("query_id") or find_column(names, "query_id", file)
        if query is None:
            raise missing_column(names, "query_id", "query ids", file)
        return RaterColumns(query, given["doc_id"], None, {}, {}, None)
    ids = find_columns(names, "qrels", given)
    for role in ids.keys() - given.keys():
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


def _ratings(found: RaterColumns, row: Mapping[str, object]) -> list[tuple[str, object]]:
    """Return the raters of a row, with their grades."""
    if found.grade is not None:
        identities = [str(row.get(column) or "") for column in found.who.values()]
        return [(next(filter(None, identities), ""), row.get(found.grade))]
    columns = {**found.raters, **({found.final: found.final} if found.final else {})}
    return [(rater, row.get(column)) for rater, column in columns.items()]

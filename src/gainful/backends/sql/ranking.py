"""From the two tables to documents in rank order, each with its grade."""

from __future__ import annotations

from gainful.backends.sql.tables import faults, read_judgments, read_run, truncated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.dialects import Dialect
    from gainful.backends.sql.tables import Tables
    from gainful.conventions import Convention

#: Partition of documents that share their score.
GROUP = "PARTITION BY query_id, appended, ord"


def leaves_groups(convention: Convention) -> bool:
    """Whether tied documents have no order among themselves."""
    return convention.ties in ("expected", "average-rank", "average-rank-down")


def ranking(
    dialect: Dialect, tables: Tables, convention: Convention, limits: dict[str, float]
) -> list[tuple[str, str]]:
    """Return named queries, of which each may use those before; the last is ``ranked``.

    ``ranked`` has a row a document of the ranking: ``query_id``, ``given`` (its grade, NULL where
    nobody judged it), ``grade`` (that which it counts with), ``ord``, ``appended`` (1 of those that
    were not retrieved), ``alike`` (how many share its score), and ``place``, its rank.
    """
    steps = [
        ("rows_of_qrels", read_judgments(dialect, tables)),
        ("rows_of_run", read_run(dialect, tables, convention)),
        ("queries", "SELECT query_id FROM rows_of_qrels GROUP BY query_id"),
        (
            "listed",
            "SELECT r.* FROM rows_of_run r JOIN queries q ON r.query_id = q.query_id",
        ),
        *_judged(dialect, convention),
        ("kept", _kept(convention, position=tables.position is not None)),
        ("returned", _returned(dialect, tables, convention)),
        ("ranked", _ranked(dialect, tables, convention)),
    ]
    told = "\n    UNION ALL ".join(faults(dialect, tables, convention, limits))
    steps.append(("faults", f"SELECT MIN(fault) AS fault FROM (\n    {told}\n  ) found"))
    return steps


def _judged(dialect: Dialect, convention: Convention) -> list[tuple[str, str]]:
    grade = "given"
    columns, grouped = "query_id, doc_id, given", ""
    if convention.duplicates != "error":
        columns, grouped = (
            "query_id, doc_id, MAX(given) AS given",
            " GROUP BY query_id, doc_id",
        )
    if convention.fractions == "truncate":
        grade = truncated(dialect, "given")
    graded = (
        f"SELECT query_id, doc_id, {grade} AS grade"
        f" FROM (SELECT {columns} FROM rows_of_qrels{grouped}) one"
    )
    judged = "SELECT * FROM graded"
    if convention.negative in ("unjudged", "drop"):
        judged += f" WHERE grade >= {dialect.number(0)}"
    return [("graded", graded), ("judged", judged)]


def _kept(convention: Convention, *, position: bool) -> str:
    """Return the query for the rows of the run that duplicates leave."""
    listed = "SELECT query_id, doc_id, ord{position}, {copy} AS copy FROM listed"
    policy = convention.duplicates
    column = ", position" if position else ""
    by = {"first": "position", "last": "position DESC", "blank": "position"}
    if policy == "best":
        order = "ord DESC, position" if position else "ord DESC"
    elif policy in by and position:
        order = by[policy]
    else:
        return listed.format(position=column, copy="1")
    copy = f"ROW_NUMBER() OVER (PARTITION BY query_id, doc_id ORDER BY {order})"
    numbered = listed.format(position=column, copy=copy)
    return numbered if policy == "blank" else f"SELECT * FROM ({numbered}) n WHERE copy = 1"


def _returned(dialect: Dialect, tables: Tables, convention: Convention) -> str:
    """Return the query for the documents of the ranking, not yet in order."""
    position = tables.position is not None
    order = "k.ord"
    if convention.precision == "float32":
        order = dialect.as_double(f"CAST({order} AS {dialect.single})")
    # Adding 0 turns -0.0 into 0.0, so that the two tie.
    order = f"{order} + {dialect.number(0)}"
    given = "j.grade"
    if convention.duplicates == "blank" and position:
        given = "CASE WHEN k.copy = 1 THEN j.grade END"
    rows = (
        f"SELECT k.query_id, k.doc_id, {order} AS ord{', k.position' if position else ''},"
        f" {given} AS given, 0 AS appended"
        " FROM kept k LEFT JOIN judged j ON j.query_id = k.query_id AND j.doc_id = k.doc_id"
    )
    conditions = []
    if convention.same_id == "drop":
        conditions.append("k.doc_id <> k.query_id")
    if convention.negative == "drop":
        conditions.append(
            "NOT EXISTS (SELECT 1 FROM graded g WHERE g.query_id = k.query_id"
            f" AND g.doc_id = k.doc_id AND g.grade < {dialect.number(0)})"
        )
    if conditions:
        rows += f" WHERE {' AND '.join(conditions)}"
    if convention.unretrieved == "last":
        rows += (
            f" UNION ALL SELECT j.query_id, j.doc_id, {dialect.number(0)} AS ord"
            f"{', NULL AS position' if position else ''}, j.grade AS given, 1 AS appended"
            " FROM judged j WHERE NOT EXISTS (SELECT 1 FROM listed l"
            " WHERE l.query_id = j.query_id AND l.doc_id = j.doc_id)"
        )
    return f"SELECT a.*, COUNT(*) OVER ({GROUP}) AS alike FROM ({rows}) a"


def _ranked(dialect: Dialect, tables: Tables, convention: Convention) -> str:
    grade = "given"
    if not isinstance(convention.unjudged, str):
        grade = f"COALESCE(given, {dialect.number(convention.unjudged)})"
    condensed = " WHERE given IS NOT NULL" if convention.unjudged == "condense" else ""
    order = f"appended, ord DESC{_settled(dialect, convention, tables.position is not None)}"
    place = dialect.as_double(f"ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY {order})")
    return (
        f"SELECT query_id, given, {grade} AS grade, ord, appended, alike, {place} AS place"
        f" FROM returned{condensed}"
    )


def _settled(dialect: Dialect, convention: Convention, position: bool) -> str:
    """Return what orders documents of equal score."""
    graded = f"COALESCE(given, {dialect.number(0)})"
    by = {
        "doc-id-desc": ", doc_id DESC",
        "doc-id-asc": ", doc_id",
        "given": ", position",
        "reverse": ", position DESC",
        "optimistic": f", {graded} DESC, position",
        "pessimistic": f", {graded}, position",
    }
    if convention.order == "given":
        return ""
    if position and convention.duplicates in ("count", "blank"):
        # Of rows of one document the first listed stands first.
        for ties in ("doc-id-desc", "doc-id-asc"):
            by[ties] += ", position"
    # Where measures deal with the ties themselves, or there are none, any order will do, but one.
    return by.get(convention.ties, ", doc_id DESC")

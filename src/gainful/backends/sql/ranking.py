"""Write queries that rank the documents of the run and join their grades."""

from __future__ import annotations

from gainful.backends.sql.tables import (
    Tables,
    faults,
    read_judgments,
    read_queries,
    read_run,
    truncated,
)
from gainful.policies import UNORDERED_TIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.dialects import Dialect
    from gainful.conventions import Convention

#: From where on, and up to where, a number is rounded to an infinity and to 0 in 32 bits.
_OVERFLOW, _UNDERFLOW = 2.0**128 - 2.0**103, 2.0**-150


class Windows:
    """Names and definitions of the windows over a ranking.

    ``in_order`` has the documents of a query in rank order. For each document, ``down_to`` has
    those from the first to this one, ``above`` those above it, ``tie_group`` those with its score,
    and ``levels`` those with its score or a better one.
    """

    def __init__(self, dialect: Dialect, convention: Convention, *, position: bool) -> None:
        # Unretrieved documents come last.
        last = convention.unretrieved == "last"
        by = "appended ASC, ord DESC" if last else "ord DESC"
        order = f"{by}{_settled(dialect, convention, position)}"
        ordered = f"PARTITION BY query_id ORDER BY {order}"
        tied = f"{'appended, ' if last else ''}{dialect.tie_key('ord')}"
        self.tie_group = f"PARTITION BY query_id, {tied}"
        self._specified = {
            "in_order": ordered,
            "down_to": f"{ordered} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
            "above": f"{ordered} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
            "tie_group": self.tie_group,
            "levels": f"PARTITION BY query_id ORDER BY {by}",
        }

    def clause(self, expressions: str) -> str:
        """Return the WINDOW clause for the windows that the expressions use."""
        found = [
            f"{name} AS ({what})"
            for name, what in self._specified.items()
            if f"OVER {name}" in expressions
        ]
        return f" WINDOW {', '.join(found)}" if found else ""


def leaves_groups(convention: Convention) -> bool:
    """Return whether tied documents have no order among themselves."""
    return convention.ties in UNORDERED_TIES and convention.order != "given"


def ranking(
    dialect: Dialect,
    tables: Tables,
    convention: Convention,
    limits: dict[str, float],
    worths: dict[str, str],
    ranks: dict[str, str],
) -> list[tuple[str, str]]:
    """Return named queries, each of which may use earlier ones; one of them is ``ranked``.

    ``ranked`` has one row per ranked document: ``query_id``, ``given`` (its grade, NULL if
    unjudged), ``grade`` (with the policy for unjudged documents), the columns of `worths` and
    `ranks` (names by expression), ``place`` (its rank), ``tied`` (1 if others have its score), and
    ``tie_continues`` (1 if the next one has). If ties are not broken, it has ``start``, the number
    of documents above the tie group, and ``members``, the size of the group. If unretrieved
    documents are added, ``appended`` is 1 for those.
    """
    position = tables.position is not None
    steps = [
        ("rows_of_qrels", read_judgments(dialect, tables)),
        ("rows_of_run", read_run(dialect, tables, convention)),
        ("queries", read_queries(convention)),
        (
            "listed",
            "SELECT r.* FROM rows_of_run r JOIN queries q ON r.query_id = q.query_id",
        ),
        *_judged(dialect, convention),
    ]
    source = "listed"
    kept = _kept(convention, position=position)
    if kept:
        source = "kept"
        steps.append((source, kept))
    returned = _returned(dialect, convention, source, position=position)
    windows = Windows(dialect, convention, position=position)
    if convention.unjudged == "condense" or convention.ties == "error":
        # Count the ties before any document is left out.
        returned = (
            f"SELECT a.*, COUNT(*) OVER ({windows.tie_group}) AS tie_size FROM ({returned}) a"
        )
    worth = "".join(f", {expression} AS {name}" for expression, name in worths.items())
    valued = f"SELECT returned.*{worth} FROM returned"
    if convention.unjudged == "condense":
        valued += " WHERE given IS NOT NULL"
    found = "\n    UNION ALL ".join(faults(dialect, tables, convention, limits))
    return [
        *steps,
        ("returned", returned),
        ("valued", valued),
        ("ranked", _ranked(convention, windows, ranks)),
        ("faults", f"SELECT MIN(fault) AS fault FROM (\n    {found}\n  ) found"),
    ]


def _judged(dialect: Dialect, convention: Convention) -> list[tuple[str, str]]:
    source, grade = "rows_of_qrels", "given"
    if convention.duplicates != "error":
        source = (
            "(SELECT query_id, doc_id, MAX(given) AS given FROM rows_of_qrels"
            " GROUP BY query_id, doc_id) one"
        )
    if convention.fractions == "truncate":
        grade = truncated(dialect, "given")
    graded = f"SELECT query_id, doc_id, {grade} AS grade FROM {source}"
    if convention.negative in ("unjudged", "drop"):
        judged = f"SELECT * FROM graded WHERE grade >= {dialect.number(0)}"
        return [("graded", graded), ("judged", judged)]
    return [("judged", graded)]


def _kept(convention: Convention, *, position: bool) -> str:
    """Return the query that removes duplicate rows of the run; empty if it keeps all."""
    policy = convention.duplicates
    by = {"first": "position ASC", "last": "position DESC", "blank": "position ASC"}
    if policy == "best":
        order = "ord DESC, position ASC" if position else "ord DESC"
    elif policy in by and position:
        order = by[policy]
    else:
        return ""
    copy = f"ROW_NUMBER() OVER (PARTITION BY query_id, doc_id ORDER BY {order}) AS copy"
    numbered = f"SELECT listed.*, {copy} FROM listed"
    return numbered if policy == "blank" else f"SELECT * FROM ({numbered}) n WHERE copy = 1"


def _returned(dialect: Dialect, convention: Convention, source: str, *, position: bool) -> str:
    """Return the query for the unordered documents of the ranking."""
    last = convention.unretrieved == "last"
    order = "k.ord"
    if convention.precision == "float32":
        order = _single(dialect, order)
    # Adding 0 turns -0.0 into 0.0, so that the two tie.
    order = f"{order} + {dialect.number(0)}"
    given = "j.grade"
    if convention.duplicates == "blank" and position:
        given = "CASE WHEN k.copy = 1 THEN j.grade END"
    rows = (
        f"SELECT k.query_id, k.doc_id, {order} AS ord{', k.position' if position else ''},"
        f" {given} AS given, {_counted(dialect, convention, given)} AS grade"
        f"{', 0 AS appended' if last else ''}"
        f" FROM {source} k LEFT JOIN judged j ON j.query_id = k.query_id AND j.doc_id = k.doc_id"
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
    if last:
        rows += (
            f" UNION ALL SELECT j.query_id, j.doc_id, {dialect.number(0)} AS ord"
            f"{', NULL AS position' if position else ''}, j.grade AS given, j.grade AS grade,"
            " 1 AS appended"
            " FROM judged j WHERE NOT EXISTS (SELECT 1 FROM listed l"
            " WHERE l.query_id = j.query_id AND l.doc_id = j.doc_id)"
        )
    return rows


def _single(dialect: Dialect, score: str) -> str:
    """Round a score to 32 bits; the casts of some databases fail beyond the range."""
    rounded = dialect.as_double(dialect.as_single(score))
    least, most, beyond = map(dialect.number, (_UNDERFLOW, _OVERFLOW, 2 * _OVERFLOW))
    return (
        f"CASE WHEN ABS({score}) <= {least} THEN {dialect.number(0)}"
        f" WHEN ABS({score}) < {most} THEN {rounded}"
        f" WHEN {score} > {dialect.number(0)} THEN {beyond}"
        f" WHEN {score} < {dialect.number(0)} THEN {dialect.number(-2 * _OVERFLOW)} END"
    )


def _counted(dialect: Dialect, convention: Convention, given: str) -> str:
    """Return the grade of a document, with the policy for unjudged documents."""
    if isinstance(convention.unjudged, str):
        return given
    return f"COALESCE({given}, {dialect.number(convention.unjudged)})"


def _ranked(convention: Convention, windows: Windows, ranks: dict[str, str]) -> str:
    columns = ["ROW_NUMBER() OVER in_order AS place"]
    if leaves_groups(convention):
        columns += [
            "RANK() OVER levels - 1 AS start",
            "COUNT(*) OVER tie_group AS members",
        ]
    else:
        follows = "LEAD(ord) OVER in_order = ord"
        tied = f"LAG(ord) OVER in_order = ord OR {follows}"
        if convention.unretrieved == "last":
            # MariaDB evaluates LAG and LEAD of two columns in one condition wrongly.
            tied = "COUNT(*) OVER tie_group > 1"
            follows += " AND LEAD(appended) OVER in_order = appended"
        columns += [
            f"CASE WHEN {tied} THEN 1 ELSE 0 END AS tied",
            f"CASE WHEN {follows} THEN 1 ELSE 0 END AS tie_continues",
        ]
    columns += [f"{expression} AS {name}" for expression, name in ranks.items()]
    listed = ", ".join(columns)
    return f"SELECT valued.*, {listed} FROM valued{windows.clause(listed)}"


def _settled(dialect: Dialect, convention: Convention, position: bool) -> str:
    """Return the sort keys of tied documents; ASC is explicit as defaults may differ."""
    graded = f"COALESCE(given, {dialect.number(0)})"
    by = {
        "doc-id-desc": ", doc_id DESC",
        "doc-id-asc": ", doc_id ASC",
        "given": ", position ASC",
        "reverse": ", position DESC",
        "optimistic": f", {graded} DESC, doc_id DESC",
        "pessimistic": f", {graded} ASC, doc_id DESC",
    }
    if convention.order == "given":
        return ""
    if position and convention.duplicates in ("count", "blank"):
        # The first row of a duplicate document comes first.
        for ties in ("doc-id-desc", "doc-id-asc", "optimistic", "pessimistic"):
            by[ties] += ", position ASC"
    # If measures handle the ties, or none exist, any fixed order works.
    return by.get(convention.ties, ", doc_id DESC")

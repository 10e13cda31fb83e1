"""From the two tables to documents in rank order, each with its grade."""

from __future__ import annotations

from gainful.backends.sql.tables import Tables, faults, read_judgments, read_run, truncated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.dialects import Dialect
    from gainful.conventions import Convention


class Windows:
    """What windows over the documents of a ranking are called, and what they are.

    ``in_order`` are the documents of a query in rank order, ``down_to`` of them those down to a
    document, ``above`` those above it, ``alike`` those that share its score, and ``levels`` those
    that have its score or a better one.
    """

    def __init__(self, dialect: Dialect, convention: Convention, *, position: bool) -> None:
        # Documents that were not retrieved stand below all others.
        last = convention.unretrieved == "last"
        by = "appended ASC, ord DESC" if last else "ord DESC"
        order = f"{by}{_settled(dialect, convention, position)}"
        ordered = f"PARTITION BY query_id ORDER BY {order}"
        self.alike = f"PARTITION BY query_id, {'appended, ' if last else ''}ord"
        self._specified = {
            "in_order": ordered,
            "down_to": f"{ordered} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
            "above": f"{ordered} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
            "alike": self.alike,
            "levels": f"PARTITION BY query_id ORDER BY {by}",
        }

    def clause(self, expressions: str) -> str:
        """Return the clause that says what the windows are that some expressions go over."""
        found = [
            f"{name} AS ({what})"
            for name, what in self._specified.items()
            if f"OVER {name}" in expressions
        ]
        return f" WINDOW {', '.join(found)}" if found else ""


def leaves_groups(convention: Convention) -> bool:
    """Whether tied documents have no order among themselves."""
    return (
        convention.ties in ("expected", "average-rank", "average-rank-down")
        and convention.order != "given"
    )


def ranking(
    dialect: Dialect,
    tables: Tables,
    convention: Convention,
    limits: dict[str, float],
    worths: dict[str, str],
    ranks: dict[str, str],
) -> list[tuple[str, str]]:
    """Return named queries, of which each may use those before; one of them is ``ranked``.

    ``ranked`` has a row a document of the ranking: ``query_id``, ``given`` (its grade, NULL where
    nobody judged it), ``grade`` (that which it counts with), what it is worth and what windows over
    the ranking add (expressions of `worths` and `ranks`, each with the name of its column),
    ``place``, its rank, ``tied`` (1 of those that share their score), and ``goes_on`` (1 where the
    next one has the same). Where ties leave groups it has ``start``, how many stand above all that
    share its score, and ``members``, how many do. Where documents are added that were not
    retrieved, ``appended`` is 1 of those.
    """
    position = tables.position is not None
    steps = [
        ("rows_of_qrels", read_judgments(dialect, tables)),
        ("rows_of_run", read_run(dialect, tables, convention)),
        ("queries", "SELECT query_id FROM rows_of_qrels GROUP BY query_id"),
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
        # Those that share their score, before any of them is left out.
        returned = f"SELECT a.*, COUNT(*) OVER ({windows.alike}) AS alike FROM ({returned}) a"
    worth = "".join(f", {expression} AS {name}" for expression, name in worths.items())
    valued = f"SELECT returned.*{worth} FROM returned"
    if convention.unjudged == "condense":
        valued += " WHERE given IS NOT NULL"
    told = "\n    UNION ALL ".join(faults(dialect, tables, convention, limits))
    return [
        *steps,
        ("returned", returned),
        ("valued", valued),
        ("ranked", _ranked(convention, windows, ranks)),
        ("faults", f"SELECT MIN(fault) AS fault FROM (\n    {told}\n  ) found"),
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
    """Return the query for the rows of the run that duplicates leave; none where it is all."""
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
    """Return the query for the documents of the ranking, not yet in order."""
    last = convention.unretrieved == "last"
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


def _counted(dialect: Dialect, convention: Convention, given: str) -> str:
    """Return the grade that a document counts with."""
    if isinstance(convention.unjudged, str):
        return given
    return f"COALESCE({given}, {dialect.number(convention.unjudged)})"


def _ranked(convention: Convention, windows: Windows, ranks: dict[str, str]) -> str:
    columns = ["ROW_NUMBER() OVER in_order AS place"]
    if leaves_groups(convention):
        columns += [
            "RANK() OVER levels - 1 AS start",
            "COUNT(*) OVER alike AS members",
        ]
    else:

        def same(neighbour: str) -> str:
            found = f"{neighbour}(ord) OVER in_order = ord"
            if convention.unretrieved != "last":
                return found
            return f"({found} AND {neighbour}(appended) OVER in_order = appended)"

        columns += [
            f"CASE WHEN {same('LAG')} OR {same('LEAD')} THEN 1 ELSE 0 END AS tied",
            f"CASE WHEN {same('LEAD')} THEN 1 ELSE 0 END AS goes_on",
        ]
    columns += [f"{expression} AS {name}" for expression, name in ranks.items()]
    listed = ", ".join(columns)
    return f"SELECT valued.*, {listed} FROM valued{windows.clause(listed)}"


def _settled(dialect: Dialect, convention: Convention, position: bool) -> str:
    """Return what orders documents of equal score; a database may have another default than ASC."""
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
        # Of rows of one document the first listed stands first.
        for ties in ("doc-id-desc", "doc-id-asc", "optimistic", "pessimistic"):
            by[ties] += ", position ASC"
    # Where measures deal with the ties themselves, or there are none, any order will do, but one.
    return by.get(convention.ties, ", doc_id DESC")

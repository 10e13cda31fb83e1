"""The input tables: names, columns, and the queries that read and check them."""

from __future__ import annotations

from gainful.errors import ArgumentError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.dialects import Dialect
    from gainful.conventions import Convention

#: Larger grades are not exact as 64-bit floats; scores have to be finite.
_LARGEST_GRADE = 2.0**53
_LARGEST_SCORE = 1.7976931348623157e308

#: The names of the two tables within the query, which no earlier query reads.
_OURS = ("rows_of_qrels", "rows_of_run")


class Tables:
    """The names of the two tables and their columns.

    Parameters
    ----------
    dialect : Dialect
        The dialect, which splits names.
    qrels, run : str
        The tables; a dot separates schema and table, as in ``search.qrels``.
    query_id, doc_id, grade, score : str
        Their columns.
    rank, position : str or None
        Columns of the run: the rank, if the convention orders by it, and the number of the row.
    """

    def __init__(
        self,
        dialect: Dialect,
        qrels: str = "qrels",
        run: str = "run",
        query_id: str = "query_id",
        doc_id: str = "doc_id",
        grade: str = "grade",
        score: str = "score",
        rank: str = "rank",
        position: str | None = None,
    ) -> None:
        given = {
            "qrels": qrels,
            "run": run,
            "query_id": query_id,
            "doc_id": doc_id,
            "grade": grade,
            "score": score,
            "rank": rank,
            "position": position,
        }
        for name, value in given.items():
            if value is None and name == "position":
                continue
            if not isinstance(value, str):
                raise ArgumentError(where=name, found=type(value).__name__, expected="a name")
            parts = dialect.parts(value) if name in ("qrels", "run") else [value]
            if not all(parts) or "\0" in value:
                raise ParameterError(where=name, found=repr(value), expected="a name")
            if name in ("qrels", "run") and value.lower() in _OURS:
                raise ParameterError(
                    f"{value!r} is reserved for a row source of the query",
                    where=name,
                    hint="rename the table",
                )
        if query_id == doc_id:
            raise ParameterError("the same column as doc_id", where="query_id")
        self.qrels = qrels
        self.run = run
        self.query_id = query_id
        self.doc_id = doc_id
        self.grade = grade
        self.score = score
        self.rank = rank
        self.position = position


def table(dialect: Dialect, name: str) -> str:
    """Quote each part of a table's name."""
    return ".".join(map(dialect.quote, dialect.parts(name)))


def read_judgments(dialect: Dialect, tables: Tables) -> str:
    """Return the query that reads the judgments."""
    quote = dialect.quote
    return (
        f"SELECT {dialect.id(quote(tables.query_id))} AS query_id,"
        f" {dialect.id(quote(tables.doc_id))} AS doc_id,"
        f" {dialect.as_double(quote(tables.grade))} AS given"
        f" FROM {table(dialect, tables.qrels)}"
    )


def read_run(dialect: Dialect, tables: Tables, convention: Convention) -> str:
    """Return the query that reads the run; ``ord`` is the sort key, largest first."""
    quote = dialect.quote
    if convention.order == "score":
        ordered = dialect.as_double(quote(tables.score))
    else:
        by = tables.rank if convention.order == "rank" else tables.position or ""
        ordered = f"-{dialect.as_double(quote(by))}"
    position = "" if tables.position is None else f", {quote(tables.position)} AS position"
    return (
        f"SELECT {dialect.id(quote(tables.query_id))} AS query_id,"
        f" {dialect.id(quote(tables.doc_id))} AS doc_id,"
        f" {ordered} AS ord{position}"
        f" FROM {table(dialect, tables.run)}"
    )


def read_queries(convention: Convention) -> str:
    """Return the query that selects the ids of the queries to evaluate."""
    rows = "rows_of_qrels"
    if convention.extra == "no-relevant":
        rows = f"(SELECT query_id FROM {rows} UNION SELECT query_id FROM rows_of_run) q"
    return f"SELECT query_id FROM {rows} GROUP BY query_id"


def faults(
    dialect: Dialect, tables: Tables, convention: Convention, limits: dict[str, float]
) -> list[str]:
    """Return queries for invalid data, each of which returns messages (``fault``) or no rows.

    `limits` has the largest grade that a measure can take, by the measure's name.
    """
    number, text = dialect.number, dialect.literal

    def shown(column: str) -> str:
        return f"COALESCE({column}, {text('NULL')})"

    def place(found: str) -> str:
        query, document = shown(dialect.shown("query_id")), shown(dialect.shown("doc_id"))
        return (
            f"{text('query ')} || {query} || {text(', document ')} || {document}"
            f" || {text(': ')} || {found}"
        )

    def message(found: str) -> str:
        return place(text(found))

    def of_query(column: str, found: str) -> str:
        return f"{text('query ')} || {dialect.shown(column)} || {text(found)}"

    said = "" if convention.order != "score" else "the score is not a finite number"
    said = said or "the rank or position is not a finite number"
    finite = f"ord BETWEEN {number(-_LARGEST_SCORE)} AND {number(_LARGEST_SCORE)}"
    whole = f"given BETWEEN {number(-_LARGEST_GRADE)} AND {number(_LARGEST_GRADE)}"
    seen = "given" if convention.fractions != "truncate" else truncated(dialect, "given")
    no_id = "query_id IS NULL OR doc_id IS NULL", "no id"
    of_judgments = [
        no_id,
        (f"given IS NULL OR NOT ({whole})", "the grade is not a number within ±2^53"),
    ]
    if convention.negative == "error":
        of_judgments.append((f"{seen} < {number(0)}", "the grade is negative (negative=error)"))
    if convention.fractions == "error":
        of_judgments.append(
            ("given <> floor(given)", "the grade is not a whole number (fractions=error)")
        )
    if not isinstance(convention.largest_grade, str):
        largest = convention.largest_grade
        of_judgments.append(
            (f"{seen} > {number(largest)}", f"the grade is above {largest:g} (largest_grade)")
        )
    for measure, most in limits.items():
        of_judgments.append(
            (f"{seen} > {number(most)}", f"the grade is above {most:g}, for {measure}")
        )
    common = "listed"
    if convention.extra == "no-relevant":
        common += " r JOIN rows_of_qrels q ON r.query_id = q.query_id"
    of_run = [no_id, (f"ord IS NULL OR NOT ({finite})", said)]
    found = []
    for rows, wrong in (("rows_of_qrels", of_judgments), ("rows_of_run", of_run)):
        cases = " ".join(f"WHEN {condition} THEN {text(what)}" for condition, what in wrong)
        found.append(
            f"SELECT {place('found')} AS fault"
            f" FROM (SELECT r.*, CASE {cases} END AS found FROM {rows} r) r"
            " WHERE found IS NOT NULL"
        )
    found.append(
        f"SELECT {text('no query in common: none of the judged queries is in the run')}"
        f" AS fault FROM (SELECT COUNT(*) AS n FROM {common}) l WHERE n = 0"
    )
    found += _duplicates(convention, message, position=tables.position is not None)
    if convention.missing == "error":
        found.append(
            f"SELECT {of_query('q.query_id', ': no ranking (missing=error)')}"
            " AS fault FROM queries q WHERE NOT EXISTS"
            " (SELECT 1 FROM listed l WHERE l.query_id = q.query_id)"
        )
    if convention.extra == "error":
        found.append(
            f"SELECT {of_query('query_id', ': no judgments (extra=error)')}"
            " AS fault FROM rows_of_run r WHERE NOT EXISTS"
            " (SELECT 1 FROM queries q WHERE q.query_id = r.query_id)"
        )
    if convention.ties == "error":
        own = " AND appended = 0" if convention.unretrieved == "last" else ""
        found.append(
            f"SELECT {message('equal scores (ties=error)')} AS fault FROM returned"
            f" WHERE tie_size > 1{own}"
        )
    if tables.position is not None:
        found.append(
            f"SELECT {of_query('query_id', ': duplicate or missing position')}"
            " AS fault FROM listed GROUP BY query_id, position"
            " HAVING COUNT(*) > 1 OR position IS NULL"
        )
    return found


def _duplicates(convention: Convention, place: object, *, position: bool) -> list[str]:
    """Return queries that detect duplicate documents, if these are an error."""
    assert callable(place)
    policy = convention.duplicates
    twice = f"duplicate document (duplicates={policy})"
    own = "query_id, doc_id HAVING COUNT(*) > 1"
    found = []
    if policy == "error":
        found.append(f"SELECT {place(twice)} AS fault FROM rows_of_qrels GROUP BY {own}")
    elif policy != "best":
        # The order of the rows decides which counts, unless they are equal.
        found.append(
            f"SELECT {place(twice)} AS fault FROM rows_of_qrels GROUP BY {own}"
            " AND MIN(given) < MAX(given)"
        )
    if policy in ("error", "copies") or (policy in ("first", "last", "blank") and not position):
        found.append(f"SELECT {place(twice)} AS fault FROM listed GROUP BY {own}")
    return found


def truncated(dialect: Dialect, value: str) -> str:
    """Truncate a number to a whole number."""
    zero = dialect.number(0)
    up, down = dialect.as_double(f"ceil({value})"), dialect.as_double(f"floor({value})")
    return f"CASE WHEN {value} < {zero} THEN {up} ELSE {down} END"

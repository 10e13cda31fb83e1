"""Write queries that rank the documents of the run and join their grades."""

from __future__ import annotations

from gainful.errors import ArgumentError, ParameterError
from gainful.policies import AVERAGE_RANK, UNORDERED_TIES

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
        columns = {
            "qrels": qrels,
            "run": run,
            "query_id": query_id,
            "doc_id": doc_id,
            "grade": grade,
            "score": score,
            "rank": rank,
            "position": position,
        }
        for name, value in columns.items():
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
    checks = []
    for rows, wrong in (("rows_of_qrels", of_judgments), ("rows_of_run", of_run)):
        cases = " ".join(f"WHEN {condition} THEN {text(what)}" for condition, what in wrong)
        checks.append(
            f"SELECT {place('found')} AS fault"
            f" FROM (SELECT r.*, CASE {cases} END AS found FROM {rows} r) r"
            " WHERE found IS NOT NULL"
        )
    checks.append(
        f"SELECT {text('no query in common: none of the judged queries is in the run')}"
        f" AS fault FROM (SELECT COUNT(*) AS n FROM {common}) l WHERE n = 0"
    )
    checks += _duplicates(convention, message, position=tables.position is not None)
    if convention.missing == "error":
        checks.append(
            f"SELECT {of_query('q.query_id', ': no ranking (missing=error)')}"
            " AS fault FROM queries q WHERE NOT EXISTS"
            " (SELECT 1 FROM listed l WHERE l.query_id = q.query_id)"
        )
    if convention.extra == "error":
        checks.append(
            f"SELECT {of_query('query_id', ': no judgments (extra=error)')}"
            " AS fault FROM rows_of_run r WHERE NOT EXISTS"
            " (SELECT 1 FROM queries q WHERE q.query_id = r.query_id)"
        )
    if convention.ties == "error":
        appended_rows = " AND appended = 0" if convention.unretrieved == "last" else ""
        checks.append(
            f"SELECT {message('equal scores (ties=error)')} AS fault FROM returned"
            f" WHERE tie_size > 1{appended_rows}"
        )
    if tables.position is not None:
        checks.append(
            f"SELECT {of_query('query_id', ': duplicate or missing position')}"
            " AS fault FROM listed GROUP BY query_id, position"
            " HAVING COUNT(*) > 1 OR position IS NULL"
        )
    return checks


def _duplicates(convention: Convention, place: object, *, position: bool) -> list[str]:
    """Return queries that detect duplicate documents, if these are an error."""
    assert callable(place)
    policy = convention.duplicates
    twice = f"duplicate document (duplicates={policy})"
    keys = "query_id, doc_id HAVING COUNT(*) > 1"
    duplicates = []
    if policy == "error":
        duplicates.append(f"SELECT {place(twice)} AS fault FROM rows_of_qrels GROUP BY {keys}")
    elif policy != "best":
        # The order of the rows decides which counts, unless they are equal.
        duplicates.append(
            f"SELECT {place(twice)} AS fault FROM rows_of_qrels GROUP BY {keys}"
            " AND MIN(given) < MAX(given)"
        )
    if policy in ("error", "copies") or (policy in ("first", "last", "blank") and not position):
        duplicates.append(f"SELECT {place(twice)} AS fault FROM listed GROUP BY {keys}")
    return duplicates


def truncated(dialect: Dialect, value: str) -> str:
    """Truncate a number to a whole number."""
    zero = dialect.number(0)
    up, down = dialect.as_double(f"ceil({value})"), dialect.as_double(f"floor({value})")
    return f"CASE WHEN {value} < {zero} THEN {up} ELSE {down} END"


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
        windows = [
            f"{name} AS ({what})"
            for name, what in self._specified.items()
            if f"OVER {name}" in expressions
        ]
        return f" WINDOW {', '.join(windows)}" if windows else ""


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
    query = "\n    UNION ALL ".join(faults(dialect, tables, convention, limits))
    return [
        *steps,
        ("returned", returned),
        ("valued", valued),
        ("ranked", _ranked(convention, windows, ranks)),
        ("faults", f"SELECT MIN(fault) AS fault FROM (\n    {query}\n  ) found"),
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
    grade = "j.grade"
    if convention.duplicates == "blank" and position:
        grade = "CASE WHEN k.copy = 1 THEN j.grade END"
    rows = (
        f"SELECT k.query_id, k.doc_id, {order} AS ord{', k.position' if position else ''},"
        f" {grade} AS given, {_counted(dialect, convention, grade)} AS grade"
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


class Sums:
    """Collect the sums that measures need, and write the queries that compute them.

    Each row of ``ranked`` has the document's values (``w1``, ...), values of windows over the
    ranking (``v1``, ...), its unique rank ``place``, and `rank`, the column of the rank that
    counts. ``placed`` and ``stacked`` add values that depend on these. ``measured`` has one row
    per query with the sums (``s1``, ...), ``pool`` one with aggregates of its judgments (``p1``,
    ...), and each query of ideals one with its DCG (``idcg``).
    """

    def __init__(self, dialect: Dialect, convention: Convention) -> None:
        self.dialect: Dialect = dialect
        self.convention = convention
        self.mode = convention.ties if leaves_groups(convention) else "settled"
        self.rank = "place" if self.mode in ("settled", "expected") else "pos"
        self.signed = convention.negative == "signed"
        #: The expressions of documents and of windows, each with the name of its column.
        self.worths: dict[str, str] = {}
        self.ranks: dict[str, str] = {}
        self._placed: dict[str, str] = {}
        self._stacks: dict[str, str] = {}
        self._sums: dict[str, str] = {}
        self._pool: dict[str, str] = {}
        self._depths: set[str] = set()
        self._ideals: dict[str, str] = {}

    # --- columns for measures -------------------------------------------------------------------

    def worth(self, expression: str) -> str:
        """Add a column of document values, an expression of ``given`` and ``grade``."""
        return self.worths.setdefault(expression, f"w{len(self.worths) + 1}")

    def mean_worth(self, expression: str) -> str:
        """Add a column of document values, averaged over ties under ``ties=expected``."""
        worth = self.worth(expression)
        if self.mode != "expected":
            return worth
        return self.windowed(f"AVG({worth}) OVER tie_group")

    def windowed(self, expression: str) -> str:
        """Add a column of an expression with windows over the ranking."""
        return self.ranks.setdefault(expression, f"v{len(self.ranks) + 1}")

    def sum(self, expression: str, depth: str | None = None) -> str:
        """Add the sum of an expression over the ranks down to a depth."""
        if depth is not None:
            expression = f"CASE WHEN {self.rank} <= {depth} THEN {expression} END"
        return self.aggregate(f"SUM({expression})")

    def aggregate(self, expression: str) -> str:
        """Add an aggregate over the documents of a query; 0 without documents."""
        name = self._sums.setdefault(expression, f"s{len(self._sums) + 1}")
        return f"COALESCE(m.{name}, {self.dialect.number(0)})"

    def pool(self, expression: str) -> str:
        """Add an aggregate of ``grade`` over the judged documents of a query."""
        name = self._pool.setdefault(expression, f"p{len(self._pool) + 1}")
        return f"COALESCE(p.{name}, {self.dialect.number(0)})"

    def pool_column(self, expression: str) -> str:
        """Add such an aggregate, and return it as a column for sums over ranks."""
        self.pool(expression)
        self._depths.add(self._pool[expression])
        return f"p.{self._pool[expression]}"

    def ideal(self, query: str) -> str:
        """Add a query with columns ``query_id`` and ``idcg``; return its DCG."""
        name = self._ideals.setdefault(query, f"ideal_{len(self._ideals) + 1}")
        return f"COALESCE({name}.idcg, {self.dialect.number(0)})"

    # --- columns shared by several measures -----------------------------------------------------

    def hit(self, rel: float, of: str = "grade") -> str:
        """Return whether a grade is relevant, as 1 or 0."""
        number = self.dialect.number
        return f"CASE WHEN {of} >= {number(rel)} THEN {number(1)} ELSE {number(0)} END"

    def relevant(self, rel: float) -> str:
        """Add R, the number of relevant documents."""
        return self.pool(f"SUM({self.hit(max(rel, 0.0))})")

    def hits(self, rel: float, depth: str | None) -> str:
        """Add the (expected) number of relevant documents down to a depth."""
        return self.sum(self.mean_worth(self.hit(rel)), depth)

    def returned(self) -> str:
        """Add the number of documents in the ranking."""
        return self.dialect.as_double(self.aggregate("COUNT(*)"))

    def depth(self, cutoff: int | None) -> str | None:
        """Return a cutoff as an expression, None without one."""
        return None if cutoff is None else str(cutoff)

    def first_of_ties(self, rel: float) -> str:
        """Add the probability that a document is the first relevant one, over ties.

        If the first tie group with relevant documents has m documents, r of them relevant, the
        document at position j is the first relevant one with probability
        C(m - j, r - 1) / C(m, r). This is the product over i < j of (m - i + 1 - r) / (m - i + 1),
        the probability of no relevant document before it, times r / (m - j + 1).
        """
        number = self.dialect.number
        inside, before = self.tied_relevant(rel), self.seen_before(rel)
        rest = f"(members - (place - start - {number(1)}))"
        left = f"{rest} - {inside}"
        step = f"CASE WHEN {left} > {number(0)} THEN ln(({left}) / {rest}) END"
        step = self._placed.setdefault(step, f"t{len(self._placed) + 1}")
        window = "PARTITION BY query_id, start ORDER BY place ASC"
        window += " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
        above = f"SUM({step}) OVER ({window})"
        above = self._stacks.setdefault(above, f"u{len(self._stacks) + 1}")
        return (
            f"CASE WHEN {inside} > {number(0)} AND {before} = {number(0)}"
            f" AND place - start <= members - {inside} + {number(1)}"
            f" THEN exp(COALESCE({above}, {number(0)})) * {inside} / {rest}"
            f" ELSE {number(0)} END"
        )

    def above(self, expression: str) -> str:
        """Add the sum of an expression over the documents above each document."""
        return self.windowed(f"COALESCE(SUM({expression}) OVER above, {self.dialect.number(0)})")

    def down_to(self, rel: float) -> str:
        """Add the number of relevant documents down to and including each document."""
        return self.windowed(f"SUM({self.worth(self.hit(rel))}) OVER down_to")

    def tied_relevant(self, rel: float) -> str:
        """Add the number of relevant documents with the same score as each document."""
        return self.windowed(f"SUM({self.worth(self.hit(rel))}) OVER tie_group")

    def seen_before(self, rel: float) -> str:
        """Add the number of relevant documents above the tie group of each document."""
        worth = self.worth(self.hit(rel))
        return self.windowed(f"SUM({worth}) OVER levels - SUM({worth}) OVER tie_group")

    # --- the ideal ------------------------------------------------------------------------------

    def gain(self, shape: object, grade: str = "grade") -> str:
        """Return the gain of a grade."""
        return gain(self.dialect, shape, self.signed, grade)

    def discounted(self, discount: object, worth: str, rank: str | None = None) -> str:
        """Return a discounted value."""
        return discounted(self.dialect, discount, worth, rank or self.rank)

    def sorted_gains(
        self, shape: object, discount: object, cutoff: int | None, source: str, *, least: str = ""
    ) -> str:
        """Return the query for the DCG of a source's documents, the best first."""
        number = self.dialect.number
        gains = f"SELECT s.*, {self.gain(shape)} AS gain FROM {source} s"
        conditions = [] if cutoff is None else [f"pos <= {cutoff}"]
        conditions += [least] if least else []
        cut = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        # A gain of 0 adds nothing. A table may have negative gains, which the ideal leaves out.
        gainful = "" if self.signed and is_increasing(shape) else f" WHERE gain > {number(0)}"
        place = "ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY gain DESC) AS pos"
        return (
            f"SELECT query_id, SUM({self.discounted(discount, 'gain', 'pos')}) AS idcg"
            f" FROM (SELECT g.*, {place} FROM ({gains}) g{gainful}) r{cut} GROUP BY query_id"
        )

    # --- the queries ----------------------------------------------------------------------------

    def steps(self) -> list[tuple[str, str]]:
        """Return the named queries after ``ranked``, in order of dependency."""
        pools = "".join(f", {e} AS {name}" for e, name in self._pool.items())
        steps = [("pool", f"SELECT query_id{pools} FROM judged GROUP BY query_id")]
        source = "ranked"
        placed = dict(self._placed)
        if self.rank == "pos":
            pos = f"start + (members + {self.dialect.number(1)}) / {self.dialect.number(2)}"
            placed[pos if self.mode == AVERAGE_RANK else f"floor({pos})"] = "pos"
        for name, columns in (("placed", placed), ("stacked", self._stacks)):
            if columns:
                added = "".join(
                    f", {expression} AS {column}" for expression, column in columns.items()
                )
                steps.append((name, f"SELECT {source}.*{added} FROM {source}"))
                source = name
        sums = "".join(f", {e} AS {name}" for e, name in self._sums.items())
        if self._depths:
            used = "".join(f", p.{name}" for name in sorted(self._depths))
            source = (
                f"(SELECT w.*{used} FROM {source} w LEFT JOIN pool p ON p.query_id = w.query_id) p"
            )
        steps.append(("measured", f"SELECT query_id{sums} FROM {source} GROUP BY query_id"))
        steps += [(name, query) for query, name in self._ideals.items()]
        return steps

    def ideals(self) -> list[str]:
        """Return the names of the queries of ideals."""
        return list(self._ideals.values())


def gain(dialect: Dialect, shape: object, signed: bool, grade: str) -> str:
    """Return the gain of a grade; 0 for NULL."""
    number = dialect.number
    zero, one, two = number(0), number(1), number(2)
    # A comparison with NULL is not true.
    if shape == "linear":
        lost = f"CASE WHEN {grade} > {zero} THEN {grade} ELSE {zero} END"
        return f"COALESCE({grade}, {zero})" if signed else lost
    if shape == "exponential":
        raised = f"power({two}, {grade}) - {one}"
        counts = f"{grade} IS NOT NULL" if signed else f"{grade} > {zero}"
        return f"CASE WHEN {counts} THEN {raised} ELSE {zero} END"
    if shape == "exponential+1":
        raised = f"power({two}, {grade} + {one}) - {one}"
        return f"CASE WHEN {grade} >= {zero} THEN {raised} ELSE {zero} END"
    if shape == "binary":
        return f"CASE WHEN {grade} > {zero} THEN {one} ELSE {zero} END"
    if shape == "judged":
        return f"CASE WHEN {grade} IS NOT NULL THEN {one} ELSE {zero} END"
    assert isinstance(shape, list)
    entries = "".join(
        f" WHEN {grade} = {number(grade_from)} THEN {number(to)}" for grade_from, to in shape
    )
    none = f"WHEN {grade} IS NULL THEN {zero}"
    lost = "" if signed else f" WHEN {grade} < {zero} THEN {zero}"
    return f"CASE {none}{entries}{lost} ELSE {grade} END"


def is_increasing(shape: object) -> bool:
    """Return whether a higher grade never has a lower gain."""
    return isinstance(shape, str)


def discounted(dialect: Dialect, discount: object, worth: str, rank: str) -> str:
    """Return a discounted gain; the rank is a number of any type."""
    number = dialect.number
    if discount == "log2":
        return f"{worth} / {dialect.log2(f'{rank} + {number(1)}')}"
    if discount == "ln":
        return f"{worth} / ln({rank} + {number(1)})"
    if discount == "reciprocal":
        return f"{worth} / {rank}"
    if discount == "none":
        return worth
    if isinstance(discount, tuple):
        base = number(float(discount[1]))
        divisor = f"({dialect.log2(rank)} / {dialect.log2(base)})"
        return f"CASE WHEN {rank} <= {base} THEN {worth} ELSE {worth} / {divisor} END"
    assert isinstance(discount, list)
    weights = "".join(
        f" WHEN {number(index)} THEN {number(w)}" for index, w in enumerate(discount, 1)
    )
    return f"{worth} * CASE {rank}{weights} ELSE {number(0)} END"

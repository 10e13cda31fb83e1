"""Sums over the ranks of a query, shared by the measures that are computed from them."""

from __future__ import annotations

from gainful.backends.sql.gains import discounted, gain, is_increasing
from gainful.backends.sql.ranking import leaves_groups
from gainful.policies import AVERAGE_RANK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.dialects import Dialect
    from gainful.conventions import Convention


class Sums:
    """Collect the sums that measures need, and write the queries that compute them.

    Each row of ``ranked`` has the document's values (``w1``, ...), values of windows over the
    ranking (``v1``, ...), its unique rank ``place``, and `rank`, the column of the rank that
    counts. ``placed`` and ``stacked`` add values that depend on these. ``measured`` has one row
    per query with the sums (``s1``, ...), ``pool`` one with aggregates of its judgments (``p1``,
    ...), and each query of ideals one with its DCG (``idcg``).
    """

    def __init__(self, dialect: Dialect, convention: Convention) -> None:
        self.dialect = dialect
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
        own = self.worth(expression)
        if self.mode != "expected":
            return own
        return self.windowed(f"AVG({own}) OVER tie_group")

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
        own = self.worth(self.hit(rel))
        return self.windowed(f"SUM({own}) OVER levels - SUM({own}) OVER tie_group")

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

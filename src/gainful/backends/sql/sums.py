"""The sums over the ranks of a query that measures are made of, each written once."""

from __future__ import annotations

from gainful.backends.sql.gains import discounted, gain, is_increasing
from gainful.backends.sql.ranking import GROUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.dialects import Dialect
    from gainful.conventions import Convention

#: Of the documents of a query in rank order, those above one.
_ABOVE = "PARTITION BY query_id ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"


class Sums:
    """Gathers what is to be added up, and writes the queries that do it.

    ``placed`` has a row a document with what it is worth (``w1``, ...) and where it stands:
    ``place``, a rank of its own; ``pos``, the rank that counts; ``start``, how many stand above all
    that share its score; ``members``, how many do. ``weighed`` adds what depends on documents
    above. ``measured`` has a row a query with the sums (``s1``, ...), ``pool`` one with what its
    judgments come to (``p1``, ...), and each of the ideals one with its DCG (``idcg``).
    """

    def __init__(self, dialect: Dialect, convention: Convention) -> None:
        self.dialect = dialect
        self.convention = convention
        self.mode = convention.ties if convention.order != "given" else "settled"
        if self.mode not in ("expected", "average-rank", "average-rank-down"):
            self.mode = "settled"
        self.signed = convention.negative == "signed"
        self._worths: dict[str, str] = {}
        self._weighed: dict[str, str] = {}
        self._sums: dict[str, str] = {}
        self._pool: dict[str, str] = {}
        self._stacks: dict[str, str] = {}
        self._ideals: dict[str, str] = {}

    # --- what a measure asks for ----------------------------------------------------------------

    def worth(self, expression: str) -> str:
        """Name what each document is worth, as an expression of ``given`` and ``grade``."""
        return self._worths.setdefault(expression, f"w{len(self._worths) + 1}")

    def mean_worth(self, expression: str) -> str:
        """Name what a document of each rank is worth, over ties where these are averaged over."""
        own = self.worth(expression)
        if self.mode != "expected":
            return own
        return self.weighed(f"AVG({own}) OVER ({GROUP})")

    def weighed(self, expression: str) -> str:
        """Name a window expression of ``placed``."""
        return self._weighed.setdefault(expression, f"v{len(self._weighed) + 1}")

    def sum(self, expression: str, depth: str | None = None) -> str:
        """Name the sum of an expression of ``weighed`` over the ranks down to a depth."""
        if depth is not None:
            expression = f"CASE WHEN pos <= {depth} THEN {expression} END"
        return self.aggregate(f"SUM({expression})")

    def aggregate(self, expression: str) -> str:
        """Name an aggregate over the documents of a query; 0 of none."""
        name = self._sums.setdefault(expression, f"s{len(self._sums) + 1}")
        return f"COALESCE(m.{name}, {self.dialect.number(0)})"

    def pool(self, expression: str) -> str:
        """Name an aggregate over the judged documents of a query, of their ``grade``."""
        name = self._pool.setdefault(expression, f"p{len(self._pool) + 1}")
        return f"COALESCE(p.{name}, {self.dialect.number(0)})"

    def pool_column(self, expression: str) -> str:
        """Name the same for a sum over ranks."""
        self.pool(expression)
        return f"p.{self._pool[expression]}"

    def ideal(self, query: str) -> str:
        """Name the DCG that a query (``query_id``, ``idcg``) gives."""
        name = self._ideals.setdefault(query, f"ideal_{len(self._ideals) + 1}")
        return f"COALESCE({name}.idcg, {self.dialect.number(0)})"

    # --- what several measures ask for ----------------------------------------------------------

    def hit(self, rel: float, of: str = "grade") -> str:
        """Return whether a grade is relevant, as 1 or 0."""
        number = self.dialect.number
        return f"CASE WHEN {of} >= {number(rel)} THEN {number(1)} ELSE {number(0)} END"

    def relevant(self, rel: float) -> str:
        """Name R, the number of relevant documents."""
        return self.pool(f"SUM({self.hit(max(rel, 0.0))})")

    def hits(self, rel: float, depth: str | None) -> str:
        """Name the (expected) number of relevant documents down to a depth."""
        return self.sum(self.mean_worth(self.hit(rel)), depth)

    def returned(self) -> str:
        """Name the number of documents in the ranking."""
        return self.dialect.as_double(self.aggregate("COUNT(*)"))

    def depth(self, cutoff: int | None) -> str | None:
        """Return a cutoff as a number, where there is one."""
        return None if cutoff is None else self.dialect.number(cutoff)

    def first_of_ties(self, rel: float) -> str:
        """Name the probability that the first relevant document stands at a rank, over ties.

        Of the m documents of the first group with relevant ones, r of them, the one at position j
        is the first with the probability C(m - j, r - 1) / C(m, r): none is before it with the
        product over i < j of (m - i + 1 - r) / (m - i + 1), and then it is with r / (m - j + 1).
        """
        number = self.dialect.number
        own = self.worth(self.hit(rel))
        inside = self.weighed(f"SUM({own}) OVER ({GROUP})")
        before = self.seen_before(rel)
        rest = "(members - (place - start - 1e0))".replace("1e0", number(1))
        left = f"{rest} - SUM({own}) OVER ({GROUP})"
        step = self.weighed(f"CASE WHEN {left} > {number(0)} THEN ln(({left}) / {rest}) END")
        return (
            f"CASE WHEN {inside} > {number(0)} AND {before} = {number(0)}"
            f" AND place - start <= members - {inside} + {number(1)}"
            f" THEN exp(COALESCE({self.above_in_group(step)}, {number(0)})) * {inside} / {rest}"
            f" ELSE {number(0)} END"
        )

    def above_in_group(self, column: str) -> str:
        """Name the sum of a column of ``weighed`` over those above within a group."""
        window = f"{GROUP} ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
        return self._stacked(f"SUM({column}) OVER ({window})")

    def above(self, column: str) -> str:
        """Name the sum of a column of ``weighed`` over those above in the ranking."""
        return self._stacked(f"COALESCE(SUM({column}) OVER ({_ABOVE}), {self.dialect.number(0)})")

    def seen_before(self, rel: float) -> str:
        """Name how many relevant documents stand above all that share a document's score."""
        own = self.worth(self.hit(rel))
        upto = "PARTITION BY query_id ORDER BY start"
        return self.weighed(f"SUM({own}) OVER ({upto}) - SUM({own}) OVER ({GROUP})")

    def _stacked(self, expression: str) -> str:
        """Name a window over columns of ``weighed``, which is a step of its own."""
        return self._stacks.setdefault(expression, f"u{len(self._stacks) + 1}")

    # --- the ideal ------------------------------------------------------------------------------

    def gain(self, shape: object, grade: str = "grade") -> str:
        """Return the gain of a grade."""
        return gain(self.dialect, shape, self.signed, grade)

    def discounted(self, discount: object, worth: str, rank: str = "pos") -> str:
        """Return a worth as it counts at a rank."""
        return discounted(self.dialect, discount, worth, rank)

    def sorted_gains(
        self, shape: object, discount: object, cutoff: int | None, source: str, *, least: str = ""
    ) -> str:
        """Return the query for the DCG of the documents of a source from the best."""
        number = self.dialect.number
        gains = f"SELECT s.*, {self.gain(shape)} AS gain FROM ({source}) s"
        if not is_increasing(shape):
            # A table may give a grade a negative gain: an ideal leaves such a document out.
            gains = f"SELECT * FROM ({gains}) t WHERE gain > {number(0)}"
        place = self.dialect.as_double(
            "ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY gain DESC)"
        )
        conditions = [] if cutoff is None else [f"pos <= {number(cutoff)}"]
        conditions += [least] if least else []
        cut = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return (
            f"SELECT query_id, SUM({self.discounted(discount, 'gain')}) AS idcg"
            f" FROM (SELECT g.*, {place} AS pos FROM ({gains}) g) r{cut} GROUP BY query_id"
        )

    # --- the queries ----------------------------------------------------------------------------

    def steps(self) -> list[tuple[str, str]]:
        """Return the named queries, in the order in which they need each other."""
        pools = ", ".join(f"{e} AS {name}" for e, name in self._pool.items())
        steps = [
            (
                "pool",
                f"SELECT query_id, COUNT(*) AS judged{', ' if pools else ''}{pools}"
                " FROM judged GROUP BY query_id",
            ),
            ("placed", self._placed()),
            ("weighed", self._with("placed", self._weighed)),
        ]
        source = "weighed"
        if self._stacks:
            source = "stacked"
            steps.append((source, self._with("weighed", self._stacks)))
        sums = "".join(f", {e} AS {name}" for e, name in self._sums.items())
        used = "".join(f", p.{name}" for name in self._pool.values())
        steps.append(
            (
                "measured",
                f"SELECT query_id{sums} FROM (SELECT w.*{used} FROM {source} w"
                " LEFT JOIN pool p ON p.query_id = w.query_id) p GROUP BY query_id",
            )
        )
        steps += [(name, query) for query, name in self._ideals.items()]
        return steps

    def ideals(self) -> list[str]:
        """Return the names of the queries of ideals."""
        return list(self._ideals.values())

    @staticmethod
    def _with(source: str, columns: dict[str, str]) -> str:
        added = "".join(f", {expression} AS {name}" for expression, name in columns.items())
        return f"SELECT {source}.*{added} FROM {source}"

    def _placed(self) -> str:
        double, number = self.dialect.as_double, self.dialect.number
        worths = "".join(f", {expression} AS {name}" for expression, name in self._worths.items())
        if self.mode == "settled":
            return (
                f"SELECT ranked.*, place AS pos, place - {number(1)} AS start{worths} FROM ranked"
            )
        start = f"MIN(place) OVER ({GROUP}) - {number(1)}"
        members = double(f"COUNT(*) OVER ({GROUP})")
        pos = "place"
        if self.mode != "expected":
            pos = f"(MIN(place) OVER ({GROUP}) + MAX(place) OVER ({GROUP})) / {number(2)}"
            pos = pos if self.mode == "average-rank" else double(f"floor({pos})")
        return (
            f"SELECT ranked.*, {pos} AS pos, {start} AS start, {members} AS members{worths}"
            " FROM ranked"
        )

"""The result of contrast(): the way from one convention to another, and what each step does."""

from __future__ import annotations

from dataclasses import dataclass

from gainful import _engine
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.conventions import Convention
    from gainful.conventions.difference import Difference
    from gainful.measures import Measure

__all__ = ["NOISE", "Contrast", "QueryAccount", "Step", "Swap", "SystemAccount"]

#: Differences up to this are those of sums added in another way, and no query is said to move by
#: them; the values are kept as they are.
NOISE = 1e-12

#: Columns of the exported rows.
_COLUMNS = (
    "system",
    "query_id",
    "step",
    "policies",
    "from",
    "to",
    "before",
    "after",
    "difference",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is changed at once on the way from A to B: mostly one policy.

    Attributes
    ----------
    changes : tuple of Difference
        The policies and parameters that change.
    refused : str
        Why several change at once: what the convention between them refuses, or for what it has no
        number. Empty for one change, and for parameters that belong together, such as a discount
        and its base.
    matters : bool
        Whether any value or mean of these data is another after it.
    """

    changes: tuple[Difference, ...]
    refused: str
    matters: bool

    @property
    def names(self) -> str:
        """What changes: ``"ties"``, ``"negative and gain"``."""
        *others, last = (change.name for change in self.changes)
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def label(self) -> str:
        """What changes and how: ``"ties: doc-id-desc → expected"``."""
        return "; ".join(f"{each.name}: {' → '.join(each.values)}" for each in self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAccount:
    """One query of a system: its value under A, and after each step.

    Attributes
    ----------
    query_id : str
        The query.
    values : tuple of float or None
        One more than there are steps: under A first, under B last; ``None`` where the convention
        leaves the query out of the mean.
    """

    query_id: str
    values: tuple[float | None, ...]

    @property
    def difference(self) -> float | None:
        """What it has under B less what it has under A; ``None`` if either leaves it out."""
        return _difference(self.values[0], self.values[-1])

    def step(self, at: int) -> float | None:
        """What step number `at`, counted from 0, adds; ``None`` where it is left out."""
        return _difference(self.values[at], self.values[at + 1])

    def moves(self, at: int) -> bool:
        """Whether a step, counted from 0, gives it another value, leaves it out or counts it in."""
        return _moved(self.values[at], self.values[at + 1])

    @property
    def moved(self) -> bool:
        """Whether it has something else under B than under A."""
        return _moved(self.values[0], self.values[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemAccount:
    """One system: its mean under A and after each step, and the same for its queries.

    Attributes
    ----------
    system : str
        The name of the run.
    means : tuple of float
        One more than there are steps: under A first, under B last. Each is what `evaluate` says
        under the convention that far. Of measures that are summed over queries, the sums.
    queries : tuple of QueryAccount
        Every query that counts after any of the steps, in byte order of the ids.
    """

    system: str
    means: tuple[float, ...]
    queries: tuple[QueryAccount, ...]

    @property
    def ends(self) -> tuple[float, float]:
        """The means under A and under B."""
        return self.means[0], self.means[-1]

    @property
    def difference(self) -> float:
        """The mean under B less that under A."""
        return self.means[-1] - self.means[0]

    def step(self, at: int) -> float:
        """What step number `at`, counted from 0, adds to the mean."""
        return self.means[at + 1] - self.means[at]

    def counted(self, state: int) -> int:
        """How many queries count under A (0), after step 1 (1), and so on."""
        return sum(query.values[state] is not None for query in self.queries)

    def moves(self, at: int) -> bool:
        """Whether a step, counted from 0, changes the mean or any query."""
        return _moved(self.means[at], self.means[at + 1]) or any(
            query.moves(at) for query in self.queries
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """Two systems of which A prefers the one and B the other.

    Attributes
    ----------
    first, second : str
        The one that A puts first, and the one that B puts first.
    """

    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Contrast:
    """What the choice between two conventions does: an account that adds up.

    ``print`` shows it in 100 columns. It exports the Arrow C stream with one row a system, query
    and step, so ``polars.DataFrame(contrast)`` works.

    **It adds up.** What a step adds is the number after it less the number before it, and the
    number after a step is the one before the next: nothing is left over, neither of a query nor of
    a mean. Where a query is left out of the mean, or counted in, that step of the mean contains
    it. What is printed adds up to the last digit, because printed changes are those of the printed
    numbers.

    Attributes
    ----------
    a, b : Convention
        The conventions.
    measure : Measure
        As it was asked for.
    resolved : tuple of two Measure
        With every parameter set, under A and under B.
    steps : tuple of Step
        From A to B; empty if they have the same policies for this measure.
    accounts : tuple of SystemAccount
        One a system.
    idle : tuple of Difference
        Parameters in which the conventions differ, but which the measure sets itself.
    weighted : bool
        Whether the means are weighted.

    Examples
    --------
    >>> import gainful
    >>> told = gainful.contrast("qrels.txt", "bm25.run", "trec_eval", "gainful", "nDCG@3")
    >>> [step.names for step in told.steps], told.account().difference
    (['precision', 'negative', 'fractions', 'missing'], 0.0)
    >>> any(step.matters for step in told.steps)
    False
    """

    a: Convention
    b: Convention
    measure: Measure
    resolved: tuple[Measure, Measure]
    steps: tuple[Step, ...]
    accounts: tuple[SystemAccount, ...]
    idle: tuple[Difference, ...]
    weighted: bool

    # --- systems --------------------------------------------------------------------------------

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(account.system for account in self.accounts)

    def account(self, system: str | None = None) -> SystemAccount:
        """Return the account of a system; of the only one where none is named.

        Raises
        ------
        ParameterError
            For an unknown system, or none named of several.
        """
        if system is None and len(self.accounts) == 1:
            return self.accounts[0]
        for each in self.accounts:
            if each.system == system:
                return each
        raise ParameterError(
            where="system",
            found="none named" if system is None else repr(system),
            expected=f"one of {', '.join(self.systems)}",
        )

    def ranks(self, end: int) -> dict[str, int]:
        """Return each system's place under A (0) or B (1); systems of equal means share one."""
        means = {account.system: account.ends[end] for account in self.accounts}
        return {
            system: 1 + sum(other > mean for other in means.values())
            for system, mean in means.items()
        }

    @property
    def tau(self) -> float | None:
        """Kendall's tau-b between the orders of systems under A and B; ``None`` if undefined."""
        from gainful.inference import kendall_tau

        return kendall_tau(*zip(*(account.ends for account in self.accounts), strict=True))

    @property
    def swaps(self) -> tuple[Swap, ...]:
        """The pairs of systems that the conventions put in opposite orders."""
        found = []
        for at, one in enumerate(self.accounts):
            for two in self.accounts[at + 1 :]:
                (mine, later), (other, last) = one.ends, two.ends
                if mine > other and later < last:
                    found.append(Swap(first=one.system, second=two.system))
                elif mine < other and later > last:
                    found.append(Swap(first=two.system, second=one.system))
        return tuple(found)

    # --- showing --------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the rows."""
        return _COLUMNS

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield a row a system, query and step, with the columns that `columns` names.

        ``step`` counts from 1; ``policies`` names what changes, ``from`` one value ``to`` another;
        ``before``, ``after`` and ``difference`` are None where the query is left out.
        """
        told = [
            (
                at + 1,
                step.names,
                "; ".join(each.values[0] for each in step.changes),
                "; ".join(each.values[1] for each in step.changes),
            )
            for at, step in enumerate(self.steps)
        ]
        for account in self.accounts:
            for query in account.queries:
                for at, step in enumerate(told):
                    before, after = query.values[at], query.values[at + 1]
                    yield (
                        account.system,
                        query.query_id,
                        *step,
                        before,
                        after,
                        query.step(at),
                    )

    def to_dict(self, *, per_query: bool = False) -> dict[str, object]:
        """Return the contrast as the JSON contract ``gainful.contrast/1`` has it.

        Parameters
        ----------
        per_query : bool, default False
            Whether to add the rows of queries and steps.
        """
        from gainful.contrasts.contract import to_dict

        return to_dict(self, per_query=per_query)

    def __str__(self) -> str:
        from gainful.report.contrast import plain

        return plain(self)

    def __repr__(self) -> str:
        of = ", ".join(self.systems)
        return f"<Contrast of {of}: {self.measure!r}, {self.a.label} and {self.b.label}>"

    def _repr_html_(self) -> str:
        from gainful.report.contrast import html

        return html(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows as an Arrow stream; the requested schema is not followed."""
        columns: list[list[object]] = [list(each) for each in zip(*self.rows(), strict=True)]
        return _engine.arrow_stream(list(_COLUMNS), columns or [[] for _ in _COLUMNS])


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _moved(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    # NaN is not equal to itself, and did not move.
    return abs(after - before) > NOISE or (before != before) != (after != after)

"""The steps of a contrast, and their effects on systems and queries."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions.difference import Difference

__all__ = ["NOISE", "QueryAccount", "Step", "Swap", "SystemAccount"]

#: Differences up to this come from another order of summation, and do not count as movement; the
#: values are kept unchanged.
NOISE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A change between A and B, usually of one policy.

    Attributes
    ----------
    changes : tuple of Difference
        The policies and parameters that change.
    reason : str
        Why several change together: what the intermediate convention rejects or leaves undefined.
        Empty for one change, and for parameters that belong together, such as a discount and its
        base.
    matters : bool
        Whether it changes any value or mean of these data.
    """

    changes: tuple[Difference, ...]
    reason: str
    matters: bool

    @property
    def names(self) -> str:
        """The names of the changes: ``"ties"``, ``"negative and gain"``."""
        *others, last = (change.name for change in self.changes)
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def sides(self) -> tuple[str, str]:
        """The changes, as values before and after."""
        before, after = zip(*(change.values for change in self.changes), strict=True)
        return "; ".join(before), "; ".join(after)

    @property
    def label(self) -> str:
        """The names and values of the changes: ``"ties: doc-id-desc → expected"``."""
        return "; ".join(f"{each.name}: {' → '.join(each.values)}" for each in self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAccount:
    """A query of a system, with its value under A and after each step.

    Attributes
    ----------
    query_id : str
        The query.
    values : tuple of float or None
        One more than the number of steps: the first under A, the last under B; ``None`` if the
        convention leaves the query out of the mean.
    """

    query_id: str
    values: tuple[float | None, ...]

    @property
    def difference(self) -> float | None:
        """The value under B minus the value under A; ``None`` if either is left out."""
        return _difference(self.values[0], self.values[-1])

    def step(self, at: int) -> float | None:
        """Return the change by step `at`, counted from 0; ``None`` if the query is left out."""
        return _difference(self.values[at], self.values[at + 1])

    def changes_at(self, at: int) -> bool:
        """Return whether step `at`, counted from 0, changes, removes or adds the value."""
        return _differ(self.values[at], self.values[at + 1])

    @property
    def is_changed(self) -> bool:
        """Whether the value differs between A and B."""
        return _differ(self.values[0], self.values[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemAccount:
    """A system, with its mean under A and after each step, and its queries.

    Attributes
    ----------
    system : str
        The name of the run.
    means : tuple of float
        One more than the number of steps: the first under A, the last under B. Each is the mean of
        `evaluate` under the intermediate convention; the sum for measures that are summed over
        queries.
    queries : tuple of QueryAccount
        Every query that counts in any state, in byte order of the ids.
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
        """The mean under B minus the mean under A."""
        return self.means[-1] - self.means[0]

    def step(self, at: int) -> float:
        """Return the change of the mean by step `at`, counted from 0."""
        return self.means[at + 1] - self.means[at]

    def counted(self, state: int) -> int:
        """Return the number of queries that count under A (0), after step 1 (1), and so on."""
        return sum(query.values[state] is not None for query in self.queries)

    def count_changes(self, first: int, last: int) -> tuple[int, int, int]:
        """Return the numbers of queries that change, drop out and are added between two states.

        States are numbered as in `counted`.
        """
        changed = left_out = added = 0
        for query in self.queries:
            before, after = query.values[first], query.values[last]
            left_out += before is not None and after is None
            added += before is None and after is not None
            changed += before is not None and after is not None and _differ(before, after)
        return changed, left_out, added

    def changes_at(self, at: int) -> bool:
        """Return whether step `at`, counted from 0, changes the mean or any query."""
        return _differ(self.means[at], self.means[at + 1]) or any(
            query.changes_at(at) for query in self.queries
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """Two systems whose order differs between A and B.

    Attributes
    ----------
    first, second : str
        The better system under A, and the better one under B.
    """

    first: str
    second: str


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _differ(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    # NaN is not equal to itself, but did not change.
    return abs(after - before) > NOISE or (before != before) != (after != after)

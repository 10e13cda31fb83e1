"""What a contrast is made of: its steps, and what each does to a system and to a query."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions.difference import Difference

__all__ = ["NOISE", "QueryAccount", "Step", "Swap", "SystemAccount"]

#: Differences up to this are those of sums added in another way, and no query is said to move by
#: them; the values are kept as they are.
NOISE = 1e-12


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
    def sides(self) -> tuple[str, str]:
        """What changes, as it is before and as it is after."""
        before, after = zip(*(change.values for change in self.changes), strict=True)
        return "; ".join(before), "; ".join(after)

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

    def movement(self, first: int, last: int) -> tuple[int, int, int]:
        """How many queries have another value in the last state, are left out there, come in there.

        The states are those of `counted`.
        """
        moved = left_out = counted_in = 0
        for query in self.queries:
            before, after = query.values[first], query.values[last]
            left_out += before is not None and after is None
            counted_in += before is None and after is not None
            moved += before is not None and after is not None and _moved(before, after)
        return moved, left_out, counted_in

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


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _moved(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    # NaN is not equal to itself, and did not move.
    return abs(after - before) > NOISE or (before != before) != (after != after)

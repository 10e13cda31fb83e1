"""The steps of a contrast, and their effects on systems and queries."""

from __future__ import annotations

from itertools import pairwise

from gainful.formats.table import cut
from gainful.records import Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.conventions.difference import Difference

__all__ = ["NOISE", "QueryAccount", "Step", "StepEffect", "SystemAccount"]

#: Differences up to this come from another order of summation, and do not count as movement; the
#: values are kept unchanged.
NOISE = 1e-12

#: The maximum length of a system and a query id in a table.
NAME = 30

_COUNT = {"minimum": 0}
_RANK = {"minimum": 1}
_NUMBER = {"type": ["number", "null"]}


class Step(Record):
    """A change between A and B, usually of one policy."""

    changes: tuple[Difference, ...]
    """The policies and parameters that change, usually one."""
    reason: str | None
    """Why several change together: what the intermediate convention rejects or leaves undefined.
    None for one change, and for parameters that belong together, such as a discount and its base.
    """
    matters: bool
    """Whether it changes any value or mean of these data."""

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


class QueryAccount(Record):
    """A query of a system, with its value under A and after each step."""

    query_id: str
    """The query."""
    values: tuple[float | None, ...]
    """One more than the number of steps: the first under A, the last under B; None if the
    convention leaves the query out of the mean."""

    @property
    def difference(self) -> float | None:
        """The value under B minus the value under A; None if either is left out."""
        return _difference(self.values[0], self.values[-1])

    def step(self, at: int) -> float | None:
        """Return the change by step `at`, counted from 0; None if the query is left out."""
        return _difference(self.values[at], self.values[at + 1])

    def changes_at(self, at: int) -> bool:
        """Return whether step `at`, counted from 0, changes, removes or adds the value."""
        return _differ(self.values[at], self.values[at + 1])

    @property
    def is_changed(self) -> bool:
        """Whether the value differs between A and B."""
        return _differ(self.values[0], self.values[-1])


class StepEffect(Record):
    """The effect of a step on the mean of a system and on its queries."""

    before: float = field(json=_NUMBER)
    """The mean before the step; None if it is not a number."""
    after: float = field(json=_NUMBER)
    """The mean after the step; None if it is not a number."""
    difference: float = derived(lambda effect: effect.after - effect.before, json=_NUMBER)
    """after - before."""
    changed: int = field(json=_COUNT)
    """The number of queries whose value the step changes."""
    left_out: int = field(json=_COUNT)
    """The number of queries that the step leaves out."""
    added: int = field(json=_COUNT)
    """The number of queries that the step adds."""


class SystemAccount(Record):
    """A system, with its mean under A and after each step, and its queries."""

    system: str = field(key="", tables="ranks", cell=lambda account: cut(account.system, NAME))
    """The name of the run."""
    a: float = derived(lambda account: account.means[0], tables="ranks", label="A", json=_NUMBER)
    """The mean under A; None if it is not a number."""
    b: float = derived(lambda account: account.means[-1], tables="ranks", label="B", json=_NUMBER)
    """The mean under B; None if it is not a number."""
    change: tuple[float, float] = derived(lambda account: account.ends, key="", tables="ranks")
    """The means under A and under B, which are printed as their difference."""
    difference: float = derived(lambda account: account.b - account.a, json=_NUMBER)
    """b - a."""
    rank_a: int | None = field(tables="ranks", label="rank under A", show=str, json=_RANK)
    """The system's rank by its mean under A, counted from 1. Equal means share a rank; None if the
    mean is not a number."""
    rank_b: int | None = field(tables="ranks", label="rank under B", show=str, json=_RANK)
    """The rank by its mean under B, as for A."""
    queries_a: int = derived(lambda account: account.counted(0), json=_COUNT)
    """The number of queries that count under A."""
    queries_b: int = derived(lambda account: account.counted(-1), json=_COUNT)
    """The number of queries that count under B."""
    steps: tuple[StepEffect, ...] = derived(lambda account: tuple(account.effects()))
    """One entry per step, in the same order. The first starts at a, the last ends at b, and each
    starts where the previous one ended."""
    means: tuple[float, ...] = field(key="")
    """One more than the number of steps: the first under A, the last under B. Each is the mean of
    `evaluate` under the intermediate convention; the sum for measures that are summed over
    queries."""
    queries: tuple[QueryAccount, ...] = field(key="")
    """Every query that counts in any state, in byte order of the ids."""

    @property
    def ends(self) -> tuple[float, float]:
        """The means under A and under B."""
        return self.means[0], self.means[-1]

    def effects(self) -> Iterator[StepEffect]:
        """Yield the effect of each step."""
        for place, (before, after) in enumerate(pairwise(self.means)):
            changed, left_out, added = self.count_changes(place, place + 1)
            yield StepEffect(
                before=before, after=after, changed=changed, left_out=left_out, added=added
            )

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


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _differ(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    # NaN is not equal to itself, but did not change.
    return abs(after - before) > NOISE or (before != before) != (after != after)

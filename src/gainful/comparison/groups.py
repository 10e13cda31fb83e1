"""Groups and ranks of systems from the comparison of all their pairs."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.inference.letters import compact_letters, rank_intervals
from gainful.records import Record, field
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gainful.comparison.pair import Pair

__all__ = [
    "PosteriorRank",
    "Rank",
    "check_all_pairs",
    "compute_letters",
    "compute_ranks",
    "list_tied_for_first",
]


_RANK = {"minimum": 1}


class Rank(Record):
    """The rank of a system with its simultaneous confidence interval."""

    rank: int = field(json=_RANK)
    """The rank of its mean, counted from 1 and shared by equal means."""
    low: int = field(json=_RANK)
    """The lowest rank that the comparison of all pairs does not exclude."""
    high: int = field(json=_RANK)
    """The highest."""


class PosteriorRank(Record):
    """The posterior probability of rank 1, and a set of ranks."""

    first: float = field(json={"minimum": 0, "maximum": 1})
    """The probability that the system has the highest mean."""
    low: int = field(json=_RANK)
    """The lowest rank of the set. The sets of all systems contain their ranks at once with a
    probability of 1 - alpha."""
    high: int = field(json=_RANK)
    """The highest."""


def compute_letters(means: Mapping[str, float], pairs: Iterable[Pair]) -> dict[str, str]:
    """Return the compact letter display from the systems' means and all their pairs."""
    apart = [(pair.system, pair.baseline) for pair in pairs if pair.verdict in SIGNIFICANT]
    return compact_letters(list(means), means, apart)


def compute_ranks(means: Mapping[str, float], pairs: Iterable[Pair]) -> dict[str, Rank]:
    """Return ranks with their intervals, best first, from means and the pairs of all systems.

    Two systems are in a known order if the verdict of their pair is better or worse.
    `gainful.inference.letters.rank_intervals` documents the formula.
    """
    better = []
    for pair in pairs:
        if pair.verdict == "better":
            better.append((pair.system, pair.baseline))
        elif pair.verdict == "worse":
            better.append((pair.baseline, pair.system))
    ends = rank_intervals(list(means), better)
    return {
        system: Rank(
            rank=1 + sum(mean > means[system] for mean in means.values()),
            low=ends[system][0],
            high=ends[system][1],
        )
        for system in sorted(means, key=lambda system: -means[system])
    }


def list_tied_for_first(ranks: Mapping[str, Rank]) -> tuple[str, ...]:
    """Return the systems whose interval of ranks contains 1, best mean first."""
    return tuple(system for system, rank in ranks.items() if rank.low == 1)


def check_all_pairs(baselines: Sequence[str], what: str) -> None:
    """Reject letters or ranks unless all pairs were compared."""
    if baselines:
        raise ParameterError(
            f"{what} need all pairs, but systems were only compared with {', '.join(baselines)}",
            where=what,
            hint="leave out ⟪baseline⟫",
        )

"""Groups and ranks of systems from the comparison of all their pairs."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.errors import ParameterError
from gainful.inference.letters import compact_letters
from gainful.inference.ranks import rank_intervals
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.comparison.pair import Pair

__all__ = [
    "PosteriorRank",
    "Rank",
    "check_all_pairs",
    "compute_letters",
    "compute_ranks",
    "list_tied_for_first",
]


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank of a system with its simultaneous confidence interval.

    Attributes
    ----------
    rank : int
        The rank of its mean, counted from 1 and shared by equal means.
    low, high : int
        The lowest and the highest rank that the comparison of all pairs does not exclude.
    """

    rank: int
    low: int
    high: int

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        return {"rank": self.rank, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class PosteriorRank:
    """The posterior probability of rank 1, and a set of ranks.

    Attributes
    ----------
    first : float
        The probability that the system has the highest mean.
    low, high : int
        The set of ranks. The sets of all systems contain their ranks at once with a probability of
        1 - alpha.
    """

    first: float
    low: int
    high: int

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        return {"first": self.first, "low": self.low, "high": self.high}


def compute_letters(means: Mapping[str, float], pairs: Iterable[Pair]) -> dict[str, str]:
    """Return the compact letter display from the systems' means and all their pairs."""
    apart = [(each.system, each.baseline) for each in pairs if each.verdict in SIGNIFICANT]
    return compact_letters(list(means), means, apart)


def compute_ranks(means: Mapping[str, float], pairs: Iterable[Pair]) -> dict[str, Rank]:
    """Return ranks with their intervals, best first, from means and the pairs of all systems.

    Two systems are in a known order if the verdict of their pair is better or worse.
    `gainful.inference.ranks.rank_intervals` documents the formula.
    """
    better = []
    for pair in pairs:
        if pair.verdict == "better":
            better.append((pair.system, pair.baseline))
        elif pair.verdict == "worse":
            better.append((pair.baseline, pair.system))
    ends = rank_intervals(list(means), better)
    return {
        system: Rank(1 + sum(mean > means[system] for mean in means.values()), *ends[system])
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

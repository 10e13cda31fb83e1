"""The base of results that compare systems in pairs."""

from __future__ import annotations

from functools import cached_property
from numbers import Integral

import numpy as np

from gainful.comparison.pair import Pair, mirrored
from gainful.errors import ParameterError
from gainful.evaluation.summary import MeanEstimate
from gainful.formats.numbers import with_sign
from gainful.inference.letters import compact_letters, rank_intervals
from gainful.records import Interval, Record, as_columns, field
from gainful.results import Records, Result, only_choice
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import ClassVar, TypeVar

    from gainful.comparison.choices import CompareOptions
    from gainful.comparison.predictions import Combining
    from gainful.comparison.scores import Floats, Mask, Scores
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure
    from gainful.plots import Plot

    T = TypeVar("T")

__all__ = [
    "PairedResult",
    "PosteriorRank",
    "Rank",
    "Risk",
    "Standing",
    "check_all_pairs",
    "compute_letters",
    "compute_ranks",
    "list_tied_for_first",
]


class Standing(MeanEstimate):
    """One line of a leaderboard."""

    place: int
    """The rank, counted from 1 and shared by equal means."""
    system: str
    """Its name."""
    n: int
    """The number of queries."""
    mean: float
    """The mean over these queries."""
    interval: Interval | None
    """The confidence interval at 1 - alpha for the mean of this system alone, by
    `gainful.inference.mean_interval`. Clusters widen it."""
    ranks: Rank | None
    """The rank with its simultaneous confidence interval over all systems; None unless all pairs
    were compared."""
    letters: str
    """Systems that share a letter do not differ significantly; empty unless all pairs were
    compared."""
    vs_top: Pair | None
    """The comparison with the system that has the best mean; None for that one, and if the two were
    not compared."""


class Risk(Record):
    """The risk of a system vs. a baseline, with losses counting 1 + aversion times."""

    system: str = field(tables="risk")
    """The system."""
    baseline: str = field(tables="risk", label="vs.")
    """The system that it is compared with."""
    measure: str
    """The measure."""
    aversion: float
    """How much more a loss counts than a win."""
    u_risk: float = field(tables="risk", label="URisk", show=with_sign)
    """The mean difference with weighted losses; below 0 the losses outweigh the wins."""
    t_risk: float | None = field(
        tables="risk", label="TRisk", show=lambda value: with_sign(value, 2)
    )
    """The same over its standard error: below -2 the risk is significant, above 2 the improvement
    is, even with weighted losses."""
    geo_risk: float | None = field(tables="risk", label="GeoRisk")
    """The risk of the system among all compared systems; higher is better. None if systems have
    values for different queries, or negative values."""
    losses: int = field(tables="risk")
    """Number of queries with a loss above the tie margin."""
    worst: str | None = field(tables="risk", label="worst query")
    """The query with the largest loss."""
    worst_difference: float = field(tables="risk", label="difference", show=with_sign)
    """The difference on that query; 0 without losses."""


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


class PairedResult(Result):
    """The base of comparisons: pairs of systems, their letters, ranks and pictures.

    A subclass declares the fields that are only annotated here.
    """

    __slots__ = ("__dict__",)

    RECORDS = {"pairs": None}
    PICTURES: ClassVar[tuple[str, ...]] = ("differences", "ranks", "queries")

    baselines: tuple[str, ...]
    choices: CompareOptions
    pairs: tuple[Pair, ...]
    segments: Mapping[str, tuple[Pair, ...]]
    scores: Scores
    predictions: Combining | None
    cluster: str | None = None

    @property
    def _first(self) -> Evaluation:
        """An evaluation, which knows the names of measures."""
        raise NotImplementedError

    @property
    def _of(self) -> str:
        """What means are of, at the end of titles."""
        return ""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the requested order."""
        return self.scores.measures

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the compared systems."""
        return self.scores.systems

    @property
    def alpha(self) -> float:
        """The family-wise error rate."""
        return self.choices.alpha

    @property
    def margin(self) -> float | None:
        """The equivalence margin, or None."""
        return self.choices.margin

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries for which any system has a value, in byte order."""
        return self.scores.queries

    # --- one pair -------------------------------------------------------------------------------

    @cached_property
    def _by_names(self) -> dict[tuple[str, str | None], dict[tuple[str, str], Pair]]:
        """Index the pairs by measure and segment: 200 systems have 19,900 pairs."""
        pairs_by_names: dict[tuple[str, str | None], dict[tuple[str, str], Pair]] = {}
        for pair in (
            *self.pairs,
            *(pair for segment in self.segments.values() for pair in segment),
        ):
            group = pairs_by_names.setdefault((pair.measure, pair.segment), {})
            group[pair.system, pair.baseline] = pair
        return pairs_by_names

    def pair(
        self, system: str, baseline: str | None = None, *, measure: Measure | str | None = None
    ) -> Pair | None:
        """Return one pair, seen from either of its systems."""
        raise NotImplementedError

    def _find(self, system: str, baseline: str, measure: int, segment: str | None) -> Pair | None:
        named = self._by_names.get((repr(self.measures[measure]), segment), {})
        other = named.get((baseline, system))
        return named.get((system, baseline)) or (other and mirrored(other))

    def differences(self, pair: Pair) -> dict[str, float]:
        """Return the per-query differences of a pair; of logarithms for a geometric mean."""
        rows, one, two = self.common_values(pair, scaled=True)
        return dict(zip(self._named(rows), (one - two).tolist(), strict=True))

    def worst(self, pair: Pair, k: int = 10) -> list[tuple[str, float, float]]:
        """Return the queries on which a pair's system loses most, the worst first."""
        if not isinstance(k, Integral) or k < 0:
            raise ParameterError(where="k", found=repr(k), expected="a whole number of 0 or more")
        rows, one, two = self.common_values(pair)
        queries = np.flatnonzero(rows)
        return [
            (self.scores.queries[queries[place]], float(one[place]), float(two[place]))
            for place in np.argsort(one - two, kind="stable")[:k]
            if one[place] < two[place]
        ]

    def common_values(self, pair: Pair, *, scaled: bool = False) -> tuple[Mask, Floats, Floats]:
        """Return the common queries of both systems, and the values of each there."""
        scores, measure = self.scores, self._measure(pair.measure)
        values = scores.scaled(measure) if scaled else scores.values[measure]
        systems = [self._system(pair.system), self._system(pair.baseline)]
        one, two = values[:, systems].T
        rows = np.logical_and(*scores.has_values(measure, pair.segment)[:, systems].T)
        return rows, one[rows], two[rows]

    def _named(self, rows: Mask) -> list[str]:
        return [self.scores.queries[place] for place in np.flatnonzero(rows)]

    def values(
        self,
        measure: Measure | str | None = None,
        system: str | None = None,
        segment: str | None = None,
    ) -> dict[str, float]:
        """Return a system's values by query, of the queries that count."""
        scores, place, column = self.scores, self._measure(measure), self._system(system)
        rows = scores.has_values(place, segment)[:, column]
        return dict(
            zip(self._named(rows), scores.values[place][rows, column].tolist(), strict=True)
        )

    # --- all systems ----------------------------------------------------------------------------

    def letters(
        self, measure: Measure | str | None = None, segment: str | None = None
    ) -> dict[str, str]:
        """Return the compact letter display: systems that share a letter do not differ."""
        check_all_pairs(self.baselines, "letters")
        pairs = self._pairs(self._measure(measure), segment)
        return compute_letters(self._oriented_means(measure, segment), pairs)

    def ranks(
        self, measure: Measure | str | None = None, segment: str | None = None
    ) -> dict[str, Rank]:
        """Return each system's rank with its simultaneous interval, best system first.

        With probability 1 - alpha the intervals of all systems contain their true ranks.
        """
        check_all_pairs(self.baselines, "ranks")
        pairs = self._pairs(self._measure(measure), segment)
        return compute_ranks(self._oriented_means(measure, segment), pairs)

    def tied_for_first(
        self, measure: Measure | str | None = None, segment: str | None = None
    ) -> tuple[str, ...]:
        """Return the systems that can have rank 1: no other is significantly better."""
        return list_tied_for_first(self.ranks(measure, segment))

    def means(
        self, measure: Measure | str | None = None, segment: str | None = None
    ) -> dict[str, float]:
        """Return the mean of each system over the queries that count.

        If all pairs are compared, these are the queries with a value for all systems.
        """
        place = self._measure(measure)
        if self.predictions is not None:
            estimates = [
                self.predictions.mean(place, column, segment) for column in range(len(self.systems))
            ]
            if None not in estimates:
                pairs = zip(self.systems, estimates, strict=True)
                return {system: pair.mean for system, pair in pairs if pair is not None}
        there = self.scores.has_values(place, segment)
        return {
            system: self.scores.mean(place, column, there[:, column])
            for column, system in enumerate(self.systems)
            if self.scores.has_weight(there[:, column])
        }

    def _oriented_means(
        self, measure: Measure | str | None, segment: str | None = None
    ) -> dict[str, float]:
        """Return means of which the highest is best."""
        direction = self.measures[self._measure(measure)].direction
        means = self.means(measure, segment)
        return {system: direction * mean for system, mean in means.items()}

    def by_measure(self, values: Callable[[Measure], T]) -> dict[str, T] | None:
        """Return values of the comparison of all pairs by measure; None with baselines."""
        if self.baselines:
            return None
        return {repr(measure): values(measure) for measure in self.measures}

    # --- output ---------------------------------------------------------------------------------

    def _records(self, name: str) -> Records:
        return as_columns(
            Pair, [*self.pairs, *(pair for part in self.segments.values() for pair in part)]
        )

    def _picture(
        self, name: str, measure: Measure | str | None = None, baseline: str | None = None
    ) -> Plot:
        """Draw differences from a baseline, of means or by query, or ranks.

        The baseline defaults to the first one, else to the best system.
        """
        from gainful import plots

        chosen = repr(self.measures[self._measure(measure or self.measures[0])])
        if name == "ranks":
            means = self.means(chosen)
            rows = [
                {"system": system, **rank.to_dict(), "mean": means[system]}
                for system, rank in self.ranks(chosen).items()
            ]
            return plots.ranks(rows, chosen)
        base = baseline
        if base is None:
            means = {} if self.baselines else self._oriented_means(chosen)
            base = self.baselines[0] if self.baselines else max(means, key=lambda name: means[name])
        others = (
            self.pair(system, base, measure=chosen) for system in self.systems if system != base
        )
        pairs = [pair for pair in others if pair is not None]
        if name == "queries":
            values = [
                {"system": pair.system, "query": query, "difference": difference}
                for pair in pairs
                for query, difference in self.differences(pair).items()
            ]
            return plots.queries(values, chosen, base)
        fields = ("system", "difference", "low", "high", "verdict")
        known = (pair.to_dict() for pair in pairs)
        rows = [{field: values[field] for field in fields} for values in known]
        margins = () if self.margin is None else (-self.margin, self.margin)
        return plots.differences(
            rows, f"difference in {chosen} vs. {base}{self._of}", margins=margins
        )

    # --- look-up --------------------------------------------------------------------------------

    def _pairs(self, measure: int, segment: str | None = None) -> tuple[Pair, ...]:
        """Return the pairs of a measure, in a segment that may have none."""
        return tuple(self._by_names.get((repr(self.measures[measure]), segment), {}).values())

    def _measure(self, measure: Measure | str | None) -> int:
        place = self._first.index_of(
            measure if measure is not None or len(self.measures) > 1 else self.measures[0]
        )
        measure = self._first.measures[place]
        if measure not in self.measures:
            raise ParameterError(
                where="measure",
                found=repr(measure),
                expected=f"one of {', '.join(map(repr, self.measures))}",
            )
        return self.measures.index(measure)

    def _system(self, system: str | None) -> int:
        return self.systems.index(only_choice("system", system, self.systems))

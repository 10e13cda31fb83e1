"""The data of a comparison: its pairs, and the places and risks of systems."""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from numbers import Real

import numpy as np

from gainful.comparison.pair import Pair, mirrored
from gainful.comparison.pair_statistics import find_couples
from gainful.comparison.paired_result import (
    PairedResult,
    PosteriorRank,
    Rank,
    Risk,
    Standing,
    check_all_pairs,
)
from gainful.errors import ParameterError
from gainful.evaluation.summary import Clusters
from gainful.inference import equal_means_test, geometric_interval, holm, mean_interval
from gainful.inference.posterior import rank_posterior
from gainful.inference.risk import geo_risk, t_risk, u_risk
from gainful.records import Interval, Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gainful.comparison.choices import CompareOptions
    from gainful.comparison.predictions import Predictions
    from gainful.comparison.scores import Floats, Mask, Scores
    from gainful.conventions import Convention
    from gainful.evaluation import Evaluation
    from gainful.inference.design import Design
    from gainful.measures import Measure

__all__ = ["ComparisonData", "SliceDifference"]

#: Above this, losses outweigh wins so far that sums lose their precision.
_HIGHEST_AVERSION = 1_000_000


class SliceDifference(Record):
    """The test of whether a pair has the same difference in all slices."""

    measure: str
    """The measure."""
    attribute: str
    """The attribute of the slices."""
    system: str
    """The system."""
    baseline: str
    """The system that it is compared with."""
    p: float
    """The p-value of a permutation test (`gainful.inference.equal_means_test`)."""
    p_adjusted: float
    """The p-value corrected by Holm for all pairs and attributes of the measure, or of all measures
    if they are one family."""


class ComparisonData(PairedResult):
    """The fields of a comparison and what follows from them; see `Comparison`."""

    convention: Convention = derived(lambda comparison: comparison.evaluations[0].convention)
    """The convention of the values."""
    _resolved: dict[str, str] = derived(
        lambda comparison: {
            repr(measure): repr(measure.resolve(comparison.convention))
            for measure in comparison.measures
        },
        key="measures",
        json={"minProperties": 1},
    )
    """Each measure as it was requested, and with every parameter."""
    _means: dict[str, dict[str, float]] = derived(
        lambda comparison: _means_by_system(comparison), key="systems", json={"minProperties": 2}
    )
    """The mean of each system and measure, over the queries for which it has a value."""
    baselines: tuple[str, ...]
    """The systems that the others are compared with; empty if all pairs are compared."""
    _query_count: int = derived(
        lambda comparison: len(comparison.queries), key="queries", json={"minimum": 1}
    )
    """Queries for which any system has a value."""
    _digest: str | None = derived(
        lambda comparison: _judgments_digest(comparison.evaluations),
        key="judgments",
        json={"pattern": "^sha256:[0-9a-f]{64}$"},
    )
    """The digest of the judgments; None if the evaluations may have different ones."""
    choices: CompareOptions = field(key="*")
    """The remaining options: alpha, margin, detect, resamples, seed, and so on."""
    predictions: Predictions | None = field(default=None, key="predicted")
    """With predictions of a model, which the pairs combine with the values of people, the numbers
    of queries; otherwise None."""
    _is_weighted: bool = derived(
        lambda comparison: comparison.scores.weights is not None, key="weighted"
    )
    """Whether queries are weighted."""
    _clusters: Clusters | None = derived(lambda comparison: _clusters(comparison), key="clusters")
    """The attribute that clusters the queries, and the number of clusters; None without clusters.
    """
    _letters: dict[str, dict[str, str]] | None = derived(
        lambda comparison: comparison.by_measure(comparison.letters), key="letters"
    )
    """By measure and system: systems that share a letter do not differ significantly. None unless
    all pairs were compared."""
    _ranks: dict[str, dict[str, Rank]] | None = derived(
        lambda comparison: comparison.by_measure(comparison.ranks), key="ranks"
    )
    """By measure and system: the rank of the mean, and its simultaneous confidence interval at
    level 1 - alpha. None unless all pairs were compared."""
    _tied: dict[str, tuple[str, ...]] | None = derived(
        lambda comparison: comparison.by_measure(comparison.tied_for_first), key="tied_for_first"
    )
    """By measure: the systems whose interval of ranks contains 1, best mean first. None unless all
    pairs were compared."""
    posterior_ranks: dict[str, dict[str, PosteriorRank]] = derived(
        lambda comparison: _posterior_ranks(comparison), key="rank_posterior"
    )
    """With bayes, by measure and system: the posterior probability of rank 1 and a set of ranks,
    under the skeptical prior. Empty for two systems, with baselines, with predictions, and where
    two systems differ on fewer than ten queries."""
    pairs: tuple[Pair, ...]
    """The pairs on all queries, measure by measure."""
    attribute: str | None = derived(lambda comparison: ", ".join(comparison.attributes) or None)
    """The names of the attributes that slice the queries."""
    segments: dict[str, tuple[Pair, ...]]
    """The pairs of each slice of the queries; empty without slices."""
    _slice_differences: tuple[SliceDifference, ...] = derived(
        lambda comparison: comparison.slice_differences, key="slice_differences"
    )
    """The tests of whether a pair has the same difference in all slices of an attribute. Empty
    without slices, with predictions, and where the test is not defined."""
    _counts: dict[str, dict[str, Any]] = derived(
        lambda comparison: {
            system: evaluation.counts(system)
            for evaluation in comparison.evaluations
            for system in evaluation.systems
        },
        key="counts",
    )
    """The data checks of each system, as in gainful.evaluation/1."""
    evaluations: tuple[Evaluation, ...] = field(key="")
    """The evaluations with the values."""
    attributes: dict[str, tuple[str, ...]] = field(key="")
    """The slices of each attribute that slices the queries."""
    cluster: str | None = field(key="")
    """The attribute that clusters the queries."""
    scores: Scores = field(key="")
    """The values of all systems, by measure and query; with predictions, those of people."""

    @property
    def _first(self) -> Evaluation:
        return self.evaluations[0]

    @cached_property
    def slice_differences(self) -> tuple[SliceDifference, ...]:
        """The tests of whether each pair has the same difference in all slices of an attribute.

        Empty without slices, and with predictions. Tests that are not defined are left out, such as
        those of clusters with queries in several slices (`gainful.inference.equal_means_test`).
        """
        return compare_slices(self)

    # --- one pair -------------------------------------------------------------------------------

    def pair(
        self,
        system: str | None = None,
        baseline: str | None = None,
        *,
        measure: Measure | str | None = None,
        segment: str | None = None,
    ) -> Pair:
        """Return one pair, seen from either of its systems.

        You can leave out any argument for which there is only one choice.
        """
        place = self._measure(measure)
        if baseline is None and len(self.baselines) == 1:
            baseline = self.baselines[0]
        if system is not None and baseline is not None:
            pair = self._find(system, baseline, place, segment)
            if pair is not None:
                return pair
        pairs = self._pairs(place, segment)
        matching = []
        for one in pairs:
            if system in (None, one.system) and baseline in (None, one.baseline):
                matching.append(one)
            if system is None and baseline is None:
                continue
            if system in (None, one.baseline) and baseline in (None, one.system):
                matching.append(mirrored(one))
        if len(matching) == 1:
            return matching[0]
        raise ParameterError(
            where="pair",
            found=f"{system or 'any system'} vs. {baseline or 'any other'}"
            + (f" in segment {segment!r}" if segment is not None else "")
            + f" ({len(matching) or 'no'} pair{'s' * (len(matching) != 1)})",
            expected="one of "
            + ", ".join(f"{pair.system} vs. {pair.baseline}" for pair in pairs[:8]),
        )

    # --- all systems ----------------------------------------------------------------------------

    def leaderboard(
        self, measure: Measure | str | None = None, segment: str | None = None
    ) -> tuple[Standing, ...]:
        """Return the systems by descending mean, each compared with the best one.

        Systems without a value for any query of the segment are left out.
        """
        return rank_systems(self, self.measures[self._measure(measure)], segment)

    def rank_posterior(
        self, measure: Measure | str | None = None
    ) -> dict[str, PosteriorRank] | None:
        """Return each system's probability of rank 1, with a set of ranks, best system first.

        `gainful.inference.rank_posterior` documents the model. None if it is not defined: for
        predictions, and if two systems differ on fewer than ten queries.
        """
        check_all_pairs(self.baselines, "ranks")
        if self.predictions is not None:
            return None
        place = self._measure(measure)
        rows: Mask = np.any(self.scores.has_values(place), axis=1)
        posterior = rank_posterior(
            self.measures[place].direction * self.scores.scaled(place)[rows],
            self.scores.design(rows),
            level=1 - self.alpha,
            seed=self.choices.seed,
        )
        if posterior is None:
            return None
        columns = (column.tolist() for column in posterior)
        chances = (
            PosteriorRank(first=first, low=low, high=high)
            for first, low, high in zip(*columns, strict=True)
        )
        by_system = dict(zip(self.systems, chances, strict=True))
        return {system: by_system[system] for system in self.ranks(measure)}

    def risk(self, measure: Measure | str | None = None, aversion: float = 1.0) -> tuple[Risk, ...]:
        """Return the risk of each system vs. each baseline, or vs. every other system."""
        return compute_risks(self, self.measures[self._measure(measure)], aversion)


def rank_systems(
    comparison: ComparisonData, measure: Measure, segment: str | None = None
) -> tuple[Standing, ...]:
    """Return the systems, the best mean first."""
    scores, place = comparison.scores, comparison.measures.index(measure)
    there = scores.has_values(place, segment)
    means = comparison.means(measure, segment)
    sign = measure.direction
    order = sorted(means, key=lambda system: -sign * means[system])
    ranks = {} if comparison.baselines else comparison.ranks(measure, segment)
    letters = {} if comparison.baselines else comparison.letters(measure, segment)
    top = order[0]
    compared = {
        pair.baseline if pair.system == top else pair.system
        for pair in comparison._pairs(place, segment)
        if top in (pair.system, pair.baseline)
    }
    standings = []
    for system in order:
        column = comparison.systems.index(system)
        rows = there[:, column]
        values, design = scores.scaled(place)[rows, column], scores.design(rows)
        predictions = comparison.predictions
        combined = None if predictions is None else predictions.mean(place, column, segment)
        if combined is not None:
            values, design = combined.values, combined.design
        standings.append(
            Standing(
                place=1 + sum(sign * mean > sign * means[system] for mean in means.values()),
                system=system,
                n=len(values),
                mean=means[system],
                interval=_interval(comparison, measure, system, values, design, means[system]),
                ranks=ranks.get(system),
                letters=letters.get(system, ""),
                vs_top=comparison.pair(system, top, measure=measure, segment=segment)
                if system in compared
                else None,
            )
        )
    return tuple(standings)


def _interval(
    comparison: ComparisonData,
    measure: Measure,
    system: str,
    values: Floats,
    design: Design,
    mean: float,
) -> Interval | None:
    if design.df < 1:
        return None
    deviation, n, df = design.spread(values)
    least, greatest = next(
        evaluation for evaluation in comparison.evaluations if system in evaluation.systems
    ).range_on_data(measure, system)
    interval_of = geometric_interval if measure.aggregate == "geometric" else mean_interval
    ends = interval_of(
        mean,
        deviation,
        n,
        level=1 - comparison.alpha,
        low=least,
        high=greatest,
        df=df,
    )
    return None if ends is None else Interval(*ends)


def compute_risks(
    comparison: ComparisonData, measure: Measure, aversion: float
) -> tuple[Risk, ...]:
    """Return a `Risk` for each pair of a measure, on all queries."""
    if not isinstance(aversion, Real) or not 0 <= aversion <= _HIGHEST_AVERSION:
        raise ParameterError(
            where="aversion",
            found=repr(aversion),
            expected=f"a number from 0 to {_HIGHEST_AVERSION:,}",
        )
    geometric = _geo_risks(comparison, measure, aversion)
    return tuple(
        _risk(comparison, pair, geometric.get(pair.system), aversion)
        for pair in comparison.pairs
        if pair.measure == repr(measure)
    )


def _risk(comparison: ComparisonData, pair: Pair, geometric: float | None, aversion: float) -> Risk:
    rows, one, two = comparison.common_values(pair, scaled=True)
    design, values = comparison.scores.design(rows), one - two
    worst = comparison.worst(pair, 1)
    return Risk(
        system=pair.system,
        baseline=pair.baseline,
        measure=pair.measure,
        aversion=aversion,
        u_risk=u_risk(values, aversion, design),
        t_risk=t_risk(values, aversion, design),
        geo_risk=geometric,
        losses=pair.losses,
        worst=worst[0][0] if worst else None,
        worst_difference=worst[0][1] - worst[0][2] if worst else 0.0,
    )


def _geo_risks(comparison: ComparisonData, measure: Measure, aversion: float) -> dict[str, float]:
    scores = comparison.scores
    index = comparison.measures.index(measure)
    values = scores.values[index][scores.has_values(index).any(axis=1)]
    if np.isnan(values).any() or (values < 0).any():
        return {}
    risks = geo_risk(values, aversion)
    return {system: float(risk) for system, risk in zip(comparison.systems, risks, strict=True)}


def compare_slices(comparison: ComparisonData) -> tuple[SliceDifference, ...]:
    """Return the tests of all pairs and attributes, measure by measure.

    Tests that are not defined are left out (`gainful.inference.equal_means_test`), and all if
    predictions of a model are combined.
    """
    if comparison.predictions is not None:
        return ()
    tests: list[SliceDifference] = []
    for family in comparison.choices.families(len(comparison.measures)):
        single = [test for measure in family for test in _test(comparison, measure)]
        adjusted = holm([test.p for test in single])
        tests += [test.replace(p_adjusted=p) for test, p in zip(single, adjusted, strict=True)]
    return tuple(tests)


def _test(comparison: ComparisonData, measure: int) -> Iterator[SliceDifference]:
    """Yield the tests of a measure without correction."""
    scores = comparison.scores
    index = scores.systems.index
    named = repr(comparison.measures[measure])
    names = [(index(p.system), index(p.baseline)) for p in comparison.pairs if p.measure == named]
    couples = list(find_couples(scores, measure, None, names))
    for attribute, slices in comparison.attributes.items():
        labels = np.array([scores.segments[name] for name in slices]).argmax(axis=0)
        for _, group in groupby(couples, lambda couple: id(couple.design)):
            same = list(group)
            columns = np.column_stack([couple.differences for couple in same])
            p_values = equal_means_test(
                columns, labels[same[0].rows], same[0].design, seed=comparison.choices.seed
            )
            if p_values is None:
                continue
            for couple, p in zip(same, p_values, strict=True):
                yield SliceDifference(
                    measure=named,
                    attribute=attribute,
                    system=scores.systems[couple.system],
                    baseline=scores.systems[couple.baseline],
                    p=p,
                    p_adjusted=p,
                )


def _means_by_system(comparison: ComparisonData) -> dict[str, dict[str, float]]:
    means = {repr(measure): comparison.means(measure) for measure in comparison.measures}
    return {
        system: {measure: known[system] for measure, known in means.items()}
        for system in comparison.systems
    }


def _judgments_digest(evaluations: Sequence[Evaluation]) -> str | None:
    # If the judgments of one evaluation are unknown, they may differ from the others'.
    digests = {evaluation.judgments_digest for evaluation in evaluations}
    return digests.pop() if len(digests) == 1 else None


def _clusters(comparison: ComparisonData) -> Clusters | None:
    clusters = comparison.scores.clusters
    if clusters is None:
        return None
    return Clusters(attribute=comparison.cluster, number=len(set(clusters)))


def _posterior_ranks(comparison: ComparisonData) -> dict[str, dict[str, PosteriorRank]]:
    """Return the posterior probabilities of ranks, if requested, of measures that have them."""
    if not comparison.choices.bayes or comparison.baselines or len(comparison.systems) < 3:
        return {}
    return {
        repr(measure): chances
        for measure in comparison.measures
        if (chances := comparison.rank_posterior(measure)) is not None
    }

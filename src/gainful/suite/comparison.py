"""Compare systems over several collections and on each collection."""

from __future__ import annotations

from gainful.comparison.arguments import check_baselines, check_correction, list_couples
from gainful.comparison.choices import Choices
from gainful.comparison.families import compare_family
from gainful.comparison.groups import (
    Rank,
    check_all_pairs,
    compute_letters,
    compute_ranks,
    list_tied_for_first,
)
from gainful.comparison.pair import Pair, mirrored
from gainful.comparison.predictions import check_choices
from gainful.comparison.selection import add_p_of_all_pairs
from gainful.errors import MatchError, ParameterError
from gainful.records import Record, as_columns, derived, field
from gainful.results import Records, Result
from gainful.suite.predictions import (
    CollectionEffect,
    Strata,
    StrataPredictions,
    build_strata,
    estimate_effects,
)
from gainful.suite.tables import tables
from gainful.vocabulary import PAIR_FAMILIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot
    from gainful.suite.result import Suite

    T = TypeVar("T")

__all__ = ["SuiteComparison", "compare_suite"]

_COUNT = {"minimum": 0}


class SuiteComparison(Result):
    """The result of `Suite.compare`: a `Pair` for every two compared systems."""

    # Its contract is that of the suite, in which it is the field ``comparison``.
    RECORDS = {"pairs": None}
    PICTURES = ("differences",)

    systems: tuple[str, ...] = derived(lambda comparison: comparison.suite.complete)
    """The systems with a run for each averaged collection."""
    baselines: tuple[str, ...]
    """The systems that the others are compared with; empty if all pairs are compared."""
    _alpha: float = derived(
        lambda comparison: comparison.choices.alpha,
        key="alpha",
        json={"minimum": 0, "maximum": 1},
    )
    """The family-wise error rate. The confidence level of intervals is 1 - alpha."""
    _margin: float | None = derived(lambda comparison: comparison.choices.margin, key="margin")
    """The equivalence margin."""
    _detect: float | None = derived(lambda comparison: comparison.choices.detect, key="detect")
    """The difference for which to report the required number of queries."""
    _tie_margin: float = derived(
        lambda comparison: comparison.choices.tie_margin, key="tie_margin", json=_COUNT
    )
    """Queries with a difference of at most this are ties."""
    _family: str = derived(
        lambda comparison: comparison.choices.family,
        key="family",
        json={"enum": list(PAIR_FAMILIES)},
    )
    """Which pairs were corrected together: those of each measure, or all."""
    _resamples: int = derived(
        lambda comparison: comparison.choices.resamples, key="resamples", json=_COUNT
    )
    """The number of sign flips and permutations."""
    _bootstrap: int = derived(
        lambda comparison: comparison.choices.bootstrap, key="bootstrap", json=_COUNT
    )
    """The number of resamples for the BCa interval; 0 for no interval."""
    _seed: int = derived(lambda comparison: comparison.choices.seed, key="seed", json=_COUNT)
    """The random seed."""
    _letters: dict[str, dict[str, str]] | None = derived(
        lambda comparison: comparison._by_measure(comparison.letters), key="letters"
    )
    """By measure and system: systems that share a letter do not differ significantly. None if
    systems were compared with baselines."""
    _ranks: dict[str, dict[str, Rank]] | None = derived(
        lambda comparison: comparison._by_measure(comparison.ranks), key="ranks"
    )
    """By measure and system: the rank of the macro-average, and the ends of its simultaneous
    confidence interval at level 1 - alpha. None if systems were compared with baselines."""
    _tied: dict[str, tuple[str, ...]] | None = derived(
        lambda comparison: comparison._by_measure(comparison.tied_for_first), key="tied_for_first"
    )
    """By measure: the systems whose interval of ranks contains 1, best macro-average first. None if
    systems were compared with baselines."""
    pairs: tuple[Pair, ...]
    """The pairs over all averaged collections. Means, differences and intervals are those of
    macro-averages; `n`, `left_out`, `wins`, `ties`, `losses` and `dominance` are computed from the
    queries of all collections."""
    _effects: tuple[CollectionEffect, ...] = derived(
        lambda comparison: tuple(
            effect
            for measure in comparison.suite.measures
            for effect in comparison.new_collections(measure)
        ),
        key="new_collections",
    )
    """The pairs over collections like these, with the collections as a random sample."""
    gaps: Mapping[str, tuple[Pair, ...]]
    """By collection, the pairs of a system and a baseline that both have a run. All gaps of a
    measure are one family of tests. Empty if all pairs are compared."""
    slices: Mapping[str, tuple[Pair, ...]]
    """By slice of the queries, its pairs over the averaged collections that have queries of it. All
    slices of a measure are one family of tests. Empty without slices."""
    suite: Suite = field(key="")
    """The suite that was compared."""
    choices: Choices = field(key="")
    """The options: alpha, margin, resamples, seed, and so on."""

    def pair(
        self,
        system: str,
        baseline: str | None = None,
        measure: Measure | str | None = None,
        collection: str | None = None,
    ) -> Pair | None:
        """Return the pair of two systems; None if one lacks a run.

        The difference is the mean of `system` minus that of `baseline`.

        Parameters
        ----------
        system, baseline : str
            The two systems. The baseline is optional if there is only one.
        measure : Measure or str, optional
            The measure. Optional if there is only one.
        collection : str, optional
            The collection. Default: all averaged collections.

        Raises
        ------
        ParameterError
            For an unknown name or measure, or if `baseline` is needed and missing.
        """
        if baseline is None:
            if len(self.baselines) != 1:
                raise ParameterError(
                    where="baseline",
                    found="None",
                    expected=f"one of {', '.join(self.baselines or self.systems)}",
                )
            baseline = self.baselines[0]
        named = repr(self.suite.measure(measure))
        for name in (system, baseline):
            self.suite._check(name)
        if collection is not None:
            self.suite._evaluation(collection)
        pairs = self.pairs if collection is None else self.gaps.get(collection, ())
        for one in pairs:
            if (one.measure, one.system, one.baseline) == (named, system, baseline):
                return one
            if (one.measure, one.system, one.baseline) == (named, baseline, system):
                return mirrored(one)
        return None

    def new_collections(self, measure: Measure | str | None = None) -> tuple[CollectionEffect, ...]:
        """Return the differences of the pairs over collections like the averaged ones.

        `pairs` are about new queries of these collections. Here the collections are a random sample
        too, so that intervals are about other collections (`gainful.inference.random_effects`).

        Parameters
        ----------
        measure : Measure or str, optional
            The measure. Optional if there is only one.

        Returns
        -------
        tuple of CollectionEffect
            In the order of `pairs`. Without intervals for fewer than three collections.
        """
        named = repr(self.suite.measure(measure))
        return estimate_effects(self, [pair for pair in self.pairs if pair.measure == named])

    def letters(self, measure: Measure | str | None = None) -> dict[str, str]:
        """Return the compact letter display by system.

        Systems that share a letter do not differ significantly.

        Raises
        ------
        ParameterError
            If not all pairs were compared.
        """
        check_all_pairs(self.baselines, "letters")
        return compute_letters(*self._oriented_means_and_pairs(measure))

    def ranks(self, measure: Measure | str | None = None) -> dict[str, Rank]:
        """Return each system's rank by macro-average with its simultaneous interval, best first.

        With probability 1 - alpha the intervals of all systems contain their true ranks.

        Raises
        ------
        ParameterError
            If not all pairs were compared.
        """
        check_all_pairs(self.baselines, "ranks")
        return compute_ranks(*self._oriented_means_and_pairs(measure))

    def tied_for_first(self, measure: Measure | str | None = None) -> tuple[str, ...]:
        """Return the systems that can have rank 1: no other is significantly better.

        Raises
        ------
        ParameterError
            If not all pairs were compared.
        """
        return list_tied_for_first(self.ranks(measure))

    def _means_and_pairs(
        self, measure: Measure | str | None
    ) -> tuple[dict[str, float], list[Pair]]:
        """Return the macro-averages of the complete systems, as compared, and their pairs."""
        named = repr(self.suite.measure(measure))
        macros = {system: self.suite.macro(system, measure) for system in self.systems}
        means = {system: macro.mean for system, macro in macros.items() if macro is not None}
        pairs = [pair for pair in self.pairs if pair.measure == named]
        if not self.baselines:
            # Over the queries that count for all systems.
            for pair in pairs:
                means |= {pair.system: pair.mean, pair.baseline: pair.baseline_mean}
        return means, pairs

    def _oriented_means_and_pairs(
        self, measure: Measure | str | None
    ) -> tuple[dict[str, float], list[Pair]]:
        """Return means of which the highest is best, and the pairs."""
        means, pairs = self._means_and_pairs(measure)
        direction = self.suite.measure(measure).direction
        return {system: direction * mean for system, mean in means.items()}, pairs

    def tables(self) -> list[Table]:
        """Return the tables of the suite, with differences and verdicts."""
        return tables(self.suite, self)

    def to_dict(self) -> dict[str, Any]:
        """Return the suite as plain values for JSON, with the comparison."""
        return {**self.suite.to_dict(), "comparison": Record.to_dict(self)}

    def _by_measure(self, values: Callable[[Measure], T]) -> dict[str, T] | None:
        """Return values of the comparison of all pairs by measure; None with baselines."""
        if self.baselines:
            return None
        return {repr(measure): values(measure) for measure in self.suite.measures}

    def _picture(
        self, name: str, measure: Measure | str | None = None, baseline: str | None = None
    ) -> Plot:
        """Draw differences of macro-averages; default: from the first baseline, else the best."""
        from gainful import plots

        chosen = self.suite.measure(self.suite.measures[0] if measure is None else measure)
        base = baseline or (*self.baselines, *self._best(chosen))[0]
        others = [system for system in self.systems if system != base]
        pairs = [self.pair(other, base, chosen) for other in others]
        fields = ("system", "difference", "low", "high", "verdict")
        known = (pair.to_dict() for pair in pairs if pair)
        rows = [{field: values[field] for field in fields} for values in known]
        margin = self.choices.margin
        margins = () if margin is None else (-margin, margin)
        title = f"difference in {chosen!r} vs. {base}, mean of {len(self.suite.over)} collections"
        return plots.differences(rows, title, margins=margins)

    def _best(self, measure: Measure) -> tuple[str, ...]:
        means = self._oriented_means_and_pairs(measure)[0]
        return (max(means, key=lambda system: means[system]),)

    def _records(self, name: str) -> Records:
        parts = (*self.gaps.values(), *self.slices.values())
        return as_columns(Pair, [*self.pairs, *(pair for part in parts for pair in part)])

    def __repr__(self) -> str:
        versus = f" vs. {', '.join(self.baselines)}" if self.baselines else ""
        return f"<Comparison of {', '.join(self.systems)}{versus} on {self.suite!r}>"


def compare_suite(
    suite: Suite, baseline: str | Sequence[str] | None, choices: Choices
) -> SuiteComparison:
    """Compare the systems of a suite; see `Suite.compare`."""
    baselines = check_baselines(baseline, suite.systems)
    check_correction(choices, baselines)
    if suite.predictions:
        check_choices(choices)
    pairs: list[Pair] = []
    gaps: dict[str, list[Pair]] = {name: [] for name in suite.collections} if baselines else {}
    groups = (
        [suite.measures] if choices.family == "all" else [[measure] for measure in suite.measures]
    )
    for measures in groups:
        pairs += _compare_over_all(suite, measures, baselines, choices)
        for pair in _compare_within(suite, measures, baselines, choices):
            assert pair.segment is not None
            gaps[pair.segment].append(pair)
    sliced = [
        pair for measures in groups for pair in _compare_slices(suite, measures, baselines, choices)
    ]
    return SuiteComparison(
        suite=suite,
        baselines=baselines,
        pairs=tuple(pairs),
        gaps={name: tuple(parts) for name, parts in gaps.items()},
        choices=choices,
        slices={
            name: tuple(pair for pair in sliced if pair.segment == name) for name in suite.slices
        },
    )


def _compare_over_all(
    suite: Suite, measures: Sequence[Measure], baselines: Sequence[str], choices: Choices
) -> list[Pair]:
    """Compare the complete systems by their macro-averages."""
    complete = [name for name in baselines if name in suite.complete]
    if len(suite.complete) < 2 or (baselines and not complete):
        return []
    scores = build_strata(suite, measures, suite.complete, suite.over, ranked=not baselines)
    couples = list_couples(suite.complete, complete)
    _check_overlap(scores, couples)
    blocks: list[tuple[int, str | None]] = [(index, None) for index in range(len(measures))]
    pairs = compare_family(
        scores,
        blocks,
        couples,
        choices,
        every=not baselines,
        predictions=_predictions(suite, scores),
    )
    if baselines and not suite.predictions:
        return add_p_of_all_pairs(scores, range(len(measures)), pairs, choices)
    return pairs


def _compare_within(
    suite: Suite, measures: Sequence[Measure], baselines: Sequence[str], choices: Choices
) -> list[Pair]:
    """Compare each system with the baselines on each collection for which both have a run."""
    if not baselines:
        return []
    scores = build_strata(
        suite, measures, suite.systems, suite.collections, ranked=False, aggregated=False
    )
    blocks: list[tuple[int, str | None]] = [
        (index, name) for index in range(len(measures)) for name in suite.collections
    ]
    couples = list_couples(suite.systems, baselines)
    return compare_family(
        scores, blocks, couples, choices, every=False, predictions=_predictions(suite, scores)
    )


def _compare_slices(
    suite: Suite, measures: Sequence[Measure], baselines: Sequence[str], choices: Choices
) -> list[Pair]:
    """Compare the complete systems by their macro-averages within each slice."""
    complete = [name for name in baselines if name in suite.complete]
    if not suite.slices or len(suite.complete) < 2 or (baselines and not complete):
        return []
    scores = build_strata(
        suite, measures, suite.complete, suite.over, ranked=not baselines, sliced=True
    )
    blocks: list[tuple[int, str | None]] = [
        (index, name) for index in range(len(measures)) for name in suite.slices
    ]
    couples = list_couples(suite.complete, complete)
    return compare_family(
        scores,
        blocks,
        couples,
        choices,
        every=not baselines,
        predictions=_predictions(suite, scores, sliced=True),
    )


def _predictions(suite: Suite, scores: Strata, *, sliced: bool = False) -> StrataPredictions | None:
    return StrataPredictions(suite, scores, sliced) if suite.predictions else None


def _check_overlap(scores: Strata, couples: Sequence[tuple[int, int]]) -> None:
    """Reject two systems without a common query in one of the collections.

    A convention can leave out queries. The difference of such systems would be a mean over fewer
    collections than that of other systems.
    """
    import numpy as np

    for values in scores.values:
        has_value = ~np.isnan(values)
        if scores.weights is not None:
            has_value &= (scores.weights > 0)[:, None]
        for name, mask in scores.segments.items():
            for one, two in couples:
                if not (mask & has_value[:, one] & has_value[:, two]).any():
                    raise MatchError(
                        f"{scores.systems[one]} and {scores.systems[two]} have no query in common"
                        " that counts for both",
                        where=f"collection {name}",
                    )

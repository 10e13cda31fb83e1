"""Compare systems over several collections and on each collection."""

from __future__ import annotations

from dataclasses import dataclass, field

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
from gainful.comparison.pair import mirrored
from gainful.comparison.predictions import check_choices
from gainful.comparison.selection import add_p_of_all_pairs
from gainful.errors import MatchError, ParameterError
from gainful.results import Records, Result
from gainful.suite.contract import suite_document
from gainful.suite.new_collections import CollectionEffect, estimate_effects
from gainful.suite.predictions import StrataPredictions
from gainful.suite.records import pair_records
from gainful.suite.strata import Strata, build_strata
from gainful.suite.tables import tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gainful.comparison.pair import Pair
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot
    from gainful.suite.result import Suite

__all__ = ["SuiteComparison", "compare_suite"]


@dataclass(frozen=True, eq=False)
class SuiteComparison(Result):
    """The result of `Suite.compare`: a `Pair` for every two compared systems.

    Attributes
    ----------
    suite : Suite
        The suite that was compared.
    baselines : tuple of str
        The systems that the others are compared with; empty if all pairs are compared.
    pairs : tuple of Pair
        The pairs over all averaged collections. Means, differences and intervals are those of
        macro-averages; `n`, `left_out`, `wins`, `ties`, `losses` and `dominance` are computed from
        the queries of all collections.
    gaps : dict of str to tuple of Pair
        By collection, the pairs of a system and a baseline that both have a run. All gaps of a
        measure are one family of tests. Empty if all pairs are compared.
    choices : Choices
        The options: alpha, margin, resamples, seed, and so on.
    slices : dict of str to tuple of Pair
        By slice of the queries, its pairs over the averaged collections that have queries of it.
        All slices of a measure are one family of tests. Empty without slices.
    """

    RECORDS = {"pairs": None}
    PICTURES = ("differences",)

    suite: Suite
    baselines: tuple[str, ...]
    pairs: tuple[Pair, ...]
    gaps: dict[str, tuple[Pair, ...]]
    choices: Choices
    slices: dict[str, tuple[Pair, ...]] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems with a run for each averaged collection."""
        return self.suite.complete

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
        return compute_letters(*self._means_and_pairs(measure))

    def ranks(self, measure: Measure | str | None = None) -> dict[str, Rank]:
        """Return each system's rank by macro-average with its simultaneous interval, best first.

        With probability 1 - alpha the intervals of all systems contain their true ranks.

        Raises
        ------
        ParameterError
            If not all pairs were compared.
        """
        check_all_pairs(self.baselines, "ranks")
        return compute_ranks(*self._means_and_pairs(measure))

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

    def tables(self) -> list[Table]:
        """Return the tables of the suite, with differences and verdicts."""
        return tables(self.suite, self)

    def to_dict(self) -> dict[str, Any]:
        """Return suite and comparison as the JSON contract ``gainful.suite/1``."""
        return suite_document(self.suite, self)

    def _picture(
        self, name: str, measure: Measure | str | None = None, baseline: str | None = None
    ) -> Plot:
        """Draw differences of macro-averages; default: from the first baseline, else the best."""
        from gainful import plots

        chosen = self.suite.measure(self.suite.measures[0] if measure is None else measure)
        base = baseline or (*self.baselines, *self._best(chosen))[0]
        others = [each for each in self.systems if each != base]
        pairs = [self.pair(each, base, chosen) for each in others]
        fields = ("system", "difference", "low", "high", "verdict")
        known = (pair.to_dict() for pair in pairs if pair)
        rows = [{field: values[field] for field in fields} for values in known]
        margin = self.choices.margin
        margins = () if margin is None else (-margin, margin)
        title = f"difference in {chosen!r} vs. {base}, mean of {len(self.suite.over)} collections"
        return plots.differences(rows, title, margins=margins)

    def _best(self, measure: Measure) -> tuple[str, ...]:
        means = self._means_and_pairs(measure)[0]
        return (max(means, key=lambda system: means[system]),)

    def _records(self, name: str) -> Records:
        return pair_records(self)

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
    groups = [suite.measures] if choices.family == "all" else [[each] for each in suite.measures]
    for measures in groups:
        pairs += _compare_over_all(suite, measures, baselines, choices)
        for pair in _compare_within(suite, measures, baselines, choices):
            assert pair.segment is not None
            gaps[pair.segment].append(pair)
    sliced = [
        pair for measures in groups for pair in _compare_slices(suite, measures, baselines, choices)
    ]
    return SuiteComparison(
        suite,
        baselines,
        tuple(pairs),
        {name: tuple(each) for name, each in gaps.items()},
        choices,
        {name: tuple(pair for pair in sliced if pair.segment == name) for name in suite.slices},
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
    blocks: list[tuple[int, str | None]] = [(at, None) for at in range(len(measures))]
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
        (at, name) for at in range(len(measures)) for name in suite.collections
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
        (at, name) for at in range(len(measures)) for name in suite.slices
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

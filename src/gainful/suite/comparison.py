"""Compare systems over several collections and on each, and describe the suite for a paper."""

from __future__ import annotations

from gainful.comparison.call import compare_queries, compare_segments
from gainful.comparison.choices import (
    CompareOptions,
    check_baselines,
    check_correction,
    list_couples,
)
from gainful.comparison.pair import Pair, mirrored
from gainful.comparison.paired_result import PairedResult, Rank
from gainful.comparison.predictions import check_choices
from gainful.errors import MatchError
from gainful.evaluation.methods import (
    describe_evaluation,
    join_names,
    numbers_of_queries,
    references_of,
)
from gainful.evaluation.summary_tables import count_queries
from gainful.formats.markup import Methods, Reference
from gainful.records import Record, as_columns, derived, field
from gainful.results import only_choice
from gainful.suite.predictions import (
    CollectionEffect,
    Strata,
    StrataPredictions,
    build_strata,
    estimate_effects,
)
from gainful.suite.tables import tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gainful.evaluation import Evaluation
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot
    from gainful.results import Records
    from gainful.suite.result import Suite

__all__ = ["SuiteComparison", "compare_suite", "methods_of_suite"]

_SOURCES = (
    "W. Cochran: Sampling Techniques, 3rd edition. Wiley, 1977",
    "G. Zou, A. Donner: Construction of confidence limits about effect measures: a general"
    " approach. Statistics in Medicine 27(10), 2008",
    "W. Webber, A. Moffat, J. Zobel: Score standardization for inter-collection comparison of"
    " retrieval systems. SIGIR 2008",
    "J. Urbano, H. Lima, A. Hanjalic: A new perspective on score standardization. SIGIR 2019",
)

#: How values relative to all systems on the same query are computed.
_RELATIVE = {
    "standardized": "by a normal distribution {webber2008}",
    "empirical": "by the empirical distribution {urbano2019}",
}


class SuiteComparison(PairedResult):
    """The result of `Suite.compare`: a `Pair` for every two compared systems.

    Means are macro-averages. Queries are named after their collections, as in ``news/q1``.
    """

    # Its contract is that of the suite, in which it is the field ``comparison``.

    RECORDS = {"pairs": None, "means": None, "slices": None}
    PICTURES = (*PairedResult.PICTURES, "means")

    systems: tuple[str, ...] = derived(lambda comparison: comparison.scores.systems)
    """The systems with a run for each averaged collection."""
    baselines: tuple[str, ...]
    """The systems that the others are compared with; empty if all pairs are compared."""
    choices: CompareOptions = field(key="*")
    """The options: alpha, margin, resamples, seed, and so on."""
    _letters: dict[str, dict[str, str]] | None = derived(
        lambda comparison: comparison.by_measure(comparison.letters), key="letters"
    )
    """By measure and system: systems that share a letter do not differ significantly. None if
    systems were compared with baselines."""
    _ranks: dict[str, dict[str, Rank]] | None = derived(
        lambda comparison: comparison.by_measure(comparison.ranks), key="ranks"
    )
    """By measure and system: the rank of the macro-average, and the ends of its simultaneous
    confidence interval at level 1 - alpha. None if systems were compared with baselines."""
    _tied: dict[str, tuple[str, ...]] | None = derived(
        lambda comparison: comparison.by_measure(comparison.tied_for_first), key="tied_for_first"
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
            for measure in comparison.measures
            for effect in comparison.new_collections(measure)
        ),
        key="new_collections",
    )
    """The pairs over collections like these, with the collections as a random sample."""
    gaps: Mapping[str, tuple[Pair, ...]]
    """By collection, the pairs of a system and a baseline that both have a run. All gaps of a
    measure are one family of tests. Empty if all pairs are compared."""
    segments: Mapping[str, tuple[Pair, ...]] = field(key="slices")
    """By slice of the queries, its pairs over the averaged collections that have queries of it. All
    slices of a measure are one family of tests. Empty without slices."""
    suite: Suite = field(key="")
    """The suite that was compared."""
    scores: Strata = field(key="")
    """The values of the compared systems on the averaged collections; with predictions, those of
    people."""
    predictions: StrataPredictions | None = field(key="")
    """With predictions of a model, the estimates over collections; otherwise None."""

    @property
    def _first(self) -> Evaluation:
        return self.suite._first

    @property
    def _of(self) -> str:
        return f", mean of {len(self.suite.over)} collections"

    def pair(
        self,
        system: str,
        baseline: str | None = None,
        *,
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
            baseline = only_choice("baseline", None, self.baselines or self.systems)
        named = repr(self.suite.measure(measure))
        for name in (system, baseline):
            self.suite.known_system(name)
        if collection is not None:
            self.suite.evaluation_of(collection)
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

    def tables(self) -> list[Table]:
        """Return the tables of the suite, with differences and verdicts."""
        return tables(self.suite, self)

    def to_dict(self) -> dict[str, Any]:
        """Return the suite as plain values for JSON, with the comparison."""
        return {**self.suite.to_dict(), "comparison": Record.to_dict(self)}

    def methods(self) -> Methods:
        """Describe the suite and its comparison for the methods section of a paper."""
        from gainful.comparison.notes import methods_of

        return methods_of(self, describe_comparison(self), references_of_suite(self.suite))

    def _records(self, name: str) -> Records:
        if name != "pairs":
            return self.suite._records(name)
        parts = (*self.gaps.values(), *self.segments.values())
        return as_columns(Pair, [*self.pairs, *(pair for part in parts for pair in part)])

    def _picture(
        self, name: str, measure: Measure | str | None = None, baseline: str | None = None
    ) -> Plot:
        if name == "means" or not self.pairs:
            # Without pairs, only the means can be drawn.
            return self.suite._picture("means", measure)
        return super()._picture(name, measure, baseline)

    def __repr__(self) -> str:
        versus = f" vs. {', '.join(self.baselines)}" if self.baselines else ""
        return f"<Comparison of {', '.join(self.systems)}{versus} on {self.suite!r}>"


def compare_suite(
    suite: Suite, baseline: str | Sequence[str] | None, choices: CompareOptions
) -> SuiteComparison:
    """Compare the systems of a suite; see `Suite.compare`."""
    baselines = check_baselines(baseline, suite.systems)
    check_correction(choices, baselines)
    if suite.predictions:
        check_choices(choices)
    scores = build_strata(suite, suite.complete, suite.over, ranked=not baselines)
    complete = [name for name in baselines if name in suite.complete]
    couples = [] if baselines and not complete else list_couples(suite.complete, complete)
    _check_overlap(scores.by_collection(), couples)
    predictions = StrataPredictions(suite, scores) if suite.predictions else None
    options: dict[str, Any] = {"every": not baselines, "predictions": predictions}
    return SuiteComparison(
        suite=suite,
        baselines=baselines,
        choices=choices,
        scores=scores,
        predictions=predictions,
        pairs=compare_queries(scores, couples, choices, **options),
        gaps=_compare_within(suite, baselines, choices) if baselines else {},
        segments=compare_segments(scores, couples, choices, **options),
    )


def _compare_within(
    suite: Suite, baselines: Sequence[str], choices: CompareOptions
) -> dict[str, tuple[Pair, ...]]:
    """Compare each system with the baselines on each collection for which both have a run."""
    names = suite.collections
    scores = build_strata(suite, suite.systems, names, ranked=False, aggregated=False)
    scores = scores.by_collection()
    predictions = StrataPredictions(suite, scores) if suite.predictions else None
    couples = list_couples(suite.systems, baselines)
    return compare_segments(scores, couples, choices, every=False, predictions=predictions)


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


def methods_of_suite(suite: Suite) -> Methods:
    """Return the paragraph about a suite."""
    return Methods(describe_suite(suite), references_of_suite(suite))


def references_of_suite(suite: Suite) -> Iterator[Reference]:
    """Yield the publications that define the measures and the macro-average."""
    yield from references_of(suite.measures)
    yield from filter(None, map(Reference.parse, _SOURCES))


def describe_suite(suite: Suite) -> Iterator[str]:
    """Yield sentences about the measures, the collections and the macro-average.

    Examples
    --------
    >>> import gainful
    >>> suite = gainful.evaluate_suite("collections")
    >>> for sentence in list(describe_suite(suite))[:1]:
    ...     print(sentence)
    We report nDCG@10 {jarvelin2002} over 16 queries of help and 6 queries of recipes.
    """
    counts = [
        f"{count_queries(numbers_of_queries(evaluation, suite.measures))} of {name}"
        for name, evaluation in suite.evaluations.items()
    ]
    yield from describe_evaluation(suite._first, suite.measures, join_names(counts))
    if suite.predictions:
        yield (
            f"Means of {join_names([*suite.predictions])} combine human judgments with predictions"
            " of a model."
        )
    if suite.aggregate != "mean":
        yield (
            "The values that are averaged over collections are relative to all systems on the same"
            f" query, {_RELATIVE[suite.aggregate]}."
        )
    yield (
        f"A macro-average is the mean of the means on {join_names(suite.over)}, each with the same"
        " weight; its interval is a 95% confidence interval for new queries of these collections"
        " {zou2008}, with Satterthwaite's degrees of freedom {cochran1977}."
    )


def describe_comparison(comparison: SuiteComparison) -> Iterator[str]:
    """Yield sentences about the suite, and what is special about tests of macro-averages."""
    suite = comparison.suite
    yield from describe_suite(suite)
    if len(suite.over) > 1 and comparison.pairs:
        yield (
            "Differences are those of macro-averages, and queries are resampled within their"
            " collections."
        )
    if any(comparison.gaps.values()):
        yield (
            "Differences on each collection have p-values of the same test, corrected by Holm's"
            " method {holm1979}."
        )

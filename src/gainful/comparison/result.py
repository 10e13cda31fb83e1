"""The result of a comparison."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gainful.comparison.pair import Pair, mirrored
from gainful.comparison.paired_result import PairedResult
from gainful.comparison.rendering import SliceDifference, compare_slices
from gainful.comparison.standing import (
    PosteriorRank,
    Rank,
    Risk,
    Standing,
    check_all_pairs,
    compute_risks,
    rank_systems,
)
from gainful.errors import ParameterError
from gainful.evaluation.summary import Clusters
from gainful.formats.saving import rendered
from gainful.inference.posterior import rank_posterior
from gainful.records import derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gainful.comparison.choices import Choices
    from gainful.comparison.predictions import Predictions
    from gainful.comparison.scores import Mask, Scores
    from gainful.conventions import Convention
    from gainful.evaluation import Evaluation
    from gainful.formats.markup import Methods
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot

__all__ = ["Comparison"]


class Comparison(PairedResult):
    """The result of `compare`: a `Pair` per compared pair of systems and measure.

    It exports its pairs, with those of segments, as an Arrow stream, so
    ``polars.DataFrame(comparison)`` works.

    Examples
    --------
    >>> import gainful
    >>> qrels = {f"q{n}": {"a": 2, "b": 1} for n in range(12)}
    >>> runs = {"old": {q: ["b", "a"] for q in qrels}, "new": {q: ["a", "b"] for q in qrels}}
    >>> result = gainful.compare(qrels, runs, "nDCG@10")
    >>> pair = result.pair("new", "old")
    >>> pair.verdict, pair.p, pair.exact, (pair.wins, pair.ties, pair.losses)
    ('better', 0.00048828125, True, (12, 0, 0))
    >>> result.pair("old", "new").verdict
    'worse'
    """

    SCHEMA = "gainful.comparison/1"
    COMMAND = "compare"

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
    choices: Choices = field(key="*")
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

        Raises
        ------
        ParameterError
            For a pair that was not compared, or that the arguments do not determine.
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

        Raises
        ------
        ParameterError
            For a measure that was not compared, or if `measure` is needed and missing.
        """
        return rank_systems(self, self.measures[self._measure(measure)], segment)

    def rank_posterior(
        self, measure: Measure | str | None = None
    ) -> dict[str, PosteriorRank] | None:
        """Return each system's probability of rank 1, with a set of ranks, best system first.

        `gainful.inference.rank_posterior` documents the model. None if it is not defined: for
        predictions, and if two systems differ on fewer than ten queries.

        Raises
        ------
        ParameterError
            If not all pairs were compared.
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
        """Return the risk of each system vs. each baseline, or vs. every other system.

        Parameters
        ----------
        measure : Measure or str, optional
            The measure. Optional if there is only one.
        aversion : float
            How much more a loss counts than a win: the alpha of URisk, TRisk and GeoRisk.
        """
        return compute_risks(self, self.measures[self._measure(measure)], aversion)

    # --- showing --------------------------------------------------------------------------------

    def tables(
        self,
        *,
        details: bool = False,
        risk: float | None = None,
        worst: int = 0,
        wide: bool = False,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> list[Table]:
        """Return the comparison as tables, at least one per measure.

        Parameters
        ----------
        details : bool
            Whether to add further tests, bootstrap interval, effect size and power of each pair.
        risk : float, optional
            How much more a loss counts than a win in the table of risk. Default: no such table.
        worst : int
            Number of queries to list where each system loses most.
        wide : bool
            Whether one table of systems by measures, with significance marks, replaces those of
            the pairs.
        digits, sort, percent
            As for `Evaluation.tables`, with `wide`.
        """
        if wide:
            from gainful.comparison.rendering import matrix_tables
            from gainful.formats.table import TableFormat

            look = TableFormat(digits, sort, percent)
            return matrix_tables(self, look, details=details, risk=risk, worst=worst)
        from gainful.comparison.rendering import tables

        if digits is not None or sort is not None or percent:
            raise ParameterError("digits, sort and percent need wide=True")
        return tables(self, details=details, risk=risk, worst=worst)

    def to_latex(
        self,
        *,
        notes: bool = False,
        details: bool = False,
        risk: float | None = None,
        worst: int = 0,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> str:
        """Return a LaTeX table of systems by measures, with significance marks.

        It has a caption and a label, and uses the package booktabs.

        Parameters
        ----------
        notes : bool
            Whether notes are below the tables.
        details, risk, worst
            As for `tables`.
        digits, sort, percent
            As for `Evaluation.tables`.
        """
        look: dict[str, Any] = {"digits": digits, "sort": sort, "percent": percent}
        tables = self.tables(wide=True, details=details, risk=risk, worst=worst, **look)
        return rendered(tables, "latex", notes=notes, name=self._name)

    def to_markdown(
        self,
        *,
        notes: bool = False,
        wide: bool = False,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> str:
        """Return the tables as Markdown.

        Parameters
        ----------
        notes : bool
            Whether to add all notes that explain the tables; without it there are two at most.
        digits, sort, percent
            As for `Evaluation.tables`, with `wide`.
        wide : bool
            Whether to return the table of `to_latex`, with significance marks.
        """
        tables = self.tables(wide=wide, digits=digits, sort=sort, percent=percent)
        return rendered(tables, "markdown", () if wide else self._heading(), notes=notes)

    def methods(self) -> Methods:
        r"""Describe the comparison in a paragraph for the methods section of a paper.

        It names measures and their definitions, the convention, tests, corrections and intervals.

        Returns
        -------
        gainful.formats.markup.Methods
            The paragraph with its references. ``save`` writes it as LaTeX, Markdown or text, and
            the references as BibTeX.

        Examples
        --------
        >>> import gainful
        >>> found = gainful.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10")
        >>> print(found.methods().to_latex().partition(". ")[0])
        We report nDCG@10 \cite{jarvelin2002} over 6 queries
        """
        from gainful.comparison.notes import methods_of
        from gainful.evaluation.methods import describe_evaluation, references_of

        about = describe_evaluation(self.evaluations[0], self.measures)
        return methods_of(self, about, references_of(self.measures))

    def _html_heading(self) -> list[str]:
        from gainful.comparison.standing import headlines

        return headlines(self)

    def __repr__(self) -> str:
        versus = f" vs. {', '.join(self.baselines)}" if self.baselines else ""
        measures = ", ".join(map(repr, self.measures))
        return f"<Comparison of {', '.join(self.systems)}{versus}: {measures}>"

    def _picture(
        self, name: str, measure: Measure | str | None = None, baseline: str | None = None
    ) -> Plot:
        from gainful import plots
        from gainful.comparison.rendering import coverage_rows, is_over_budgets

        if name == "differences" and measure is None and is_over_budgets(self.measures):
            return plots.budgets(coverage_rows(self.evaluations))
        return super()._picture(name, measure, baseline)


def _means_by_system(comparison: Comparison) -> dict[str, dict[str, float]]:
    means = {repr(measure): comparison.means(measure) for measure in comparison.measures}
    return {
        system: {measure: known[system] for measure, known in means.items()}
        for system in comparison.systems
    }


def _judgments_digest(evaluations: Sequence[Evaluation]) -> str | None:
    # If the judgments of one evaluation are unknown, they may differ from the others'.
    digests = {evaluation.judgments_digest for evaluation in evaluations}
    return digests.pop() if len(digests) == 1 else None


def _clusters(comparison: Comparison) -> Clusters | None:
    clusters = comparison.scores.clusters
    if clusters is None:
        return None
    return Clusters(attribute=comparison.cluster, number=len(set(clusters)))


def _posterior_ranks(comparison: Comparison) -> dict[str, dict[str, PosteriorRank]]:
    """Return the posterior probabilities of ranks, if requested, of measures that have them."""
    if not comparison.choices.bayes or comparison.baselines or len(comparison.systems) < 3:
        return {}
    return {
        repr(measure): chances
        for measure in comparison.measures
        if (chances := comparison.rank_posterior(measure)) is not None
    }

"""The result of a comparison."""

from __future__ import annotations

from functools import cached_property
from numbers import Integral

import numpy as np

from gainful.comparison.groups import (
    PosteriorRank,
    Rank,
    check_all_pairs,
    compute_letters,
    compute_ranks,
    list_tied_for_first,
)
from gainful.comparison.pair import Pair, mirrored
from gainful.comparison.rendering import pair_records
from gainful.comparison.risk import Risk, compute_risks
from gainful.comparison.slice_differences import SliceDifference, compare_slices
from gainful.comparison.standing import Standing, rank_systems
from gainful.errors import ParameterError
from gainful.evaluation.summary import Clusters
from gainful.formats.rendering import rendered
from gainful.inference.posterior import rank_posterior
from gainful.records import derived, field
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from gainful.comparison.choices import Choices
    from gainful.comparison.predictions import Predictions
    from gainful.comparison.scores import Floats, Mask, Scores
    from gainful.conventions import Convention
    from gainful.evaluation import Evaluation
    from gainful.formats.methods import Methods
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot

    T = TypeVar("T")

__all__ = ["Comparison"]


class Comparison(Result):
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
    RECORDS = {"pairs": Pair}
    PICTURES = ("differences", "ranks", "queries")

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
        lambda comparison: _by_measure(comparison, comparison.letters), key="letters"
    )
    """By measure and system: systems that share a letter do not differ significantly. None unless
    all pairs were compared."""
    _ranks: dict[str, dict[str, Rank]] | None = derived(
        lambda comparison: _by_measure(comparison, comparison.ranks), key="ranks"
    )
    """By measure and system: the rank of the mean, and its simultaneous confidence interval at
    level 1 - alpha. None unless all pairs were compared."""
    _tied: dict[str, tuple[str, ...]] | None = derived(
        lambda comparison: _by_measure(comparison, comparison.tied_for_first), key="tied_for_first"
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
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the requested order."""
        return self.scores.measures

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.scores.systems

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

    @cached_property
    def slice_differences(self) -> tuple[SliceDifference, ...]:
        """The tests of whether each pair has the same difference in all slices of an attribute.

        Empty without slices, and with predictions. Tests that are not defined are left out, such as
        those of clusters with queries in several slices (`gainful.inference.equal_means_test`).
        """
        return compare_slices(self)

    # --- options ---------------------------------------------------------------------------------

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

    def pair(
        self,
        system: str | None = None,
        baseline: str | None = None,
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
            named = self._by_names.get((repr(self.measures[place]), segment), {})
            if (system, baseline) in named:
                return named[system, baseline]
            if (baseline, system) in named:
                return mirrored(named[baseline, system])
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

    def differences(self, pair: Pair) -> dict[str, float]:
        """Return the per-query differences of a pair; of logarithms for a geometric mean."""
        rows, one, two = self._common_values(pair, scaled=True)
        return dict(zip(self._named(rows), (one - two).tolist(), strict=True))

    def worst(self, pair: Pair, k: int = 10) -> list[tuple[str, float, float]]:
        """Return the queries on which a pair's system loses most, the worst first.

        Parameters
        ----------
        pair : Pair
            A pair of this comparison.
        k : int
            Maximum number of queries. Only queries with a loss are returned.

        Returns
        -------
        list of (str, float, float)
            The query, the system's value and the baseline's.

        Raises
        ------
        ParameterError
            If `k` is below 0.
        """
        if not isinstance(k, Integral) or k < 0:
            raise ParameterError(where="k", found=repr(k), expected="a whole number of 0 or more")
        rows, one, two = self._common_values(pair)
        queries = np.flatnonzero(rows)
        return [
            (self.scores.queries[queries[place]], float(one[place]), float(two[place]))
            for place in np.argsort(one - two, kind="stable")[:k]
            if one[place] < two[place]
        ]

    def _common_values(self, pair: Pair, *, scaled: bool = False) -> tuple[Mask, Floats, Floats]:
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
        self, system: str, measure: Measure | str | None = None, segment: str | None = None
    ) -> dict[str, float]:
        """Return a system's values by query, of the queries that count."""
        scores, place, column = self.scores, self._measure(measure), self._system(system)
        rows = scores.has_values(place, segment)[:, column]
        return dict(
            zip(self._named(rows), scores.values[place][rows, column].tolist(), strict=True)
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

    def letters(
        self, measure: Measure | str | None = None, segment: str | None = None
    ) -> dict[str, str]:
        """Return the compact letter display: systems that share a letter do not differ.

        Raises
        ------
        ParameterError
            If not all pairs were compared.
        """
        check_all_pairs(self.baselines, "letters")
        pairs = self._pairs(self._measure(measure), segment)
        return compute_letters(self._oriented_means(measure, segment), pairs)

    def ranks(
        self, measure: Measure | str | None = None, segment: str | None = None
    ) -> dict[str, Rank]:
        """Return each system's rank with its simultaneous interval, best system first.

        With probability 1 - alpha the intervals of all systems contain their true ranks.

        Raises
        ------
        ParameterError
            If not all pairs were compared.
        """
        check_all_pairs(self.baselines, "ranks")
        pairs = self._pairs(self._measure(measure), segment)
        return compute_ranks(self._oriented_means(measure, segment), pairs)

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

    def tied_for_first(
        self, measure: Measure | str | None = None, segment: str | None = None
    ) -> tuple[str, ...]:
        """Return the systems that can have rank 1: no other is significantly better.

        Raises
        ------
        ParameterError
            If not all pairs were compared.
        """
        return list_tied_for_first(self.ranks(measure, segment))

    def _oriented_means(
        self, measure: Measure | str | None, segment: str | None
    ) -> dict[str, float]:
        """Return means of which the highest is best."""
        direction = self.measures[self._measure(measure)].direction
        means = self.means(measure, segment)
        return {system: direction * mean for system, mean in means.items()}

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
            from gainful.comparison.matrix import matrix_tables
            from gainful.formats.look import Look

            look = Look(digits, sort, percent)
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
        gainful.formats.methods.Methods
            The paragraph with its references. ``save`` writes it as LaTeX, Markdown or text, and
            the references as BibTeX.

        Examples
        --------
        >>> import gainful
        >>> found = gainful.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10")
        >>> print(found.methods().to_latex().partition(". ")[0])
        We report nDCG@10 \cite{jarvelin2002} over 6 queries
        """
        from gainful.comparison.methods import methods_of

        return methods_of(self)

    def _html_heading(self) -> list[str]:
        from gainful.comparison.headline import headlines

        return headlines(self)

    def __repr__(self) -> str:
        versus = f" vs. {', '.join(self.baselines)}" if self.baselines else ""
        measures = ", ".join(map(repr, self.measures))
        return f"<Comparison of {', '.join(self.systems)}{versus}: {measures}>"

    def _records(self, name: str) -> Records:
        return pair_records(self.pairs, self.segments)

    def _picture(
        self, name: str, measure: Measure | str | None = None, baseline: str | None = None
    ) -> Plot:
        """Draw differences from a baseline, of means or by query, or ranks.

        The baseline defaults to the first one, else to the best system.
        """
        from gainful import plots
        from gainful.comparison.coverage import coverage_rows, is_over_budgets

        if name == "differences" and measure is None and is_over_budgets(self.measures):
            return plots.budgets(coverage_rows(self.evaluations))
        measure = repr(self.measures[self._measure(measure or self.measures[0])])
        if name == "ranks":
            return self._draw_ranks(measure)
        base = baseline or (self.baselines or (self.leaderboard(measure)[0].system,))[0]
        pairs = [self.pair(system, base, measure) for system in self.systems if system != base]
        if name == "queries":
            values = [
                {"system": pair.system, "query": query, "difference": difference}
                for pair in pairs
                for query, difference in self.differences(pair).items()
            ]
            return plots.queries(values, measure, base)
        fields = ("system", "difference", "low", "high", "verdict")
        known = (pair.to_dict() for pair in pairs)
        rows = [{field: values[field] for field in fields} for values in known]
        title = f"difference in {measure} vs. {base}"
        margins = () if self.margin is None else (-self.margin, self.margin)
        return plots.differences(rows, title, margins=margins)

    def _draw_ranks(self, measure: str) -> Plot:
        from gainful import plots

        means = self.means(measure)
        rows = [
            {"system": system, **rank.to_dict(), "mean": means[system]}
            for system, rank in self.ranks(measure).items()
        ]
        return plots.ranks(rows, measure)

    # --- look-up --------------------------------------------------------------------------------

    def _pairs(self, measure: int, segment: str | None = None) -> tuple[Pair, ...]:
        """Return the pairs of a measure, in a segment that may have none."""
        return tuple(self._by_names.get((repr(self.measures[measure]), segment), {}).values())

    def _measure(self, measure: Measure | str | None) -> int:
        place = self.evaluations[0]._measure(
            measure if measure is not None or len(self.measures) > 1 else self.measures[0]
        )
        found = self.evaluations[0].measures[place]
        if found not in self.measures:
            raise ParameterError(
                where="measure",
                found=repr(found),
                expected=f"one of {', '.join(map(repr, self.measures))}",
            )
        return self.measures.index(found)

    def _system(self, system: str) -> int:
        if system not in self.systems:
            raise ParameterError(
                where="system", found=repr(system), expected=f"one of {', '.join(self.systems)}"
            )
        return self.systems.index(system)


def _by_measure(comparison: Comparison, values: Callable[[Measure], T]) -> dict[str, T] | None:
    """Return values of the comparison of all pairs by measure; None with baselines."""
    if comparison.baselines:
        return None
    return {repr(measure): values(measure) for measure in comparison.measures}


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

"""The result of evaluating systems on several collections."""

from __future__ import annotations

from functools import cached_property

from gainful.byte_order import in_byte_order
from gainful.errors import ParameterError
from gainful.measures.parameters import widest
from gainful.records import Record, derived, field
from gainful.results import Records, Result, as_records, only_choice
from gainful.suite.macro import (
    Macro,
    Oracle,
    OracleGaps,
    compute_mean,
    take_best_values,
)
from gainful.suite.predictions import average_collections, build_strata
from gainful.vocabulary import AGGREGATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.evaluation import Evaluation
    from gainful.evaluation.predicted import PredictedEvaluation
    from gainful.evaluation.summary import DataCounts, Summary
    from gainful.formats.markup import Methods
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.measures.parameters import Range
    from gainful.plots import Plot
    from gainful.published import PublishedScore
    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.predictions import Strata

    Weights = Mapping[str, Mapping[str, float]]
    Labels = Mapping[str, Mapping[str, str]]

__all__ = ["Suite"]

_PREDICTED = {
    "required": ["schema", "estimates"],
    "properties": {"schema": {"const": "gainful.predicted-evaluation/1"}},
}


class MissingRun(Record):
    """A collection for which a system has no run."""

    system: str
    """The system."""
    collection: str
    """The collection."""


class Suite(Result):
    """The result of `evaluate_suite`: systems on several collections.

    A macro-average is the mean of the collections' means: queries of different collections are
    never pooled.

    Examples
    --------
    >>> import gainful
    >>> books = {"q1": {"b1": 2, "b2": 1}, "q2": {"b3": 1}}
    >>> films = {"q1": {"f1": 1}}
    >>> suite = gainful.evaluate_suite({
    ...     "books": (books, {"old": {"q1": ["b2", "b1"], "q2": ["b3"]}, "new": {"q1": ["b1"]}}),
    ...     "films": (films, {"old": {"q1": ["f2", "f1"]}}),
    ... })
    >>> [round(suite.value(system="old", collection=name), 4) for name in suite.collections]
    [0.9299, 0.6309]
    >>> round(suite.macro(system="old").mean, 4), suite.macro(system="new"), suite.missing
    (0.7804, None, (('new', 'films'),))
    """

    SCHEMA = "gainful.suite/1"
    COMMAND = "evaluate-suite"
    RECORDS = {"means": None, "slices": None}
    PICTURES = ("means",)

    convention: Convention = derived(lambda suite: suite._first.convention)
    """The convention of the values."""
    _resolved: dict[str, str] = derived(
        lambda suite: {
            repr(measure): repr(resolved)
            for measure, resolved in zip(suite.measures, suite._first.resolved, strict=True)
        },
        key="measures",
        json={"minProperties": 1},
    )
    """Each measure as it was requested, and with every parameter."""
    collections: tuple[str, ...] = derived(lambda suite: tuple(suite.evaluations))
    """The names of the collections."""
    over: tuple[str, ...]
    """The averaged collections."""
    aggregate: str = field(default="mean", json={"enum": list(AGGREGATES)})
    """What is averaged over queries and collections: ``mean`` for scores, ``standardized`` or
    ``empirical`` for scores relative to all systems on the same query."""
    systems: tuple[str, ...]
    """The systems of all collections in order of appearance, without the oracle."""
    complete: tuple[str, ...]
    """The systems that have a run for each averaged collection, and a macro-average."""
    _missing: tuple[MissingRun, ...] = derived(
        lambda suite: tuple(MissingRun(system=one, collection=two) for one, two in suite.missing),
        key="missing",
    )
    """The systems and collections without a run."""
    left_out: tuple[str, ...] = ()
    """Subfolders without judgments and runs."""
    _summaries: dict[str, dict[str, dict[str, Summary | None]]] = derived(
        lambda suite: {repr(measure): _summaries(suite, measure) for measure in suite.measures},
        key="values",
    )
    """By measure, system and collection; None for a missing run."""
    _macros: dict[str, dict[str, Macro | None]] = derived(lambda suite: _macros(suite), key="macro")
    """By measure and system; None for a system that is not complete."""
    _by: str | None = derived(
        lambda suite: suite.attribute if suite.slices else None, key="by", optional=True
    )
    """The attribute of the slices; absent without slices."""
    _slice_macros: dict[str, dict[str, dict[str, Macro | None]]] | None = derived(
        lambda suite: {name: _macros(suite, name) for name in suite.slices} or None,
        key="slices",
        optional=True,
    )
    """By slice of the queries and by measure and system, the macro-average over the collections
    that have queries of the slice; None if there is none. Absent without slices."""
    _predicted: dict[str, PredictedEvaluation] | None = derived(
        lambda suite: suite.predictions or None,
        key="predicted",
        optional=True,
        json={"additionalProperties": _PREDICTED},
    )
    """With the labels of a model: by collection, the estimates. Absent without such labels."""
    _oracle: Oracle = derived(lambda suite: _measure_oracle(suite), key="oracle")
    """The oracle, and the gaps to it."""
    _comparison: SuiteComparison | None = derived(lambda _: None, key="comparison")
    """The comparison of the systems; None if they were not compared."""
    _counts: dict[str, dict[str, DataCounts]] = derived(
        lambda suite: {name: part._counts for name, part in suite.evaluations.items()}, key="counts"
    )
    """By collection and system, the counts of the evaluation."""
    _published: tuple[PublishedScore, ...] | None = derived(
        lambda suite: suite.published or None, key="published", optional=True
    )
    """Scores of other systems; absent without any."""
    evaluations: Mapping[str, Evaluation] = field(key="")
    """The evaluation of each collection."""
    missing: tuple[tuple[str, str], ...] = field(key="")
    """Pairs of a system and a collection for which it has no run."""
    oracle: str | None = field(default=None, key="")
    """The run used as the oracle; None for the best system for each query."""
    weights: Weights = field(key="")
    """The weights of queries, by collection."""
    clusters: Labels = field(key="")
    """The clusters of queries, by collection."""
    attributes: Mapping[str, Mapping[str, Mapping[str, str]]] = field(key="")
    """The values of queries that slice them, by collection and attribute."""
    predictions: Mapping[str, PredictedEvaluation] = field(key="")
    """By collection, the estimates that combine the judgments of people with those of a model. The
    means of these collections are the combined ones; their other values are those of people."""
    published: tuple[PublishedScore, ...] = field(default=(), key="")
    """Scores of other systems, which the tables show."""

    @cached_property
    def _oracles(self) -> dict[tuple[Measure, str], dict[str, float]]:
        """The oracle's values by collection and measure, computed on first use."""
        return {}

    @cached_property
    def strata(self) -> Strata:
        """The averaged values of all systems, the oracle included."""
        systems = dict.fromkeys((*self.systems, *filter(None, [self.oracle])))
        return build_strata(self, [*systems], self.over, ranked=False)

    @property
    def _first(self) -> Evaluation:
        return next(iter(self.evaluations.values()))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, as requested."""
        return self._first.measures

    @property
    def weighted(self) -> bool:
        """Whether the queries of any collection are weighted."""
        return bool(self.weights)

    @property
    def attribute(self) -> str | None:
        """The names of the slices' attributes."""
        return ", ".join(next(iter(self.attributes.values()), ())) or None

    @cached_property
    def slices(self) -> dict[str, dict[str, list[str]]]:
        """The queries of each slice of the averaged collections, by slice and collection."""
        if not self.attributes:
            return {}
        from gainful.evaluation.query_groups import slice_queries

        keys = {
            f"{name}/{query}": (name, query) for name in self.over for query in self._queries(name)
        }
        by = {
            attribute: {
                key: self.attributes[name][attribute][query]
                for key, (name, query) in keys.items()
                if query in self.attributes[name][attribute]
            }
            for attribute in next(iter(self.attributes.values()))
        }
        named: dict[str, dict[str, list[str]]] = {}
        for part, members in slice_queries(by, list(keys)).items():
            queries = named.setdefault(part, {})
            for key in members:
                collection, query = keys[key]
                queries.setdefault(collection, []).append(query)
        return named

    def _queries(self, collection: str) -> list[str]:
        """Return the queries with a value, or judged by people, in byte order."""
        evaluation = self.evaluation_of(collection)
        valued = {
            query
            for system in evaluation.systems
            for measure in self.measures
            for query in evaluation.values_by_text_id(measure, system)
        }
        return in_byte_order(valued | self.judged_by_people(collection))

    def cluster_labels(self, collection: str, queries: Sequence[str]) -> list[str]:
        """Return a label for each query; queries without clusters are independent."""
        labels = self.clusters.get(collection)
        if labels is None:
            return [f"{collection}/query {query}" for query in queries]
        from gainful.evaluation.query_groups import refuse_missing

        refuse_missing(labels, queries, "cluster")
        return [f"{collection}/cluster {labels[query]}" for query in queries]

    # --- cells ----------------------------------------------------------------------------------

    def summary(
        self,
        measure: Measure | str | None = None,
        system: str | None = None,
        collection: str | None = None,
    ) -> Summary | None:
        """Return the summary of a system on a collection; None without a run.

        You can leave out any argument for which there is only one choice.

        Raises
        ------
        ParameterError
            For an unknown name or measure, or if one is needed and missing.
        """
        evaluation, system = self.evaluation_of(collection), self.known_system(system)
        if system not in evaluation.systems:
            return None
        combined = self.predictions.get(self._collection(collection))
        return (combined or evaluation).summary(self.measure(measure), system)

    def value(
        self,
        measure: Measure | str | None = None,
        system: str | None = None,
        collection: str | None = None,
    ) -> float | None:
        """Return the mean of a system on a collection; None without a run."""
        summary = self.summary(measure, system, collection)
        return None if summary is None else summary.mean

    def per_query(
        self,
        measure: Measure | str | None = None,
        system: str | None = None,
        collection: str | None = None,
    ) -> dict[str, float]:
        """Return a system's values by query on a collection; empty without a run."""
        evaluation, system = self.evaluation_of(collection), self.known_system(system)
        return evaluation.values_by_text_id(measure, system) if system in evaluation.systems else {}

    # --- over collections -----------------------------------------------------------------------

    def macro(
        self,
        measure: Measure | str | None = None,
        system: str | None = None,
        slice: str | None = None,
    ) -> Macro | None:
        """Return the macro-average of a system; None if it lacks a run.

        `macro_average` documents the formulas. Within a slice of the queries, the average is over
        the collections that have queries of the slice.

        Raises
        ------
        ParameterError
            For an unknown name or measure, or if one is needed and missing.
        """
        if slice is not None:
            self._slice(slice)
        return average_collections(self, self.measure(measure), self.known_system(system), slice)

    def compare(
        self,
        baseline: str | Sequence[str] | None = None,
        *,
        margin: float | None = None,
        detect: float | None = None,
        alpha: float = 0.05,
        tie_margin: float = 0.0,
        family: str = "measure",
        correction: str | None = None,
        resamples: int = 100_000,
        bootstrap: int = 9_999,
        seed: int = 0,
        threads: int | None = None,
    ) -> SuiteComparison:
        """Compare the systems over all collections, and with baselines on each collection.

        Over all collections, the macro-averages are compared, with resampling stratified by
        collection. A system without a run for an averaged collection is compared only with
        baselines, on each collection for which it has a run.

        Parameters
        ----------
        baseline : str or sequence of str, optional
            The system or systems to compare the others with. Default: compare all pairs, over all
            collections.
        margin, detect, alpha, tie_margin, family, correction, resamples, bootstrap, seed, threads
            As for `gainful.compare`.

        Returns
        -------
        SuiteComparison

        Raises
        ------
        ParameterError
            For an unknown baseline, or a value out of range.
        MatchError
            If two systems have no query in common in one of the collections.

        Examples
        --------
        >>> import gainful
        >>> found = gainful.evaluate_suite("collections").compare("fts5-plain")
        >>> pair = found.pair("fts5-tuned")
        >>> round(pair.difference, 4), pair.n, pair.verdict
        (0.1299, 22, 'better')
        >>> for name, gaps in found.gaps.items():
        ...     print(name, round(gaps[0].difference, 4), gaps[0].verdict)
        help 0.0733 inconclusive
        recipes 0.1865 inconclusive
        """
        from gainful.comparison.choices import CompareOptions
        from gainful.suite.comparison import compare_suite

        choices = CompareOptions(
            margin=margin,
            detect=detect,
            alpha=alpha,
            tie_margin=tie_margin,
            family=family,
            correction=correction,
            resamples=resamples,
            bootstrap=bootstrap,
            seed=seed,
            threads=threads,
        )
        return compare_suite(self, baseline, choices)

    # --- the oracle -----------------------------------------------------------------------------

    def oracle_values(
        self, measure: Measure | str | None = None, collection: str | None = None
    ) -> dict[str, float]:
        """Return the oracle's values by query.

        Without an oracle run, the value of a query is that of the best system. Their mean is an
        upper bound for any choice of a system per query, and grows with the number of systems.
        """
        return dict(self._best_values(measure, self._collection(collection)))

    def _best_values(self, measure: Measure | str | None, collection: str) -> dict[str, float]:
        evaluation, chosen = self.evaluation_of(collection), self.measure(measure)
        key = (chosen, collection)
        if key not in self._oracles:
            self._oracles[key] = (
                take_best_values(
                    (evaluation.values_by_text_id(chosen, system) for system in evaluation.systems),
                    chosen.direction,
                )
                if self.oracle is None
                else self.per_query(chosen, self.oracle, collection)
            )
        return self._oracles[key]

    def oracle_mean(
        self, measure: Measure | str | None = None, collection: str | None = None
    ) -> float | None:
        """Return the oracle's mean on a collection; None if its run is missing."""
        collection = self._collection(collection)
        values = self._best_values(measure, collection)
        return compute_mean(values, self.weights.get(collection)) if values else None

    def oracle_gap(
        self,
        measure: Measure | str | None = None,
        system: str | None = None,
        collection: str | None = None,
    ) -> float | None:
        """Return a system's mean minus the oracle's, over their common queries.

        Without a collection, return the mean gap of the averaged collections. The result is None if
        the system has no run, or no common query with the oracle, for one of them.
        """
        system = self.known_system(system)
        if collection is None:
            gaps = [self.oracle_gap(measure, system, name) for name in self.over]
            known = [gap for gap in gaps if gap is not None]
            return sum(known) / len(known) if len(known) == len(gaps) else None
        best = self._best_values(measure, collection)
        values = self.per_query(measure, system, collection)
        gaps_by_query = {query: values[query] - best[query] for query in values if query in best}
        if not gaps_by_query:
            return None
        return compute_mean(gaps_by_query, self.weights.get(collection))

    # --- output ---------------------------------------------------------------------------------

    def scores(self, source: str | None = None) -> tuple[PublishedScore, ...]:
        """Return the means on each collection, for `gainful.published.write_published`.

        Parameters
        ----------
        source : str, optional
            Where the scores are from: an address or a citation.
        """
        from gainful.published import summarize_published

        return tuple(
            score
            for name, evaluation in self.evaluations.items()
            for score in summarize_published(
                self.predictions.get(name) or evaluation, collection=name, source=source
            )
        )

    def tables(self) -> list[Table]:
        """Return the tables: for each measure the values and the gaps, then the data checks."""
        from gainful.suite.tables import tables

        return tables(self)

    def methods(self) -> Methods:
        """Describe the suite in a paragraph for the methods section of a paper.

        It names the measures with their definitions, the collections and the macro-average.
        """
        from gainful.suite.comparison import methods_of_suite

        return methods_of_suite(self)

    def _picture(self, name: str, measure: Measure | str | None = None) -> Plot:
        """Draw the macro-average of each system, and its mean on each collection."""
        from gainful import plots

        chosen = self.measure(self.measures[0] if measure is None else measure)
        macro = {f"mean of {len(self.over)}": lambda system: self.macro(chosen, system)}
        single = {
            member: lambda system, collection=member: self.summary(chosen, system, collection)
            for member in self.collections
            # Relative scores have another scale than the means of the collections.
            if self.aggregate == "mean"
        }
        rows = [
            {"system": system, "series": series, **number.figures()}
            for system in self.systems
            for series, value in (macro | single).items()
            if (number := value(system)) is not None
        ]
        return plots.means(rows, repr(chosen))

    def _records(self, name: str) -> Records:
        if name == "slices":
            names: tuple[str, ...] = ("measure", "slice", "system", "mean", "low", "high", "n")
            return as_records(names, _slice_rows(self))
        names = ("measure", "system", "collection", "mean", "low", "high", "median", "n")
        return as_records((*names, "oracle_gap"), _mean_rows(self))

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        systems, collections = len(self.systems), len(self.evaluations)
        return f"<Suite of {systems} systems on {collections} collections: {measures}>"

    # --- look-up --------------------------------------------------------------------------------

    def measure(self, measure: Measure | str | None = None) -> Measure:
        """Return a measure as requested; `measure` is optional if there is only one.

        Raises
        ------
        ParameterError
            For an unknown measure, or if `measure` is needed and missing.
        """
        return self.measures[self._first.index_of(measure)]

    def evaluation_of(self, collection: str | None) -> Evaluation:
        """Return the evaluation of a collection; None for the only one.

        Raises
        ------
        ParameterError
            For an unknown collection, or if it is needed and missing.
        """
        return self.evaluations[self._collection(collection)]

    def _collection(self, name: str | None) -> str:
        return only_choice("collection", name, list(self.evaluations))

    def known_system(self, name: str | None) -> str:
        """Return a system of a collection; None for the only one.

        Raises
        ------
        ParameterError
            For an unknown system, or if it is needed and missing.
        """
        if name is not None and name == self.oracle:
            return name
        return only_choice("system", name, self.systems)

    def range_of(
        self, measure: Measure, collections: Iterable[str], systems: Sequence[str]
    ) -> Range:
        """Return the lowest and the highest possible value that is averaged, None if unbounded."""
        if self.aggregate != "mean":
            return 0.0, 1.0
        evaluations = [self.evaluations[name] for name in collections]
        return widest(
            evaluation.range_on_data(measure, system)
            for evaluation in evaluations
            for system in systems
            if system in evaluation.systems
        )

    def judged_by_people(self, collection: str) -> frozenset[str]:
        """Return the human-judged queries of a collection with predictions; none without them."""
        predicted = self.predictions.get(collection)
        return frozenset() if predicted is None else predicted.sample.judged

    def _slice(self, name: str) -> dict[str, list[str]]:
        if name not in self.slices:
            raise ParameterError(
                where="slice",
                found=repr(name),
                expected=f"one of {', '.join(self.slices)}"
                if self.slices
                else "None, because the queries were not sliced",
            )
        return self.slices[name]


def _summaries(suite: Suite, measure: Measure) -> dict[str, dict[str, Summary | None]]:
    return {
        system: {name: suite.summary(measure, system, name) for name in suite.collections}
        for system in suite.systems
    }


def _macros(suite: Suite, part: str | None = None) -> dict[str, dict[str, Macro | None]]:
    return {
        repr(measure): {system: suite.macro(measure, system, part) for system in suite.systems}
        for measure in suite.measures
    }


def _measure_oracle(suite: Suite) -> Oracle:
    """Return the means of the oracle and the gaps of all systems to it."""
    names, measures = suite.collections, suite.measures
    means = {
        repr(measure): {name: suite.oracle_mean(measure, name) for name in names}
        for measure in measures
    }
    gaps = {
        repr(measure): {system: _gaps(suite, system, measure) for system in suite.systems}
        for measure in measures
    }
    return Oracle(run=suite.oracle, means=means, gaps=gaps)


def _gaps(suite: Suite, system: str, measure: Measure) -> OracleGaps:
    return OracleGaps(
        collections={name: suite.oracle_gap(measure, system, name) for name in suite.collections},
        macro=suite.oracle_gap(measure, system),
    )


def _mean_rows(suite: Suite) -> Iterator[tuple[object, ...]]:
    """Yield a row per measure, system and collection, and per macro-average, without collection.

    The values of a missing run, and of the macro-average of its system, are None.
    """
    for measure in suite.measures:
        for system in suite.systems:
            for name in (*suite.collections, None):
                figures: tuple[object, ...] = (None,) * 5
                if name is None:
                    if (macro := suite.macro(measure, system)) is not None:
                        figures = (macro.mean, *macro.ends, None, macro.n)
                elif (summary := suite.summary(measure, system, name)) is not None:
                    figures = (summary.mean, *summary.ends, summary.median, summary.n)
                gap = suite.oracle_gap(measure, system, name)
                yield (repr(measure), system, name, *figures, gap)


def _slice_rows(suite: Suite) -> Iterator[tuple[object, ...]]:
    """Yield a row per measure, slice and system with a macro-average."""
    for measure in suite.measures:
        for name in suite.slices:
            for system in suite.systems:
                if (macro := suite.macro(measure, system, name)) is not None:
                    yield (repr(measure), name, system, macro.mean, *macro.ends, macro.n)

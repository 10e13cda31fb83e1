"""The result of evaluating systems on several collections."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.results import Records, Result, as_records
from gainful.suite.macro import Macro, macro_average
from gainful.suite.oracle import best_of_each_query, mean_over

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.evaluation import Evaluation
    from gainful.evaluation.summary import Summary
    from gainful.formats.table import TextTable
    from gainful.measures import Measure
    from gainful.suite.comparison import SuiteComparison

    Weights = Mapping[str, Mapping[str, float]]


class Suite(Result):
    """Systems on several collections: what `evaluate_suite` returns.

    Values of different collections are averaged collection by collection (macro-averaged), and
    queries of different collections are never put into one mean.

    Attributes
    ----------
    evaluations : dict of str to Evaluation
        By collection.
    measures : tuple of Measure
        As they were asked for.
    convention : Convention
        Under which the numbers were made.
    systems : tuple of str
        The systems of all collections, in the order in which they are met; not the oracle.
    over : tuple of str
        The collections that are averaged.
    complete : tuple of str
        The systems that have a run in each of these: only they have a macro-average.
    missing : tuple of (str, str)
        Systems and collections in which they have no run.
    oracle : str or None
        The run that stands for what can be reached; None for the best of the systems at each query.

    Examples
    --------
    >>> import gainful
    >>> books = {"q1": {"b1": 2, "b2": 1}, "q2": {"b3": 1}}
    >>> films = {"q1": {"f1": 1}}
    >>> suite = gainful.evaluate_suite({
    ...     "books": (books, {"old": {"q1": ["b2", "b1"], "q2": ["b3"]}, "new": {"q1": ["b1"]}}),
    ...     "films": (films, {"old": {"q1": ["f2", "f1"]}}),
    ... })
    >>> round(suite.value("old", "books"), 4), round(suite.value("old", "films"), 4)
    (0.9299, 0.6309)
    >>> round(suite.macro("old").mean, 4), suite.macro("new"), suite.missing
    (0.7804, None, (('new', 'films'),))
    """

    RECORDS = ("means",)

    __slots__ = (
        "_oracles",
        "_weights",
        "complete",
        "convention",
        "evaluations",
        "left_out",
        "measures",
        "missing",
        "oracle",
        "over",
        "systems",
    )

    evaluations: dict[str, Evaluation]
    measures: tuple[Measure, ...]
    convention: Convention
    systems: tuple[str, ...]
    over: tuple[str, ...]
    complete: tuple[str, ...]
    missing: tuple[tuple[str, str], ...]
    oracle: str | None
    left_out: tuple[str, ...]
    _weights: Weights
    #: The oracle's values by collection and measure, made when they are first asked for.
    _oracles: dict[tuple[str, Measure], dict[str, float]]

    def __init__(
        self,
        evaluations: dict[str, Evaluation],
        *,
        over: Sequence[str],
        oracle: str | None = None,
        weights: Weights | None = None,
        left_out: Sequence[str] = (),
    ) -> None:
        put = object.__setattr__
        first = next(iter(evaluations.values()))
        found = dict.fromkeys(name for each in evaluations.values() for name in each.systems)
        systems = tuple(name for name in found if name != oracle)
        put(self, "evaluations", evaluations)
        put(self, "measures", first.measures)
        put(self, "convention", first.convention)
        put(self, "systems", systems)
        put(self, "over", tuple(over))
        put(self, "oracle", oracle)
        put(self, "left_out", tuple(left_out))
        put(self, "_weights", weights or {})
        put(self, "_oracles", {})
        put(
            self,
            "missing",
            tuple(
                (system, name)
                for system in systems
                for name, each in evaluations.items()
                if system not in each.systems
            ),
        )
        put(
            self,
            "complete",
            tuple(
                system
                for system in systems
                if all(system in evaluations[name].systems for name in over)
            ),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a suite cannot be changed ({name})")

    @property
    def collections(self) -> tuple[str, ...]:
        """The names of the collections."""
        return tuple(self.evaluations)

    @property
    def weighted(self) -> bool:
        """Whether queries count by weights in any of the collections."""
        return bool(self._weights)

    # --- cells ----------------------------------------------------------------------------------

    def summary(
        self, system: str, collection: str, measure: Measure | str | None = None
    ) -> Summary | None:
        """Return what a measure comes to for a system in a collection; None without a run there.

        Raises
        ------
        ParameterError
            For a name or measure that is not part of the suite, or no measure named of several.
        """
        evaluation = self._evaluation(collection)
        self._check(system)
        if system not in evaluation.systems:
            return None
        return evaluation.summary(measure, system)

    def value(
        self, system: str, collection: str, measure: Measure | str | None = None
    ) -> float | None:
        """Return the mean of a system in a collection; None without a run there."""
        summary = self.summary(system, collection, measure)
        return None if summary is None else summary.mean

    def per_query(
        self, system: str, collection: str, measure: Measure | str | None = None
    ) -> dict[str, float]:
        """Return a system's values by query in a collection; of a missing cell there are none."""
        evaluation = self._evaluation(collection)
        self._check(system)
        return evaluation.per_query(measure, system) if system in evaluation.systems else {}

    # --- over collections -----------------------------------------------------------------------

    def macro(self, system: str, measure: Measure | str | None = None) -> Macro | None:
        """Return the macro-average of a system; None if it lacks a run in one of the collections.

        Each of the collections `over` counts the same. `macro_average` has the formulas.
        """
        self._check(system)
        values, means = {}, []
        for name in self.over:
            summary = self.summary(system, name, measure)
            if summary is None or summary.n == 0:
                return None
            means.append(summary.mean)
            values[name] = self.per_query(system, name, measure)
        bounds = self.measure(measure).range(self.convention)
        weights = {name: own for name, own in self._weights.items() if name in values}
        return macro_average(values, means, weights, bounds=bounds)

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
        """Compare the systems over the collections together, and with baselines in each of them.

        Differences, intervals and tests are those of the macro-average: queries are flipped,
        permuted and drawn again within their collection, each of which counts the same. Systems
        that lack a run in one of the collections `over` are compared only with baselines, and only
        in the collections that they have a run in.

        Parameters
        ----------
        baseline : str or sequence of str, optional
            The system, or systems, that the others are compared with. Without it every pair is
            compared, over the collections together.
        margin, detect, alpha, tie_margin, family, correction, resamples, bootstrap, seed, threads
            As `gainful.compare` has them.

        Returns
        -------
        SuiteComparison

        Raises
        ------
        ParameterError
            For an unknown baseline, or a value out of range.
        MatchError
            Where two systems have no query in common in one of the collections.

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
        from gainful.comparison.choices import Choices
        from gainful.suite.comparison import compare_suite

        choices = Choices(
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
        self, collection: str, measure: Measure | str | None = None
    ) -> dict[str, float]:
        """Return the oracle's values by query: of the run that was named, or the best of all.

        Where no run was named, the oracle picks for each query the system that is best there. It is
        what a perfect choice among these systems comes to, and grows with their number.
        """
        return dict(self._oracle(collection, measure))

    def _oracle(self, collection: str, measure: Measure | str | None) -> dict[str, float]:
        evaluation, chosen = self._evaluation(collection), self.measure(measure)
        key = (collection, chosen)
        if key not in self._oracles:
            self._oracles[key] = (
                best_of_each_query(
                    evaluation.per_query(chosen, each) for each in evaluation.systems
                )
                if self.oracle is None
                else self.per_query(self.oracle, collection, chosen)
            )
        return self._oracles[key]

    def oracle_mean(self, collection: str, measure: Measure | str | None = None) -> float | None:
        """Return the oracle's mean in a collection; None where the run named for it is missing."""
        values = self._oracle(collection, measure)
        return mean_over(values, self._weights.get(collection)) if values else None

    def oracle_gap(
        self, system: str, collection: str | None = None, measure: Measure | str | None = None
    ) -> float | None:
        """Return how far a system's mean is from the oracle's: 0 or less, if that is the best.

        Over the queries that both have a value for. Without a collection, the mean of the gaps of
        the collections `over`; None where one of them is missing.
        """
        self._check(system)
        if collection is None:
            gaps = [self.oracle_gap(system, name, measure) for name in self.over]
            known = [gap for gap in gaps if gap is not None]
            return sum(known) / len(known) if len(known) == len(gaps) else None
        best = self._oracle(collection, measure)
        own = self.per_query(system, collection, measure)
        gaps_by_query = {query: own[query] - best[query] for query in own if query in best}
        if not gaps_by_query:
            return None
        return mean_over(gaps_by_query, self._weights.get(collection))

    # --- showing --------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, object]:
        """Return the suite as the JSON contract ``gainful.suite/1`` has it."""
        from gainful.suite.contract import suite_document

        return suite_document(self)

    def tables(self, columns: int = 100) -> list[TextTable]:
        """Return tables of text: for each measure the values, the differences and the gaps."""
        from gainful.suite.tables import tables

        return tables(self, columns)

    def _records(self, name: str) -> Records:
        from gainful.suite.records import cell_rows

        return as_records(*cell_rows(self))

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        systems, collections = len(self.systems), len(self.evaluations)
        return f"<Suite of {systems} systems on {collections} collections: {measures}>"

    # --- look-up --------------------------------------------------------------------------------

    def measure(self, measure: Measure | str | None = None) -> Measure:
        """Return a measure of the suite as it was asked for; the only one, where none is named.

        Raises
        ------
        ParameterError
            For a measure that is not part of the suite, or none named of several.
        """
        first = next(iter(self.evaluations.values()))
        return self.measures[first._measure(measure)]

    def _evaluation(self, collection: str) -> Evaluation:
        if collection not in self.evaluations:
            raise ParameterError(
                where="collection",
                found=repr(collection),
                expected=f"one of {', '.join(self.evaluations)}",
            )
        return self.evaluations[collection]

    def _check(self, system: str) -> None:
        if system not in self.systems and system != self.oracle:
            raise ParameterError(
                where="system", found=repr(system), expected=f"one of {', '.join(self.systems)}"
            )

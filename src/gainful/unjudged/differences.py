"""Differences between systems under labels of unjudged documents, and labels that settle them."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from gainful.evaluation.call import evaluate_runs
from gainful.unjudged.effects import load_effects
from gainful.unjudged.result import NEAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation import Evaluation
    from gainful.evaluation.call import LoadedInputs
    from gainful.measures import Measure
    from gainful.unjudged.effects import BoundedDifference, Effects
    from gainful.unjudged.result import ContestedPair

    #: A query, a document and a grade.
    Label = tuple[str, str, float]

__all__ = ["LabeledPair", "bound_differences", "count_settling"]


def bound_differences(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    couples: Sequence[tuple[str, str]],
    measure: Measure,
    convention: Convention,
    *,
    scale: Iterable[float] | None = None,
    threads: int | None = None,
) -> dict[tuple[str, str], dict[str, BoundedDifference]]:
    """Return the differences of pairs of systems by query, with bounds over all labels.

    The bounds of a query are exact if it has at most 1,024 labelings. Otherwise they combine the
    bounds of the two systems, and may be wider.
    """
    _, _, effects, _ = load_effects(
        *(qrels, runs, (measure,), convention),
        weights=None,
        depth=None,
        scale=scale,
        threads=threads,
        progress=None,
    )
    return {couple: effects.bounded_differences(*couple) for couple in couples}


def count_settling(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    contest: ContestedPair,
    evaluation: Evaluation,
    *,
    scale: Iterable[float] | None = None,
    threads: int | None = None,
) -> int | None:
    """Return a number of labels that could settle the order of two systems.

    Documents get the label that favors one system most, and the same for the other system. A binary
    search finds after how many of them no labels of the remaining documents can reverse the order.
    Other documents may need fewer, and less favorable labels need more.

    Examples
    --------
    >>> from gainful import find_unjudged
    >>> runs = {"new": {"q1": ["a"], "q2": ["c"]}, "old": {"q1": ["b"], "q2": ["d"]}}
    >>> qrels = {"q1": {"a": 1}, "q2": {"z": 1}}
    >>> unjudged = find_unjudged(qrels, runs, "P@1")
    >>> count_settling(qrels, runs, unjudged.contests[0], unjudged.evaluation)
    1
    """
    if contest.verdict == "settled":
        return 0
    system, baseline = contest.system, contest.baseline
    loaded, _, effects, _ = load_effects(
        *(qrels, {name: runs[name] for name in (system, baseline)}),
        *((evaluation.measures[0],), evaluation.convention),
        weights=None,
        depth=None,
        scale=scale,
        threads=threads,
        progress=None,
    )
    labeled = LabeledPair(loaded, effects, system, baseline, threads)
    least: int | None = None
    for sign in (1.0, -1.0):
        for labels in _orders(effects, system, baseline, sign):
            # Of interest is only what needs fewer labels.
            fewer = labels if least is None else labels[: least - 1]
            count = None if least == 0 else _count_least(labeled, fewer, sign)
            least = least if count is None else count
    return least


def _orders(
    effects: Effects, system: str, baseline: str, sign: float
) -> tuple[list[Label], list[Label]]:
    """Return the labels that favor a system, by their effect alone and query by query.

    The bounds of a query with few documents left are exact, so that it can take fewer labels to
    finish some queries than to label a few documents of each.
    """
    changes = sign * effects.changes(system, baseline)
    spans, weights = {}, {}
    for query, places in effects.places.items():
        low, high = effects.limits(system, baseline, query)
        weights[query] = (high - low) / (places.stop - places.start)
        for place in range(places.start, places.stop):
            grade = effects.grades[int(changes[place].argmax())]
            label = (query, effects.candidates[place][1], grade)
            spans[label] = float(changes[place].max() - changes[place].min())
    by_span = sorted(spans, key=lambda label: -spans[label])
    return by_span, sorted(by_span, key=lambda label: -weights[label[0]])


def _count_least(labeled: LabeledPair, labels: Sequence[Label], sign: float) -> int | None:
    """Return how many labels, the first ones, settle the order; None if all of them do not."""
    if not labeled.is_settled(labels, sign):
        return None
    counts = range(len(labels))
    return bisect_left(counts, True, key=lambda count: labeled.is_settled(labels[:count], sign))


class LabeledPair:
    """Two systems with labels for some of their unjudged documents."""

    def __init__(
        self,
        loaded: LoadedInputs,
        effects: Effects,
        system: str,
        baseline: str,
        threads: int | None,
    ) -> None:
        self._loaded = loaded
        self._effects = effects
        self._pair = system, baseline
        self._threads = threads
        self._queries = effects.common(system, baseline)
        #: The bounds of queries by their labels: a search tries the same ones several times.
        self._known: dict[tuple[str, frozenset[tuple[str, float]]], tuple[float, float]] = {}

    @cached_property
    def _ends(self) -> dict[str, tuple[float, float]]:
        return self._weighted(self._effects.bounded_differences(*self._pair))

    def difference(self, labels: Iterable[Label]) -> float:
        """Return the difference of the systems under the labels, without further ones."""
        by_query = self._by_query(labels)
        difference = self._effects.difference(*self._pair)
        if not by_query:
            return difference
        plain = self._effects.evaluation
        measure = plain.measures[0]
        labeled = evaluate_runs(
            *self._inputs(by_query), measure, plain.convention, threads=self._threads
        )
        changed = 0.0
        for sign, name in zip((1, -1), self._pair, strict=True):
            before = plain.values_by_text_id(measure, name)
            after = labeled.values_by_text_id(measure, name)
            changed += sign * sum(
                (value - before[query]) * self._effects.share(query, *self._pair)
                for query, value in after.items()
                if query in self._queries
            )
        return difference + changed

    def is_settled(self, labels: Iterable[Label], sign: float) -> bool:
        """Return whether the sign of the difference is the same under all further labels."""
        by_query = self._by_query(labels)
        keys = {query: (query, frozenset(by_query[query].items())) for query in by_query}
        new = {query: by_query[query] for query, key in keys.items() if key not in self._known}
        for query, bounds in self._bounds(new).items():
            self._known[keys[query]] = bounds
        ends = self._ends | {query: self._known[key] for query, key in keys.items()}
        if sign > 0:
            return sum(low for low, _ in ends.values()) >= -NEAR
        return sum(high for _, high in ends.values()) <= NEAR

    def _by_query(self, labels: Iterable[Label]) -> dict[str, dict[str, float]]:
        """Return the grades by query and document, of the queries that count for both systems."""
        by_query: dict[str, dict[str, float]] = {}
        for query, document, grade in labels:
            if query in self._queries:
                by_query.setdefault(query, {})[document] = grade
        return by_query

    def _inputs(
        self, labels: Mapping[str, Mapping[str, float]]
    ) -> tuple[dict[str, dict[str, float]], dict[str, Run]]:
        """Return the judgments with labels, and the runs, of the queries with labels."""
        qrels, runs = self._loaded.qrels, self._loaded.runs
        judged = {query: {**(qrels.get(query) or {}), **labels[query]} for query in labels}
        return judged, {
            name: runs[name].select([query for query in judged if query in runs[name]])
            for name in self._pair
        }

    def _bounds(self, labels: Mapping[str, Mapping[str, float]]) -> dict[str, tuple[float, float]]:
        """Return the bounds of queries with labels."""
        if not labels:
            return {}
        plain = self._effects.evaluation
        differences = bound_differences(
            *(*self._inputs(labels), [self._pair], plain.measures[0], plain.convention),
            scale=self._effects.grades,
            threads=self._threads,
        )
        return self._weighted(differences[self._pair])

    def _weighted(
        self, differences: Mapping[str, BoundedDifference]
    ) -> dict[str, tuple[float, float]]:
        """Return the bounds of the queries' shares of the mean difference."""
        shares = {query: self._effects.share(query, *self._pair) for query in differences}
        return {
            query: (bounded.low * shares[query], bounded.high * shares[query])
            for query, bounded in differences.items()
        }

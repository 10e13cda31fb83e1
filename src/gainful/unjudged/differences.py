"""Differences between systems under missing labels, and the labels that settle them."""

from __future__ import annotations

from typing import NamedTuple

from gainful.byte_order import in_byte_order
from gainful.unjudged.effects import load_effects
from gainful.unjudged.result import NEAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.evaluation.call import LoadedInputs
    from gainful.measures import Measure
    from gainful.unjudged.effects import Effects

__all__ = ["DifferenceBounds", "bound_differences", "count_settling"]


class DifferenceBounds(NamedTuple):
    """The differences of two systems by query, and their bounds over all labels.

    Attributes
    ----------
    queries : list of str
        The queries that count for both systems.
    differences, low, high : list of float
        The difference of each query with unjudged documents as not relevant, its lowest and its
        highest value over the labels of the unjudged documents of both systems.
    """

    queries: list[str]
    differences: list[float]
    low: list[float]
    high: list[float]


def bound_differences(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    couples: Sequence[tuple[str, str]],
    measure: Measure,
    convention: Convention,
    *,
    scale: Iterable[float] | None = None,
    threads: int | None = None,
) -> dict[tuple[str, str], DifferenceBounds]:
    """Return the differences of pairs of systems by query, with bounds over all labels.

    Parameters
    ----------
    qrels, runs, scale, threads
        As for `gainful.find_unjudged`.
    couples : sequence of (str, str)
        The pairs of systems.
    measure : Measure
        A measure with bounds.
    convention : Convention
        The policies.

    Returns
    -------
    dict of (str, str) to DifferenceBounds
        The bounds of a query are exact if it has at most 1,024 labelings. Otherwise they combine
        the bounds of the two systems, and may be wider.
    """
    _, _, effects, _ = load_effects(
        qrels,
        runs,
        (measure,),
        convention,
        weights=None,
        depth=None,
        scale=scale,
        threads=threads,
        progress=None,
    )
    values = {name: effects.evaluation.values_by_text_id(measure, name) for name in effects.systems}
    bounds = {}
    for system, other in couples:
        queries = in_byte_order(effects.common(system, other))
        differences = [values[system][query] - values[other][query] for query in queries]
        limits = [effects.limits(system, other, query) for query in queries]
        shares = [effects.share(query, system, other) for query in queries]
        low, high = (
            [
                difference + ends[side] / share
                for difference, ends, share in zip(differences, limits, shares, strict=True)
            ]
            for side in (0, 1)
        )
        bounds[system, other] = DifferenceBounds(queries, differences, low, high)
    return bounds


class _Label(NamedTuple):
    """The label of a document that favors one of two systems most.

    Attributes
    ----------
    query, document : str
        The document.
    grade : float
        Its most favorable grade.
    span : float
        How far the labels of this document alone can change the difference.
    """

    query: str
    document: str
    grade: float
    span: float


def count_settling(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    system: str,
    baseline: str,
    measure: Measure,
    convention: Convention,
    *,
    scale: Iterable[float] | None = None,
    threads: int | None = None,
) -> int | None:
    """Return a number of labels that could settle the order of two systems.

    Documents get the label that favors one system most, and the same for the other system. A binary
    search finds after how many of them no labels of the remaining documents can reverse the order.
    Other documents may need fewer, and less favorable labels need more.

    Parameters
    ----------
    qrels, runs, scale, threads
        As for `gainful.find_unjudged`.
    system, baseline : str
        The two systems.
    measure : Measure
        A measure with bounds.
    convention : Convention
        The policies.

    Returns
    -------
    int or None
        The number, at least 1 if the order is open; None without unjudged documents.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> from gainful.measures import parse_measure
    >>> runs = {"new": {"q1": ["a"], "q2": ["c"]}, "old": {"q1": ["b"], "q2": ["d"]}}
    >>> qrels = {"q1": {"a": 1}, "q2": {"z": 1}}
    >>> count_settling(qrels, runs, "new", "old", parse_measure("P@1"), get("gainful-1"))
    1
    """
    pair = {name: runs[name] for name in (system, baseline)}
    loaded, _, effects, _ = load_effects(
        *(qrels, pair, (measure,), convention),
        weights=None,
        depth=None,
        scale=scale,
        threads=threads,
        progress=None,
    )
    labeled = _LabeledBounds(loaded, effects, system, baseline, threads)
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
) -> tuple[list[_Label], list[_Label]]:
    """Return the labels that favor a system by their span, and query by query.

    The bounds of a query with few documents left are exact, so that it can take fewer labels to
    finish some queries than to label a few documents of each.
    """
    changes = sign * effects.changes(system, baseline)
    labels, weights = [], {}
    for query, places in effects.places.items():
        low, high = effects.limits(system, baseline, query)
        weights[query] = (high - low) / (places.stop - places.start)
        for place in range(places.start, places.stop):
            best = int(changes[place].argmax())
            span = float(changes[place].max() - changes[place].min())
            document = effects.candidates[place][1]
            labels.append(_Label(query, document, effects.grades[best], span))
    by_span = sorted(labels, key=lambda label: -label.span)
    return by_span, sorted(by_span, key=lambda span: -weights[span.query])


def _count_least(labeled: _LabeledBounds, labels: Sequence[_Label], sign: float) -> int | None:
    """Return how many labels, the first ones, settle the order; None if all of them do not."""
    if not labeled.is_settled(labels, sign):
        return None
    least, most = 0, len(labels)
    while least < most:
        middle = (least + most) // 2
        if labeled.is_settled(labels[:middle], sign):
            most = middle
        else:
            least = middle + 1
    return most


class _LabeledBounds:
    """Bound the difference of two systems with some labels, over all further labels."""

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
        #: The bounds of queries by their labels: a search tries the same ones several times.
        self._known: dict[tuple[str, frozenset[tuple[str, float]]], tuple[float, float]] = {}
        self._queries = effects.common(system, baseline)
        evaluation = effects.evaluation
        first, other = (
            evaluation.values_by_text_id(evaluation.measures[0], name) for name in self._pair
        )
        self._ends = {
            query: tuple((first[query] - other[query]) * share + end for end in limits)
            for query in self._queries
            for share in (effects.share(query, *self._pair),)
            for limits in (effects.limits(*self._pair, query),)
        }

    def is_settled(self, labels: Sequence[_Label], sign: float) -> bool:
        """Return whether the sign of the difference is the same under all further labels."""
        ends = {**self._ends, **self._with(labels)}
        if sign > 0:
            return sum(low for low, _ in ends.values()) >= -NEAR
        return sum(high for _, high in ends.values()) <= NEAR

    def _with(self, labels: Sequence[_Label]) -> dict[str, tuple[float, float]]:
        """Return the bounds of the queries with labels."""
        labels_given: dict[str, dict[str, float]] = {}
        for query, document, grade, _ in labels:
            if query in self._queries:
                labels_given.setdefault(query, {})[document] = grade
        keys = {query: (query, frozenset(labels.items())) for query, labels in labels_given.items()}
        new = {query: labels_given[query] for query, key in keys.items() if key not in self._known}
        for query, ends in self._bounds(new).items():
            self._known[keys[query]] = ends
        return {query: self._known[key] for query, key in keys.items()}

    def _bounds(self, given: Mapping[str, Mapping[str, float]]) -> dict[str, tuple[float, float]]:
        """Return the bounds of queries with labels, by query and document."""
        if not given:
            return {}
        qrels = self._loaded.qrels
        judged = {
            query: {**dict(qrels.get(query) or {}), **labels} for query, labels in given.items()
        }
        evaluation = self._effects.evaluation
        runs = {
            name: run.select([query for query in judged if query in run])
            for name, run in self._loaded.runs.items()
        }
        differences = bound_differences(
            *(judged, runs, [self._pair], evaluation.measures[0], evaluation.convention),
            scale=self._effects.grades,
            threads=self._threads,
        )[self._pair]
        ends = {}
        for query, low, high in zip(
            differences.queries, differences.low, differences.high, strict=True
        ):
            share = self._effects.share(query, *self._pair)
            ends[query] = low * share, high * share
        return ends

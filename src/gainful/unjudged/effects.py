"""The effects of labels on measures, and the rows that they are computed from."""

from __future__ import annotations

from copy import copy
from itertools import product
from math import fsum
from typing import NamedTuple

from gainful import _kernel
from gainful.byte_order import in_byte_order
from gainful.conventions import Convention
from gainful.data import Qrels
from gainful.data.table import kernel_rows
from gainful.errors import ConventionError, GainfulError
from gainful.evaluation.arguments import add_convention_context
from gainful.evaluation.call import LoadedInputs, evaluate_runs
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from numpy.typing import NDArray

    from gainful.data import Run
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure

    Floats = NDArray[Any]

__all__ = ["BoundedDifference", "Effects", "load_effects"]


#: Ideals that depend on the run.
_OF_RUN = ("list", "list-cut", "judged-to-depth")


class _Changes(NamedTuple):
    """The changes of a value by labels: the extremes, and all, unless there are too many."""

    low: float
    high: float
    joint: Floats | None


class BoundedDifference(NamedTuple):
    """The difference of two systems for a query without labels, and its bounds over all labels."""

    value: float
    low: float
    high: float


class Effects:
    """The effects of labels on all systems, one at a time and combined.

    Attributes
    ----------
    systems : tuple of str
        The names of the systems.
    evaluation : Evaluation
        The evaluation without labels.
    candidates : list of (str, str, dict)
        Query, document, and its rank in each system.
    places : dict of str to slice
        The slice of `candidates` of each query.
    grades : tuple of float
        The possible labels.
    absent : str or None
        A query with candidates that does not count without labels.

    Parameters
    ----------
    filled : Qrels, optional
        The judgments with the most useful grade for all unjudged documents of the runs that are no
        candidates and that affect the ideal alone. By default there are none.
    depth : int, optional
        The depth of the candidates, if unjudged documents below it affect more than the ideal.
    """

    def __init__(
        self,
        qrels: Qrels,
        runs: Mapping[str, Run],
        evaluation: Evaluation,
        ranks: Mapping[str, Mapping[str, dict[str, int]]],
        threads: int | None,
        weights: Mapping[str, float] | None = None,
        *,
        filled: Qrels | None = None,
        depth: int | None = None,
    ) -> None:
        self.depth = depth
        self.systems = tuple(runs)
        self.evaluation = evaluation
        self.grades = evaluation.scale or ()
        self.absent: str | None = None
        self.candidates = [
            (query, document, place)
            for query, documents in ranks.items()
            for document, place in documents.items()
        ]
        self.places: dict[str, slice] = {}
        first = 0
        for query, documents in ranks.items():
            self.places[query] = slice(first, first + len(documents))
            first += len(documents)
        self._counted = {
            name: frozenset(
                query
                for query, value in evaluation.values_by_text_id(
                    evaluation.measures[0], name
                ).items()
                if value == value
            )
            for name in runs
        }
        self._weights = weights
        self._whole = True
        self._common: dict[tuple[str, str | None], tuple[frozenset[str], float]] = {}
        self._bounds: dict[str, dict[str, tuple[float, float]]] = {}
        self._changes: dict[str, Floats] = {}
        #: By system and query, without and with labels of all documents below the depth.
        self._outcomes: dict[str, dict[str, list[_Changes]]] = {}
        candidates = [(query, list(documents)) for query, documents in ranks.items()]
        for name, run in runs.items():
            self._compute(name, qrels, filled, run, candidates, threads)

    def _compute(
        self,
        name: str,
        qrels: Qrels,
        filled: Qrels | None,
        run: Run,
        candidates: list[tuple[str, list[str]]],
        threads: int | None,
    ) -> None:
        import numpy as np

        measure, policies = self.evaluation.measures[0], self.evaluation.convention
        kernel = (
            repr(measure),
            *measure.spec(policies, lambda: [*kernel_rows(qrels).grades(), *self.grades]),
        )
        changes = np.zeros((len(self.candidates), len(self.grades)))
        bounds: dict[str, tuple[float, float]] = {}
        outcomes: dict[str, list[_Changes]] = {}
        plain: dict[str, float] = {}
        for judgments in (qrels, *([] if filled is None else [filled])):
            rows = _kernel.label_effects(
                *(kernel_rows(judgments), kernel_rows(run), policies.spec(), kernel, candidates),
                list(self.grades),
                threads=thread_count(threads),
            )
            for query, value, ends, values, every in rows:
                if judgments is qrels:
                    plain[query] = value
                    if value == value:
                        bounds[query] = ends
                    elif values:
                        self.absent = query
                    if values:
                        alone = np.array(values).reshape(-1, len(self.grades))
                        changes[self.places[query]] = alone - value
                low, high = (end - plain[query] for end in (ends if values else (value, value)))
                joint = np.array(every or [value]) - plain[query] if every or not values else None
                outcomes.setdefault(query, []).append(_Changes(low, high, joint))
        self._changes[name], self._outcomes[name], self._bounds[name] = changes, outcomes, bounds

    def within(self, queries: Iterable[str]) -> Effects:
        """Return the effects on the means over some queries, of the systems that have any."""
        part = copy(self)
        chosen = frozenset(queries)
        part._whole, part._common = False, {}
        part._counted = {name: counted & chosen for name, counted in self._counted.items()}
        part.systems = tuple(name for name in self.systems if part._total(name, None))
        part.places = {query: place for query, place in self.places.items() if query in chosen}
        return part

    def bounds(self, system: str) -> tuple[float, float]:
        """Return the lowest and highest mean or sum over the labels of all candidates."""
        low = high = 0.0
        for query, ends in self._bounds[system].items():
            if query in self._counted[system]:
                share = self.share(query, system)
                low += ends[0] * share
                high += ends[1] * share
        return low, high

    def count(self, system: str) -> int:
        """Return the number of queries that count for a system."""
        return len(self._counted[system])

    def queries(self) -> list[str]:
        """Return the queries that count for any system, in byte order."""
        return in_byte_order(set().union(*self._counted.values()))

    def common(self, system: str, other: str | None) -> frozenset[str]:
        """Return the queries that count for both systems."""
        return self._common_queries(system, other)[0]

    def _total(self, system: str, other: str | None) -> float:
        return self._common_queries(system, other)[1]

    def _common_queries(self, system: str, other: str | None) -> tuple[frozenset[str], float]:
        """Return the queries that count for both systems, and their total weight."""
        if (system, other) not in self._common:
            common = self._counted[system]
            if other is not None:
                common &= self._counted[other]
            weights = self._weights
            total = len(common) if weights is None else fsum(weights[query] for query in common)
            self._common[system, other] = (common, total)
        return self._common[system, other]

    def share(self, query: str, system: str, other: str | None = None) -> float:
        """Return the factor of a query's value in a mean, a difference or a sum."""
        if self.evaluation.measures[0].aggregate == "sum":
            return 1.0
        weight = 1.0 if self._weights is None else self._weights[query]
        total = self._total(system, other)
        return weight / total if total else 0.0

    def difference(self, system: str, other: str) -> float:
        """Return the difference of two systems over the queries that count for both."""
        common = self.common(system, other)
        if common == self._counted[system] == self._counted[other]:
            return self.value(system) - self.value(other)
        return sum(
            value * self.share(query, system, other)
            for query, value in self._differences(system, other).items()
        )

    def _differences(self, system: str, other: str) -> dict[str, float]:
        """Return the differences of the queries that count for both systems, in byte order."""
        first, others = (
            self.evaluation.values_by_text_id(self.evaluation.measures[0], name)
            for name in (system, other)
        )
        common = in_byte_order(self.common(system, other))
        return {query: first[query] - others[query] for query in common}

    def value(self, system: str) -> float:
        """Return the mean or sum of a system without labels."""
        measure = self.evaluation.measures[0]
        if self._whole:
            return self.evaluation.summary(measure, system).value
        values = self.evaluation.values_by_text_id(measure, system)
        return sum(
            values[query] * self.share(query, system)
            for query in in_byte_order(self._counted[system])
        )

    def changes(self, system: str, other: str | None) -> Floats:
        """Return the change of a difference, or a mean, by each label of each candidate."""
        system_changes = self._changes[system]
        changes: Floats = (
            system_changes.copy() if other is None else system_changes - self._changes[other]
        )
        common = self.common(system, other)
        for query, places in self.places.items():
            changes[places] *= self.share(query, system, other) if query in common else 0.0
        return changes

    def impacts(self, system: str, other: str | None) -> Floats:
        """Return the range of changes of a difference, or a mean, by each candidate."""
        changes = self.changes(system, other)
        ranges: Floats = changes.max(axis=1) - changes.min(axis=1)
        return ranges

    def joint_changes(self, system: str, other: str, query: str) -> Floats | None:
        """Return the change of a difference by each labeling; None if there are too many."""
        if query not in self.common(system, other):
            return None
        first, others = (self._outcomes[name][query][0].joint for name in (system, other))
        if first is None or others is None:
            return None
        joint_changes: Floats = (first - others) * self.share(query, system, other)
        return joint_changes

    def limits(self, system: str, other: str, query: str) -> tuple[float, float]:
        """Return bounds of the change of a mean difference over all labelings of a query."""
        if query not in self.common(system, other):
            return 0.0, 0.0
        share = self.share(query, system, other)
        low, high = self._change_bounds(system, other, query)
        return low * share, high * share

    def _change_bounds(self, system: str, other: str, query: str) -> tuple[float, float]:
        """Return bounds of the change of a query's difference over all its labelings.

        If there are too many labelings, they combine the extremes of both systems. Documents below
        the depth act through the ideal alone. A difference of values with one ideal is extreme if
        none or all of them have the highest gain; each system can have an ideal of its own.
        """
        outcomes = self._outcomes[system][query], self._outcomes[other][query]
        ideal = self.evaluation.resolved[0].params.get("ideal")
        pairs = product(*outcomes) if ideal in _OF_RUN else zip(*outcomes, strict=True)
        lows, highs = zip(*(_difference(*pair) for pair in pairs), strict=True)
        return min(lows), max(highs)

    def bounded_differences(self, system: str, other: str) -> dict[str, BoundedDifference]:
        """Return the differences of the queries that count for both systems, in byte order."""
        return {
            query: BoundedDifference(value, value + low, value + high)
            for query, value in self._differences(system, other).items()
            for low, high in [self._change_bounds(system, other, query)]
        }

    def count_labels(self, query: str) -> NDArray[Any]:
        """Return the number of labels other than grade 0 of each labeling of a query."""
        import numpy as np

        is_relevant = np.array([grade != 0 for grade in self.grades], np.intp)
        counts = np.zeros(1, np.intp)
        for _ in self.candidates[self.places[query]]:
            counts = (counts[:, None] + is_relevant).ravel()
        return counts

    def labels(self, query: str, labeling: int) -> list[tuple[str, str, float]]:
        """Return the labels of a labeling, given by its index, without labels of grade 0."""
        labels_drawn = []
        for document in reversed(self.candidates[self.places[query]]):
            labeling, grade = divmod(labeling, len(self.grades))
            if self.grades[grade] != 0:
                labels_drawn.append((query, document[1], self.grades[grade]))
        return labels_drawn[::-1]


def _difference(changes: _Changes, others: _Changes) -> tuple[float, float]:
    """Return the extremes of the difference of two changes."""
    if changes.joint is None or others.joint is None:
        return changes.low - others.high, changes.high - others.low
    joint = changes.joint - others.joint
    return float(joint.min()), float(joint.max())


#: Default depth for a measure without a cutoff.
DEPTH = 100


def load_effects(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    measures: tuple[Measure],
    policies: Convention,
    *,
    weights: Mapping[str, float] | None,
    depth: int | None,
    scale: Iterable[float] | None,
    threads: int | None,
    progress: Callable[[int, int], object] | None,
) -> tuple[LoadedInputs, Evaluation, Effects, int]:
    """Return the inputs, their evaluation with bounds, the effects of labels, and the depth."""
    try:
        loaded = LoadedInputs(
            qrels, None, runs, measures, [policies], threads=threads, progress=progress
        )
        bounded = evaluate_runs(
            *(loaded.qrels, loaded.runs, measures, policies),
            weights=weights,
            bounds="cutoff",
            scale=scale,
            threads=threads,
        )
        depth = depth or bounded.resolved[0].cutoff or DEPTH
        ranks = _find_ranks(loaded.qrels, loaded.runs, policies, depth, threads)
        # The summaries refuse queries without a weight.
        for system in bounded.systems:
            bounded.summary(measures[0], system)
        below = _fill_below(loaded, bounded, ranks, threads)
        cutoff = bounded.resolved[0].cutoff
        affects_ideal_alone = cutoff is not None and depth >= cutoff
        effects = Effects(
            *(loaded.qrels, loaded.runs, bounded, ranks, threads, weights),
            filled=below if affects_ideal_alone else None,
            depth=depth if below and not affects_ideal_alone else None,
        )
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    _check_means(effects, policies)
    return loaded, bounded, effects, depth


def _find_ranks(
    qrels: object,
    runs: Mapping[str, Run],
    policies: Convention,
    depth: int | None,
    threads: int | None,
) -> dict[str, dict[str, dict[str, int]]]:
    """Return the ranks of unjudged documents by query, document and system."""
    ranks: dict[str, dict[str, dict[str, int]]] = {}
    for name, run in runs.items():
        rows = _kernel.unjudged_documents(
            kernel_rows(qrels),
            kernel_rows(run),
            policies.spec(),
            depth,
            threads=thread_count(threads),
        )
        for query, documents in rows:
            for document, rank in documents:
                ranks.setdefault(query, {}).setdefault(document, {})[name] = rank
    return ranks


def _fill_below(
    loaded: LoadedInputs,
    evaluation: Evaluation,
    ranks: Mapping[str, Mapping[str, object]],
    threads: int | None,
) -> Qrels | None:
    """Return the judgments with the highest gain for all unjudged documents below the depth."""
    resolved = evaluation.resolved[0]
    gain = resolved.params.get("gain")
    pairs = gain if isinstance(gain, tuple) else ()
    gains = {pair[0]: pair[1] for pair in pairs if isinstance(pair, tuple)}
    best = max(evaluation.scale or (0.0,), key=lambda grade: gains.get(grade, grade))
    unjudged = _find_ranks(loaded.qrels, loaded.runs, evaluation.convention, None, threads)
    below = {
        query: dict.fromkeys(documents.keys() - ranks.get(query, {}).keys(), best)
        for query, documents in unjudged.items()
    }
    filled = {query: {**loaded.qrels[query], **labels} for query, labels in below.items() if labels}
    return Qrels(filled) if filled else None


def _check_means(effects: Effects, policies: Convention) -> None:
    """Reject undefined means, and queries that count only under some labels."""
    for system in effects.systems:
        if effects.value(system) != effects.value(system):
            raise ConventionError(
                where=system,
                found=f"a mean of NaN, with no_relevant={policies.no_relevant}",
                expected="a convention under which the mean is defined",
                hint="set no_relevant=0 or no_relevant=skip",
            )
    query = effects.absent
    if query is None:
        return
    raise ConventionError(
        where=f"query {query!r}",
        found=f"no relevant documents with no_relevant={policies.no_relevant}, but unjudged ones",
        expected="a convention under which the query counts",
        hint="whether it counts would depend on the labels; set no_relevant=0",
    )

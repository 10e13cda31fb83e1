"""Check whether labels of unjudged documents could reverse the order of two systems."""

from __future__ import annotations

from itertools import pairwise

from gainful.evaluation.call import evaluate_runs
from gainful.records import Interval
from gainful.unjudged.result import NEAR, Contest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.data import Qrels, Run
    from gainful.unjudged.effects import Effects

    #: The change of a difference by some labels, and the labels: query, document and grade.
    LabelChange = tuple[float, list[tuple[str, str, float]]]

__all__ = ["check_reversal", "list_pairs"]


def list_pairs(effects: Effects, baseline: str | None) -> list[tuple[str, str]]:
    """Return the pairs: all vs. the baseline, or each vs. the next by mean."""
    if baseline is not None:
        if baseline not in effects.systems:
            return []
        return [(system, baseline) for system in effects.systems if system != baseline]
    return list(pairwise(sorted(effects.systems, key=effects.value, reverse=True)))


def check_reversal(
    qrels: Qrels,
    runs: Mapping[str, Run],
    effects: Effects,
    system: str,
    baseline: str,
    threads: int | None,
) -> Contest:
    """Search for labels that reverse the order of two systems.

    A query with few labelings gets the most adverse one. In other queries, each document gets the
    label that is most adverse on its own. The systems are evaluated with all these labels. A binary
    search then finds how many of them, the most effective first, reverse the order. If all queries
    have few labelings, the minimum number is computed instead.
    """
    difference = effects.difference(system, baseline)
    limits = [effects.limits(system, baseline, query) for query in effects.queries()]
    low, high = (difference + sum(ends[side] for ends in limits) for side in (0, 1))
    sign = -1.0 if difference < 0 else 1.0
    changes = _list_changes(effects, system, baseline, sign)
    labeled = _LabeledRuns(
        qrels, {system: runs[system], baseline: runs[baseline]}, effects, difference, threads
    )
    found = labeled.difference(changes)
    labels, is_minimum = None, False
    if sign * found < -NEAR:
        least, most = 1, len(changes)
        while least < most:
            middle = (least + most) // 2
            if sign * labeled.difference(changes[:middle]) < -NEAR:
                most = middle
            else:
                least = middle + 1
        labels = sum(len(own) for _, own in changes[:most])
        fewest = _count_fewest(effects, system, baseline, labels)
        labels, is_minimum = (labels, labels == 1) if fewest is None else (fewest, True)
    return Contest(
        system=system,
        baseline=baseline,
        difference=difference,
        interval=Interval(low, high),
        worst=found,
        labels=labels,
        is_minimum=is_minimum,
        depth=effects.depth,
    )


def _count_fewest(effects: Effects, system: str, baseline: str, most: int) -> int | None:
    """Return the minimum number of labels that reverse the order; None if unknown.

    It is known if all labelings of each query are enumerated. Then the most adverse change by at
    most n labels of one query is known, and that by at most n labels of all queries follows by
    adding queries one at a time.

    Parameters
    ----------
    most : int
        A number of labels that reverse the order.
    """
    import numpy as np

    difference = effects.difference(system, baseline)
    sign = -1.0 if difference < 0 else 1.0
    # By number of labels, the lowest difference.
    lowest = np.full(most + 1, abs(difference))
    for query in effects.places:
        every = effects.joint_changes(system, baseline, query)
        if every is None:
            if query in effects.common(system, baseline):
                return None
            continue
        counts = effects.count_labels(query)
        own = np.zeros(counts.max() + 1)
        np.minimum.at(own, counts, sign * every)
        own = np.minimum.accumulate(own)
        before = lowest.copy()
        for number in range(1, min(len(own), most + 1)):
            lowest[number:] = np.minimum(lowest[number:], before[:-number] + own[number])
    reversing = np.flatnonzero(lowest < -NEAR)
    return int(reversing[0]) if len(reversing) else None


def _list_changes(effects: Effects, system: str, baseline: str, sign: float) -> list[LabelChange]:
    """Return the labels that change the difference adversely, most effective first."""
    alone = sign * effects.changes(system, baseline)
    changes: list[LabelChange] = []
    for query, places in effects.places.items():
        every = effects.joint_changes(system, baseline, query)
        if every is not None:
            best = int((sign * every).argmin())
            changes.append((float(sign * every[best]), effects.labels(query, best)))
            continue
        for place in range(places.start, places.stop):
            best = int(alone[place].argmin())
            label = (query, effects.candidates[place][1], effects.grades[best])
            changes.append((float(alone[place, best]), [label]))
    return sorted((each for each in changes if each[0] < 0), key=lambda each: each[0])


class _LabeledRuns:
    """Evaluate two systems with labels, on the queries with labels."""

    def __init__(
        self,
        qrels: Qrels,
        runs: Mapping[str, Run],
        effects: Effects,
        difference: float,
        threads: int | None,
    ) -> None:
        self._qrels = qrels
        self._runs = runs
        self._evaluation = effects.evaluation
        self._common = effects.common(*runs)
        self._shares = {query: effects.share(query, *runs) for query in self._common}
        self._difference = difference
        self._threads = threads

    def difference(self, changes: Sequence[LabelChange]) -> float:
        """Return the difference of the systems under the labels of some changes."""
        judged: dict[str, dict[str, float]] = {}
        for _, labels in changes:
            for query, document, grade in labels:
                judged.setdefault(query, dict(self._qrels[query]))[document] = grade
        if not judged:
            return self._difference
        measure = self._evaluation.measures[0]
        runs = {
            name: run.select([query for query in judged if query in run])
            for name, run in self._runs.items()
        }
        own = evaluate_runs(
            judged, runs, measure, self._evaluation.convention, threads=self._threads
        )
        changed = 0.0
        for sign, name in zip((1, -1), runs, strict=True):
            plain, new = self._evaluation._values(measure, name), own._values(measure, name)
            changed += sign * sum(
                (new[query] - plain[query]) * self._shares[query]
                for query in new
                if query in self._common
            )
        return self._difference + changed

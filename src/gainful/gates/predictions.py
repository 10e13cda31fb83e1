"""Estimate the differences of a gate from the judgments of people and of a model."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter

from gainful.errors import MatchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from gainful.data import Run
    from gainful.evaluation.predicted import TwoPhaseSample
    from gainful.gates.pairing import Paired, Values
    from gainful.gates.snapshot import Snapshot
    from gainful.inference.prediction_powered import PredictedMean

__all__ = ["Predictions"]


class Predictions:
    """The values of a model for a run and for the rankings of snapshots."""

    def __init__(
        self,
        sample: TwoPhaseSample,
        measure_run: Callable[[Run], Values],
        run: Run,
        weights: Mapping[str, float] | None,
        clusters: Mapping[str, Hashable] | None,
    ) -> None:
        self.sample, self._measure_run = sample, measure_run
        self._after = measure_run(run)
        self._before: dict[int, Values] = {}
        self._weights, self._clusters = weights, clusters

    def estimate(self, at: int, paired: Paired, reference: Snapshot) -> PredictedMean:
        """Estimate the difference between the run and a snapshot in one measure."""
        absent = sum(query not in reference.queries for query in self.sample.queries)
        if absent:
            raise MatchError(
                f"the snapshot has no rankings for {absent:,} queries of the predictions",
                where="predicted",
                hint="save the snapshot with the judgments of the model",
            )
        if id(reference) not in self._before:
            self._before[id(reference)] = self._measure_run(reference.ranking())
        before = self._before[id(reference)]
        people = paired.values
        model = {
            query: (before[query][at] or 0.0, row[at] or 0.0)
            for query, row in self._after.items()
            if query in before
        }

        def estimate(value: Callable[[tuple[float, float]], float]) -> PredictedMean:
            return self.sample.estimate(
                {query: value(pair) for query, pair in people.items()},
                {query: value(pair) for query, pair in model.items()},
                self._weights,
                self._clusters,
            )

        found = estimate(lambda pair: pair[1] - pair[0])
        means = estimate(itemgetter(0)), estimate(itemgetter(1))
        # A sample of easy queries may have the usual differences. By Bonferroni.
        p_random = min(1.0, 3 * min(each.p_random for each in (found, *means)))
        return replace(found, p_random=p_random)

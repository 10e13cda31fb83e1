"""Estimate the differences of a gate from the judgments of people and of a model."""

from __future__ import annotations

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
        people = {query: new - old for query, (old, new) in paired.values.items()}
        model = {
            query: (row[at] or 0.0) - (before[query][at] or 0.0)
            for query, row in self._after.items()
            if query in before
        }
        return self.sample.estimate(people, model, self._weights, self._clusters)

"""Compare systems under the labels that are least favorable to each verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from gainful.comparison import compare
from gainful.data.coercion import as_qrels, as_run
from gainful.data.named_runs import runs_by_name
from gainful.errors import ParameterError
from gainful.inference import holm, randomization_test
from gainful.pooling.comparison_tables import least_favorable_table
from gainful.pooling.orders import ADAPTIVE
from gainful.pooling.origins import origin_of
from gainful.results import Records, Result, as_records
from gainful.unjudged.differences import bound_differences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Any

    from gainful.comparison import Comparison
    from gainful.comparison.choices import Choices
    from gainful.data import Run
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.formats.table import Table
    from gainful.pooling.result import Pool
    from gainful.unjudged.differences import DifferenceBounds

__all__ = ["LeastFavorable", "PooledComparison", "bound_comparison", "compare_pooled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastFavorable:
    """A pair of systems under the labels that are least favorable to their difference.

    Attributes
    ----------
    system, baseline, measure : str
        The pair and the measure.
    difference : float
        The mean difference with unjudged documents as not relevant.
    least_difference : float
        The mean difference nearest to 0, or beyond it, over all labels of unjudged documents.
    p : float
        The p-value under these labels, corrected by Holm over the pairs of the measure; 1 if labels
        could reverse the order. No labels give a larger p before the correction.
    is_settled : bool
        Whether the difference is significant under all labels.
    is_built_for : bool or None
        Whether the pool was built with both systems; None if its systems are not known.
    """

    system: str
    baseline: str
    measure: str
    difference: float
    least_difference: float
    p: float
    is_settled: bool
    is_built_for: bool | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PooledComparison(Result):
    """A comparison on judgments of a pool, with the least favorable labels.

    Attributes
    ----------
    comparison : Comparison
        The comparison with unjudged documents as the convention says.
    strategy : str
        The strategy of the pool.
    pooled : tuple of str or None
        The systems that were pooled; None if they are not known.
    pairs : tuple of LeastFavorable
        The pairs under the least favorable labels, measure by measure.
    """

    RECORDS = {"pairs": None}

    comparison: Comparison
    strategy: str
    pooled: tuple[str, ...] | None
    pairs: tuple[LeastFavorable, ...]

    @property
    def is_adaptive(self) -> bool:
        """Whether the strategy chose documents by the judgments of earlier ones."""
        return self.strategy in ADAPTIVE

    @property
    def not_pooled(self) -> tuple[str, ...]:
        """The compared systems that the pool was not built for."""
        if self.pooled is None:
            return ()
        return tuple(each for each in self.comparison.systems if each not in self.pooled)

    def tables(self, *, comparison: Sequence[Table] | None = None) -> list[Table]:
        """Return the tables of the comparison, and one of the least favorable labels."""
        own = self.comparison.tables() if comparison is None else comparison
        return [*own, least_favorable_table(self)]

    def to_dict(self) -> dict[str, object]:
        """Return the result as the JSON contract ``gainful.pooled-comparison/1``."""
        return {
            "schema": "gainful.pooled-comparison/1",
            "strategy": self.strategy,
            "is_adaptive": self.is_adaptive,
            "pooled": None if self.pooled is None else list(self.pooled),
            "not_pooled": list(self.not_pooled),
            "pairs": [asdict(each) for each in self.pairs],
            "comparison": self.comparison.to_dict(),
        }

    def _records(self, name: str) -> Records:
        columns = tuple(LeastFavorable.__dataclass_fields__)
        rows = [[getattr(each, column) for column in columns] for each in self.pairs]
        return as_records(columns, rows)

    def __repr__(self) -> str:
        return f"<PooledComparison {self.strategy!r} of {', '.join(self.comparison.systems)}>"


def compare_pooled(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike] | Sequence[str | PathLike[str] | Run],
    pool: str | PathLike[str] | Pool,
    measures: Any = None,
    *,
    scale: Iterable[float] | None = None,
    **options: Any,
) -> PooledComparison:
    """Compare systems on judgments of a pool, also under the least favorable labels.

    Parameters
    ----------
    qrels, runs, measures
        As for `gainful.compare`. The measures need bounds.
    pool : path or Pool
        The pool that was judged.
    scale : iterable of float, optional
        The possible grades of unjudged documents. Default: 0 and the grades of the judgments.
    **options
        Other arguments of `gainful.compare`, without `weights` and `clusters`.

    Returns
    -------
    PooledComparison
        The comparison, and the p-value of each pair under the least favorable labels.

    Raises
    ------
    FormatError
        For a file that is not a pool.
    MeasureError
        For a measure without bounds.
    GainfulError
        As for `gainful.compare`.

    Notes
    -----
    In each query, the unjudged documents of both systems get the labels that move the difference
    farthest toward the other side. The p-value of the two-sided randomization test of a positive
    mean decreases in the difference of each query, so no other labels have a larger one.

    Judgments that an adaptive strategy chose favor the systems that it was built for. A comparison
    with another system is biased against it.

    Examples
    --------
    >>> from gainful.pooling import compare_pooled
    >>> import gainful
    >>> runs = ["bm25.run", "dense.run"]
    >>> pool = gainful.pool(runs, "mtc", judged="qrels.txt")
    >>> found = compare_pooled("qrels.txt", runs, pool, "nDCG@10")
    >>> found.pairs[0].is_settled, found.not_pooled
    (False, ())
    """
    judged = as_qrels(qrels)
    named = {
        name: as_run(run, duplicates="count", name=name) for name, run in runs_by_name(runs).items()
    }
    return bound_comparison(compare(judged, named, measures, **options), judged, named, pool, scale)


def bound_comparison(
    comparison: Comparison,
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    pool: str | PathLike[str] | Pool,
    scale: Iterable[float] | None = None,
) -> PooledComparison:
    """Add the least favorable labels to a comparison of runs on judgments of a pool.

    Parameters
    ----------
    comparison : Comparison
        The comparison, without weights and clusters.
    qrels, runs
        What was compared.
    pool, scale
        As for `compare_pooled`.

    Raises
    ------
    ParameterError
        For a comparison with weights or clusters.
    """
    if comparison.scores.weights is not None or comparison.cluster is not None:
        raise ParameterError(
            "it has no least favorable labels with weights or clusters", where="pool"
        )
    origin = origin_of(pool)
    choices = comparison.choices
    possible = None if scale is None else list(scale)
    pairs: list[LeastFavorable] = []
    for measure in comparison.measures:
        own = [pair for pair in comparison.pairs if pair.measure == repr(measure)]
        bounds = bound_differences(
            qrels,
            runs,
            [(pair.system, pair.baseline) for pair in own],
            measure,
            comparison.convention,
            scale=possible,
            threads=choices.threads,
        )
        least = [_least(bounds[pair.system, pair.baseline], choices) for pair in own]
        corrected = holm([alone for _, _, alone in least])
        for pair, (difference, lowest, _), p in zip(own, least, corrected, strict=True):
            both = {pair.system, pair.baseline}
            pairs.append(
                LeastFavorable(
                    system=pair.system,
                    baseline=pair.baseline,
                    measure=pair.measure,
                    difference=difference,
                    least_difference=lowest,
                    p=p,
                    is_settled=p <= comparison.alpha,
                    is_built_for=None if origin.systems is None else both <= set(origin.systems),
                )
            )
    return PooledComparison(
        comparison=comparison,
        strategy=origin.strategy,
        pooled=origin.systems,
        pairs=tuple(pairs),
    )


def _least(bounds: DifferenceBounds, choices: Choices) -> tuple[float, float, float]:
    """Return the mean difference, the least favorable one, and its p-value."""
    n = len(bounds.queries)
    difference = sum(bounds.differences) / n
    adverse = bounds.low if difference >= 0 else bounds.high
    lowest = sum(adverse) / n
    # Some labels between these make the difference about 0.
    if difference * lowest <= 0:
        return difference, lowest, 1.0
    test = randomization_test(
        adverse, resamples=choices.resamples, seed=choices.seed, threads=choices.threads
    )
    return difference, lowest, test.p

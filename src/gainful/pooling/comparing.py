"""Compare systems under the least favorable labels; plan those that settle their order."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import ceil
from os import fspath
from os.path import splitext

from gainful.comparison import compare
from gainful.data.coercion import as_qrels, as_run
from gainful.data.named_runs import runs_by_name
from gainful.data.records import read_records
from gainful.data.samples import RANKS
from gainful.errors import FormatError, ParameterError
from gainful.formats.numbers import with_sign
from gainful.formats.table import Note, noted
from gainful.inference import holm, randomization_test
from gainful.keywords import suggest_keywords
from gainful.pooling.result import ADAPTIVE, Pool
from gainful.records import Record, derived, field
from gainful.records.tables import table_of
from gainful.results import Result
from gainful.unjudged.differences import bound_differences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Any

    from gainful.comparison import Comparison
    from gainful.comparison.choices import CompareOptions
    from gainful.data import Run
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.formats.table import Table
    from gainful.unjudged.effects import BoundedDifference

__all__ = [
    "LeastFavorable",
    "PooledComparison",
    "bound_comparison",
    "compare_pooled",
    "plan_settling",
]


@dataclass(frozen=True, slots=True)
class Origin:
    """How a pool was made.

    Attributes
    ----------
    strategy : str
        The strategy.
    systems : tuple of str or None
        The systems that were pooled; None if the file of systems and ranks is missing.
    """

    strategy: str
    systems: tuple[str, ...] | None


def origin_of(pool: str | PathLike[str] | Pool) -> Origin:
    """Return the strategy and the systems of a pool."""
    if isinstance(pool, Pool):
        return Origin(pool.strategy, tuple(pool.systems))
    table = read_records(pool)
    if "strategy" not in table.columns:
        raise FormatError(
            "no column 'strategy', expected a pool",
            file=table.name,
            hint="`gainful pool -o FILE.jsonl` writes one",
        )
    strategies = sorted({str(row.cells.get("strategy")) for row in table.rows})
    if len(strategies) != 1:
        raise FormatError(
            f"found {'no document' if not strategies else ' and '.join(strategies)},"
            " expected one strategy",
            file=table.name,
        )
    ranks = splitext(fspath(pool))[0] + RANKS
    if fspath(pool) == "-" or not os.path.exists(ranks):
        return Origin(strategies[0], None)
    named = dict.fromkeys(str(row.cells.get("system")) for row in read_records(ranks).rows)
    return Origin(strategies[0], tuple(named))


class LeastFavorable(Record):
    """A pair of systems under the labels that are least favorable to their difference."""

    COLUMNS = {
        "pairs": ("measure system difference least_difference p is_settled"),
    }

    system: str = field(cell=lambda pair: f"{pair.system} vs. {pair.baseline}")
    """The system."""
    baseline: str
    """What it is compared with."""
    measure: str
    """The measure."""
    difference: float = field(show=with_sign)
    """The mean difference with unjudged documents as not relevant."""
    least_difference: float = field(label="least favorable", show=with_sign)
    """The mean difference nearest to 0, or beyond it, over all labels of unjudged documents."""
    p: float
    """The p-value under these labels, corrected by Holm over the pairs of the measure; 1 if labels
    could reverse the order. No labels give a larger p before the correction."""
    is_settled: bool = field(
        label="verdict",
        cell=lambda pair: (
            "significant under all labels" if pair.is_settled else "not under all labels"
        ),
    )
    """Whether the difference is significant under all labels."""
    is_built_for: bool | None
    """Whether the pool was built with both systems; None if its systems are not known."""


class PooledComparison(Result):
    """A comparison on judgments of a pool, with the least favorable labels."""

    SCHEMA = "gainful.pooled-comparison/1"
    COMMAND = "compare --pool POOL"
    RECORDS = {"pairs": LeastFavorable}

    strategy: str
    """The strategy of the pool."""
    is_adaptive: bool = derived(lambda pooled: pooled.strategy in ADAPTIVE)
    """Whether the strategy chose documents by the judgments of earlier ones."""
    pooled: tuple[str, ...] | None
    """The systems that were pooled; None if they are not known."""
    not_pooled: tuple[str, ...] = derived(
        lambda pooled: tuple(
            system
            for system in pooled.comparison.systems
            if pooled.pooled is not None and system not in pooled.pooled
        )
    )
    """The compared systems that the pool was not built for."""
    pairs: tuple[LeastFavorable, ...]
    """The pairs under the least favorable labels, measure by measure."""
    comparison: Comparison
    """The comparison with unjudged documents as the convention says: ``gainful.comparison/1``."""

    def tables(self, *, comparison: Sequence[Table] | None = None) -> list[Table]:
        """Return the tables of the comparison, and one of the least favorable labels."""
        tables = self.comparison.tables() if comparison is None else comparison
        return [*tables, _pairs_table(self)]

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


@suggest_keywords
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
        measure_pairs = [pair for pair in comparison.pairs if pair.measure == repr(measure)]
        bounds = bound_differences(
            qrels,
            runs,
            [(pair.system, pair.baseline) for pair in measure_pairs],
            measure,
            comparison.convention,
            scale=possible,
            threads=choices.threads,
        )
        least = [
            _least(bounds[pair.system, pair.baseline].values(), choices) for pair in measure_pairs
        ]
        corrected = holm([alone for _, _, alone in least])
        for pair, (difference, lowest, _), p in zip(measure_pairs, least, corrected, strict=True):
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


def _least(
    bounds: Collection[BoundedDifference], choices: CompareOptions
) -> tuple[float, float, float]:
    """Return the mean difference, the least favorable one, and its p-value."""
    n = len(bounds)
    difference = sum(bounded.value for bounded in bounds) / n
    adverse = [bounded.low if difference >= 0 else bounded.high for bounded in bounds]
    lowest = sum(adverse) / n
    # Some labels between these make the difference about 0.
    if difference * lowest <= 0:
        return difference, lowest, 1.0
    test = randomization_test(
        adverse, resamples=choices.resamples, seed=choices.seed, threads=choices.threads
    )
    return difference, lowest, test.p


def _pairs_table(pooled: PooledComparison) -> Table:
    """Return the pairs under the least favorable labels."""
    text = (
        "p: the largest under any labels, corrected by Holm. Unjudged documents of both systems get"
        " the labels that move each query's difference toward the other side."
    )
    table = table_of(
        pooled.pairs,
        "pairs",
        title="Under the least favorable labels of unjudged documents",
        notes=[*noted("pool", _notes(pooled)), Note("p", text, explains=True)],
    )
    if len(pooled.comparison.measures) == 1:
        return table.only(lambda column: column.key != "measure")
    return table


def _notes(pooled: PooledComparison) -> Iterator[str]:
    if pooled.pooled is None:
        yield (
            "The systems of the pool are not known: the file that ends in .ranks.tsv is missing"
            " next to it."
        )
        return
    if pooled.not_pooled:
        built = " vs. ".join(pooled.pooled) if len(pooled.pooled) == 2 else ", ".join(pooled.pooled)
        aim = f"to settle {built}" if pooled.is_adaptive else f"of {built}"
        others = ", ".join(pooled.not_pooled)
        yield (
            f"The pool ({pooled.strategy}) was built {aim}, not for {others}: the judgments favor"
            " the pooled systems, and only the labels that are least favorable bound the effect."
        )
    elif pooled.is_adaptive:
        yield (
            f"The pool ({pooled.strategy}) was built to settle the order of"
            f" {', '.join(pooled.pooled)}; do not use its judgments for other systems."
        )


_COUNT = {"minimum": 0}


class SettlingRow(Record):
    """The labels that could settle the order of two systems."""

    system: str = field(tables="plan")
    """The system with the higher mean."""
    baseline: str = field(tables="plan", label="vs.")
    """The other system."""
    verdict: str = field(tables="plan")
    """Whether labels of unjudged documents could reverse the order."""
    documents: int | None = field(tables="plan", label="documents", show=lambda count: f"{count:,}")
    """The fewest documents whose labels could settle it: 0 if it is settled; None if all unjudged
    documents together do not."""
    labels: int | None = field(tables="plan", label="labels", show=lambda count: f"{count:,}")
    """The labels of these documents, with those of documents that two people judge."""
    hours: float | None = field(
        tables="plan", label="hours", show=lambda hours: f"{hours:.1f}", json=_COUNT
    )
    """The work of all judges together."""
    hours_per_judge: float | None = field(
        tables="plan", label="hours per judge", show=lambda hours: f"{hours:.1f}", json=_COUNT
    )
    """The work of each judge."""


class SettlingPlan(Result):
    """How many labels could settle the order of each two systems, and how long they take."""

    RECORDS = {"pairs": SettlingRow}

    measure: str
    """The measure."""
    judges: int
    """The number of judges."""
    pace: float
    """Seconds per label."""
    pairs: tuple[SettlingRow, ...]
    """Each system vs. the next by mean."""

    def tables(self) -> list[Table]:
        """Return one row per pair of systems."""
        people = "1 judge" if self.judges == 1 else f"{self.judges:,} judges"
        note = Note(
            "documents",
            "The number assumes labels that favor one of the two systems most; others need more."
            f" {self.pace:g} seconds per label, {people}.",
        )
        title = f"Labels that could settle the order by {self.measure}"
        return [table_of(self.pairs, "plan", title=title, notes=[note])]


def plan_settling(
    judged: Mapping[str, Mapping[str, float]],
    runs: Mapping[str, Run],
    measure: str,
    *,
    judges: int = 1,
    pace: float = 30.0,
    overlap: float = 0.0,
    scale: Iterable[float] | None = None,
) -> SettlingPlan:
    """Count the labels that could settle the order of systems before anybody judges.

    Examples
    --------
    >>> from gainful.data import Run
    >>> qrels = {"q1": {"a": 1}, "q2": {"z": 1}}
    >>> runs = {"new": Run({"q1": ["a"], "q2": ["c"]}), "old": Run({"q1": ["b"], "q2": ["d"]})}
    >>> [pair] = plan_settling(qrels, runs, "P@1", judges=2, pace=60).pairs
    >>> pair.system, pair.documents, round(pair.hours, 3), round(pair.hours_per_judge, 3)
    ('new', 1, 0.017, 0.008)
    """
    from gainful.unjudged import find_unjudged
    from gainful.unjudged.differences import count_settling

    unjudged = find_unjudged(judged, runs, measure, scale=scale)
    evaluation = unjudged.evaluation
    rows = []
    for contest in unjudged.contests:
        documents = count_settling(judged, runs, contest, evaluation, scale=scale)
        labels = None if documents is None else ceil(documents * (1 + overlap))
        hours = None if labels is None else labels * pace / 3600
        rows.append(
            SettlingRow(
                system=contest.system,
                baseline=contest.baseline,
                verdict=contest.verdict_text,
                documents=documents,
                labels=labels,
                hours=hours,
                hours_per_judge=None if hours is None else hours / judges,
            )
        )
    return SettlingPlan(
        measure=repr(evaluation.measures[0]), judges=judges, pace=pace, pairs=tuple(rows)
    )

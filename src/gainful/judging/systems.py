"""Score systems with the labels of each rater: means, order and verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from gainful.comparison.pair import verdict_text
from gainful.evaluation import evaluate
from gainful.inference import kendall_tau

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.judging.ratings import Ratings
    from gainful.measures import Measure

__all__ = ["SystemsByRater", "VerdictByRater", "score_by_rater"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictByRater:
    """The verdicts on two systems by rater.

    Attributes
    ----------
    system, baseline : str
        The names of the two systems.
    differences : dict of str to float
        By rater, the mean of the system minus that of the baseline.
    verdicts : dict of str to str
        By rater, the verdict: one of `gainful.comparison.VERDICTS`.
    within_margin : dict of str to bool
        By rater, whether the difference is significantly smaller than the margin.
    """

    system: str
    baseline: str
    differences: dict[str, float]
    verdicts: dict[str, str]
    within_margin: dict[str, bool]

    @property
    def changes(self) -> bool:
        """Whether the verdict differs between raters."""
        return (
            len({(self.verdicts[rater], self.within_margin[rater]) for rater in self.verdicts}) > 1
        )

    @property
    def contradicts(self) -> bool:
        """Whether the system is better for one rater and worse for another."""
        return {"better", "worse"} <= set(self.verdicts.values())

    @property
    def verdict_texts(self) -> dict[str, str]:
        """By rater, the verdict as text: ``better, by less than the margin``."""
        return {
            rater: verdict_text(verdict, within_margin=self.within_margin[rater])
            for rater, verdict in self.verdicts.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemsByRater:
    """Systems scored by rater, on the documents that all of them graded.

    Attributes
    ----------
    measure : Measure
        The measure.
    convention : Convention
        The convention.
    raters : tuple of str
        The raters; last the final grades, if any.
    documents, queries : int
        Number of documents graded by all raters, and of their queries.
    means : dict of str to dict of str to float
        The mean of the measure by system and rater.
    taus : dict of (str, str) to float or None
        Kendall's tau-b between the orders of the systems, for each pair of `raters`; None if not
        defined.
    verdicts : tuple of VerdictByRater
        One per compared pair of systems.
    baselines : tuple of str
        The systems that the others were compared with; empty if all pairs were compared.
    """

    measure: Measure
    convention: Convention
    raters: tuple[str, ...]
    documents: int
    queries: int
    means: dict[str, dict[str, float]]
    taus: dict[tuple[str, str], float | None]
    verdicts: tuple[VerdictByRater, ...]
    baselines: tuple[str, ...]

    @property
    def changed(self) -> tuple[VerdictByRater, ...]:
        """The verdicts that differ between raters."""
        return tuple(each for each in self.verdicts if each.changes)


def score_by_rater(
    ratings: Ratings,
    runs: Mapping[str, Run],
    measure: Measure,
    *,
    convention: Convention,
    baseline: str | Sequence[str] | None,
    margin: float | None,
    seed: int,
    threads: int | None,
    progress: Callable[[int, int], object] | None,
) -> SystemsByRater | str:
    """Score systems with each rater's labels, or return why that is impossible.

    Parameters
    ----------
    ratings : Ratings
        The labels.
    runs : mapping of str to Run
        The systems' rankings.
    measure, convention, baseline, margin, seed, threads, progress
        As for `gainful.compare`.
    """
    from gainful.comparison import compare

    judges = [rater.name for rater in ratings.raters]
    if ratings.final is not None:
        judges.append(ratings.final)
    if len(judges) < 2:
        return "there is only one rater"
    by_rater = [ratings.grades(judge) for judge in judges]
    common = [pair for pair in ratings.pairs if all(pair in grades for grades in by_rater)]
    if not common:
        return f"no document was graded by all {len(judges)} of {', '.join(judges)}"
    means: dict[str, dict[str, float]] = {system: {} for system in runs}
    by_pair: dict[tuple[str, str], VerdictByRater] = {}
    baselines: tuple[str, ...] = ()
    for judge in judges:
        judged = ratings.of(judge, common)
        if len(runs) < 2:
            alone = evaluate(
                judged,
                runs=runs,
                measures=[measure],
                convention=convention,
                threads=threads,
                progress=progress,
            )
            for system in runs:
                means[system][judge] = alone.mean(measure, system)
            continue
        compared = compare(
            judged,
            runs,
            [measure],
            baseline=baseline,
            convention=convention,
            margin=margin,
            bootstrap=0,
            seed=seed,
            threads=threads,
            progress=progress,
        )
        baselines = compared.baselines
        for system, mean in compared.means(measure).items():
            means[system][judge] = mean
        for pair in compared.pairs:
            verdict = by_pair.setdefault(
                (pair.system, pair.baseline),
                VerdictByRater(
                    system=pair.system,
                    baseline=pair.baseline,
                    differences={},
                    verdicts={},
                    within_margin={},
                ),
            )
            verdict.differences[judge] = pair.difference
            verdict.verdicts[judge] = pair.verdict
            verdict.within_margin[judge] = pair.within_margin
    orders = {judge: [means[system][judge] for system in runs] for judge in judges}
    return SystemsByRater(
        measure=measure,
        convention=convention,
        raters=tuple(judges),
        documents=len(common),
        queries=len({query for query, _ in common}),
        means=means,
        taus={
            (one, two): kendall_tau(orders[one], orders[two])
            for one, two in combinations(judges, 2)
        },
        verdicts=tuple(by_pair.values()),
        baselines=baselines,
    )

"""Score systems with the labels of each rater: means, order and verdicts."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from gainful.byte_order import in_byte_order
from gainful.evaluation import evaluate
from gainful.evaluation.slices import slices_of
from gainful.inference import correlation_interval, crossed_mean, kendall_tau
from gainful.judging.systems_result import RankCorrelation, SystemsByRater, VerdictByRater
from gainful.records import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from gainful.comparison import Comparison
    from gainful.conventions import Convention
    from gainful.data import Qrels, Run
    from gainful.evaluation.query_groups import QueryGroups
    from gainful.judging.ratings import Ratings
    from gainful.measures import Measure

__all__ = ["QueryScores", "score_by_rater", "score_judgments"]


class QueryScores(NamedTuple):
    """The values of systems on queries.

    Attributes
    ----------
    queries : tuple of str
        The queries.
    systems : tuple of str
        The systems.
    values : numpy.ndarray, shape (queries, systems)
        The values; NaN where a query does not count.
    """

    queries: tuple[str, ...]
    systems: tuple[str, ...]
    values: NDArray[np.float64]

    def on(self, queries: Sequence[str], systems: Sequence[str]) -> NDArray[np.float64]:
        """Return the values on some queries of some systems; NaN for absent queries."""
        import numpy as np

        rows = {query: index for index, query in enumerate(self.queries)}
        columns = [self.systems.index(system) for system in systems]
        values = np.full((len(queries), len(columns)), np.nan)
        for place, query in enumerate(queries):
            if query in rows:
                values[place] = self.values[rows[query]][columns]
        return values


def score_by_rater(
    ratings: Ratings,
    runs: Mapping[str, Run],
    measure: Measure,
    *,
    convention: Convention,
    baseline: str | Sequence[str] | None,
    margin: float | None,
    groups: QueryGroups,
    level: float,
    resamples: int,
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
    groups : QueryGroups
        The weights, clusters and slices of the queries.
    level, resamples
        The confidence level and the most resamples of the intervals of tau.
    measure, convention, baseline, margin, seed, threads, progress
        As for `gainful.compare`.
    """
    judges = [rater.name for rater in ratings.raters]
    if ratings.final is not None:
        judges.append(ratings.final)
    if len(judges) < 2:
        return "there is only one rater"
    by_rater = [ratings.grades(judge) for judge in judges]
    common = [pair for pair in ratings.pairs if all(pair in grades for grades in by_rater)]
    if not common:
        return f"no document was graded by all {len(judges)} of {', '.join(judges)}"
    return score_judgments(
        {judge: ratings.of(judge, common) for judge in judges},
        runs,
        measure,
        subject="rater",
        sampled=[rater.name for rater in ratings.raters],
        convention=convention,
        baseline=baseline,
        margin=margin,
        groups=groups,
        level=level,
        resamples=resamples,
        seed=seed,
        threads=threads,
        progress=progress,
    )


def score_judgments(
    judgments: Mapping[str, Qrels],
    runs: Mapping[str, Run],
    measure: Measure,
    *,
    subject: str,
    sampled: Sequence[str] = (),
    convention: Convention,
    baseline: str | Sequence[str] | None,
    margin: float | None,
    groups: QueryGroups,
    level: float,
    resamples: int,
    seed: int,
    threads: int | None,
    progress: Callable[[int, int], object] | None,
) -> SystemsByRater:
    """Score systems with several judgments of the same documents.

    Parameters
    ----------
    judgments : mapping of str to Qrels
        The judgments by rater or rule.
    subject : str
        What judges: ``rater`` or ``rule``.
    sampled : sequence of str
        Those that are a sample of others like them.
    runs, measure, convention, baseline, margin, groups, level, resamples, seed, threads, progress
        As for `score_by_rater`.
    """
    from gainful.comparison import compare

    judges = list(judgments)
    common = [
        (query, document)
        for query, judgment in judgments[judges[0]].items()
        for document in judgment
    ]
    described: dict[str, Any] = {
        "measure": measure,
        "convention": convention,
        "raters": tuple(judges),
        "documents": len(common),
        "queries": len({query for query, _ in common}),
        "subject": subject,
        "slices": {},
    }
    if len(runs) < 2:
        (system,) = runs
        alone = {
            judge: evaluate(
                judgments[judge],
                runs=runs,
                measures=[measure],
                convention=convention,
                weights=groups.weights,
                threads=threads,
                progress=progress,
            ).mean(measure, system)
            for judge in judges
        }
        return SystemsByRater(
            **described,
            means={system: alone},
            taus=tuple(
                RankCorrelation(first=first, second=second, tau=None, interval=None)
                for first, second in combinations(judges, 2)
            ),
            verdicts=(),
            baselines=(),
            scores={},
        )
    compared = {
        judge: compare(
            judgments[judge],
            runs,
            [measure],
            baseline=baseline,
            convention=convention,
            weights=groups.weights,
            clusters=groups.clusters,
            by=groups.slices or None,
            margin=margin,
            bootstrap=0,
            seed=seed,
            threads=threads,
            progress=progress,
        )
        for judge in judges
    }
    bootstrap = {"level": level, "resamples": resamples, "seed": seed}
    whole = SystemsByRater(**described, **_collect(compared, sampled, None, groups, bootstrap))
    if not groups.slices:
        return whole
    parts = {}
    for name in dict.fromkeys(name for score in compared.values() for name in score.segments):
        if any(name not in score.segments for score in compared.values()):
            continue
        pairs = [pair for pair in common if name in slices_of(groups.slices, pair[0])]
        sizes: dict[str, Any] = {
            "documents": len(pairs),
            "queries": len({query for query, _ in pairs}),
        }
        figures = _collect(compared, sampled, name, groups, bootstrap)
        parts[name] = SystemsByRater(**{**described, **sizes}, **figures)
    return whole.replace(slices=parts)


def _collect(
    compared: Mapping[str, Comparison],
    sampled: Sequence[str],
    segment: str | None,
    groups: QueryGroups,
    bootstrap: dict[str, Any],
) -> dict[str, Any]:
    """Return the figures of all systems by rater, on all queries or on a slice."""
    by_pair: dict[tuple[str, str], VerdictByRater] = {}
    leading = next(iter(compared.values()))
    means: dict[str, dict[str, float]] = {system: {} for system in leading.systems}
    for judge, scores in compared.items():
        for system, mean in scores.means(segment=segment).items():
            means[system][judge] = mean
        for pair in scores.pairs if segment is None else scores.segments[segment]:
            verdict = by_pair.setdefault(
                (pair.system, pair.baseline),
                VerdictByRater(
                    system=pair.system,
                    baseline=pair.baseline,
                    differences={},
                    verdicts={},
                    within_margin={},
                    intervals={},
                ),
            )
            verdict.differences[judge] = pair.difference
            verdict.verdicts[judge] = pair.verdict
            verdict.within_margin[judge] = pair.within_margin
            verdict.intervals[judge] = pair.interval or (None, None)
    scores = {judge: _scores(comparison, segment) for judge, comparison in compared.items()}
    if sampled and groups.weights is None and groups.clusters is None:
        level = 1.0 - (1.0 - bootstrap["level"]) / len(by_pair)
        for pair, verdict in by_pair.items():
            interval = _over_raters([scores[judge] for judge in sampled], pair, level)
            by_pair[pair] = verdict.replace(other_raters_interval=interval)
    # A convention can leave out all queries of a slice for a system.
    complete = [system for system, mean in means.items() if len(mean) == len(compared)]
    orders = {judge: [means[system][judge] for system in complete] for judge in compared}
    return {
        "means": means,
        "taus": tuple(
            RankCorrelation(
                first=first,
                second=second,
                tau=kendall_tau(orders[first], orders[second]),
                interval=_tau_interval(
                    compared[first], compared[second], segment, groups, bootstrap
                ),
            )
            for first, second in combinations(compared, 2)
        ),
        "verdicts": tuple(by_pair.values()),
        "baselines": leading.baselines,
        "scores": scores,
    }


def _over_raters(
    scores: Sequence[QueryScores], pair: tuple[str, str], level: float
) -> Interval | None:
    """Return the interval of the mean difference over queries and raters."""
    import numpy as np

    queries = scores[0].queries
    values = np.array([rater.on(queries, pair) for rater in scores])
    differences = (values[..., 0] - values[..., 1]).T
    mean = crossed_mean(differences[np.isfinite(differences).all(axis=1)], level=level)
    return mean and Interval(mean.low, mean.high)


def _scores(compared: Comparison, segment: str | None) -> QueryScores:
    import numpy as np

    rows = compared.scores.rows(segment)
    queries = np.array(compared.scores.queries)[rows]
    return QueryScores(
        tuple(map(str, queries)), tuple(compared.systems), compared.scores.values[0][rows]
    )


def _tau_interval(
    one: Comparison,
    two: Comparison,
    segment: str | None,
    groups: QueryGroups,
    bootstrap: dict[str, Any],
) -> Interval | None:
    """Return the interval of tau between the orders of the systems under two raters."""
    sides = [_scores(judge, segment) for judge in (one, two)]
    queries = in_byte_order({query for side in sides for query in side.queries})
    first, second = (side.on(queries, side.systems) for side in sides)
    ends = correlation_interval(first, second, groups.design(queries), **bootstrap)
    return ends and Interval(*ends)

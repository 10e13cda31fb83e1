"""Test one measure over releases."""

from __future__ import annotations

import numpy as np

from gainful.comparison.choices import Choices
from gainful.comparison.families import compare_family
from gainful.comparison.scores import Scores, align_values, refuse_geometric
from gainful.errors import MatchError, ParameterError
from gainful.inference.interval import mean_interval
from gainful.keywords import suggest_keywords
from gainful.measures.parameters import widest
from gainful.records import Interval
from gainful.trends.releases import (
    check_same,
    judged_alike,
    name_releases,
    read_releases,
)
from gainful.trends.result import Change, Drift, Release, Trend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.data.paths import Path
    from gainful.evaluation import Evaluation
    from gainful.gates import Snapshot
    from gainful.measures import Measure
    from gainful.trends.releases import Values

    Releases = Path | Iterable[Path] | Mapping[str, Path | Snapshot | Evaluation]

__all__ = ["compare_releases", "trend"]

#: The most queries that are listed.
_MOST = 10


@suggest_keywords
def trend(
    releases: Releases,
    measure: Measure | str | None = None,
    *,
    system: str | None = None,
    alpha: float = 0.05,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> Trend:
    """Test how one measure changed over releases.

    Each release is compared with the previous one, and the last with the first: what changed it,
    and what the changes add up to. The p-values are corrected by Holm's method over these.

    Parameters
    ----------
    releases : path, several paths, or mapping
        The releases in order: snapshots that `gainful.make_snapshot` makes, evaluations, or files:
        JSON of snapshots, HTML reports, or tables of values as `gainful.Evaluation.from_values`
        reads them. The files of a folder are in the order of their names, 2 before 10. A mapping
        names them.
    measure : Measure or str, optional
        The measure. Default: the first of each release.
    system : str, optional
        In releases with several systems, the one to follow.
    alpha : float
        The family-wise error rate. The confidence level of intervals is 1 - alpha.
    resamples, seed, threads
        As for `gainful.compare`.

    Returns
    -------
    Trend
        The releases, their changes, and the queries that changed most.

    Raises
    ------
    GainfulError
        If a file cannot be read, a release lacks the measure, or measures or conventions differ.

    Notes
    -----
    A query counts in a release if it has a value there and is judged as in the last release.

    Examples
    --------
    >>> import gainful
    >>> runs = {"may": "bm25.run", "june": "dense.run"}
    >>> releases = {name: gainful.make_snapshot("qrels.txt", run) for name, run in runs.items()}
    >>> print(gainful.trend(releases))
    nDCG@10 is .7581 in june and .7193 in may. The change (+.0388, 95% CI ...
    """
    choices = Choices(alpha=alpha, resamples=resamples, seed=seed, bootstrap=0, threads=threads)
    return compare_releases(read_releases(name_releases(releases), measure, system), choices)


def compare_releases(found: list[Values], choices: Choices) -> Trend:
    """Test the changes of releases that were read."""
    if len(found) < 2:
        count = "1 release" if found else "no release"
        raise ParameterError(where="releases", found=count, expected="at least two")
    check_same(found)
    refuse_geometric([found[-1].measure])
    counted = [
        {query: release.values[query] for query in judged_alike(release, found[-1])}
        for release in found
    ]
    scores = _scores(found, counted)
    last = len(found) - 1
    couples = [(number, number - 1) for number in range(1, len(found))] + [(last, 0)] * (last > 1)
    pairs = compare_family(scores, [(0, None)], couples, choices, every=False)
    changes = [
        Change(
            release=pair.system,
            baseline=pair.baseline,
            difference=pair.difference,
            interval=pair.interval,
            p=pair.p,
            p_adjusted=pair.p_adjusted,
            wins=pair.wins,
            ties=pair.ties,
            losses=pair.losses,
            queries=pair.n,
            verdict=pair.verdict,
        )
        for pair in pairs
    ]
    return Trend(
        convention=found[-1].convention,
        measure=found[-1].measure,
        alpha=choices.alpha,
        resamples=choices.resamples,
        seed=choices.seed,
        releases=tuple(
            _release(scores, number, release, len(release.values) - len(counted[number]))
            for number, release in enumerate(found)
        ),
        changes=tuple(changes),
        drifted=tuple(_drifted(scores)),
    )


def _scores(found: list[Values], counted: list[dict[str, float]]) -> Scores:
    queries, values = align_values([counted])
    for release, system_values in zip(found, counted, strict=True):
        if not system_values:
            raise MatchError(
                f"no query of {release.name} has a value and is judged as in {found[-1].name}",
                where="releases",
            )
    return Scores(
        queries=tuple(queries),
        systems=tuple(release.name for release in found),
        measures=(found[-1].measure,),
        values=np.array(values, dtype=np.float64),
        weights=None,
        clusters=None,
        segments={},
        ranges=(widest(release.range for release in found),),
        ranked=False,
    )


def _release(scores: Scores, at: int, release: Values, left_out: int) -> Release:
    rows = ~np.isnan(scores.values[0, :, at])
    values = scores.values[0, rows, at]
    low, high = scores.ranges[0]
    interval = None
    mean, n = scores.mean(0, at, rows), len(values)
    if n > 1 and scores.measures[0].aggregate != "sum":
        interval = mean_interval(mean, float(np.std(values, ddof=1)), n, low=low, high=high)
    return Release(
        release=release.name,
        system=release.system,
        file=release.file,
        mean=mean,
        interval=None if interval is None else Interval(*interval),
        queries=n,
        left_out=left_out,
    )


def _drifted(scores: Scores) -> list[Drift]:
    """Return the queries with the largest changes since the first release."""
    values = scores.values[0]
    total = values[:, -1] - values[:, 0]
    order = np.lexsort((np.arange(len(total)), -np.nan_to_num(np.abs(total))))
    drifted = []
    for query in order[:_MOST]:
        if not total[query] or np.isnan(total[query]):
            break
        steps = np.nan_to_num(np.diff(values[query])) * np.sign(total[query])
        step = int(np.argmax(steps))
        drifted.append(
            Drift(
                query_id=scores.queries[query],
                first=float(values[query, 0]),
                last=float(values[query, -1]),
                difference=float(total[query]),
                step=float(steps[step] * np.sign(total[query])),
                release=scores.systems[step + 1],
            )
        )
    return drifted

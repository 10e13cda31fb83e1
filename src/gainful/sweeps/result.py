"""The settings that a sweep tried, and the best of them."""

from __future__ import annotations

import os
from difflib import get_close_matches

import numpy as np

from gainful.comparison.notes import verdict_notes
from gainful.comparison.tables import leaderboard_table, pair_table
from gainful.errors import ParameterError, SourceError
from gainful.evaluation.data_checks import describe_count_ranges
from gainful.evaluation.notes import describe_convention
from gainful.formats.numbers import digits, percent, spans, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.inference.choice import ChosenBest, chosen_best
from gainful.records import Record, derived, field
from gainful.references import refer
from gainful.results import Records, Result
from gainful.sweeps.points import CURRENT, SearchedPoint, format_name, format_value
from gainful.systems.fetching.account import describe_verification, format_seconds, format_time
from gainful.writing import write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from os import PathLike
    from typing import Any

    from gainful.comparison import Comparison
    from gainful.comparison.scores import Mask
    from gainful.data import Run
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure
    from gainful.plots import Plot
    from gainful.sweeps.points import Point

__all__ = ["Choice", "Sweep", "choose_best", "file_names", "names_point", "was_written"]


#: The most points to show; exports have all.
SHOWN = 30


def notes(sweep: Sweep) -> list[Note]:
    """Return the notes below the tables of a sweep."""
    comparison = sweep.comparison
    parts = list(_about_choice(sweep))
    if len(sweep.points) > SHOWN:
        parts.append(
            f"The best {SHOWN} of {len(sweep.points)} points are shown."
            f" {refer('records', 'tsv', python='records()')} exports all."
        )
    parts += [*_current(sweep), *_idle(sweep)]
    if sweep.skipped:
        parts.append(f"{sweep.skipped:,} queries without judgments were not run.")
    failed = [len(run.failed) for run in sweep.runs.values() if run.failed]
    if failed:
        parts.append(
            f"{sum(failed):,} queries failed at {len(failed)} points and are treated as"
            " missing from the run."
        )
    return [
        *noted("choice", parts),
        *noted("estimate", _estimate(sweep), explains=True),
        *verdict_notes(comparison, comparison.pairs),
        Note("counts", describe_counts(sweep)),
        Note("convention", describe_convention(sweep.evaluation)),
    ]


def _about_choice(sweep: Sweep) -> Iterator[str]:
    choice = sweep.choice
    if choice is None:
        yield "No query counts at every point, so no point was chosen."
        return
    if choice.estimates[choice.by].expected is None:
        yield "The value on other queries cannot be estimated from one query."
    if choice.left_out:
        yield (
            f"{choice.left_out:,} queries have a value at some points only and are ignored in the"
            " choice."
        )


def _estimate(sweep: Sweep) -> Iterator[str]:
    """Explain the estimates for other queries."""
    first = sweep.choice.estimates[sweep.choice.by] if sweep.choice is not None else None
    if first is None or first.expected is None:
        return
    times = f", {first.repeats} times" if first.repeats > 1 else ""
    yield (
        f"on others: {first.folds}-fold cross-validation over queries{times}. chosen: how often"
        " this point was the best in it."
    )
    if first.interval is not None:
        yield f"95% CI of the choice: bootstrap, {first.resamples:,} resamples of the queries."


def _idle(sweep: Sweep) -> Iterator[str]:
    for setting in sweep.idle:
        yield f"{setting} has no effect on any answer. Does the system use it?"


def _current(sweep: Sweep) -> Iterator[str]:
    """Describe the values of unset settings."""
    if sweep.baseline == CURRENT:
        settings = sweep.point(CURRENT).settings
        if settings:
            yield f"{CURRENT}: {format_name(settings)} (from the description)."


def describe_counts(sweep: Sweep) -> str:
    """Return the ranges of the evaluation's data checks over all points."""
    counts = [sweep.evaluation.counts(point.name) for point in sweep.points]
    return describe_count_ranges(counts, "at each point")


def account_line(sweep: Sweep, journal: str | None = None) -> str:
    """Describe the searches: number of answers and latency."""
    accounts = [run.account for run in sweep.runs.values() if run.account is not None]
    answered = sum(account.answered for account in accounts)
    reused = sum(account.reused for account in accounts)
    verified = sum(account.verified for account in accounts)
    failed = sum(len(account.failed) for account in accounts)
    retried = sum(account.retried for account in accounts)
    parts = [f"{answered:,} answers at {len(accounts)} points"]
    if reused:
        since = min(account.started for account in accounts if account.reused)
        parts.append(f"{reused:,} of them from the journal (since {format_time(since)})")
    parts += [f"{failed:,} queries failed"] if failed else []
    parts += [f"{retried:,} queries retried"] if retried else []
    medians = [account.latency.p50 for account in accounts if account.latency is not None]
    tails = [account.latency.p99 for account in accounts if account.latency is not None]
    if medians:
        parts.append(f"latency p50 {_from_to(medians)}, p99 {_from_to(tails)}")
    lines = ["; ".join(parts) + "."]
    lines += [f"{describe_verification(verified)}."] if verified else []
    if journal:
        lines.append(f"Saved in {journal}. A sweep with more points runs only the new ones.")
    return "\n".join(lines)


def _from_to(seconds: list[float]) -> str:
    least, most = format_seconds(min(seconds)), format_seconds(max(seconds))
    return least if least == most else f"{least} to {most}"


def find_idle_settings(sweep: Sweep) -> tuple[str, ...]:
    """Return the varied settings without effect on any answer.

    Points that differ in one setting alone are compared. A setting is idle if there are such points
    and all of them retrieved the same documents with the same scores.
    """
    digests = {name: run.digest for name, run in sweep.runs.items()}
    idle = []
    for setting in sweep.settings:
        groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for point in sweep.points:
            if setting in point.settings:
                others = tuple(
                    (name, format_value(value))
                    for name, value in point.settings.items()
                    if name != setting
                )
                groups.setdefault(others, []).append(digests[point.name])
        tried = [group for group in groups.values() if len(group) > 1]
        if tried and all(len(set(group)) == 1 for group in tried):
            idle.append(setting)
    return tuple(idle)


#: Maximum length of a file name without its suffix.
_LONGEST = 120


def write_runs(sweep: Sweep, folder: str | os.PathLike[str]) -> dict[str, str]:
    """Write the runs of a sweep to a folder, and return the path of each."""
    path = os.fspath(folder)
    try:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        raise SourceError(file=path, found="a file", expected="a folder") from None
    except OSError as error:
        raise write_error(path, error) from error
    spaced = any(len(query.split()) != 1 for run in sweep.runs.values() for query in run)
    suffix, format = (".tsv", "tsv") if spaced else (".run", "trec")
    paths = {}
    for name, file in file_names([point.name for point in sweep.points], suffix).items():
        paths[name] = os.path.join(path, file)
        sweep.runs[name].as_complete().write(paths[name], format, tag="_".join(name.split()))
    return paths


def file_names(names: list[str], suffix: str = ".run") -> dict[str, str]:
    """Return a file name for each point, without characters that are not portable.

    Examples
    --------
    >>> file_names(["k1=0.9,b=0.4", 'fields=["title","a/b"]', 'fields=["title","a:b"]'])
    {'k1=0.9,b=0.4': 'k1=0.9,b=0.4.run', 'fields=["title","a/b"]': 'fields=title,a_b.run', \
'fields=["title","a:b"]': 'fields=title,a_b.2.run'}
    """
    chosen: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = "".join(
            char if char.isalnum() or char in "_-+.,=^~%" else "_"
            for char in name
            if char not in '"[]{}'
        )[:_LONGEST]
        file, number = f"{plain}{suffix}", 1
        # Some file systems ignore case.
        while file.lower() in taken:
            number += 1
            file = f"{plain}.{number}{suffix}"
        taken.add(file.lower())
        chosen[name] = file
    return chosen


def names_point(file: str) -> bool:
    """Return whether a run of a sweep may have this name.

    Examples
    --------
    >>> names_point("k1=0.9.run"), names_point("current.run"), names_point("bm25.run")
    (True, True, False)
    """
    plain, suffix = os.path.splitext(file)
    return suffix in (".run", ".tsv") and ("=" in plain or plain == CURRENT)


def was_written(file: str, head: bytes) -> bool:
    r"""Return whether a sweep wrote a file, from its beginning.

    Examples
    --------
    >>> was_written("k1=0.9.run", b"q1 Q0 d1 1 2.5 k1=0.9\n")
    True
    >>> was_written("k1=0.9.run", b"q1 Q0 d1 1 2.5 mine\n")
    False
    """
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    if file.endswith(".tsv"):
        return line.startswith("query_id\tdoc_id\tscore")
    tag = line.split(" ")[-1]
    return not head or file.startswith(file_names([tag], "")[tag])


class Choice(Record):
    """The choice of the best point by the first measure."""

    best: str
    """The point with the best mean; the first of equal ones."""
    by: str
    """The measure that chooses the point."""
    queries: int = field(json={"minimum": 1})
    """The number of queries for which all points have a value."""
    left_out: int
    """The number of queries for which only some points have a value; they are ignored."""
    folds: int = derived(lambda choice: choice.estimates[choice.by].folds)
    """The number of cross-validation folds; 0 for a single query."""
    repeats: int = derived(lambda choice: choice.estimates[choice.by].repeats)
    """The number of random divisions into folds."""
    resamples: int = derived(lambda choice: choice.estimates[choice.by].resamples)
    """The number of bootstrap resamples for the intervals."""
    estimates: Mapping[str, ChosenBest]
    """By measure, the value of the chosen point on these queries and its cross-validated estimate
    for others."""
    improvements: Mapping[str, ChosenBest]
    """The same for the difference from the baseline; empty without one."""
    shares: Mapping[str, float]
    """The share of cross-validation folds in which each point was the best, from 0 to 1."""


def choose_best(
    comparison: Comparison, baseline: str | None, *, folds: int, seed: int
) -> Choice | None:
    """Choose the best point by the first measure; None without common queries."""
    scores = comparison.scores
    absent = np.isnan(scores.values)
    complete: Mask = np.asarray(~absent.any(axis=(0, 2)))
    if not scores.has_weight(complete):
        return None
    partial: Mask = np.asarray(~absent.all(axis=(0, 2)))
    design = scores.design(complete)
    values = scores.values[:, complete]
    names = [repr(measure) for measure in scores.measures]
    deciding = scores.measures[0].direction * values[0]
    options = {"folds": folds, "seed": seed, "level": 1 - comparison.alpha}
    estimates = {
        name: chosen_best(deciding, design, scored=value, **options)  # type: ignore[arg-type]
        for name, value in zip(names, values, strict=True)
    }
    improvements = {}
    if baseline is not None:
        index = scores.systems.index(baseline)
        improvements = {
            name: chosen_best(deciding, design, scored=value - value[:, [index]], **options)  # type: ignore[arg-type]
            for name, value in zip(names, values, strict=True)
        }
    first = estimates[names[0]]
    return Choice(
        best=scores.systems[first.best],
        by=names[0],
        estimates=estimates,
        improvements=improvements,
        shares=dict(zip(scores.systems, first.chosen, strict=True)),
        queries=int(complete.sum()),
        left_out=int((partial & ~complete).sum()),
    )


class Sweep(Result):
    """The result of `sweep`.

    ``print`` and notebooks show it as tables; it exports the Arrow C stream with one row per point
    and measure, so ``polars.DataFrame(sweep)`` works.

    Examples
    --------
    >>> import gainful
    >>> shelf = {"red": ["d1", "d2", "d3"], "blue": ["d3", "d1"], "green": ["d2", "d1"]}
    >>> def shelves(skip):
    ...     return lambda text, k: shelf[text][skip:]
    >>> qrels = {"red": {"d2": 1}, "blue": {"d1": 1}, "green": {"d1": 1}}
    >>> result = gainful.sweep(shelves, list(shelf), qrels, {"skip": [0, 1]}, "RR")
    >>> result
    <Sweep of skip: 2 points, best skip=1>
    >>> result.runs["skip=1"]["red"]
    [('d2', None), ('d3', None)]
    >>> print(result)
    RR, 3 queries, 2 points
    skip    mean  ...
    """

    SCHEMA = "gainful.sweep/1"
    COMMAND = "sweep"
    RECORDS = {"points": None}
    PICTURES = ("differences",)

    settings: tuple[str, ...]
    """The names of the varied settings."""
    sampled: int | None = field(json={"minimum": 2})
    """The requested number of random points; None for the whole grid."""
    k: int = field(json={"minimum": 1})
    """The number of documents to retrieve per query."""
    skipped: int = 0
    """The number of queries without judgments, which were not run."""
    baseline: str | None
    """The name of the point that the others are compared with."""
    searches: tuple[SearchedPoint, ...] = derived(lambda sweep: sweep._searches(), key="points")
    """In the order of the searches; a baseline outside the grid comes first."""
    choice: Choice | None
    """The best point by the first measure; None if no query counts at every point."""
    idle: tuple[str, ...] = derived(find_idle_settings)
    """The settings without effect on any answer."""
    comparison: Comparison
    """The comparison of all points, as gainful.comparison/1."""
    points: tuple[Point, ...] = field(key="")
    """In the order of the searches; a baseline outside the grid comes first."""
    runs: Mapping[str, Run] = field(key="")
    """The run of each point, by name."""

    @property
    def best(self) -> Point:
        """The point with the best mean of the first measure; the first of equal ones.

        Raises
        ------
        ParameterError
            If no query counts for all points.
        """
        if self.choice is None:
            raise ParameterError(
                "no query counts at every point",
                where="best",
                hint="missing=empty counts queries that a run lacks",
            )
        return self.point(self.choice.best)

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of the points."""
        return self.comparison.evaluations[0]

    def point(self, name: str) -> Point:
        """Return a point by its name.

        Raises
        ------
        ParameterError
            For an unknown name.
        """
        for point in self.points:
            if point.name == name:
                return point
        close = get_close_matches(name, [point.name for point in self.points], n=1)
        raise ParameterError(
            where="point",
            found=repr(name),
            expected="the name of a point",
            hint=f"did you mean {close[0]}?" if close else None,
        )

    def account_line(self, journal: str | None = None) -> str:
        """Describe the searches: number of answers and latency."""
        return account_line(self, journal)

    def write_runs(self, folder: str | PathLike[str]) -> dict[str, str]:
        """Write the runs to a folder, as files named after their points.

        They are TREC text, or TSV if a query id contains spaces. Failed queries and those without
        results are missing from them.

        Returns
        -------
        dict of str to str
            The path of each point's run.

        Raises
        ------
        FormatError, SourceError
            If a run cannot be written.
        """
        return write_runs(self, folder)

    def tables(self) -> list[Table]:
        """Return the points under each measure, the best first, and the choice."""
        tables = [_board(self, measure) for measure in self.comparison.measures]
        if self.choice is not None:
            tables.append(_choice_table(self, self.choice))
        return [*tables[:-1], tables[-1].replace(notes=notes(self))]

    def __repr__(self) -> str:
        best = "" if self.choice is None else f", best {self.choice.best}"
        return f"<Sweep of {', '.join(self.settings)}: {len(self.points)} points{best}>"

    def _contents(self) -> object:
        # Leave out the latency.
        return [(point.name, point.settings) for point in self.points], self.comparison._contents()

    def _picture(self, name: str, **options: Any) -> Plot:
        return self.comparison.plot(name, **options)

    def _searches(self) -> tuple[SearchedPoint, ...]:
        searches = []
        for point in self.points:
            run = self.runs[point.name]
            latency = run.account.latency if run.account is not None else None
            searches.append(
                SearchedPoint(
                    name=point.name, settings=point.settings, failed=run.failed, latency=latency
                )
            )
        return tuple(searches)

    def _records(self, name: str) -> Records:
        """Return one row per point and measure; settings that are lists are JSON."""
        rows = [
            self._row(measure, point)
            for measure in self.comparison.measures
            for point in self.searches
        ]
        return {column: [row[column] for row in rows] for column in rows[0]}

    def _row(self, measure: Measure, point: SearchedPoint) -> dict[str, object]:
        summary = self.evaluation.summary(measure, point.name)
        low, high = summary.ends
        row = {
            "point": point.name,
            **{name: _plain(point.settings.get(name)) for name in self.settings},
            "measure": repr(measure),
            "mean": summary.mean,
            "low": low,
            "high": high,
            "n": summary.n,
            "judged": summary.judged,
            "chosen": self.choice.shares[point.name] if self.choice else None,
        }
        if self.baseline is not None:
            pair: dict[str, object] = {}
            if point.name != self.baseline:
                pair = self.comparison.pair(point.name, self.baseline, measure=measure).to_dict()
            row |= {
                "baseline": self.baseline,
                "difference": pair.get("difference"),
                "difference_low": pair.get("low"),
                "difference_high": pair.get("high"),
                "p_adjusted": pair.get("p_adjusted"),
                "verdict": pair.get("verdict"),
            }
        latency = point.latency
        return row | {
            "latency_p50": latency and latency.p50,
            "latency_p95": latency and latency.p95,
        }


def _plain(value: object) -> object:
    return value if isinstance(value, (int, float, str, type(None))) else format_value(value)


def _board(sweep: Sweep, measure: Measure) -> Table:
    """Return the points under one measure, with their settings instead of names."""
    comparison = sweep.comparison
    means = comparison.means(measure)
    order = sorted(means, key=lambda name: -measure.direction * means[name])
    if sweep.baseline is None:
        # The settings take the place of the ranks.
        table = leaderboard_table(comparison, measure).only(lambda column: "rank" not in column.key)
        table = table.replace(title=f"{table.title}, {len(order)} points")
        names = [str(row[0]) for row in table.rows]
    else:
        names = [name for name in order if name != sweep.baseline]
        pairs = [comparison.pair(name, sweep.baseline, measure=measure) for name in names]
        table = pair_table(comparison, pairs)
    settings = [[_value(sweep, name, setting) for setting in sweep.settings] for name in names]
    # A setting that retrieves unjudged documents has lower scores for that reason alone.
    judged = [sweep.evaluation.summary(measure, name).judged for name in names]
    sides = ["r" if all(map(_numeric, cells)) else "l" for cells in zip(*settings, strict=True)]
    columns = (
        Column(f"setting.{setting}", setting, align=side)
        for setting, side in zip(sweep.settings, sides, strict=True)
    )
    rows = [
        [*values, *row[1:], share]
        for values, row, share in zip(settings, table.rows, judged, strict=True)
    ]
    return table.replace(
        columns=[*columns, *table.columns[1:], Column("judged", show=percent)], rows=rows[:SHOWN]
    )


def _value(sweep: Sweep, name: str, setting: str) -> str | None:
    settings = sweep.point(name).settings
    return format_value(settings[setting]) if setting in settings else None


def _numeric(cell: str | None) -> bool:
    try:
        float(cell or 0)
    except ValueError:
        return False
    return True


def _choice_table(sweep: Sweep, choice: Choice) -> Table:
    """Return the best point's value here and its estimate for other queries."""
    share = f"{100 * choice.shares[choice.best]:.0f}%"
    rows = [
        [name, *_figures(estimate, digits), share if name == choice.by else ""]
        for name, estimate in choice.estimates.items()
    ]
    for name, improvement in choice.improvements.items():
        baseline = CURRENT if sweep.baseline == CURRENT else "baseline"
        rows.append([f"{name} − {baseline}", *_figures(improvement, with_sign), ""])
    return Table(
        [
            Column("measure"),
            Column("measured", "on these queries", align="r"),
            Column("expected", "on others", align="r"),
            Column("interval", f"{100 * (1 - sweep.comparison.alpha):g}% CI", align="r"),
            Column("chosen", align="r"),
        ],
        rows,
        title=f"The best of {len(sweep.points)} points by {choice.by}: {choice.best}",
    )


def _figures(estimate: ChosenBest, show: Callable[[float], str]) -> list[str]:
    expected = "–" if estimate.expected is None else show(estimate.expected)
    return [show(estimate.measured), expected, spans(show)(estimate.interval or (None, None))]

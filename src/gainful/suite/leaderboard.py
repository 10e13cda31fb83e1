"""Rank systems by their scores on many tasks: the call, its result, table and notes."""

from __future__ import annotations

import os
from math import isfinite
from statistics import median

import numpy as np

from gainful.comparison.choices import CompareOptions
from gainful.comparison.notes import POSTERIOR_RANKS, describe_tied_for_first
from gainful.comparison.paired_result import PosteriorRank, Rank, list_tied_for_first
from gainful.comparison.tables import posterior_rank_columns, rank_cells, rank_columns
from gainful.errors import FormatError, ParameterError
from gainful.formats.numbers import digits, tallies
from gainful.formats.table import Column, Note, Table, noted
from gainful.inference import max_t_pairs
from gainful.inference.design import Design
from gainful.inference.interval import quantile
from gainful.inference.letters import rank_intervals
from gainful.inference.posterior import FEWEST_DIFFERENCES, rank_posterior
from gainful.keywords import path_argument, suggest_keywords
from gainful.parameters.comparing import AGGREGATE
from gainful.published import PublishedScore, read_published, scores_by_task
from gainful.records import Interval, Record, derived, field
from gainful.records.tables import columns_of, table_of_columns
from gainful.results import Records, Result, as_records
from gainful.suite.macro import standardize
from gainful.suite.result_files import read_results
from gainful.vocabulary import AGGREGATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    from gainful.comparison.scores import Floats
    from gainful.plots import Plot

    Scores = Mapping[str, Mapping[str, float]]

__all__ = ["FEWEST_TASKS", "Entry", "Leaderboard", "rank_results"]

#: With fewer tasks no pair of systems can differ significantly.
FEWEST_TASKS = 6

#: The most tasks with a column each.
_MOST_COLUMNS = 6

_NAMED = 3

_COUNT = {"minimum": 0}


class Entry(Record):
    """One system of a leaderboard."""

    system: str = field(tables="board")
    """Its name."""
    mean: float = field(tables="board", label="{aggregate}", best=True)
    """The mean of its aggregated scores over the tasks."""
    interval: Interval | None = field(tables="board", label="{level} CI", priority=2, around="mean")
    """The confidence interval of the mean over tasks like these; None for fewer than six tasks."""
    rank: Rank
    """The rank of the mean, and its simultaneous confidence interval over tasks. Without enough
    tasks the interval contains all ranks."""
    places: tuple[int, ...] = field(json={"items": {"type": "integer", "minimum": 1}})
    """Its rank on each task."""
    borda: float = field(
        tables="board", label="Borda", show=lambda count: f"{count:,g}", priority=2, json=_COUNT
    )
    """Its Borda count: on each task, one point for each ranked system with a lower score, and half
    a point for each with the same."""
    posterior_rank: PosteriorRank | None = None
    """With bayes: the posterior probability of rank 1 and a set of ranks, under the skeptical prior
    with tasks as queries. None without bayes, and where two systems differ on fewer than ten
    tasks."""


class Leaderboard(Result):
    """The result of `rank_results`: systems by their mean score over tasks."""

    SCHEMA = "gainful.leaderboard/1"
    COMMAND = "rank-results"
    RECORDS = {"systems": None, "scores": None}
    PICTURES = ("ranks", "means")

    measure: str
    """The measure, as requested."""
    aggregate: str = field(json={"enum": list(AGGREGATES)})
    """What is averaged: scores, or scores relative to the other systems on the same task."""
    alpha: float = field(default=0.05, json={"minimum": 0, "maximum": 1})
    """One minus the confidence level."""
    tasks: tuple[str, ...]
    """The averaged tasks."""
    entries: tuple[Entry, ...] = field(key="systems")
    """The systems with a score on each of these tasks, best first."""
    tied_for_first: tuple[str, ...] = derived(lambda board: list_tied_for_first(board.ranks))
    """The systems whose interval of ranks contains 1, best first."""
    incomplete: Mapping[str, tuple[str, ...]]
    """The systems that are not ranked, with the tasks that they lack."""
    left_out: tuple[str, ...] = ()
    """Files without the measure, split or language."""
    scores: Mapping[str, Mapping[str, float]]
    """All scores by task and system."""
    bayes: bool = field(default=False, key="")
    """Whether posterior probabilities of ranks were requested."""

    @property
    def ranks(self) -> dict[str, Rank]:
        """The ranks with their simultaneous confidence intervals, best system first."""
        return {entry.system: entry.rank for entry in self.entries}

    @property
    def has_posterior_ranks(self) -> bool:
        """Whether the systems have posterior probabilities of ranks."""
        return self.entries[0].posterior_rank is not None

    def tables(self) -> list[Table]:
        """Return the leaderboard as one table with notes."""
        labels = {"aggregate": self.aggregate, "level": f"{100 * (1 - self.alpha):g}%"}
        columns = columns_of(self.entries, "board", labels=labels)
        ranks = [rank_cells(entry.rank) for entry in self.entries]
        columns[1:1] = _with_values(rank_columns(self.alpha), ranks)
        if self.has_posterior_ranks:
            posterior = [entry.posterior_rank for entry in self.entries]
            cells = [(rank.first, (rank.low, rank.high)) for rank in posterior if rank]
            columns += _with_values(posterior_rank_columns(self.alpha), cells)
        if len(self.tasks) <= _MOST_COLUMNS:
            for task in self.tasks:
                values = [self.scores[task][entry.system] for entry in self.entries]
                columns.append((Column(f"task.{task}", task, digits, priority=1), [*values]))
        else:
            # The (lower) median.
            spreads = [
                (min(entry.places), int(median(entry.places)), max(entry.places))
                for entry in self.entries
            ]
            label = "ranks: best / median / worst"
            columns.append((Column("places", label, tallies(spreads), priority=1), [*spreads]))
        count = len(self.tasks)
        title = f"{self.measure}, {count} task{'s' * (count != 1)}, {len(self.entries)} systems"
        return [table_of_columns(columns, title=title, notes=_notes(self))]

    def published(self, source: str | None = None) -> tuple[PublishedScore, ...]:
        """Return the scores of all systems, for `gainful.published.write_published`.

        Parameters
        ----------
        source : str, optional
            Where the scores are from: an address or a citation.
        """
        return tuple(
            PublishedScore(
                system=system, measure=self.measure, mean=score, collection=task, source=source
            )
            for task, values in self.scores.items()
            for system, score in values.items()
        )

    def _picture(self, name: str) -> Plot:
        from gainful import plots

        if name == "ranks":
            rows = [
                {"system": entry.system, "mean": entry.mean, **entry.rank.to_dict()}
                for entry in self.entries
            ]
            return plots.ranks(rows, self.measure)
        names = ("system", "mean", "low", "high")
        exported = [entry.to_dict() for entry in self.entries]
        rows = [{name: values[name] for name in names} for values in exported]
        return plots.means(rows, f"mean {self.measure} of {len(self.tasks)} tasks")

    def _records(self, name: str) -> Records:
        if name == "scores":
            cells = (
                (task, system, score)
                for task, values in self.scores.items()
                for system, score in values.items()
            )
            return as_records(("task", "system", "score"), cells)
        names = ("mean", "low", "high", "borda")
        exported = [entry.to_dict() for entry in self.entries]
        rows = (
            (values["system"], *values["rank"].values(), *(values[name] for name in names))
            for values in exported
        )
        return as_records(("system", "rank", "rank_low", "rank_high", *names), rows)

    def __repr__(self) -> str:
        return f"<Leaderboard of {len(self.entries)} systems on {len(self.tasks)} tasks>"


def _with_values(
    columns: Sequence[Column], rows: Sequence[Sequence[object]]
) -> list[tuple[Column, list[object]]]:
    return [
        (column, list(values))
        for column, values in zip(columns, zip(*rows, strict=True), strict=True)
    ]


def _notes(board: Leaderboard) -> list[Note]:
    return [
        *noted("first", _first(board)),
        *noted("population", _population(board)),
        *noted("aggregate", _aggregate(board)),
        *noted("posterior_ranks", _posterior_ranks(board)),
        *noted("incomplete", _incomplete(board)),
        *noted("left_out", _left_out(board)),
    ]


def _first(board: Leaderboard) -> Iterator[str]:
    if board.entries[0].interval is not None:
        yield describe_tied_for_first({board.measure: board.tied_for_first}, board.alpha)


def _population(board: Leaderboard) -> Iterator[str]:
    if board.entries[0].interval is None:
        yield "Too few tasks for confidence intervals: six are required."
    else:
        yield (
            f"The intervals treat the {len(board.tasks)} tasks as a sample of tasks like these"
            " (max-T over all pairs). Result files have no values by query."
        )


def _aggregate(board: Leaderboard) -> Iterator[str]:
    if board.aggregate != "mean":
        by = "a normal distribution" if board.aggregate == "standardized" else "rank"
        yield (
            f"{board.aggregate}: mean of scores from 0 to 1, relative to the other systems on the"
            f" same task (by {by})."
        )


def _posterior_ranks(board: Leaderboard) -> Iterator[str]:
    if board.has_posterior_ranks:
        yield POSTERIOR_RANKS
    elif board.bayes:
        yield f"No P(rank 1): two systems differ on fewer than {FEWEST_DIFFERENCES} tasks."


def _incomplete(board: Leaderboard) -> Iterator[str]:
    if board.incomplete:
        parts = [f"{system} ({len(tasks)} missing)" for system, tasks in board.incomplete.items()]
        more = f" and {len(parts) - _NAMED:,} more" if len(parts) > _NAMED else ""
        yield f"Not ranked, without a score on each task: {', '.join(parts[:_NAMED])}{more}."


def _left_out(board: Leaderboard) -> Iterator[str]:
    if board.left_out:
        more = f" and {len(board.left_out) - _NAMED:,} more" if len(board.left_out) > _NAMED else ""
        yield f"Files without this result: {', '.join(board.left_out[:_NAMED])}{more}."


@suggest_keywords
def rank_results(
    results: Scores | str | PathLike[str],
    measure: str | None = None,
    *,
    split: str | None = None,
    language: str | None = None,
    over: str | Sequence[str] = "all",
    aggregate: str = "mean",
    alpha: float = 0.05,
    bayes: bool = False,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> Leaderboard:
    """Rank systems by MTEB or BEIR result files.

    The files contain means, not values by query. So the intervals and ranks are about tasks: they
    treat the tasks as a random sample of tasks like these.

    Parameters
    ----------
    results : path, or mapping of str to mapping of str to float
        The folder of result files, as for `gainful.suite.read_results`, a file of published scores,
        whose collections are the tasks, or scores by task and system.
    measure, split, language : str, optional
        As for `gainful.suite.read_results`. Of a file of published scores, the measure alone, which
        is needed if it has several. Scores in memory have none of them.
    over : {"all", "common"} or sequence of str
        The tasks to average: all, those with a score of every system, or a list of names. A system
        that lacks one of them is not ranked.
    aggregate : {"mean", "standardized", "empirical"}
        What is averaged: the scores, or the scores relative to all ranked systems on the same task.
        "empirical" orders systems as a Borda count does.
    alpha : float
        One minus the confidence level of all intervals.
    bayes : bool, default False
        Add the posterior probability of rank 1 and a set of ranks, by
        `gainful.inference.rank_posterior` with the tasks as queries. It needs ten tasks.
    resamples, seed, threads
        As for `gainful.compare`.

    Returns
    -------
    Leaderboard

    Raises
    ------
    ParameterError
        For an unknown value or task, or if fewer than two systems have a score on each task.
    FormatError
        If a score is not a number, or outside the range of its measure.
    SourceError
        If the folder or a file cannot be read.

    Notes
    -----
    The interval of a mean is Student's t over tasks, uncorrected. Ranks come from max-T tests of
    all pairs of systems over tasks (`gainful.inference.max_t_pairs`), and their intervals are
    simultaneous. Borda counts and ranks are among the ranked systems: one without a score on a task
    is not ranked and gives no points, unlike on MTEB's leaderboard, where it gets 0 points for the
    task and gives one to each other system.

    Examples
    --------
    >>> import gainful
    >>> board = gainful.rank_results("leaderboard")
    >>> [(entry.rank.rank, entry.system, round(entry.mean, 3)) for entry in board.entries]
    [(1, 'dense', 0.407), (2, 'bm25', 0.391)]
    >>> [entry.borda for entry in board.entries]
    [6.0, 2.0]
    """
    AGGREGATE.check(aggregate)
    choices = CompareOptions(
        alpha=alpha, bayes=bayes, resamples=resamples, seed=seed, threads=threads
    )
    left_out: tuple[str, ...] = ()
    if hasattr(results, "items"):
        for name, value in (("measure", measure), ("split", split), ("language", language)):
            if value is not None:
                raise ParameterError(f"{name} needs a folder of result files", where=name)
        scores = {str(task): _as_scores(row, task) for task, row in results.items()}
        label = "score"
    elif os.path.isfile(path_argument(results, "rank_results", "scores by task, or a path")):
        for name, value in (("split", split), ("language", language)):
            if value is not None:
                raise ParameterError(f"{name} needs a folder of result files", where=name)
        scores, label = scores_by_task(read_published(results), measure)
    else:
        files = read_results(results, measure, split=split, language=language)
        scores, label, left_out = files.scores, files.measure, files.left_out
    systems = sorted({system for values in scores.values() for system in values})
    if len(systems) < 2:
        raise ParameterError(
            where="results",
            found=f"scores of {', '.join(systems) or 'no system'}",
            expected="at least two systems",
        )
    tasks = _choose_tasks(over, scores, systems)
    lacks = {
        system: tuple(task for task in tasks if system not in scores[task]) for system in systems
    }
    ranked = [system for system in systems if not lacks[system]]
    if len(ranked) < 2:
        raise ParameterError(
            where="over",
            found=f"{len(ranked)} of {len(systems)} systems with a score on each of {len(tasks)}"
            " tasks",
            expected="at least 2",
            hint="average fewer tasks with ⟪over⟫",
        )
    table = np.array([[scores[task][system] for system in ranked] for task in tasks], dtype=float)
    return Leaderboard(
        measure=label,
        aggregate=aggregate,
        scores=scores,
        tasks=tuple(tasks),
        entries=_rank(table, ranked, aggregate, choices),
        incomplete={system: tasks for system, tasks in lacks.items() if tasks},
        left_out=left_out,
        alpha=alpha,
        bayes=bayes,
    )


def _as_scores(row: Mapping[str, float], task: str) -> dict[str, float]:
    """Return the scores of a task by system, checked."""
    if not hasattr(row, "items"):
        raise FormatError(where=f"task {task}", found=repr(row), expected="scores by system")
    for system, score in row.items():
        try:
            finite = isfinite(score)
        except (TypeError, OverflowError):
            finite = False
        if not finite:
            raise FormatError(
                where=f"task {task}, system {system}", found=repr(score), expected="a number"
            )
    return {str(system): float(score) for system, score in row.items()}


def _choose_tasks(over: str | Sequence[str], scores: Scores, systems: Sequence[str]) -> list[str]:
    """Return the tasks to average."""
    if over == "all":
        return list(scores)
    if over == "common":
        common = [task for task, values in scores.items() if len(values) == len(systems)]
        if not common:
            raise ParameterError(
                "no task has a score of every system", where="over", hint="name the tasks"
            )
        return common
    named = [over] if isinstance(over, str) else list(dict.fromkeys(over))
    for task in named:
        if task not in scores:
            raise ParameterError(
                where="over",
                found=f"unknown task {task!r}",
                expected=f"one of {', '.join(list(scores)[:12])}{', …' * (len(scores) > 12)}",
            )
    if not named:
        raise ParameterError("at least one task is required", where="over")
    return named


def _rank(
    table: Floats, systems: Sequence[str], aggregate: str, choices: CompareOptions
) -> tuple[Entry, ...]:
    """Return the systems, best first, from their scores of shape (tasks, systems)."""
    alpha = choices.alpha
    values = standardize(table, aggregate)
    means = values.mean(axis=0)
    better: list[tuple[str, str]] = []
    half = None
    if len(values) >= FEWEST_TASKS:
        p = max_t_pairs(
            [values],
            level=1 - alpha,
            resamples=choices.resamples,
            seed=choices.seed,
            threads=choices.threads,
        )[0].p
        pairs = np.argwhere((p <= alpha) & (means[:, None] > means))
        better = [(systems[one], systems[two]) for one, two in pairs]
        half = -quantile(alpha / 2, len(values) - 1) * Design(len(values)).standard_error(values)
    ends = rank_intervals(systems, better)
    higher = (table[:, None, :] > table[:, :, None]).sum(axis=2)
    lower = (table[:, None, :] < table[:, :, None]).sum(axis=2)
    borda = (len(systems) - 1 + lower - higher).sum(axis=0) / 2
    chances: list[PosteriorRank | None] = [None] * len(systems)
    if choices.bayes and (posterior := rank_posterior(values, level=1 - alpha, seed=choices.seed)):
        columns = (column.tolist() for column in posterior)
        chances = [
            PosteriorRank(first=first, low=low, high=high)
            for first, low, high in zip(*columns, strict=True)
        ]
    entries = [
        Entry(
            system=system,
            mean=float(means[index]),
            interval=None
            if half is None
            else Interval(float(means[index] - half[index]), float(means[index] + half[index])),
            rank=Rank(
                rank=1 + int((means > means[index]).sum()),
                low=ends[system][0],
                high=ends[system][1],
            ),
            places=tuple((1 + higher[:, index]).tolist()),
            borda=float(borda[index]),
            posterior_rank=chances[index],
        )
        for index, system in enumerate(systems)
    ]
    return tuple(sorted(entries, key=lambda entry: -entry.mean))

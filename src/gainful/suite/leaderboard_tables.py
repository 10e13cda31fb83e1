"""The table and the notes of a leaderboard."""

from __future__ import annotations

from statistics import median

from gainful.comparison.notes import POSTERIOR_RANKS, describe_tied_for_first
from gainful.comparison.tables import posterior_rank_columns, rank_cells, rank_columns
from gainful.formats.numbers import digits, spans, tallies
from gainful.formats.table import Column, Note, Table, noted
from gainful.inference.posterior import FEWEST_DIFFERENCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.suite.leaderboard import Entry, Leaderboard

__all__ = ["tables"]

#: The most tasks with a column each.
_MOST_COLUMNS = 6

_NAMED = 3


def tables(board: Leaderboard) -> list[Table]:
    """Return the leaderboard as one table with notes."""
    rows = [list(_cells(board, entry)) for entry in board.entries]
    tasks = len(board.tasks)
    title = f"{board.measure}, {tasks} task{'s' * (tasks != 1)}, {len(rows)} systems"
    return [Table(list(_columns(board)), rows, title=title, notes=_notes(board))]


def _columns(board: Leaderboard) -> Iterator[Column]:
    yield Column("system")
    yield from rank_columns(board.alpha)
    yield Column("mean", board.aggregate, digits, best=True)
    yield Column("interval", f"{100 * (1 - board.alpha):g}% CI", spans(), priority=2, around="mean")
    yield Column("borda", "Borda", lambda count: f"{count:,g}", priority=2)
    if board.has_posterior_ranks:
        yield from posterior_rank_columns(board.alpha)
    if len(board.tasks) <= _MOST_COLUMNS:
        yield from (Column(f"task.{task}", task, digits, priority=1) for task in board.tasks)
    else:
        show = tallies([_spread(entry) for entry in board.entries])
        yield Column("places", "ranks: best / median / worst", show, priority=1)


def _cells(board: Leaderboard, entry: Entry) -> Iterator[object]:
    """Yield the cells of a system, one for each column."""
    yield entry.system
    yield from rank_cells(entry.rank)
    yield from (entry.mean, (entry.low, entry.high), entry.borda)
    if (posterior := entry.posterior_rank) is not None:
        yield from (posterior.first, (posterior.low, posterior.high))
    if len(board.tasks) <= _MOST_COLUMNS:
        yield from (board.scores[task][entry.system] for task in board.tasks)
    else:
        yield _spread(entry)


def _spread(entry: Entry) -> tuple[int, int, int]:
    """Return the best, the (lower) median and the worst rank of a system over tasks."""
    return min(entry.places), int(median(entry.places)), max(entry.places)


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
    if board.entries[0].low is not None:
        yield describe_tied_for_first({board.measure: board.tied_for_first}, board.alpha)


def _population(board: Leaderboard) -> Iterator[str]:
    if board.entries[0].low is None:
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

"""Ranges of queries: which row groups of Parquet files have rows of which queries.

Queries are cut into ranges at the beginnings of row groups, so that a task reads the rows of its
range where they lie and nothing has to be shuffled. Where queries stand together, a row group
belongs to one range; one that has the last queries of a range and the first of the next is read by
both, and each leaves out what is the other's.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Piece", "Range", "RowGroup", "cut", "dealt", "parallelism"]

#: Rows that a range has at least, as a task alone costs as much as a million of them, and at most;
#: fewer where all rows of a range are held in memory.
_FEWEST, _MOST, _HELD = 2_000_000, 8_000_000, 2_000_000
#: How many times as many rows as there are may be read in all: one that is read and left out again
#: costs a twentieth of one that is shuffled.
_READ = 3.0
#: A range of so many rows is one that a task may as well have.
_LARGE = 2 * _MOST
#: What a range may have of all rows, times the tasks that run at once: one that has more takes a
#: task longer by itself than a shuffle takes all of them. Where the queries of row groups overlap,
#: rows may be in no order at all, and take longer.
_SHARE, _SHARE_MIXED = 6.0, 1.5
#: Tasks at once in a session that does not say how many.
_TASKS = 16


class RowGroup(NamedTuple):
    """Some rows of a file, as its footer tells of them.

    Attributes
    ----------
    file, number
        The number of the file in its table, and of the row group in the file.
    rows
        How many.
    low, high
        Bounds of the query ids: whole numbers or bytes, None where there are none.
    nulls
        Whether query ids may be null.
    """

    file: int
    number: int
    rows: int
    low: Any
    high: Any
    nulls: bool


class Piece(NamedTuple):
    """A row group as a range reads it.

    Attributes
    ----------
    file, number, rows
        As in `RowGroup`.
    whole
        Whether all of its rows are of the range.
    first
        Whether this is the first range that reads it, which also takes rows without a query.
    bounds
        The least and the greatest query that the footer states, None where it states none.
    """

    file: int
    number: int
    rows: int
    whole: bool
    first: bool
    bounds: tuple[Any, Any] | None


class Range(NamedTuple):
    """The queries from `low` on and below `high`, None for no bound, and the pieces by table."""

    low: Any
    high: Any
    pieces: list[list[Piece]]

    @property
    def rows(self) -> int:
        """Rows that are read."""
        return sum(piece.rows for table in self.pieces for piece in table)


def parallelism(session: Any) -> int:
    """Return how many tasks of a session run at once, as far as it says so."""
    try:
        return max(int(session.sparkContext.defaultParallelism), 1)
    except Exception:
        # A client of Connect has no context.
        try:
            return max(int(session.conf.get("spark.default.parallelism", str(_TASKS))), 1)
        except Exception:
            return _TASKS


def cut(
    tables: Sequence[Sequence[RowGroup]],
    tasks: int,
    wanted: int | None = None,
    *,
    held: bool = False,
) -> list[Range] | str:
    """Cut queries into ranges.

    Parameters
    ----------
    tables : sequence of sequence of RowGroup
        The row groups of the judgments and of the runs.
    tasks : int
        How many tasks run at once.
    wanted : int, optional
        How many ranges are asked for; there are fewer where rows do not stand so.
    held : bool
        Whether a task has all rows of its range in memory.

    Returns
    -------
    list of Range or str
        At least one range; or why rows have to be shuffled, in words.

    Examples
    --------
    >>> groups = [RowGroup(0, at, 3_000_000, 10 * at, 10 * at + 9, False) for at in range(4)]
    >>> [(each.low, each.high, each.rows) for each in cut([groups], 1)]
    [(None, 20, 6000000), (20, None, 6000000)]
    """
    groups = [group for table in tables for group in table]
    total = sum(group.rows for group in groups)
    most = _HELD if held else _MOST
    number = wanted or max(-(-total // most), min(tasks, total // _FEWEST), 1)
    starts = _starts(groups)
    share = _SHARE
    while True:
        ranges, largest = _ranges(tables, _cuts(starts, total, number))
        read = sum(each.rows for each in ranges)
        if read <= _READ * total:
            break
        number = min(number, len(ranges)) // 2
        share = _SHARE_MIXED
    if wanted is None and largest > max(_LARGE, share * total / tasks):
        return _why(groups, share == _SHARE_MIXED)
    return ranges


def _why(groups: list[RowGroup], mixed: bool) -> str:
    if 2 * sum(group.rows for group in groups if group.low is None) > sum(
        group.rows for group in groups
    ):
        return "the files do not say which queries their row groups have"
    if mixed:
        return "rows of a query stand in row groups far from each other"
    return "there are too few row groups to cut between"


class _Start(NamedTuple):
    """A query that a row group begins with: where queries may be cut.

    `before` are the rows of groups that begin earlier, `through` those of groups that would be read
    by both sides.
    """

    query: Any
    before: int
    through: int


def _starts(groups: list[RowGroup]) -> list[_Start]:
    known = sorted(
        (group for group in groups if group.low is not None), key=lambda group: group.low
    )
    # Those of unknown bounds are read by all ranges, wherever they are cut.
    ends = sorted(((group.high, group.rows) for group in known), key=lambda end: end[0])
    found: list[_Start] = []
    before = ended = at = 0
    for place, group in enumerate(known):
        if place == 0 or group.low != known[place - 1].low:
            while at < len(ends) and ends[at][0] < group.low:
                ended += ends[at][1]
                at += 1
            found.append(_Start(group.low, before, before - ended))
        before += group.rows
    return found[1:]


def _cuts(starts: list[_Start], total: int, number: int) -> list[Any]:
    """Return where to cut, for about so many ranges of about as many rows."""
    cuts: list[Any] = []
    last = at = 0
    while len(cuts) < number - 1:
        target = (total - last) / (number - len(cuts))
        first = _at(starts, last + 0.7 * target, at)
        end = max(_at(starts, last + 1.3 * target, first), first + 1)
        if first >= len(starts):
            break
        best = min(
            range(first, min(end, len(starts))),
            key=lambda one: (starts[one].through, abs(starts[one].before - last - target)),
        )
        cuts.append(starts[best].query)
        last, at = starts[best].before, best + 1
    return cuts


def _at(starts: list[_Start], rows: float, first: int) -> int:
    """Return the first place, from one on, with so many rows before it."""
    return bisect_left(starts, rows, first, key=lambda start: start.before)


def _ranges(tables: Sequence[Sequence[RowGroup]], cuts: list[Any]) -> tuple[list[Range], float]:
    """Return the ranges between cuts, and about how many rows the largest of them has."""
    ranges = [
        Range(low, high, [[] for _ in tables])
        for low, high in zip([None, *cuts], [*cuts, None], strict=True)
    ]
    own = [0.0] * len(ranges)
    for table, groups in enumerate(tables):
        for group in groups:
            first = 0 if group.low is None else bisect_right(cuts, group.low)
            last = len(cuts) if group.low is None else bisect_right(cuts, group.high)
            for at in range(first, last + 1):
                bounds = None if group.low is None else (group.low, group.high)
                piece = Piece(
                    group.file, group.number, group.rows, first == last, at == first, bounds
                )
                ranges[at].pieces[table].append(piece)
                own[at] += group.rows / (last - first + 1)
    return ranges, max(own)


def dealt(groups: Sequence[RowGroup], number: int) -> list[list[Piece]]:
    """Deal out row groups, whole, where it does not matter who reads which.

    Examples
    --------
    >>> groups = [RowGroup(0, at, 10, None, None, True) for at in range(5)]
    >>> [[piece.number for piece in part] for part in dealt(groups, 2)]
    [[0, 2, 4], [1, 3]]
    """
    parts = max(min(number, len(groups)), 1)
    pieces = [Piece(group.file, group.number, group.rows, True, True, None) for group in groups]
    return [pieces[at::parts] for at in range(parts)]

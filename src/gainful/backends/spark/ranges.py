"""Ranges of queries: which row groups of Parquet files have rows of which queries.

Queries are split into ranges at the starts of row groups, so that a task reads the rows of its
range in place, without a shuffle. If files are grouped by query, a row group belongs to one range,
or to two if it has the last queries of one and the first of the next; each range then drops the
rows of the other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Piece", "Range", "RowGroup", "cut", "distribute", "parallelism"]

#: The minimum rows of a range (a task costs as much as a million rows) and the maximum; a lower
#: maximum if all rows of a range are in memory.
_FEWEST, _MOST, _HELD = 2_000_000, 8_000_000, 2_000_000
#: The maximum ratio of rows read to rows in total. Reading and dropping a row costs a twentieth of
#: shuffling it.
_READ = 3.0
#: A range of at most this many rows is always acceptable for one task.
_LARGE = 2 * _MOST
#: The maximum share of all rows in one range, times the number of parallel tasks: reading a larger
#: range takes longer than shuffling all rows. Lower if the queries of row groups overlap, because
#: unordered rows take longer.
_SHARE, _SHARE_MIXED = 6.0, 1.5
#: The assumed number of parallel tasks of a session that does not report it.
_TASKS = 16


class RowGroup(NamedTuple):
    """A row group of a file, from its footer.

    Attributes
    ----------
    file, number
        The index of the file in its table, and of the row group in the file.
    rows
        The number of rows.
    low, high
        Bounds of the query ids: whole numbers or bytes, None if unknown.
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
    """A row group as part of a range.

    Attributes
    ----------
    file, number, rows
        As in `RowGroup`.
    whole
        Whether all of its rows are in the range.
    first
        Whether this is the first range that reads it; that range also reads rows without a query.
    bounds
        The smallest and largest query in the footer, None if not stated.
    """

    file: int
    number: int
    rows: int
    whole: bool
    first: bool
    bounds: tuple[Any, Any] | None


class Range(NamedTuple):
    """The queries from `low` to below `high`, None for no bound, and the pieces by table."""

    low: Any
    high: Any
    pieces: list[list[Piece]]

    @property
    def rows(self) -> int:
        """The number of rows to read."""
        return sum(piece.rows for table in self.pieces for piece in table)


def parallelism(session: Any) -> int:
    """Return how many tasks of a session run in parallel, if it reports that."""
    try:
        return max(int(session.sparkContext.defaultParallelism), 1)
    except Exception:
        # Spark Connect clients have no context.
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
    """Split queries into ranges.

    Parameters
    ----------
    tables : sequence of sequence of RowGroup
        The row groups of the judgments and of the runs.
    tasks : int
        The number of parallel tasks.
    wanted : int, optional
        The requested number of ranges; there may be fewer.
    held : bool
        Whether a task loads all rows of its range into memory.

    Returns
    -------
    list of Range or str
        At least one range; or the reason for a shuffle.

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
        return "the files have no query statistics of row groups"
    if mixed:
        return "the rows of a query are in distant row groups"
    return "there are too few row groups to split"


class _Start(NamedTuple):
    """A query with which a row group begins: a possible split.

    `before` are the rows of groups that begin earlier, `through` those of groups that both sides
    would read.
    """

    query: Any
    before: int
    through: int


def _starts(groups: list[RowGroup]) -> list[_Start]:
    known = sorted(
        (group for group in groups if group.low is not None), key=lambda group: group.low
    )
    # Groups with unknown bounds are read by all ranges.
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
    """Return splits for about `number` ranges of about equal size."""
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
    """Return the first place, from `first` on, with this many rows before it."""
    return bisect_left(starts, rows, first, key=lambda start: start.before)


def _ranges(tables: Sequence[Sequence[RowGroup]], cuts: list[Any]) -> tuple[list[Range], float]:
    """Return the ranges between splits, and the approximate rows of the largest."""
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


def distribute(groups: Sequence[RowGroup], number: int) -> list[list[Piece]]:
    """Distribute whole row groups over tasks, in any order.

    Examples
    --------
    >>> groups = [RowGroup(0, at, 10, None, None, True) for at in range(5)]
    >>> [[piece.number for piece in part] for part in distribute(groups, 2)]
    [[0, 2, 4], [1, 3]]
    """
    parts = max(min(number, len(groups)), 1)
    pieces = [Piece(group.file, group.number, group.rows, True, True, None) for group in groups]
    return [pieces[at::parts] for at in range(parts)]

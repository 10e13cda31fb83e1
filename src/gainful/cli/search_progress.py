"""The progress of a search: a line on the standard error, if that is a terminal."""

from __future__ import annotations

from collections import deque
from time import monotonic

from gainful.cli.progress import LateBar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["SearchProgress", "progress_text"]

#: Seconds over which the rate is averaged.
_WINDOW = 10.0


class SearchProgress(LateBar):
    """A bar that appears when a search takes longer than a second.

    Examples
    --------
    >>> with SearchProgress() as progress:
    ...     progress(10, 100, 0)
    """

    def __init__(self) -> None:
        super().__init__()
        self._seen: deque[tuple[float, int]] = deque()

    def __call__(self, done: int, total: int, failed: int) -> None:
        """Show the number of queries that finished, and how many of them failed."""
        now = monotonic()
        self._seen.append((now, done))
        while now - self._seen[0][0] > _WINDOW:
            self._seen.popleft()
        first, before = self._seen[0]
        rate = (done - before) / (now - first) if now > first else 0.0
        self._show(done, total, words=progress_text(done, total, failed, rate))

    def _columns(self) -> list[Any]:
        from rich.progress import BarColumn, TextColumn

        return [BarColumn(), TextColumn("{task.fields[words]}", markup=False)]


def progress_text(done: int, total: int, failed: int, rate: float) -> str:
    """Return the text next to the bar.

    Parameters
    ----------
    done, total, failed : int
        The numbers of queries that finished, of all queries, and of those that failed.
    rate : float
        Recent queries per second; 0 if unknown.

    Examples
    --------
    >>> progress_text(1200, 5000, 3, 84.2)
    '1,200 of 5,000 queries  84/s  45 s left  3 failed'
    >>> progress_text(5, 5000, 0, 0.5)
    '5 of 5,000 queries  0.5/s  2 h 46 min left'
    """
    parts = [f"{done:,} of {total:,} queries"]
    if rate > 0:
        parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s")
        parts.append(f"{_duration((total - done) / rate)} left")
    if failed:
        parts.append(f"{failed:,} failed")
    return "  ".join(parts)


def _duration(seconds: float) -> str:
    whole = int(seconds + 0.5)
    if whole < 100:
        return f"{whole} s"
    minutes = whole // 60
    if minutes < 100:
        return f"{minutes} min"
    return f"{minutes // 60:,} h {minutes % 60} min"

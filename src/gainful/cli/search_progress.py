"""How far a search has come: a line on the standard error, if that is a terminal."""

from __future__ import annotations

import sys
from collections import deque
from time import monotonic

from gainful.cli.progress import PATIENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

__all__ = ["SearchProgress", "told"]

#: Seconds over which the rate is taken.
_WINDOW = 10.0


class SearchProgress:
    """A bar that appears when a search takes longer than a second.

    Examples
    --------
    >>> with SearchProgress() as progress:
    ...     progress(10, 100, 0)
    """

    __slots__ = ("_bar", "_began", "_seen", "_task", "_terminal")

    def __init__(self) -> None:
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._began = monotonic()
        self._seen: deque[tuple[float, int]] = deque()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int, failed: int) -> None:
        """Show how many of how many queries are finished, and how many of them failed."""
        if not self._terminal:
            return
        now = monotonic()
        self._seen.append((now, done))
        while now - self._seen[0][0] > _WINDOW:
            self._seen.popleft()
        if now - self._began < PATIENCE:
            return
        if self._bar is None:
            self._open(total)
        first, before = self._seen[0]
        rate = (done - before) / (now - first) if now > first else 0.0
        words = told(done, total, failed, rate)
        self._bar.update(self._task, completed=done, words=words, refresh=True)

    def _open(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            BarColumn(),
            TextColumn("{task.fields[words]}", markup=False),
            console=Console(stderr=True),
            transient=True,
            # Called ten times a second; a thread that redraws would be in the way.
            auto_refresh=False,
        )
        self._bar.start()
        self._task = self._bar.add_task("", total=total, words="")

    def __enter__(self) -> SearchProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def told(done: int, total: int, failed: int, rate: float) -> str:
    """Return what stands beside the bar.

    Parameters
    ----------
    done, total, failed : int
        Queries finished, in all, and finished without an answer.
    rate : float
        Queries in a second, lately; 0 where nobody knows.

    Examples
    --------
    >>> told(1200, 5000, 3, 84.2)
    '1,200 of 5,000 queries  84/s  45 s left  3 failed'
    >>> told(5, 5000, 0, 0.5)
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

"""Progress bars on terminals and in notebooks, for work that takes longer than a second.

Functions with the argument ``progress`` show a bar unless the caller passes a function or sets
``GAINFUL_PROGRESS=0``. Commands show the same bars. Where the standard error is no terminal, such
as in the log of a scheduler, they write a line every 30 seconds.
"""

from __future__ import annotations

import os
import sys
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType
    from typing import Any, Protocol, Self, TypeVar

    Item = TypeVar("Item")

    Function = TypeVar("Function", bound=Callable[..., Any])

    class Display(Protocol):
        """A bar on some surface."""

        def show(self, done: int, total: int, words: str) -> None: ...
        def close(self) -> None: ...


__all__ = [
    "Bar",
    "QueryBar",
    "join_parts",
    "progress_text",
    "report_function",
    "report_step",
    "report_steps",
    "show_progress",
    "write_lines",
]

#: Seconds before a bar appears; the package that draws it is imported only then.
PATIENCE = 1.0
#: Seconds between two updates.
_PAUSE = 0.1
#: Seconds between two lines.
_LINE_PAUSE = 30.0
#: Seconds over which the rate is averaged; two updates, if they are further apart.
_WINDOW = 10.0
#: Whether lines are written where no bar can be seen.
_has_lines = False


class Bar:
    """A bar that appears when work takes longer than a second.

    It is a function of the work done and the total, whose units are irrelevant; a total of 0 is
    unknown. A bar inside another one is never shown.

    Examples
    --------
    >>> with Bar() as bar:
    ...     bar(10, 100)
    """

    __slots__ = ("_began", "_display", "_is_open", "_patience", "_pause", "_seen", "_shown")
    #: The bar in use, which silences those of the functions that its work calls.
    _current: Bar | None = None
    #: The step that is running and the number of steps, of `report_steps` and those inside it.
    _steps: list[tuple[int, int]] = []
    #: Whether it shows work in other units than its own.
    _shows_steps = True

    def __init__(self) -> None:
        self._began, self._shown = monotonic(), 0.0
        self._patience, self._pause = PATIENCE, _PAUSE
        self._is_open = False
        self._display: Display | None = None
        # The times and the work done at the last updates.
        self._seen: list[tuple[float, int]] = []

    def __call__(self, done: int, total: int) -> None:
        """Show how much is done."""
        self._show(done, total, 0)

    def _words(self, done: int, total: int, failed: int, rate: float) -> str:
        """Return the text next to the bar."""
        if not total:
            return ""
        left = f"  {_duration((total - done) / rate)} left" if rate > 0 else ""
        return f"{min(done / total, 1):.0%}{left}"

    def _show(self, done: int, total: int, failed: int) -> None:
        now = monotonic()
        waits = now - self._began < self._patience or now - self._shown < self._pause
        if not self._is_open or waits:
            return
        if self._display is None:
            self._display = _open_display()
            if self._display is None:
                self._is_open = False
                return
        self._shown = now
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()  # Another phase of the work.
        window = max(_WINDOW, 1.5 * self._pause)
        self._seen = [step for step in self._seen if now - step[0] <= window]
        self._seen.append((now, done))
        first, before = self._seen[0]
        rate = (done - before) / (now - first) if now > first else 0.0
        self._display.show(done, total, self._words(done, total, failed, rate))

    def __enter__(self) -> Self:
        self._is_open = Bar._current is None and is_watched()
        if self._is_open:
            Bar._current = self
            if not _shows_bars():
                self._patience = self._pause = _LINE_PAUSE
                self._seen = [(self._began, 0)]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if Bar._current is self:
            Bar._current = None
            Bar._steps.clear()
        self._is_open = False
        if self._display is not None:
            self._display.close()


class QueryBar(Bar):
    """A bar of queries, some of which fail.

    Examples
    --------
    >>> with QueryBar() as bar:
    ...     bar(10, 100, 0)
    """

    __slots__ = ()
    _shows_steps = False

    def __call__(self, done: int, total: int, failed: int = 0) -> None:
        """Show the number of queries that finished, and how many of them failed."""
        self._show(done, total, failed)

    def _words(self, done: int, total: int, failed: int, rate: float) -> str:
        return progress_text(done, total, failed, rate)


def show_progress(bar: type[Bar]) -> Callable[[Function], Function]:
    """Return a decorator of functions with the keyword `progress`, which is a bar by default.

    Examples
    --------
    >>> @show_progress(Bar)
    ... def count(n, *, progress=None):
    ...     for done in range(n):
    ...         if progress is not None:
    ...             progress(done, n)
    ...     return n
    >>> count(5), count(5, progress=lambda done, total: None)
    (5, 5)
    """

    def decorate(function: Function) -> Function:
        def call(*arguments: Any, **keywords: Any) -> Any:
            if keywords.get("progress") is not None or Bar._current is not None or not is_watched():
                return function(*arguments, **keywords)
            with bar() as keywords["progress"]:
                return function(*arguments, **keywords)

        # As functools.wraps, which takes a millisecond to import.
        for attribute in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
            setattr(call, attribute, getattr(function, attribute))
        call.__wrapped__ = function  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate


def report_step(done: int, total: int) -> None:
    """Show a step of the work in the bar of the function that is running, if it has one.

    In a loop of `report_steps`, this is a part of the loop's step.
    """
    if Bar._current is not None and Bar._current._shows_steps:
        for start, steps in reversed(Bar._steps):
            done, total = start * total + done, steps * total
        Bar._current(done, total)


def report_steps(items: Sequence[Item]) -> Iterator[Item]:
    """Yield items, each of which is a step in the bar of the function that is running.

    Examples
    --------
    >>> with Bar():
    ...     [each for each in report_steps("abc")]
    ['a', 'b', 'c']
    """
    if Bar._current is None:
        yield from items
        return
    depth = len(Bar._steps)
    try:
        for index, item in enumerate(items):
            report_step(index, len(items))
            Bar._steps[depth:] = [(index, len(items))]
            yield item
            del Bar._steps[depth:]
    finally:
        del Bar._steps[depth:]


def report_function() -> Callable[[int, int], object] | None:
    """Return `report_step` for the kernel, or None if no function has a bar."""
    return report_step if Bar._current is not None and Bar._current._shows_steps else None


def is_watched() -> bool:
    """Return whether there is a bar, on a terminal or in a notebook, or lines of a command."""
    if os.environ.get("GAINFUL_PROGRESS") == "0":
        return False
    return (_has_lines and sys.stderr is not None) or _shows_bars()


def write_lines(are_written: bool) -> bool:
    """Set whether bars are lines where they cannot be seen, and return what was set."""
    global _has_lines
    before, _has_lines = _has_lines, are_written
    return before


def _shows_bars() -> bool:
    return (sys.stderr is not None and sys.stderr.isatty()) or _is_notebook()


def join_parts(
    progress: Callable[[int, int], object] | None, part: int, parts: int
) -> Callable[[int, int], object] | None:
    """Return the progress of one of several parts of the work, which are about equally long.

    Examples
    --------
    >>> join_parts(lambda done, total: print(done, "of", total), 2, 4)(50, 100)
    250 of 400
    """
    if progress is None or parts == 1:
        return progress
    return lambda done, total: progress(part * total + done, parts * total)


def progress_text(done: int, total: int, failed: int, rate: float) -> str:
    """Return the text next to a bar of queries.

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


def _is_notebook() -> bool:
    """Return whether the code runs in a kernel of Jupyter, which shows HTML."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


def _open_display() -> Display | None:
    if _is_notebook():
        return _NotebookDisplay()
    if not _shows_bars():
        return _LineDisplay()
    from importlib.util import find_spec

    return None if find_spec("rich") is None else _TerminalDisplay()


class _TerminalDisplay:
    """A bar that Rich draws on the standard error, and removes at the end."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.fields[words]}", markup=False),
            console=Console(stderr=True),
            transient=True,
            # Updates come ten times a second, so that no thread is needed to redraw.
            auto_refresh=False,
        )
        self._bar.start()
        self._task = self._bar.add_task("", total=None, words="")

    def show(self, done: int, total: int, words: str) -> None:
        """Redraw the bar."""
        self._bar.update(self._task, completed=done, total=total or None, refresh=True, words=words)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.stop()


class _LineDisplay:
    """Lines on the standard error."""

    def show(self, done: int, total: int, words: str) -> None:
        """Write a line."""
        sys.stderr.write(f"gainful: {words or 'at work'}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Write nothing."""


class _NotebookDisplay:
    """A bar of HTML in the output of a cell."""

    def __init__(self) -> None:
        from IPython import display

        self._handle: Any = display.DisplayHandle()  # type: ignore[no-untyped-call]
        self._is_new = True

    def show(self, done: int, total: int, words: str) -> None:
        """Redraw the bar."""
        value = f' value="{done}" max="{total}"' if total else ""
        self._draw(f"<progress{value}></progress> {words}", words)

    def close(self) -> None:
        """Remove the bar."""
        self._draw("", "")

    def _draw(self, html: str, text: str) -> None:
        content = {"text/html": html, "text/plain": text}
        (self._handle.display if self._is_new else self._handle.update)(content, raw=True)
        self._is_new = False

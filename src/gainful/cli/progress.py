"""A progress bar on the standard error, if that is a terminal and Rich is installed."""

from __future__ import annotations

import sys
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

#: Seconds before the bar appears; Rich is imported only then.
PATIENCE = 1.0


class LateBar:
    """A bar that appears on a terminal when work takes longer than a second."""

    __slots__ = ("_bar", "_began", "_task", "_terminal")

    def __init__(self) -> None:
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._began = monotonic()
        self._bar: Any = None
        self._task: Any = None

    def _columns(self) -> list[Any]:
        """Return the columns of the bar."""
        raise NotImplementedError

    def _show(self, done: int, total: int | None, **fields: str) -> None:
        """Show the work done, unless the work is younger than a second."""
        if not self._terminal or monotonic() - self._began < PATIENCE:
            return
        if self._bar is None:
            from importlib.util import find_spec

            self._terminal = find_spec("rich") is not None
            if not self._terminal:
                return
            self._open()
        self._bar.update(self._task, completed=done, total=total, refresh=True, **fields)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar = Bar(
            *self._columns(),
            console=Console(stderr=True),
            transient=True,
            # Updates come ten times a second, so that no thread is needed to redraw.
            auto_refresh=False,
        )
        self._bar.start()
        self._task = self._bar.add_task("", total=None, words="")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


class Progress(LateBar):
    """The progress bar of the kernel, which calls it.

    Examples
    --------
    >>> with Progress() as progress:
    ...     progress(10, 100)
    """

    __slots__ = ()

    def __call__(self, done: int, total: int) -> None:
        """Show how many bytes are done; a total of 0 is unknown."""
        self._show(done, total or None)

    def _columns(self) -> list[Any]:
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        return [
            BarColumn(),
            DownloadColumn(binary_units=False),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        ]

"""Fetching from a blocking system with one worker: in the calling thread.

Some objects work in one thread only, such as connections of sqlite3.
"""

from __future__ import annotations

from contextlib import suppress
from time import monotonic

from gainful.errors import SearchError
from gainful.systems.fetching.base import TICK, Fetching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gainful.systems.fetching.agenda import Task

__all__ = ["CallerFetching"]


class CallerFetching(Fetching):
    """A search in the calling thread; its parameters are those of `Fetching`.

    A call cannot be abandoned. One that returns after its timeout has failed, as in a thread.
    """

    def run(self, workers: int, report: Callable[[], object]) -> None:
        """Run until everything is finished; see `Fetching.run`."""
        reported = monotonic()
        try:
            while not self.done.is_set():
                now = monotonic()
                if now - reported >= TICK:
                    report()
                    reported = now
                with self.lock:
                    due = self.agenda.take(now)
                if not isinstance(due, list):
                    # Waits are short, so that progress is reported.
                    self.done.wait(min(due, TICK))
                elif due:
                    self._ask(due)
                else:
                    self.end()
        except BaseException as error:
            self.end(error)
            if isinstance(error, KeyboardInterrupt):
                raise
        finally:
            # Errors in it must not lose the answers.
            with suppress(Exception):
                self.work.close()

    def _ask(self, tasks: list[Task]) -> None:
        began = monotonic()
        answers: Any = ()
        failure: BaseException | None = None
        try:
            answers = self.work.ask([task.job for task in tasks])
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # SystemExit, too, is only a failure of this call.
            failure = error
        self.stay_in_process()
        seconds = monotonic() - began
        if failure is None and seconds > self.timeout:
            failure = self.timeout_error()
        if failure is None:
            try:
                self.keep(tasks, answers, seconds)
            except SearchError as error:
                failure = error
            else:
                with self.lock:
                    self.agenda.settled(len(tasks))
                return
        self.failed(tasks, failure, seconds)

"""Fetching from an asynchronous system, on an event loop in a separate thread.

The thread allows callers with a running loop, such as notebooks.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from inspect import isawaitable
from math import inf
from threading import Thread
from time import monotonic

from gainful.errors import SearchError
from gainful.systems.fetching.base import CLOSING, GRACE, LONGEST_SLEEP, TICK, Fetching, reason
from gainful.threads import start_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gainful.systems.fetching.base import Task

__all__ = ["LoopFetching"]


class LoopFetching(Fetching):
    """A search on an event loop; its parameters are those of `Fetching`.

    A call that times out is cancelled. At the end, the system is closed on the loop.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._loop = asyncio.new_event_loop()
        self._bell: asyncio.Future[None] = self._loop.create_future()
        self._all: asyncio.Task[None] | None = None
        self._closing = False

    def run(self, workers: int, report: Callable[[], object]) -> None:
        """Run until everything is finished; see `Fetching.run`."""
        thread = Thread(target=self._run, args=(workers,), name="gainful-search", daemon=True)
        try:
            start_thread(thread)
        except SearchError:
            self._loop.close()
            raise
        try:
            while not self.done.wait(TICK):
                report()
        finally:
            self.done.set()
            with suppress(RuntimeError):  # The loop has ended already.
                self._loop.call_soon_threadsafe(self._cancel)
            thread.join(GRACE)

    def _cancel(self) -> None:
        if self._all is not None and not self._closing:
            self._all.cancel()

    def _run(self, workers: int) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._main(workers))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        except (SystemExit, RuntimeError) as error:
            # From a task of the system, or because the loop was stopped.
            self.end(SearchError(reason(error)))
        except BaseException as error:
            self.end(error)
        finally:
            self._cancel_remaining_tasks()
            self.end()
            self._loop.close()

    def _cancel_remaining_tasks(self) -> None:
        """Cancel tasks that the system has left behind, as `asyncio.run` does."""
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            with suppress(BaseException):
                self._loop.run_until_complete(asyncio.wait(tasks, timeout=GRACE))

    async def _main(self, workers: int) -> None:
        self._all = asyncio.ensure_future(self._together(workers))
        try:
            await self._all
        except asyncio.CancelledError:
            pass  # Cancelled after Ctrl-C or an error.
        finally:
            self._closing = True
            # An error or a hang while closing must not lose the answers.
            with suppress(Exception):
                async with asyncio.timeout(CLOSING):
                    closing = self.work.close()
                    if isawaitable(closing):
                        await closing

    async def _together(self, workers: int) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._work())

    async def _work(self) -> None:
        try:
            while not self.done.is_set():
                with self.lock:
                    due = self.agenda.take(monotonic())
                if isinstance(due, list):
                    if not due:
                        break
                    await self._ask(due)
                else:
                    await self._wait(due)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            # The caller raises it; here, some exceptions would stop the loop.
            self.end(error)
        finally:
            self._ring()

    async def _wait(self, due: float) -> None:
        """Wait some seconds, or until something changes."""
        limit = None if due == inf else min(due, LONGEST_SLEEP)
        try:
            await asyncio.wait((self._bell,), timeout=limit)
        except asyncio.CancelledError as error:
            if self._over(error):
                raise

    def _over(self, error: BaseException) -> bool:
        """Return whether a task was cancelled because the search has ended.

        A system may cancel tasks too, even its caller, which counts as a failed call.
        """
        if not isinstance(error, asyncio.CancelledError):
            return False
        task = asyncio.current_task()
        if not self.done.is_set() and task is not None:
            task.uncancel()
        return self.done.is_set()

    def _ring(self) -> None:
        """Notify waiting tasks of a change."""
        if not self._bell.done():
            self._bell.set_result(None)
        self._bell = self._loop.create_future()

    async def _ask(self, tasks: list[Task]) -> None:
        began = monotonic()
        failure: BaseException | None = None
        answers: Any = ()
        limit = asyncio.timeout(self.timeout)
        try:
            async with limit:
                answers = self.work.ask([task.job for task in tasks])
                if isawaitable(answers):
                    answers = await answers
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) or self._over(error):
                raise
            failure = self.timeout_error() if limit.expired() else error
        self.stay_in_process()
        seconds = monotonic() - began
        if failure is None:
            try:
                self.keep(tasks, answers, seconds)
            except SearchError as error:
                failure = error
            else:
                with self.lock:
                    self.agenda.settled(len(tasks))
                # Others may wait for this answer because of a budget.
                self._ring()
                return
        self.failed(tasks, failure, seconds)
        self._ring()

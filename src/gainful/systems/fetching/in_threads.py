"""Fetch jobs in the calling thread or in threads."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from threading import Condition, Lock, Thread, current_thread
from time import monotonic

from gainful.errors import SearchError
from gainful.systems.fetching.base import CLOSING, GRACE, LONGEST_SLEEP, TICK, Fetching
from gainful.threads import start_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gainful.systems.fetching.base import Task

__all__ = ["SequentialFetching", "ThreadsFetching"]


class SequentialFetching(Fetching):
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


#: Seconds until the first check of call times; the duration of a long call; the mean duration of
#: short calls. If all calls are short, more threads would only wait for one another.
_FIRST_LOOK, _LONG, _SHORT = 0.002, 0.001, 0.0002
#: The maximum number of abandoned calls per worker that still run; threads cannot be killed.
_MOST_ABANDONED = 8


@dataclass(eq=False)
class _Call:
    tasks: list[Task]
    began: float = field(default_factory=monotonic)


class ThreadsFetching(Fetching):
    """A search in threads; its parameters are those of `Fetching`.

    It begins with one thread, and starts the others once calls take time. The thread of a call that
    times out is replaced, and its result is discarded.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._changed = Condition(self.lock)
        self._gate = Lock()
        self._calls: dict[_Call, Thread] = {}
        self._lost: list[Thread] = []
        self._threads: list[Thread] = []
        self._workers = 0
        self._returned = 0
        self._spent = 0.0

    def run(self, workers: int, report: Callable[[], object]) -> None:
        """Run until everything is finished; see `Fetching.run`."""
        self._workers = workers
        orderly = False
        try:
            self._start()
            look = _FIRST_LOOK
            while not self.done.wait(look):
                self._add_threads()
                if look == TICK:
                    self._abandon_late_calls()
                    report()
                look = min(2 * look, TICK)
            orderly = self.error is None
        finally:
            self.done.set()
            with self._changed:
                self._changed.notify_all()
            if orderly:
                for thread in set(self._threads).difference(self._lost):
                    thread.join(CLOSING)
            self._close(CLOSING if orderly else GRACE)

    def _close(self, seconds: float) -> None:
        """Close the system; errors and hangs in it must not lose the answers."""

        def close() -> None:
            with suppress(Exception):
                self.work.close()

        thread = Thread(target=close, name="gainful-search", daemon=True)
        try:
            start_thread(thread)
        except SearchError:
            close()
        else:
            thread.join(seconds)

    def _start(self) -> None:
        # A daemon: a hanging call must not keep the process from exiting.
        thread = Thread(target=self._work, name="gainful-search", daemon=True)
        self._threads.append(thread)
        try:
            start_thread(thread)
        except SearchError:
            self._threads.remove(thread)
            # Others do the work, if there are any.
            if not self._threads:
                raise

    def _add_threads(self) -> None:
        """Start the threads of all workers if calls take time."""
        missing = self._workers - len(self._threads)
        if missing <= 0:
            return
        now = monotonic()
        with self._gate:
            slow = self._spent > _SHORT * self._returned or any(
                now - call.began > _LONG for call in self._calls
            )
        if slow:
            for _ in range(missing):
                self._start()

    def _abandon_late_calls(self) -> None:
        now = monotonic()
        with self._gate:
            late = [call for call in self._calls if now - call.began > self.timeout]
            for call in late:
                self._lost.append(self._calls.pop(call))
        for call in late:
            self.failed(call.tasks, self.timeout_error(), now - call.began)
            self._lost = [thread for thread in self._lost if thread.is_alive()]
            if len(self._lost) >= self._workers * _MOST_ABANDONED:
                with self.lock:
                    self.agenda.hopeless = (
                        f"not sent: {len(self._lost):,} calls timed out after {self.timeout:g} s "
                        f"and are still running"
                    )
            self._start()
            with self._changed:
                self._changed.notify_all()

    def _work(self) -> None:
        try:
            settled = 0
            while tasks := self._next(settled):
                settled = self._ask(tasks)
                if settled < 0:
                    return
            self.end()
        except BaseException as error:
            self.end(error)
        finally:
            with self._changed:
                self._changed.notify_all()

    def _next(self, settled: int) -> list[Task]:
        """Record the answers, and wait for the next queries; an empty list at the end."""
        with self._changed:
            if settled:
                self.agenda.settled(settled)
            while not self.done.is_set():
                due = self.agenda.take(monotonic())
                if isinstance(due, list):
                    return due
                self._changed.wait(None if due == inf else min(due, LONGEST_SLEEP))
        return []

    def _ask(self, tasks: list[Task]) -> int:
        """Make one call; return the number of answers, or -1 if the thread was replaced."""
        call = _Call(tasks)
        with self._gate:
            self._calls[call] = current_thread()
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
        seconds = monotonic() - call.began
        with self._gate:
            if self._calls.pop(call, None) is None:
                return -1
            self._returned += 1
            self._spent += seconds
        if self.done.is_set():
            return 0
        if failure is None:
            try:
                self.keep(tasks, answers, seconds)
                return len(tasks)
            except SearchError as error:
                failure = error
        self.failed(tasks, failure, seconds)
        with self._changed:
            self._changed.notify_all()
        return 0

"""The common base of fetching in threads and on an event loop."""

from __future__ import annotations

import os
from logging import NullHandler, getLogger
from threading import Event, Lock
from time import monotonic
from typing import Protocol

from gainful.errors import SearchError
from gainful.systems.fetching.failures import reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from gainful.systems.fetching.agenda import Agenda, Task
    from gainful.systems.fetching.journal import Content, Job, Session
    from gainful.systems.fetching.verification import RepeatedAnswers

__all__ = ["CLOSING", "GRACE", "LOG", "LONGEST_SLEEP", "TICK", "Fetching", "Work"]

#: Searches and judges write to it. Without a handler of the caller, nothing is shown.
LOG = getLogger("gainful")
LOG.addHandler(NullHandler())

#: Seconds between checks for timeouts, and between progress reports.
TICK = 0.05
#: Seconds for a system to close: normally, and after an interrupt.
CLOSING, GRACE = 10.0, 0.2
#: The longest sleep of waiting threads in seconds; operating systems limit it.
LONGEST_SLEEP = 60.0


class Work(Protocol):
    """What answers jobs, such as a system that is searched."""

    def ask(self, jobs: Sequence[Job]) -> Any:
        """Send jobs and return their answers, or an awaitable of them.

        Raises
        ------
        SearchError
            If the call fails; its attribute `transient` says whether a retry may help.
        """

    def contents(self, answers: Any, count: int) -> list[Content]:
        """Return the answers to some jobs in the form in which they are stored.

        Raises
        ------
        SearchError
            For invalid answers.
        """

    def close(self) -> Any:
        """Close all connections after the last job."""


class Fetching:
    """Work in progress.

    Parameters
    ----------
    work : Work
        The work.
    agenda : Agenda
        The schedule; used only under `lock`.
    session : Session or RepeatedAnswers
        Where answers are stored.
    timeout : float
        Seconds per call.
    strict : bool
        Whether the first failed job ends the work.

    Attributes
    ----------
    lock : Lock
        Protects the agenda.
    done : Event
        Set when everything is finished, or at the first error.
    error : BaseException or None
        The error that ended the search early.
    """

    def __init__(
        self,
        work: Work,
        agenda: Agenda,
        session: Session | RepeatedAnswers,
        *,
        timeout: float,
        strict: bool,
    ) -> None:
        self.work = work
        self.agenda = agenda
        self.session = session
        self.timeout = timeout
        self.strict = strict
        self.lock = Lock()
        self.done = Event()
        self.error: BaseException | None = None
        self._process = os.getpid()

    def run(self, workers: int, report: Callable[[], object]) -> None:
        """Send queries until everything is finished.

        Parameters
        ----------
        workers : int
            The maximum number of concurrent calls.
        report : callable
            Called each `TICK`, in the caller's thread.
        """
        raise NotImplementedError

    def end(self, error: BaseException | None = None) -> None:
        """End the search, normally or with an error."""
        if error is not None and self.error is None:
            self.error = error
        self.done.set()

    def stay_in_process(self) -> None:
        """Exit a forked process in which a call of the system returned.

        The fork shares the parent's open journal, but not its locks.
        """
        if os.getpid() != self._process:
            os._exit(1)

    def keep(self, tasks: Sequence[Task], answers: Any, seconds: float) -> None:
        """Store the result of a call.

        Raises
        ------
        SearchError
            For invalid answers.
        SourceError
            If they cannot be stored.
        """
        contents = self.work.contents(answers, len(tasks))
        for task in tasks:
            LOG.debug("%s: answered in %.3f s", task.job.id, seconds)
        self.session.keep(
            [
                (task.job, content, seconds, task.tries)
                for task, content in zip(tasks, contents, strict=True)
            ]
        )

    def failed(self, tasks: list[Task], error: BaseException, seconds: float) -> None:
        """Record a failed call.

        Raises
        ------
        SourceError
            If the failure cannot be stored.
        """
        message = reason(error)
        # Store under the lock, so that the search cannot finish first.
        with self.lock:
            over = self.agenda.failed(tasks, error, monotonic())
            if not over:
                self.session.keep_retries([task.job for task in tasks], message)
            else:
                self.session.keep_failures(
                    [(task.job, message, seconds, task.tries) for task in over]
                )
        for task in tasks:
            outcome = "failed" if over else "is retried"
            LOG.warning("%s %s after %.3f s: %s", task.job.id, outcome, seconds, message)
        if over and self.strict:
            self.end(SearchError(message, query=over[0].job.id))

    def timeout_error(self) -> TimeoutError:
        """Return the error of a call that timed out."""
        return TimeoutError(f"no answer within {self.timeout:g} s")

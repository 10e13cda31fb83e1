"""Asking a system all queries: what threads and an event loop have in common."""

from __future__ import annotations

import os
from threading import Event, Lock
from time import monotonic

from gainful.errors import SearchError
from gainful.systems.fetching.checking import checked
from gainful.systems.fetching.failures import reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gainful.systems.fetching.agenda import Agenda, Task
    from gainful.systems.fetching.sitting import Sitting
    from gainful.systems.protocol import Answer, System

__all__ = ["CLOSING", "GRACE", "LONGEST_SLEEP", "TICK", "Fetching"]

#: Seconds between two looks at what is late, and two reports of progress.
TICK = 0.05
#: Seconds that a system gets to let go of its connections: at the end, and after an interrupt.
CLOSING, GRACE = 10.0, 0.2
#: Seconds after which whoever waits for its turn looks again; threads cannot wait for centuries.
LONGEST_SLEEP = 60.0


class Fetching:
    """A search under way.

    Parameters
    ----------
    system : System
        Who is asked.
    agenda : Agenda
        What is asked; touched only under `lock`.
    sitting : Sitting
        Where answers are kept.
    k : int
        How many documents are asked for.
    timeout : float
        Seconds that a call may take.
    strict : bool
        Whether the first query that fails ends it all.

    Attributes
    ----------
    lock : Lock
        Whoever touches the agenda holds it.
    done : Event
        Set when nothing is left, or at the first error.
    error : BaseException or None
        What ended it before its end.
    """

    def __init__(
        self,
        system: System,
        agenda: Agenda,
        sitting: Sitting,
        *,
        k: int,
        timeout: float,
        strict: bool,
    ) -> None:
        self.system = system
        self.agenda = agenda
        self.sitting = sitting
        self.k = k
        self.timeout = timeout
        self.strict = strict
        self.lock = Lock()
        self.done = Event()
        self.error: BaseException | None = None
        self._process = os.getpid()

    def run(self, workers: int, report: Callable[[], object]) -> None:
        """Ask until nothing is left.

        Parameters
        ----------
        workers : int
            How many calls are under way at most.
        report : callable
            Called each `TICK`, in the thread of the caller.
        """
        raise NotImplementedError

    def end(self, error: BaseException | None = None) -> None:
        """End it, in order or with an error."""
        if error is not None and self.error is None:
            self.error = error
        self.done.set()

    def stay_in_process(self) -> None:
        """End a process that a call has forked, and that came back from the call as ours does.

        It has our journal open, and none of its locks.
        """
        if os.getpid() != self._process:
            os._exit(1)

    def keep(self, tasks: Sequence[Task], answers: Sequence[Answer], seconds: float) -> None:
        """Keep what a call returned.

        Raises
        ------
        SearchError
            For answers that cannot be used.
        SourceError
            If they cannot be kept.
        """
        contents = checked(answers, len(tasks), self.k)
        self.sitting.keep(
            [
                (task.query, content, seconds, task.tries)
                for task, content in zip(tasks, contents, strict=True)
            ]
        )

    def failed(self, tasks: list[Task], error: BaseException, seconds: float) -> None:
        """Take note of a call that failed.

        Raises
        ------
        SourceError
            If that cannot be kept.
        """
        told = reason(error)
        # Kept under the lock, so that nobody takes it for finished before it is.
        with self.lock:
            over = self.agenda.failed(tasks, error, monotonic())
            if not over:
                self.sitting.keep_retries([task.query for task in tasks], told)
            else:
                self.sitting.keep_failures(
                    [(task.query, told, seconds, task.tries) for task in over]
                )
        if over and self.strict:
            self.end(SearchError(told, query=over[0].query.id))

    def late(self) -> TimeoutError:
        """Return the error of a call that took too long."""
        return TimeoutError(f"no answer within {self.timeout:g} s")

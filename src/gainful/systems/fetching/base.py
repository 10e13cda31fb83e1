"""What every way of fetching shares: failures, the agenda of jobs, and options."""

from __future__ import annotations

import os
import re
from collections import deque
from dataclasses import dataclass
from heapq import heappop, heappush
from logging import NullHandler, getLogger
from math import inf
from random import uniform
from threading import Event, Lock, current_thread, main_thread
from time import monotonic
from typing import NamedTuple, Protocol

from gainful.errors import GainfulError, ParameterError, SearchError
from gainful.parameters.searching import BATCH, DEPTH, RATE, RETRIES, TIMEOUT, WORKERS
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from gainful.systems.fetching.journal import Content, Job, SearchSession
    from gainful.systems.fetching.query_jobs import RepeatedAnswers

__all__ = [
    "CLOSING",
    "GRACE",
    "LEAST_FAILURES",
    "LOG",
    "LONGEST_SLEEP",
    "TICK",
    "Fetching",
    "JobQueue",
    "Options",
    "Task",
    "pause",
    "reason",
    "worth_retrying",
]


#: The longest wait in seconds that a system may request; longer ones are failures.
LONGEST_PAUSE = 120.0
_LENGTH = 300

_USER = re.compile(r"(?<=://)[^\s/@]+@")
_SECRET = re.compile(
    r"(?i)\b([\w-]*(?:api[_-]?key|token|secret|passw(?:or)?d|authorization|signature)[\w-]*)"
    r"(\"?'?\s*[=:]\s*\"?'?)((?:(?:bearer|basic|apikey)\s+)?[^\s&\"',;]+)"
)
_CONFIDENTIAL = re.compile(r"(?i)key|token|secret|passw|credential|auth")


def worth_retrying(error: BaseException) -> bool:
    """Return whether a retry may help.

    Examples
    --------
    >>> worth_retrying(TimeoutError()), worth_retrying(KeyError("id"))
    (True, False)
    >>> worth_retrying(SearchError("status 429", transient=True, wait=3600.0))
    False
    >>> worth_retrying(ExceptionGroup("tasks", [TimeoutError(), ConnectionError()]))
    True
    """
    if isinstance(error, SearchError):
        return error.transient and (error.wait or 0.0) <= LONGEST_PAUSE
    if isinstance(error, BaseExceptionGroup):
        return all(map(worth_retrying, error.exceptions))
    return isinstance(error, (ConnectionError, TimeoutError))


def is_temporary(error: BaseException) -> bool:
    """Return whether the same request may succeed later, even if it is too late for a retry.

    Examples
    --------
    >>> is_temporary(SearchError("status 429", transient=True, wait=3600.0))
    True
    >>> is_temporary(KeyError("id"))
    False
    """
    return error.transient if isinstance(error, SearchError) else worth_retrying(error)


def pause(error: BaseException) -> float:
    """Return the wait in seconds that a system requests; 0 if none or too long."""
    if not isinstance(error, SearchError) or not worth_retrying(error):
        return 0.0
    return max(0.0, error.wait or 0.0)


def reason(error: BaseException) -> str:
    """Return the message of a failure: one line, without keys and passwords.

    Of an exception group, only the first is used. Apparent keys and passwords are masked, and so
    are the values of environment variables with names of secrets.

    Examples
    --------
    >>> reason(KeyError("id"))
    "KeyError: 'id'"
    >>> reason(SearchError(found="status 503", expected="200"))
    'found status 503, expected 200'
    >>> reason(OSError("https://ann:pw@host/search?api_key=12345&q=a: refused"))
    'OSError: https://…@host/search?api_key=…&q=a: refused'
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, GainfulError):
        # It is shown next to the query's id, and counted with other queries' failures.
        text = str(error.replace(query=None))
        wait = error.wait if isinstance(error, SearchError) and error.transient else None
        if wait is not None and wait > LONGEST_PAUSE:
            text += f" (it requests a wait of {wait:,.0f} s)"
    else:
        text = type(error).__name__
        try:
            message = str(error)
        except Exception:
            message = ""
        if message:
            text += f": {message}"
        if _refuses_threads(error):
            text += f" ({refer('workers', '1')} calls it in the calling thread)"
    for name, value in os.environ.items():
        if len(value) >= 6 and _CONFIDENTIAL.search(name):
            text = text.replace(value, "…")
    text = _SECRET.sub(r"\1\2…", _USER.sub("…@", text))
    # One line without control characters.
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1]}…"


def _refuses_threads(error: BaseException) -> bool:
    """Return whether an error in a thread is one with which sqlite3 refuses threads."""
    kind = type(error)
    named = (kind.__module__, kind.__name__) == ("sqlite3", "ProgrammingError")
    return named and current_thread() is not main_thread()


#: The maximum wait in seconds before the first retry; it doubles for each further one, up to the
#: second number.
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
#: After this many failures without any answer, the system is assumed to be down.
LEAST_FAILURES = 20


@dataclass(eq=False)
class Task:
    """A job to send.

    Attributes
    ----------
    job : Job
        The job.
    tries : int
        How often it was sent.
    alone : bool
        Whether it is sent alone from now on, because a batch with it failed.
    """

    job: Job
    tries: int = 0
    alone: bool = False


class JobQueue:
    """The schedule of a search.

    Parameters
    ----------
    batch : int
        The maximum number of queries per call.
    retries : int
        The maximum number of retries per query.
    rate : float, optional
        The maximum number of queries per second.
    patience : int
        The search stops after this many failures without any answer.
    spacing : callable, optional
        From a query to the seconds for which no other query is sent after it, for limits on the
        size of queries. The rate limit comes on top.
    stopping : callable, optional
        From the number of queries in progress to why no other query is sent now, or an empty text.
        The search stops when this is so without a query in progress.

    Attributes
    ----------
    finished : int
        The number of queries that were answered or finally failed.
    refused : int
        The number of these that failed.
    temporary : bool
        Whether one of these failures is of a network or server, and may be gone later.
    hopeless : str
        Why the remaining queries are not sent; empty while the search continues.

    Examples
    --------
    >>> from gainful.systems.fetching.journal import Job
    >>> agenda = JobQueue(batch=1, retries=1)
    >>> agenda.add([Job("q1"), Job("q2")])
    >>> first = agenda.take(now=0.0)
    >>> [task.job.id for task in first]
    ['q1']
    >>> agenda.settled(len(first))
    >>> second = agenda.take(now=0.0)
    >>> agenda.failed(second, ConnectionError("gone"), now=0.0)  # It will be retried.
    []
    >>> agenda.take(now=0.0) < 0.5  # Seconds to wait for it.
    True
    >>> last = agenda.take(now=0.5)
    >>> [(task.job.id, task.tries) for task in last]
    [('q2', 2)]
    >>> len(agenda.failed(last, ConnectionError("gone"), now=0.6))  # Failed for good.
    1
    >>> agenda.take(now=0.6)
    []
    """

    def __init__(
        self,
        *,
        batch: int,
        retries: int,
        rate: float | None = None,
        patience: int = LEAST_FAILURES,
        spacing: Callable[[Job], float] | None = None,
        stopping: Callable[[int], str] | None = None,
    ) -> None:
        self._fresh: deque[Task] = deque()
        self._again: deque[Task] = deque()
        self._later: list[tuple[float, int, Task]] = []
        self._number = 0
        self._out = 0
        self._batch = batch
        self._retries = retries
        self._interval = 1.0 / rate if rate else 0.0
        self._open = -inf
        self._patience = patience
        self._spacing = spacing
        self._stopping = stopping
        self._answered = 0
        self.finished = 0
        self.refused = 0
        self.temporary = False
        self.hopeless = ""

    def add(self, jobs: Iterable[Job]) -> None:
        """Add queries, which are sent in their order."""
        self._fresh.extend(Task(job) for job in jobs)

    def take(self, now: float) -> list[Task] | float:
        """Return the queries to send now, or the seconds to wait before the next call.

        The wait is infinite if it depends on a query in progress; the list is empty when everything
        is finished.
        """
        if self.hopeless:
            return inf if self._out else []
        later = self._later
        while later and later[0][0] <= now:
            self._again.append(heappop(later)[2])
        if not self._again and not self._fresh:
            if later:
                return later[0][0] - now
            return inf if self._out else []
        if self._stopping is not None:
            why = self._stopping(self._out)
            if why and self._out:
                # The answers in progress may leave room for another one.
                return inf
            self.hopeless = why
            if why:
                return []
        if now < self._open:
            return self._open - now
        tasks = [self._pop()]
        while (
            len(tasks) < self._batch
            and not tasks[0].alone
            and (self._again or self._fresh)
            and not (self._again or self._fresh)[0].alone
        ):
            tasks.append(self._pop())
        for task in tasks:
            task.tries += 1
        self._out += len(tasks)
        wait = self._interval * len(tasks)
        if self._spacing is not None:
            wait += sum(self._spacing(task.job) for task in tasks)
        if wait:
            # Count from now, not from the due time, so that missed calls are not sent in a burst.
            self._open = max(self._open, now) + wait
        return tasks

    def delay(self, seconds: float) -> None:
        """Send the next query later, or sooner if `seconds` is negative."""
        self._open += seconds

    def _pop(self) -> Task:
        return (self._again or self._fresh).popleft()

    def settled(self, count: int) -> None:
        """Record answered queries."""
        self._out -= count
        self._answered += count
        self.finished += count

    def failed(self, tasks: list[Task], error: BaseException, now: float) -> list[Task]:
        """Record a failed call, and return those of its queries that failed finally.

        The others are retried: later if the error may be temporary, or one by one if a batch failed
        and one of its queries may be the cause.
        """
        self._out -= len(tasks)
        wait = pause(error)
        if wait:
            # A requested wait applies to all queries.
            self._open = max(self._open, now + wait)
        if worth_retrying(error) and tasks[0].tries <= self._retries:
            longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (max(t.tries for t in tasks) - 1))
            due = now + wait + uniform(0.0, longest)
            for task in tasks:
                self._number += 1
                heappush(self._later, (due, self._number, task))
            return []
        if len(tasks) > 1:
            for task in reversed(tasks):
                task.alone, task.tries = True, 0
                self._again.appendleft(task)
            return []
        self.finished += 1
        self.refused += 1
        self.temporary = self.temporary or is_temporary(error)
        if not self._answered and self.refused >= self._patience:
            self.hopeless = f"not sent: the first {self.refused:,} queries all failed"
        return tasks

    def unsent(self) -> list[Job]:
        """Return the queries that will not be sent, once the search has stopped."""
        waiting = [task.job for _, _, task in sorted(self._later, key=lambda entry: entry[:2])]
        return [task.job for task in (*self._again, *self._fresh)] + waiting


class Options(NamedTuple):
    """The options of a search; see the parameters of `gainful.search`."""

    k: int
    workers: int
    batch: int | None
    rate: float | None
    retries: int
    timeout: float
    on_failure: str

    def checked(self) -> Options:
        """Return valid options, with Python's numbers."""
        numbers: dict[str, Any] = {}
        for parameter in (DEPTH, WORKERS, RETRIES, BATCH, TIMEOUT, RATE):
            number = parameter.check(getattr(self, parameter.python))
            numbers[parameter.python] = None if number is None else parameter.kind(number)
        if self.on_failure not in ("mark", "raise"):
            raise ParameterError(
                where="on_failure", found=repr(self.on_failure), expected="'mark' or 'raise'"
            )
        return self._replace(**numbers)

    def batch_for(self, name: str, most: int) -> int:
        """Return the number of queries per call."""
        if self.batch is not None and self.batch > most:
            raise ParameterError(
                f"found {self.batch}, but {name} accepts at most {most} per call", where="batch"
            )
        return self.batch or most


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
        """Send jobs and return their answers, or an awaitable of them."""

    def contents(self, answers: Any, count: int) -> list[Content]:
        """Return the answers to some jobs in the form in which they are stored."""

    def close(self) -> Any:
        """Close all connections after the last job."""


class Fetching:
    """Work in progress.

    Parameters
    ----------
    work : Work
        The work.
    agenda : JobQueue
        The schedule; used only under `lock`.
    session : SearchSession or RepeatedAnswers
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
        agenda: JobQueue,
        session: SearchSession | RepeatedAnswers,
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
        """Send queries until everything is finished."""
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
        """Store the result of a call."""
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
        """Record a failed call."""
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

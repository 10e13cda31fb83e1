"""The scheduler of queries: waiting, retries, rate limit.

It has no threads, event loops or clock: the caller holds a lock and passes the time.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from random import uniform

from gainful.systems.fetching.failures import is_temporary, pause, worth_retrying

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gainful.systems.fetching.journal import Job

__all__ = ["LEAST_FAILURES", "Agenda", "Task"]

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


class Agenda:
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
    >>> agenda = Agenda(batch=1, retries=1)
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
        waiting = [task.job for _, _, task in sorted(self._later, key=lambda each: each[:2])]
        return [task.job for task in (*self._again, *self._fresh)] + waiting

"""Systems for the tests of `gainful.search` with scripted answers per query."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from gainful.systems import Answer, Query

#: What an answer to any query is.
DOCUMENTS = ["d1", "d2", "d3"]
SCORES = [3.0, 2.0, 1.0]


class Scripted:
    """A system that counts its queries, and fails as scripted.

    Parameters
    ----------
    script
        Called with a query and how often it was asked before; it returns documents, an `Answer`,
        an exception to raise, or a number of seconds to take before the answer.
    """

    def __init__(
        self,
        script: Callable[[Query, int], Any] = lambda query, before: DOCUMENTS,
        *,
        asynchronous: bool = False,
        batch: int = 1,
        identity: dict[str, Any] | None = None,
    ) -> None:
        self.name = "scripted"
        self.identity = identity or {"engine": "scripted"}
        self.asynchronous = asynchronous
        self.batch = batch
        self.script = script
        self.asked: Counter[str] = Counter()
        self.calls: list[list[str]] = []
        self.closed = 0
        self.at_once = 0
        self.most_at_once = 0
        self._lock = threading.Lock()

    def _begin(self, queries: Sequence[Query]) -> list[Any]:
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self.calls.append([query.id for query in queries])
            found = [self.script(query, self.asked[query.id]) for query in queries]
            self.asked.update(query.id for query in queries)
        return found

    def _end(self, found: list[Any]) -> list[Answer]:
        answers = []
        for each in found:
            if isinstance(each, BaseException):
                raise each
            if isinstance(each, Answer):
                answers.append(each)
            else:
                answers.append(Answer(DOCUMENTS if isinstance(each, float) else each))
        return answers

    def ask(self, queries: Sequence[Query], k: int) -> Any:
        if self.asynchronous:
            return self._ask_and_wait(queries)
        found = self._begin(queries)
        try:
            time.sleep(sum(each for each in found if isinstance(each, float)))
            return self._end(found)
        finally:
            with self._lock:
                self.at_once -= 1

    async def _ask_and_wait(self, queries: Sequence[Query]) -> list[Answer]:
        found = self._begin(queries)
        try:
            await asyncio.sleep(sum(each for each in found if isinstance(each, float)))
            return self._end(found)
        finally:
            with self._lock:
                self.at_once -= 1

    def close(self) -> Any:
        self.closed += 1
        return self._closing() if self.asynchronous else None

    async def _closing(self) -> None:
        await asyncio.sleep(0)


def queries(count: int) -> dict[str, str]:
    """Return so many queries."""
    return {f"q{number}": f"text {number}" for number in range(count)}

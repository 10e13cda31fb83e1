"""Plain callables and mappings, until `callables` and `queries` are there."""

from __future__ import annotations

import inspect
from typing import Any

from gainful.systems.protocol import Answer, Query


class Queries:
    """Queries of a mapping, of texts or of pairs."""

    @staticmethod
    def of(given: Any) -> list[Query]:
        """Return them."""
        if hasattr(given, "items"):
            return [Query(str(key), text) for key, text in given.items()]
        return [
            each
            if isinstance(each, Query)
            else Query(each, each)
            if isinstance(each, str)
            else Query(*each)
            for each in given
        ]


class _Function:
    batch = 1

    def __init__(self, function: Any) -> None:
        self.function = function
        self.name = getattr(function, "__name__", "system")
        self.identity = {"function": self.name}
        self.asynchronous = inspect.iscoroutinefunction(function)

    def ask(self, queries: Any, k: int) -> Any:
        """Ask one."""
        found = self.function(queries[0].text, k)
        return self._later(found) if self.asynchronous else [_answer(found)]

    async def _later(self, found: Any) -> list[Answer]:
        return [_answer(await found)]

    def close(self) -> None:
        """Do nothing."""


def _answer(found: Any) -> Answer:
    found = list(found)
    if found and not isinstance(found[0], str):
        documents, scores = zip(*found, strict=True)
        return Answer(list(documents), [float(score) for score in scores])
    return Answer(found)


def as_system(system: Any, **settings: Any) -> Any:
    """Return a system."""
    return system if hasattr(system, "ask") else _Function(system)

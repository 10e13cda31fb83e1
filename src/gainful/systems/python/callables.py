"""Python systems: functions, objects that search, and the retrievers of other libraries.

LangChain, LlamaIndex and Haystack are never imported: what an object can do tells what it is, and
how it is called.
"""

from __future__ import annotations

import inspect
from functools import partial
from os import PathLike

from gainful.errors import ArgumentError, ParameterError
from gainful.systems.python.answers import AnswerReader
from gainful.systems.python.calling import Calling
from gainful.systems.python.identity import Identity
from gainful.systems.python.renamed import Renamed
from gainful.systems.python.retrievers import retriever

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from gainful.systems.protocol import Answer, Query, System

    SystemLike: TypeAlias = System | Callable[..., Any] | str | PathLike[str] | object

__all__ = ["PythonSystem", "as_python_system"]


class PythonSystem:
    """A system that is a Python function or method.

    Parameters
    ----------
    function : callable
        What is called with the text of a query, or with a list of them if `batch` is more than 1.
    calling : Calling
        How it is called.
    read : AnswerReader
        How what it returns is read.
    name : str
        What the run is called.
    identity : Identity
        What tells it from others.
    batch : int
        How many queries a call takes.

    Attributes
    ----------
    name, asynchronous, batch
        As `System` has them.
    settings : mapping
        What it was made with, where a description says so; a part of its identity.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        calling: Calling,
        read: AnswerReader,
        *,
        name: str,
        identity: Identity,
        batch: int = 1,
    ) -> None:
        self._function = function
        self._calling = calling
        self._read = read
        self.name = name
        self._identity = identity
        self.settings: Mapping[str, Any] = {}
        self.batch = batch
        self.asynchronous = is_asynchronous(function)

    @property
    def identity(self) -> Mapping[str, Any]:
        """What tells it from others now; its data are read for it."""
        return self._made_with(self._identity.now())

    @property
    def about(self) -> Mapping[str, Any]:
        """What of its identity is known without reading its data."""
        return self._made_with(self._identity.about())

    def _made_with(self, identity: dict[str, Any]) -> dict[str, Any]:
        return {**identity, "made_with": dict(self.settings)} if self.settings else identity

    def ask(
        self, queries: Sequence[Query], k: int
    ) -> Sequence[Answer] | Awaitable[Sequence[Answer]]:
        """Answer each query with its first `k` documents.

        Raises
        ------
        ArgumentError, FormatError
            For an answer that cannot be read; besides, whatever the function raises.
        """
        if self.asynchronous:
            return self._ask_and_wait(queries, k)
        if self.batch == 1:
            return [
                self._read(self._function(*positional, **named), k, query.id)
                for query in queries
                for positional, named in (self._calling.of_one(query, k),)
            ]
        positional, named = self._calling.of_several(queries, k)
        return self._several(self._function(*positional, **named), queries, k)

    async def _ask_and_wait(self, queries: Sequence[Query], k: int) -> Sequence[Answer]:
        if self.batch == 1:
            answers = []
            for query in queries:
                positional, named = self._calling.of_one(query, k)
                answers.append(self._read(await self._function(*positional, **named), k, query.id))
            return answers
        positional, named = self._calling.of_several(queries, k)
        return self._several(await self._function(*positional, **named), queries, k)

    def _several(self, found: Any, queries: Sequence[Query], k: int) -> list[Answer]:
        if hasattr(found, "keys") and all(query.id in found for query in queries):
            each = [found[query.id] for query in queries]
        else:
            listed = hasattr(found, "__iter__") and not isinstance(found, (str, bytes, dict))
            each = list(found) if listed else []
        if len(each) != len(queries):
            raise ArgumentError(
                where="the answers to a batch",
                found=f"{len(each)} in a {type(found).__name__}",
                expected=f"{len(queries)}, one for each query in their order",
                hint="without batch=, each query is asked by itself",
            )
        pairs = zip(each, queries, strict=True)
        return [self._read(answer, k, query.id) for answer, query in pairs]

    def close(self) -> None:
        """Take note of what the system has become; what was handed in stays open."""
        self._identity.settle()

    def __repr__(self) -> str:
        return f"<PythonSystem {self.name!r}: {self._identity.about()['callable']}>"


def as_python_system(
    system: Any,
    *,
    name: str | None = None,
    fields: Mapping[str, str | None] | None = None,
    version: str | None = None,
    batch: int | None = None,
) -> System:
    """Return a system that asks a Python object; see `gainful.systems.as_system`.

    Examples
    --------
    >>> from gainful.systems import Query
    >>> system = as_python_system(lambda text, k: [f"{text}-{n}" for n in range(k)], name="echo")
    >>> system.ask([Query("q1", "tea")], 2)
    [Answer(documents=['tea-0', 'tea-1'], scores=None)]
    """
    if _is_system(system):
        if fields:
            raise ArgumentError(
                where="fields",
                found="them with a System",
                expected="answers as the System gives them",
            )
        return _named(system, name)
    if batch is not None and (type(batch) is not int or batch < 1):
        raise ParameterError(where="batch", found=repr(batch), expected="a whole number from 1 on")
    function, shape = _function_of(system, batch or 1)
    return PythonSystem(
        function,
        shape or Calling.found(function),
        AnswerReader(fields),
        name=name or _name_of(system),
        identity=Identity(system, function, version, fields),
        batch=batch or 1,
    )


def is_asynchronous(function: Callable[..., Any]) -> bool:
    """Say whether what a function returns has to be awaited.

    Examples
    --------
    >>> async def search(text, k): ...
    >>> is_asynchronous(search), is_asynchronous(len)
    (True, False)
    """
    bare: Any = function
    while isinstance(bare, partial):
        bare = bare.func
    if inspect.iscoroutinefunction(bare):
        return True
    return not inspect.isroutine(bare) and inspect.iscoroutinefunction(
        getattr(type(bare), "__call__", None)  # noqa: B004
    )


# --- what an object is, by what it can do -------------------------------------------------------


def _is_system(system: object) -> bool:
    if inspect.isclass(system):
        return False
    # By what they are, for a proxy of something elsewhere says that it has every attribute.
    return (
        isinstance(getattr(system, "name", None), str)
        and hasattr(getattr(system, "identity", None), "keys")
        and isinstance(getattr(system, "batch", None), int)
        and all(hasattr(system, attribute) for attribute in ("asynchronous", "ask", "close"))
    )


def _named(system: Any, name: str | None) -> System:
    """Return a system under another name, which is no part of what it is."""
    if name is None or name == system.name:
        found: System = system
        return found
    return Renamed(system, name)


def _function_of(system: Any, batch: int) -> tuple[Callable[..., Any], Calling | None]:
    """Return what is called, and how where its library says so."""
    if inspect.isclass(system):
        raise ArgumentError(
            where="a system",
            found=f"the class {system.__qualname__}",
            expected="an object of it",
            hint=f"write {system.__qualname__}(...)",
        )
    if inspect.isroutine(system) or isinstance(system, partial):
        return system, None
    found = retriever(system)
    if found is not None:
        if batch > 1:
            raise ParameterError(
                where="batch",
                found=f"{batch} for {type(system).__qualname__}",
                expected="1: it takes one query at a time",
                hint="workers ask several at once",
            )
        return found
    for method in ("search", "retrieve"):
        function = getattr(system, method, None)
        if callable(function):
            return function, None
    if callable(system):
        return system, None
    raise _no_system(system)


def _name_of(system: Any) -> str:
    while isinstance(system, partial):
        system = system.func
    owner = getattr(system, "__self__", None)
    if inspect.ismethod(system) and owner is not None:
        system = owner
    found = getattr(system, "__name__", None) or type(system).__name__
    return "system" if found == "<lambda>" else str(found)


def _no_system(system: object) -> ArgumentError:
    hint = None
    if callable(getattr(system, "as_retriever", None)):
        hint = "its as_retriever() is a system"
    elif callable(getattr(system, "run", None)):
        hint = "write a function of the query's text that runs it and returns the documents"
    return ArgumentError(
        where="a system",
        found=type(system).__qualname__,
        expected="a function of a query's text and k, an object with search(query, top_k), a"
        " retriever, or the path of a description in TOML",
        hint=hint,
    )

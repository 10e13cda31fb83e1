"""Python systems: functions, objects that search, and the retrievers of other libraries.

LangChain, LlamaIndex and Haystack are never imported: objects are recognized by their methods.
"""

from __future__ import annotations

import inspect
from functools import partial
from os import PathLike

from gainful.errors import ArgumentError, ParameterError
from gainful.systems.python.answers import AnswerReader
from gainful.systems.python.calling import Calling
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
    """A Python function or method as a system.

    Parameters
    ----------
    function : callable
        Called with the text of a query, or with a list of texts if `batch` is more than 1.
    calling : Calling
        Its arguments.
    read : AnswerReader
        The reader of its results.
    name : str
        The name of the run.
    identity : dict
        The identity.
    batch : int
        The maximum number of queries per call.

    Attributes
    ----------
    name, asynchronous, batch
        As in `System`.
    settings : mapping
        The settings of a description, which are part of the identity.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        calling: Calling,
        read: AnswerReader,
        *,
        name: str,
        identity: dict[str, Any],
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
        """The name of the function, the version, and the settings of a description."""
        made_with = {"made_with": dict(self.settings)} if self.settings else {}
        return {**self._identity, **made_with}

    def ask(
        self, queries: Sequence[Query], k: int
    ) -> Sequence[Answer] | Awaitable[Sequence[Answer]]:
        """Answer each query with its first `k` documents.

        Raises
        ------
        ArgumentError, FormatError
            For an invalid answer. Exceptions of the function are not caught.
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
                f"found {len(each)} in a {type(found).__name__}, expected one for each of the "
                f"{len(queries)} queries, in order",
                where="the answers to a batch",
                hint="without batch=, queries are sent one by one",
            )
        pairs = zip(each, queries, strict=True)
        return [self._read(answer, k, query.id) for answer, query in pairs]

    def close(self) -> None:
        """Do nothing: the caller's object stays open."""

    def __repr__(self) -> str:
        return f"<PythonSystem {self.name!r}: {self._identity['callable']}>"


def as_python_system(
    system: Any,
    *,
    name: str | None = None,
    fields: Mapping[str, str | None] | None = None,
    version: str | None = None,
    batch: int | None = None,
) -> System:
    """Return a Python object as a system; see `gainful.systems.as_system`.

    Examples
    --------
    >>> from gainful.systems import Query
    >>> system = as_python_system(lambda text, k: [f"{text}-{n}" for n in range(k)], name="echo")
    >>> system.ask([Query("q1", "tea")], 2)
    [Answer(documents=['tea-0', 'tea-1'], scores=None)]
    """
    if _is_system(system):
        if fields:
            raise ArgumentError("not available for a System", where="fields")
        return _named(system, name)
    if batch is not None and (type(batch) is not int or batch < 1):
        raise ParameterError(
            where="batch", found=repr(batch), expected="a whole number of 1 or more"
        )
    function, shape = _function_of(system, batch or 1)
    return PythonSystem(
        function,
        shape or Calling.found(function),
        AnswerReader(fields),
        name=name or _name_of(system),
        identity=_identity(system, function, version, fields),
        batch=batch or 1,
    )


def is_asynchronous(function: Callable[..., Any]) -> bool:
    """Return whether the result of a function has to be awaited.

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


# --- kinds of objects, by their methods ---------------------------------------------------------


def _is_system(system: object) -> bool:
    if inspect.isclass(system):
        return False
    # Check types: a proxy object may claim to have every attribute.
    return (
        isinstance(getattr(system, "name", None), str)
        and hasattr(getattr(system, "identity", None), "keys")
        and isinstance(getattr(system, "batch", None), int)
        and all(hasattr(system, attribute) for attribute in ("asynchronous", "ask", "close"))
    )


def _named(system: Any, name: str | None) -> System:
    """Return a system with another name, which does not change its identity."""
    if name is None or name == system.name:
        found: System = system
        return found
    return Renamed(system, name)


def _function_of(system: Any, batch: int) -> tuple[Callable[..., Any], Calling | None]:
    """Return the function to call, with its arguments for known libraries."""
    if inspect.isclass(system):
        raise ArgumentError(
            f"found the class {system.__qualname__}, expected an object of it",
            where="a system",
            hint=f"write {system.__qualname__}(...)",
        )
    if inspect.isroutine(system) or isinstance(system, partial):
        return system, None
    found = retriever(system)
    if found is not None:
        if batch > 1:
            raise ParameterError(
                f"found {batch}, but {type(system).__qualname__} takes one query per call",
                where="batch",
                hint="for concurrent calls set workers",
            )
        return found
    for method in ("search", "retrieve"):
        function = getattr(system, method, None)
        if callable(function):
            return function, None
    if callable(system):
        return system, None
    raise _no_system(system)


def _identity(
    system: Any,
    function: Callable[..., Any],
    version: str | None,
    fields: Mapping[str, str | None] | None,
) -> dict[str, Any]:
    identity: dict[str, Any] = {"kind": "python", "callable": _qualified_name(system, function)}
    if version is not None:
        identity["version"] = str(version)
    if fields:
        identity["fields"] = dict(fields)
    return identity


def _qualified_name(system: Any, function: Any) -> str:
    while isinstance(system, partial):
        system = function = system.func
    if not inspect.isroutine(system):
        if not inspect.ismethod(function):
            return f"{type(system).__module__}:{type(system).__qualname__}"
        return f"{type(system).__module__}:{type(system).__qualname__}.{function.__name__}"
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{getattr(named, '__module__', None)}:{named.__qualname__}"


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
        hint = "use its as_retriever()"
    elif callable(getattr(system, "run", None)):
        hint = "write a function that takes the query's text, runs it and returns the documents"
    return ArgumentError(
        where="a system",
        found=type(system).__qualname__,
        expected="a function of a query's text and k, an object with search(query, top_k), a"
        " retriever, or the path of a description in TOML",
        hint=hint,
    )

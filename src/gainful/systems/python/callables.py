"""Systems that are functions or objects of Python."""

from __future__ import annotations

import inspect
from functools import partial
from os import PathLike

from gainful.errors import ArgumentError, ParameterError
from gainful.keywords import suggest_keywords
from gainful.systems.protocol import Answer, Query, System
from gainful.systems.python.answers import AnswerReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    Arguments: TypeAlias = tuple[list[Any], dict[str, Any]]
    Called: TypeAlias = tuple[Callable[..., Any], "Calling"]
    SystemLike: TypeAlias = System | Callable[..., Any] | str | PathLike[str] | object

__all__ = ["PythonSystem", "Renamed", "as_python_system"]

#: Parameters for the number of documents.
DEPTHS = frozenset(
    (
        *("k", "top_k", "topk", "top_n", "topn", "n", "limit", "size", "rows", "depth", "count"),
        *("num_results", "n_results", "max_results", "num_hits", "max_hits", "similarity_top_k"),
    )
)

_IDENTIFIERS = frozenset(("query_id", "query_ids", "qid", "qids"))

_KINDS = inspect.Parameter


class Calling:
    """The arguments of a function.

    Parameters
    ----------
    text : str, optional
        The parameter for the text. Default: the first one, by position.
    k : str or None
        The parameter for k; 1 for the second one, by position; None for no parameter.
    given : mapping of str to str
        Other parameters, with the query's field for each.
    needed : frozenset of str
        Those without a default value.
    identifier, whole : str or None
        The parameters for the query's id and for all its fields.

    Examples
    --------
    >>> from gainful.systems import Query
    >>> def search(text, /, *, locale, top_k=10): ...
    >>> calling = Calling.found(search)
    >>> calling.of_one(Query("q1", "tea", {"locale": "de", "age": 3}), 100)
    (['tea'], {'top_k': 100, 'locale': 'de'})
    """

    def __init__(
        self,
        *,
        text: str | None = "",
        k: str | int | None = None,
        given: Mapping[str, str] | None = None,
        needed: frozenset[str] = frozenset(),
        identifier: str | None = None,
        whole: str | None = None,
    ) -> None:
        self.text = text
        self.k = k
        self.given = dict(given or {})
        # Without a text, the other parameters identify the query.
        self.needed = needed if text is not None else frozenset(self.given)
        self.identifier = identifier
        self.whole = whole
        self._bare = text == "" and not self.given and not identifier and not whole

    @classmethod
    def found(cls, function: Callable[..., Any]) -> Calling:
        """Derive the arguments from the parameters of a function."""
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            # The signature is unknown; most search functions take these two.
            return cls(k=1)
        placed = [parameter for parameter in parameters if parameter.kind in _BY_PLACE]
        if len(placed) < 2 and any(
            parameter.kind is _KINDS.VAR_POSITIONAL for parameter in parameters
        ):
            return cls(k=1)
        if not placed:
            raise ArgumentError(
                f"the function takes {_listed(parameters)}, and not the text of a query first",
                where="a system",
            )
        # A second parameter of another name is k only if no parameter is called k.
        unnamed = not any(parameter.name.lower() in DEPTHS for parameter in parameters[1:])
        k: str | int | None = None
        settings: dict[str, str] = {}
        needed: list[str] = []
        identifier = whole = None
        for place, argument in enumerate(parameters[1:], start=1):
            name = argument.name
            if argument.kind in (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD):
                continue
            by_place = argument.kind is _KINDS.POSITIONAL_ONLY
            if k is None and name.lower() in DEPTHS and (not by_place or place == 1):
                k = 1 if by_place else name
            elif name in _IDENTIFIERS and not by_place:
                identifier = name
            elif name == "fields" and not by_place:
                whole = name
            elif unnamed and place == 1 and argument.kind in _BY_PLACE and _like_a_depth(argument):
                k = 1
            else:
                settings[name] = name
                if argument.default is _KINDS.empty:
                    needed.append(name)
        return cls(
            k=k, given=settings, needed=frozenset(needed), identifier=identifier, whole=whole
        )

    def of_one(self, query: Query, k: int) -> Arguments:
        """Return the arguments for one query."""
        if self._bare:
            if self.k == 1:
                return [query.text, k], {}
            return [query.text], {} if self.k is None else {self.k: k}  # type: ignore[dict-item]
        return self._arguments(query.text, query.id, query.fields, [query], k)

    def of_several(self, queries: Sequence[Query], k: int) -> Arguments:
        """Return the arguments for several queries, each as a list."""
        ids, texts, fields = zip(*queries, strict=True)
        return self._arguments(list(texts), list(ids), list(fields), queries, k, several=True)

    def _arguments(
        self,
        text: Any,
        identifier: Any,
        fields: Any,
        queries: Sequence[Query],
        k: int,
        several: bool = False,
    ) -> Arguments:
        positional: list[Any] = [text] if self.text == "" else []
        named: dict[str, Any] = {self.text: text} if self.text else {}
        if self.k == 1:
            positional.append(k)
        elif isinstance(self.k, str):
            named[self.k] = k
        if self.identifier is not None:
            named[self.identifier] = identifier
        if self.whole is not None:
            named[self.whole] = fields
        for parameter, field in self.given.items():
            missing = next((query for query in queries if field not in query.fields), None)
            if missing is None:
                values = [query.fields[field] for query in queries]
                named[parameter] = values if several else values[0]
            elif parameter in self.needed:
                raise ArgumentError(
                    f"the function needs the field {field!r}, but the query has "
                    f"{', '.join(missing.fields) or 'no fields'}",
                    where="a system",
                    query=missing.id,
                    hint="give the parameter a default value, or add the field to the queries",
                )
        return positional, named


_BY_PLACE = (_KINDS.POSITIONAL_ONLY, _KINDS.POSITIONAL_OR_KEYWORD)


def _like_a_depth(parameter: inspect.Parameter) -> bool:
    """Return whether a second parameter may be the number of documents."""
    default = parameter.default
    return default is _KINDS.empty or (isinstance(default, int) and not isinstance(default, bool))


def _listed(parameters: Sequence[inspect.Parameter]) -> str:
    return ", ".join(map(str, parameters)) or "nothing"


def retriever(system: Any) -> Called | None:
    """Return the function and arguments of a retriever; None for other objects."""
    for find in (_of_langchain, _of_llama_index, _of_haystack):
        known = find(system)
        if known is not None:
            return known
    return None


def _of_langchain(system: Any) -> Called | None:
    """Return `invoke` of a retriever or chain, or the search of a vector store."""
    if callable(getattr(system, "similarity_search", None)):
        return system.similarity_search, Calling(k="k")
    if not callable(getattr(system, "invoke", None)):
        return None
    retrieve = getattr(system, "_get_relevant_documents", None)
    if callable(retrieve):
        taken = _parameters(retrieve)
        named = "k" in taken or any(
            parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()
        )
        return system.invoke, Calling(k="k" if named else None)
    if callable(getattr(system, "ainvoke", None)):
        return system.invoke, Calling(k=None)
    return None


def _of_llama_index(system: Any) -> Called | None:
    """Return `retrieve`, which takes a text or a query bundle; k is set in the retriever."""
    if callable(getattr(system, "retrieve", None)) and callable(getattr(system, "aretrieve", None)):
        return system.retrieve, Calling(k=None)
    return None


def _of_haystack(system: Any) -> Called | None:
    """Return `run` of a component, with arguments by its parameters."""
    run = getattr(system, "run", None)
    if not callable(run) or not hasattr(system, "__haystack_input__"):
        return None
    taken = _parameters(run)
    k = "top_k" if "top_k" in taken else None
    if "query" in taken:
        return run, Calling(text="query", k=k)
    if "query_embedding" in taken:
        return run, Calling(text=None, k=k, given={"query_embedding": "vector"})
    raise ArgumentError(
        f"run() of the component {type(system).__qualname__} takes {', '.join(taken)}, but no "
        f"query",
        where="a system",
        hint="use a function that calls it, or the pipeline that it is part of",
    )


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


class Renamed:
    """A system with another name, and settings that extend its identity.

    Parameters
    ----------
    system : System
        The system.
    name : str
        The name of the run.
    settings : mapping of str to str, optional
        Additional parts of the identity.
    """

    def __init__(
        self, system: System, name: str, *, settings: Mapping[str, str] | None = None
    ) -> None:
        self._system = system
        self.name = name
        self._settings = {} if settings is None else {"point": dict(settings)}
        self.asynchronous = system.asynchronous
        self.batch = system.batch

    @property
    def identity(self) -> Mapping[str, Any]:
        """The identity, with the settings."""
        return {**self._system.identity, **self._settings}

    def ask(
        self, queries: Sequence[Query], k: int
    ) -> Sequence[Answer] | Awaitable[Sequence[Answer]]:
        """Answer each query with its first `k` documents."""
        return self._system.ask(queries, k)

    def close(self) -> Awaitable[None] | None:
        """Close all connections."""
        return self._system.close()

    def __repr__(self) -> str:
        return f"<{self.name!r}: {self._system!r}>"


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
            results = [found[query.id] for query in queries]
        else:
            listed = hasattr(found, "__iter__") and not isinstance(found, (str, bytes, dict))
            results = list(found) if listed else []
        if len(results) != len(queries):
            raise ArgumentError(
                f"found {len(results)} in a {type(found).__name__}, expected one for each of the "
                f"{len(queries)} queries, in order",
                where="the answers to a batch",
                hint="without batch=, queries are sent one by one",
            )
        pairs = zip(results, queries, strict=True)
        return [self._read(answer, k, query.id) for answer, query in pairs]

    def close(self) -> None:
        """Do nothing: the caller's object stays open."""

    def __repr__(self) -> str:
        return f"<PythonSystem {self.name!r}: {self._identity['callable']}>"


@suggest_keywords
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
        adapted: System = system
        return adapted
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
    known = retriever(system)
    if known is not None:
        if batch > 1:
            raise ParameterError(
                f"found {batch}, but {type(system).__qualname__} takes one query per call",
                where="batch",
                hint="for concurrent calls set workers",
            )
        return known
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
    name = getattr(system, "__name__", None) or type(system).__name__
    return "system" if name == "<lambda>" else str(name)


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

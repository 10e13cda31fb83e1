"""Systems that are functions or objects, given or named."""

from __future__ import annotations

import inspect
import os
import sys
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from os import PathLike
from os.path import join
from traceback import extract_tb

from gainful.errors import (
    ArgumentError,
    GainfulError,
    ParameterError,
    SourceError,
    SourceNotFoundError,
)
from gainful.keywords import suggest_keywords
from gainful.packages import SYSTEMS, error_in, installed
from gainful.systems.protocol import Answer, Query, System
from gainful.systems.python.answers import AnswerReader
from gainful.threads import collect_at_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from types import ModuleType
    from typing import Any, TypeAlias

    from gainful.systems.description.description import Description

    Arguments: TypeAlias = tuple[list[Any], dict[str, Any]]
    Called: TypeAlias = tuple[Callable[..., Any], "Calling"]
    SystemLike: TypeAlias = System | Callable[..., Any] | str | PathLike[str] | object

__all__ = [
    "PythonSystem",
    "Renamed",
    "as_python_system",
    "build",
    "build_installed",
    "check",
    "guarded",
    "load_object",
    "names_object",
    "object_name",
]

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


def names_object(word: str) -> bool:
    """Return whether a word names a Python object, not a file.

    Examples
    --------
    >>> names_object("shop.search:find"), names_object("search.py:find"), names_object("s.toml")
    (True, True, False)
    """
    place, colon, name = word.rpartition(":")
    return bool(colon) and bool(place) and name.replace(".", "").isidentifier()


def load_object(word: str, settings: Mapping[str, Any] | None = None) -> Any:
    """Load an object by name, and call it if it is a class or has settings.

    Examples
    --------
    >>> with open("titles.py", "w") as file:
    ...     _ = file.write("def find(text, k): return [text.upper()]")
    >>> load_object("titles.py:find")("tea", 3)
    ['TEA']
    """
    place, _, name = word.rpartition(":")
    if not names_object(word):
        raise ArgumentError(
            where="a system", found=repr(word), expected="module:object or file.py:object"
        )
    collect_at_end()
    module = _of_file(place) if place.endswith(".py") else _of_module(place)
    loaded: Any = module
    for step in name.split("."):
        holder = loaded
        if not hasattr(holder, step):
            raise _unknown(word, holder, step)
        loaded = getattr(holder, step)
        if _is_method(holder, step):
            raise ArgumentError(
                f"a method of the class {holder.__qualname__} needs an object",
                where=word,
                hint=f"write {place}:{holder.__qualname__}",
            )
    if not settings and not inspect.isclass(loaded):
        return loaded
    if not callable(loaded):
        raise ArgumentError(
            f"settings need a function or class, not {type(loaded).__name__}", where=word
        )
    named = {name.replace(".", "_"): value for name, value in (settings or {}).items()}
    try:
        inspect.signature(loaded).bind(**named)
    except TypeError as error:
        raise ArgumentError(
            f"does not take the settings {', '.join(named) or '()'}: {error}", where=word
        ) from None
    except ValueError:
        pass  # The signature is unknown.
    return guarded(lambda: loaded(**named), word, getattr(module, "__file__", None))


def _of_module(name: str) -> ModuleType:
    _add_path(os.getcwd())
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise SourceNotFoundError(
            found=f"no module {name!r}",
            hint=f"for a file, write {name.replace('.', '/')}.py:NAME",
        )
    module: ModuleType = guarded(lambda: import_module(name), name, spec.origin)
    return module


def _of_file(path: str) -> ModuleType:
    if not os.path.isfile(path):
        raise SourceNotFoundError(file=path, found="no such file")
    # Modules in the same folder can be imported, as for a script.
    _add_path(os.path.dirname(os.path.abspath(path)))
    # The name cannot conflict with that of another module.
    name = os.path.basename(path)
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    guarded(lambda: loader.exec_module(module), path, path)
    return module


def _is_method(holder: Any, name: str) -> bool:
    return inspect.isclass(holder) and inspect.isfunction(inspect.getattr_static(holder, name))


def _add_path(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def guarded(load: Callable[[], Any], name: str, file: str | None = None) -> Any:
    """Run third-party code, and report its errors with file and line."""
    try:
        return load()
    except GainfulError:
        raise
    except (Exception, SystemExit) as error:
        line = None
        target = os.path.abspath(file or name)
        if isinstance(error, SyntaxError) and os.path.abspath(error.filename or "") == target:
            line = error.lineno
        else:
            frames = extract_tb(error.__traceback__)
            line = next(
                (
                    frame.lineno
                    for frame in reversed(frames)
                    if os.path.abspath(frame.filename) == target
                ),
                None,
            )
        message = str(error.msg if isinstance(error, SyntaxError) else error)
        raise SourceError(
            f"{type(error).__name__}: {message}" if message else type(error).__name__,
            file=file or name,
            line=line,
        ) from error


def _unknown(word: str, holder: Any, step: str) -> ArgumentError:
    names = [name for name in dir(holder) if not name.startswith("_")]
    close = get_close_matches(step, names, n=1)
    return ArgumentError(
        f"no {step!r}", where=word, hint=f"did you mean {close[0]}?" if close else None
    )


def build(description: Description) -> System:
    """Create the system of a description with a Python object.

    Parameters
    ----------
    description : Description
        ``object``: ``file.py:name``, relative to the description, or ``module:name``. If there are
        ``[settings]``, it is called with them and returns the system; dots in their names become
        underscores. ``[results]``: the locations of ``documents``, ``id`` and ``score`` in its
        result. ``batch`` and ``version`` as in `as_system`.

    Examples
    --------
    >>> from gainful.systems import Query, load_system
    >>> with open("titles.py", "w") as file:
    ...     _ = file.write("def make(prefix): return lambda text, k: [prefix + text]")
    >>> system = load_system(
    ...     {"engine": "python", "object": "titles.py:make", "settings": {"prefix": "d-"}}
    ... )
    >>> system.ask([Query("q1", "tea")], 10)
    [Answer(documents=['d-tea'], scores=None)]
    """
    place = object_name(description)
    settings = description.use_settings()
    options = _options(description)
    system = as_python_system(load_object(place, settings), name=description.name, **options)
    if settings and isinstance(system, PythonSystem):
        # Settings are part of the identity, wherever the object stores them.
        system.settings = settings
    return system


def build_installed(description: Description) -> System:
    """Create the system of an engine of an installed package.

    The entry point of the group ``gainful.systems`` loads a function, which reads the keys of the
    `Description` and returns a system as `as_system` takes it.
    """
    for entry, build in installed(SYSTEMS, description.engine):
        if not callable(build):
            raise error_in(entry, "is not a function that takes a description")
        system = as_python_system(build(description), name=description.name)
        if isinstance(system, PythonSystem):
            # What the object does with its keys is unknown, so all are part of the identity.
            system.settings = description.written()
        return system
    raise AssertionError(description.engine)


def check(description: Description) -> str:
    """Check a description and return the name of its object, without loading it."""
    place = object_name(description)
    description.use_settings()
    _options(description)
    description.finish()
    return place


def object_name(description: Description) -> str:
    """Return the name of the object; a file is relative to the description."""
    place: str = description.text("object")
    is_file = place.rpartition(":")[0].endswith(".py")
    return join(description.folder, place) if is_file else place


def _options(description: Description) -> dict[str, Any]:
    results = description.table("results")
    fields = None
    if results is not None:
        names = [name for name in ("documents", "id", "score") if name in results]
        fields = {name: results.text(name) for name in names}
    return {
        "fields": fields,
        "batch": description.integer("batch", None, least=1),
        "version": description.text("version", None),
    }

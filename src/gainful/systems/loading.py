"""Create systems from functions, objects and descriptions."""

from __future__ import annotations

from os import PathLike

from gainful.errors import ArgumentError, ParameterError
from gainful.keywords import suggest_keywords
from gainful.systems.databases.building import build as build_database
from gainful.systems.description.loading import ENGINES, HTTP_ENGINES, read_description
from gainful.systems.lexical import build as build_lexical
from gainful.systems.python.callables import as_python_system
from gainful.systems.python.named_objects import build as build_python
from gainful.systems.python.named_objects import build_installed, load_object, names_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.systems.description.description import Description
    from gainful.systems.http.transport import Transport
    from gainful.systems.protocol import System
    from gainful.systems.python.callables import SystemLike

__all__ = ["as_system", "load_system"]


@suggest_keywords
def as_system(
    system: SystemLike,
    *,
    name: str | None = None,
    fields: Mapping[str, str | None] | None = None,
    version: str | None = None,
    batch: int | None = None,
) -> System:
    """Convert an object to a `System`.

    Parameters
    ----------
    system
        A function of the query's text; an object with a method `search`; a retriever or vector
        store of LangChain, a retriever of LlamaIndex, a component of Haystack; a `System`; the
        path of a description in TOML; ``"module:object"`` or ``"file.py:object"``.

        A function's first parameter gets the text. ``k``, ``top_k``, ``limit``, ``size``, ``n``
        and the like, or else the second parameter, get the number of documents; ``query_id`` gets
        the query's id, ``fields`` all its fields, and a parameter with the name of a field gets
        that field. The function may be ``async def``.
    name : str, optional
        The name of the run. Default: the name of the function or class.
    fields : mapping, optional
        The locations of ids and scores in the result; see `AnswerReader`.
    version : str, optional
        The version of the system, for example of its index. A journal refuses another version.
    batch : int, optional
        If more than 1, the function gets lists of at most this many texts, and returns as many
        answers.

    Raises
    ------
    ArgumentError
        For an object that is not a system, with a hint.
    ParameterError
        For a batch below 1, or above 1 for a system that takes one query per call.

    Examples
    --------
    >>> from gainful.systems import Query
    >>> system = as_system(lambda text, k: [f"{text}-{n}" for n in range(k)], name="echo")
    >>> system.ask([Query("q1", "tea")], 2)
    [Answer(documents=['tea-0', 'tea-1'], scores=None)]
    >>> as_system({"q1": ["d1"]})
    Traceback (most recent call last):
        ...
    gainful.errors.ArgumentError: a system: found dict, expected a function of a query's ...
    """
    if isinstance(system, str) and names_object(system):
        system = load_object(system)
    if isinstance(system, (str, PathLike)):
        if fields or version or batch:
            raise ArgumentError(
                "fields, version and batch are not available for a description",
                where="a system",
                hint="set them in the file",
            )
        return load_system(system, name=name)
    return as_python_system(system, name=name, fields=fields, version=version, batch=batch)


@suggest_keywords
def load_system(
    description: str | PathLike[str] | Mapping[str, Any],
    *,
    settings: Mapping[str, Any] | None = None,
    name: str | None = None,
    transport: Transport | None = None,
    record: str | PathLike[str] | None = None,
    replay: str | PathLike[str] | None = None,
) -> System:
    """Create a system from its description.

    Parameters
    ----------
    description : path or mapping
        A TOML file, or its content. ``engine`` is one of ``"http"``,
        ``"elasticsearch"``, ``"opensearch"``, ``"solr"``, ``"qdrant"``, ``"postgres"``,
        ``"sqlite"``, ``"duckdb"``, ``"bm25"``, ``"tfidf"`` or ``"python"``, or one that an
        installed package adds with an entry point of the group ``gainful.systems``.
    settings : mapping, optional
        Values of settings that the description declares, by dotted names such as
        ``"boost.title"``, or nested.
    name : str, optional
        The name of the run. Default: ``name`` of the description, or its file's name.
    transport : Transport, optional
        The transport of requests, for engines over HTTP.
    record : path, optional
        A file to which every request and its answer is appended, without headers.
    replay : path, optional
        A recording that answers instead of the engine.

    Returns
    -------
    System
        The system.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        If the description has an unknown key or placeholder, or a value of the wrong type, or an
        environment variable is missing.
    ParameterError
        If a setting is not declared.

    Examples
    --------
    >>> system = load_system(
    ...     {
    ...         "engine": "elasticsearch",
    ...         "url": "http://localhost:9200",
    ...         "index": "products",
    ...         "settings": {"boost": {"title": 2}},
    ...         "body": {
    ...             "query": {
    ...                 "multi_match": {"query": "{{query}}", "fields": ["title^{{boost.title}}"]}
    ...             }
    ...         },
    ...     },
    ...     settings={"boost.title": 4},
    ...     name="products",
    ... )
    >>> system
    <System products: elasticsearch at http://localhost:9200>
    """
    read = read_description(description, settings=settings, name=name)
    system: System
    if read.engine in HTTP_ENGINES:
        from gainful.systems.http.system import build as build_http

        system = build_http(read, transport=transport, record=record, replay=replay)
    elif transport is None and record is None and replay is None:
        system = _build(read)
    else:
        raise ParameterError(
            f"{read.engine!r} cannot be recorded, only engines over HTTP: "
            f"{', '.join(HTTP_ENGINES)}",
            file=read.file,
        )
    read.finish()
    return system


def _build(read: Description) -> System:
    """Create the system of an engine without HTTP; only its modules are imported."""
    if read.engine in ("bm25", "tfidf"):
        return build_lexical(read)
    if read.engine == "python":
        return build_python(read)
    if read.engine not in ENGINES:
        return build_installed(read)
    return build_database(read)

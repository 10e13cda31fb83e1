"""Make a system of whatever can be asked: a function, an object, a description."""

from __future__ import annotations

from os import PathLike

from gainful.errors import ArgumentError, ParameterError
from gainful.systems.databases.building import build as build_database
from gainful.systems.description.loading import HTTP_ENGINES, read_description
from gainful.systems.lexical.described import build as build_lexical
from gainful.systems.python.callables import as_python_system
from gainful.systems.python.described import build as build_python
from gainful.systems.python.named_objects import load_object, names_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.systems.description.description import Description
    from gainful.systems.http.transport import Transport
    from gainful.systems.protocol import System
    from gainful.systems.python.callables import SystemLike

__all__ = ["as_system", "load_system"]


def as_system(
    system: SystemLike,
    *,
    name: str | None = None,
    fields: Mapping[str, str | None] | None = None,
    version: str | None = None,
    batch: int | None = None,
) -> System:
    """Return what can be asked queries, whatever it is.

    Parameters
    ----------
    system
        A function of the query's text; an object with a method `search`; a retriever or vector
        store of LangChain, a retriever of LlamaIndex, a component of Haystack; a `System`; the
        path of a description in TOML; ``"module:object"`` or ``"file.py:object"``.

        A function's first parameter gets the text. ``k``, ``top_k``, ``limit``, ``size``, ``n``
        and the like get how many documents are wanted, and so does a second parameter of another
        name; ``query_id`` gets the query's id, ``fields`` all that is known of it, and a
        parameter with the name of a field gets that field. It may be ``async def``.
    name : str, optional
        What the run is called; without it what the function or class is called.
    fields : mapping, optional
        Where ids and scores stand in what is returned; see `AnswerReader`.
    version : str, optional
        What tells this state of the system from earlier ones. Without it a digest of the code and
        of all data does.
    batch : int, optional
        More than 1 hands the function a list of so many texts at most, for as many answers.

    Raises
    ------
    ArgumentError
        For what cannot be asked, with what to do about it.
    ParameterError
        For a batch below 1, or for what takes one query at a time.

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
                where="a system",
                found="fields, version or batch beside the path of a description",
                expected="them in the description",
            )
        return load_system(system, name=name)
    return as_python_system(system, name=name, fields=fields, version=version, batch=batch)


def load_system(
    description: str | PathLike[str] | Mapping[str, Any],
    *,
    settings: Mapping[str, Any] | None = None,
    name: str | None = None,
    transport: Transport | None = None,
    record: str | PathLike[str] | None = None,
    replay: str | PathLike[str] | None = None,
) -> System:
    """Make a system of its description.

    Parameters
    ----------
    description : path or mapping
        A TOML file, or what one would hold. ``engine`` says what it is: ``"http"``,
        ``"elasticsearch"``, ``"opensearch"``, ``"solr"``, ``"qdrant"``, ``"postgres"``,
        ``"sqlite"``, ``"duckdb"``, ``"bm25"``, ``"tfidf"`` or ``"python"``.
    settings : mapping, optional
        Other values for settings that the description declares, by dotted names such as
        ``"boost.title"``, or nested.
    name : str, optional
        What the run is called; by default ``name`` of the description, or its file's name.
    transport : Transport, optional
        What takes requests to the engine and brings answers back; for engines over HTTP.
    record : path, optional
        A file that every request and its answer is added to, without headers.
    replay : path, optional
        Such a file, which answers in the place of the engine.

    Returns
    -------
    System
        What `search` asks.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        If the description has a key that means nothing, a value of the wrong type, or a
        placeholder that stands for nothing, or the environment lacks a variable.
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
            file=read.file,
            found=f"a recording of {read.engine!r}",
            expected=f"an engine over HTTP: {', '.join(HTTP_ENGINES)}",
        )
    read.finish()
    return system


def _build(read: Description) -> System:
    """Make the system of an engine that is not asked over HTTP; only its modules are loaded."""
    if read.engine in ("bm25", "tfidf"):
        return build_lexical(read)
    if read.engine == "python":
        return build_python(read)
    return build_database(read)

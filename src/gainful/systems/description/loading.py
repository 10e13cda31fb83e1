"""From the description of a system to the system."""

from __future__ import annotations

from os import PathLike, fspath
from os.path import basename, dirname, splitext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.systems.description.description import Description
    from gainful.systems.http.transport import Transport
    from gainful.systems.protocol import System

__all__ = ["ENGINES", "HTTP_ENGINES", "load_system", "read_description"]

#: Engines that are asked over HTTP; each has a preset in ``systems/http/engines``.
HTTP_ENGINES = ("elasticsearch", "http", "opensearch", "qdrant", "solr")

#: Engine by engine, the function that makes a system of a `Description`.
ENGINES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(HTTP_ENGINES, ("gainful.systems.http.system", "build")),
    **dict.fromkeys(("duckdb", "postgres", "sqlite"), ("gainful.systems.databases", "build")),
    **dict.fromkeys(("bm25", "tfidf"), ("gainful.baselines", "build")),
    "python": ("gainful.systems.description.python", "build"),
}


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
    from importlib import import_module

    from gainful.errors import ParameterError

    read = read_description(description, settings=settings, name=name)
    module, function = ENGINES[read.engine]
    build = getattr(import_module(module), function)
    system: System
    if read.engine in HTTP_ENGINES:
        system = build(read, transport=transport, record=record, replay=replay)
    elif transport is None and record is None and replay is None:
        system = build(read)
    else:
        raise ParameterError(
            file=read.file,
            found=f"a recording of {read.engine!r}",
            expected=f"an engine over HTTP: {', '.join(HTTP_ENGINES)}",
        )
    read.finish()
    return system


def read_description(
    description: str | PathLike[str] | Mapping[str, Any],
    *,
    settings: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Description:
    """Read a description, without making a system of it.

    Parameters
    ----------
    description, settings, name
        As for `load_system`.

    Examples
    --------
    >>> read = read_description({"engine": "bm25", "k1": "{{k1}}", "settings": {"k1": 0.9}})
    >>> read.engine, read.settings, read.number("k1")
    ('bm25', {'k1': 0.9}, 0.9)
    """
    from collections.abc import Mapping

    from gainful.errors import ArgumentError
    from gainful.systems.description.description import Description
    from gainful.systems.description.reading import flat_settings, read_toml, with_settings

    file = None
    folder = ""
    called = "system"
    if isinstance(description, (str, PathLike)):
        file = fspath(description)
        folder = dirname(file)
        called = splitext(basename(file))[0]
        table: Mapping[str, Any] = read_toml(file)
    elif isinstance(description, Mapping):
        table = description
    else:
        raise ArgumentError(
            found=f"a description of type {type(description).__name__}",
            expected="the path of a TOML file, or a mapping",
        )
    declared = flat_settings(table.get("settings", {}), file)
    chosen = with_settings(declared, settings or {}, file)
    read = Description(table, called, chosen, file=file, folder=folder)
    read.name = name or read.text("name", called)
    _check_engine(read, table)
    return read


def _check_engine(read: Description, table: Mapping[str, Any]) -> None:
    from difflib import get_close_matches

    known = ", ".join(sorted(ENGINES))
    if "engine" not in table:
        raise read.missing("engine", f"one of {known}", hint='engine = "http" is the generic one')
    if not isinstance(table["engine"], str) or read.engine not in ENGINES:
        close = get_close_matches(read.engine.lower(), list(ENGINES), n=1)
        hint = f"did you mean {close[0]!r}?" if close else 'engine = "http" is the generic one'
        raise read.wrong("engine", table["engine"], f"one of {known}", hint=hint)

"""Load systems of descriptions and objects, and show what a description accesses."""

from __future__ import annotations

import json
import re
from difflib import get_close_matches
from inspect import getdoc
from os import PathLike
from typing import NamedTuple

from gainful.errors import ArgumentError, ParameterError
from gainful.formats.table import Column, Table, noted
from gainful.keywords import suggest_keywords
from gainful.packages import SYSTEMS, installed, names
from gainful.systems.databases.building import build as build_database
from gainful.systems.databases.building import declared_files
from gainful.systems.databases.engines import MEMORY
from gainful.systems.description.loading import ENGINES, HTTP_ENGINES, read_description
from gainful.systems.lexical import build as build_lexical
from gainful.systems.lexical import corpus_paths
from gainful.systems.masking import VARIABLE
from gainful.systems.python.callables import as_python_system
from gainful.systems.python.named_objects import build as build_python
from gainful.systems.python.named_objects import (
    build_installed,
    load_object,
    names_object,
    object_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.systems.description.description import Description
    from gainful.systems.http.transport import Transport
    from gainful.systems.protocol import System
    from gainful.systems.python.callables import SystemLike

__all__ = [
    "Inspection",
    "as_system",
    "engine_entries",
    "engine_entry",
    "inspect_description",
    "inspection_table",
    "load_system",
]


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


# Keys in which ${NAME} reads an environment variable.
_WITH_VARIABLES = ("url", "path", "headers", "params", "proxy", "connection")

_HOST = re.compile(r"://(?:[^@/\s]*@)?([^/?\s]+)|\bhost(?:addr)?\s*=\s*([^&\s]+)")


class Inspection(NamedTuple):
    """What a description accesses.

    Attributes
    ----------
    engine : str
        The value of ``engine``.
    hosts, variables, files, code : list of str
        The hosts that queries are sent to, the environment variables that are read, the files and
        folders that are read, and the Python objects, SQL statements and extensions that are run.
    """

    engine: str
    hosts: list[str]
    variables: list[str]
    files: list[str]
    code: list[str]


@suggest_keywords
def inspect_description(description: str | PathLike[str] | Mapping[str, Any]) -> Inspection:
    """Return what a description accesses, without running its code or connecting.

    Parameters
    ----------
    description : path or mapping
        A TOML file, or its content.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        If a key that matters here is missing or invalid.

    Examples
    --------
    >>> inspect_description({"engine": "python", "object": "search.py:find"}).code
    ['search.py:find']
    """
    read = read_description(description)
    if read.engine in HTTP_ENGINES:
        hosts, files, code = _of_http(read)
    elif read.engine == "python":
        hosts, files, code = [], [], [object_name(read)]
    elif read.engine not in ENGINES:
        hosts, files, code = [], [], [entry.value for entry, _ in installed(SYSTEMS, read.engine)]
    elif read.engine in ("bm25", "tfidf"):
        hosts, files, code = [], corpus_paths(read), []
    else:
        hosts, files, code = _of_database(read)
    written = read.written()
    variables = VARIABLE.findall(json.dumps([written.get(key) for key in _WITH_VARIABLES]))
    if read.engine == "postgres":
        # Of libpq, for what the connection string lacks.
        variables.append("PG*")
    return Inspection(read.engine, hosts, list(dict.fromkeys(variables)), files, code)


def inspection_table(inspection: Inspection) -> Table:
    """Return an inspection as a table."""
    rows = [
        [kind, " ".join(value.split())]
        for kind, values in (
            ("host", inspection.hosts),
            ("variable", inspection.variables),
            ("file", inspection.files),
            ("code", inspection.code),
        )
        for value in values
    ]
    columns = [Column("kind"), Column("accessed", fit="wrap")]
    return Table(columns, rows, title=inspection.engine)


def _of_http(read: Description) -> tuple[list[str], list[str], list[str]]:
    from gainful.systems.http.address import read_address
    from gainful.systems.http.requests import preset

    if read.engine == "qdrant" and "folder" in read:
        folder = read.path("folder")
        return [], [folder], [f"pickled points in {folder}"]
    whole = read.over(preset(read.engine).table)
    tls = whole.table("tls")
    certificates = None if tls is None else tls.path("ca", None)
    hosts = [read_address(whole).shown]
    if proxy := whole.text("proxy", None):
        hosts.append(_shown_proxy(proxy))
    return hosts, [certificates] if certificates else [], []


def _shown_proxy(proxy: str) -> str:
    """Return the address of a proxy without its user and password."""
    scheme, colon, rest = proxy.rpartition("://")
    return f"{scheme}{colon}{rest.rpartition('@')[2]}"


def _of_database(read: Description) -> tuple[list[str], list[str], list[str]]:
    hosts, files = [], []
    if read.engine == "postgres":
        connection = read.text("connection", "")
        hosts = [url or word for url, word in _HOST.findall(connection)]
        hosts = hosts or [f"${{{name}}}" for name in VARIABLE.findall(connection)] or ["${PGHOST}"]
    elif read.text("database") != MEMORY:
        files.append(read.path("database"))
    files += declared_files(read).values()
    extensions = [f"extension {name}" for name in read.texts("extensions", [])]
    return hosts, files, [*extensions, *read.sources("setup"), read.source("sql")]


_RUN = "run"

# Title and requirements by engine; those of HTTP engines are in their presets.
_LOCAL = {
    "postgres": ("PostgreSQL: full text, pgvector, any SQL", "gainful[search]"),
    "sqlite": ("SQLite: FTS5, any SQL", ""),
    "duckdb": ("DuckDB: vectors, full text, any SQL", "duckdb"),
    "bm25": ("BM25 over a corpus of texts", "gainful[baselines]"),
    "tfidf": ("TF-IDF over a corpus of texts", "gainful[baselines]"),
    "python": ("a function or an object in Python", ""),
}


class EngineEntry(NamedTuple):
    """An engine.

    Attributes
    ----------
    name : str
        The value of ``engine`` in a description.
    title : str
        Its title.
    needs : str
        What has to be installed; may be empty.
    evidence : str
        How it was verified: ``"run"`` if tests run it, with the version of a server; ``"read"`` if
        only its documentation was read; empty for the engine of an installed package.
    starter : str
        A starter description in TOML.
    """

    name: str
    title: str
    needs: str
    evidence: str
    starter: str

    def to_dict(self) -> dict[str, str]:
        """Return the entry as plain values."""
        return self._asdict()


def engine_entries() -> list[EngineEntry]:
    """Return all engines: HTTP engines first, those of installed packages last.

    Examples
    --------
    >>> [entry.name for entry in engine_entries()][:3]
    ['elasticsearch', 'http', 'opensearch']
    """
    return [_entry(name) for name in (*HTTP_ENGINES, *_LOCAL, *names(SYSTEMS))]


def engine_entry(name: str) -> EngineEntry:
    """Return one engine.

    Examples
    --------
    >>> print(engine_entry("tfidf").starter, end="")
    engine = "tfidf"
    corpus = "corpus.jsonl"
    """
    known = [*ENGINES, *names(SYSTEMS)]
    if name in known:
        return _entry(name)
    close = get_close_matches(name.lower(), known, n=1)
    raise ParameterError(
        f"unknown engine {name!r}, expected one of {', '.join(known)}",
        hint=f"did you mean {close[0]}?" if close else "use http for other engines",
    )


def engine_table(entries: list[EngineEntry]) -> Table:
    """Return engines as a table."""
    rows = [[entry.name, entry.title, entry.needs, entry.evidence] for entry in entries]
    notes = [
        "evidence: `run` if the tests query this version, `read` if its documentation was read.",
        "`gainful engines NAME` prints a starter description.",
    ]
    columns = map(Column, ("engine", "description", "needs", "evidence"))
    return Table(list(columns), rows, notes=noted("engines", notes))


def _entry(name: str) -> EngineEntry:
    from importlib.resources import files

    from gainful.systems.http.requests import preset

    if name not in ENGINES:
        ((entry, build), *_) = installed(SYSTEMS, name)
        title = (getdoc(build) or "").partition("\n")[0]
        package = entry.dist.name if entry.dist is not None else entry.value
        return EngineEntry(name, title, package, "", f'engine = "{name}"\n')
    starters = files("gainful.systems.description").joinpath("starters")
    starter = starters.joinpath(f"{name}.toml").read_text("utf-8")
    if name in HTTP_ENGINES:
        template = preset(name)
        return EngineEntry(name, template.title, "gainful[search]", template.evidence, starter)
    title, needs = _LOCAL[name]
    return EngineEntry(name, title, needs, _RUN, starter)

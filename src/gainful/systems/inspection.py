"""What a description accesses: hosts, environment variables, files and code."""

from __future__ import annotations

import json
import re
from difflib import get_close_matches
from inspect import getdoc
from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.formats.table import Column, Table, noted
from gainful.keywords import suggest_keywords
from gainful.packages import SYSTEMS, installed, names
from gainful.systems.databases.building import declared_files
from gainful.systems.databases.engines import MEMORY
from gainful.systems.description.loading import ENGINES, HTTP_ENGINES, read_description
from gainful.systems.environment import VARIABLE
from gainful.systems.http.address import read_address
from gainful.systems.http.requests import preset
from gainful.systems.lexical import corpus_paths
from gainful.systems.python.named_objects import object_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

    from gainful.systems.description.description import Description

__all__ = [
    "Inspection",
    "engine_entries",
    "engine_entry",
    "inspect_description",
    "inspection_table",
]


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

    Raises
    ------
    ParameterError
        If the name is unknown.

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

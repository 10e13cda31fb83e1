"""What a description accesses: hosts, environment variables, files and code."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from gainful.formats.table import Column, Table
from gainful.packages import SYSTEMS, installed
from gainful.systems.databases.building import declared_files
from gainful.systems.databases.state import MEMORY
from gainful.systems.description.loading import ENGINES, HTTP_ENGINES, read_description
from gainful.systems.environment import VARIABLE
from gainful.systems.http.address import read_address
from gainful.systems.http.presets import preset
from gainful.systems.lexical.from_description import corpus_paths
from gainful.systems.python.from_description import object_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

    from gainful.systems.description.description import Description

__all__ = ["Inspection", "inspect_description", "inspection_table"]

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

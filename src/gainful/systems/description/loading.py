"""Read the description of a system."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from os import PathLike, fspath
from os.path import basename, dirname, splitext

from gainful.errors import ArgumentError
from gainful.packages import SYSTEMS, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.systems.description.description import Description

__all__ = ["ENGINES", "HTTP_ENGINES", "read_description"]

#: Engines over HTTP; each has a preset in ``systems/http/engines``.
HTTP_ENGINES = ("elasticsearch", "http", "opensearch", "qdrant", "solr")

#: The engines of Gainful; installed packages add others.
ENGINES = (*HTTP_ENGINES, "duckdb", "postgres", "sqlite", "bm25", "tfidf", "python")


def read_description(
    description: str | PathLike[str] | Mapping[str, Any],
    *,
    settings: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Description:
    """Read a description without creating a system.

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
            found=type(description).__name__,
            expected="the path of a TOML file, or a mapping",
        )
    declared = flat_settings(table.get("settings", {}), file)
    chosen = with_settings(declared, settings or {}, file)
    read = Description(table, called, chosen, file=file, folder=folder)
    read.name = name or read.text("name", called)
    _check_engine(read, table)
    return read


def _check_engine(read: Description, table: Mapping[str, Any]) -> None:
    if read.engine in ENGINES:
        return
    engines = [*sorted(ENGINES), *names(SYSTEMS)]
    known = ", ".join(engines)
    if "engine" not in table:
        raise read.missing(
            "engine", f"one of {known}", hint='for other engines use engine = "http"'
        )
    if not isinstance(table["engine"], str) or read.engine not in engines:
        close = get_close_matches(read.engine.lower(), engines, n=1)
        hint = f"did you mean {close[0]!r}?" if close else 'for other engines use engine = "http"'
        raise read.wrong("engine", table["engine"], f"one of {known}", hint=hint)

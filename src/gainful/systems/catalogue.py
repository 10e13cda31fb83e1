"""The engines that can be described, with their test status and a starter description."""

from __future__ import annotations

from difflib import get_close_matches
from inspect import getdoc
from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.formats.table import Column, Table, noted
from gainful.packages import SYSTEMS, installed, names
from gainful.systems.description.loading import ENGINES, HTTP_ENGINES
from gainful.systems.http.presets import preset

__all__ = ["EngineEntry", "engine_entries", "engine_entry"]

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
        found = preset(name)
        return EngineEntry(name, found.title, "gainful[search]", found.evidence, starter)
    title, needs = _LOCAL[name]
    return EngineEntry(name, title, needs, _RUN, starter)

"""What can be described: every engine, how far it was tried, and a description to begin with."""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.systems.description.loading import ENGINES, HTTP_ENGINES
from gainful.systems.http.presets import preset

__all__ = ["EngineEntry", "engine_entries", "engine_entry"]

_RUN = "run"
# Engine by engine, what it is and what it needs; of engines over HTTP the preset tells.
_LOCAL = {
    "postgres": ("PostgreSQL: full text, pgvector, any SQL", "gainful[search]"),
    "sqlite": ("SQLite: FTS5, any SQL", ""),
    "duckdb": ("DuckDB: vectors, full text, any SQL", "duckdb"),
    "bm25": ("BM25 over a corpus of texts", "gainful[baselines]"),
    "tfidf": ("TF-IDF over a corpus of texts", "gainful[baselines]"),
    "python": ("a function or an object in Python", ""),
}


class EngineEntry(NamedTuple):
    """What is known of an engine.

    Attributes
    ----------
    name : str
        What ``engine`` says in a description.
    title : str
        What it is.
    needs : str
        What has to be installed; empty where nothing has to.
    evidence : str
        ``"run"`` by the tests, with a version where there are several, or only ``"read"`` about.
    starter : str
        A description to begin with, in TOML.
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
    """Return all engines, those over HTTP first.

    Examples
    --------
    >>> [entry.name for entry in engine_entries()][:3]
    ['elasticsearch', 'http', 'opensearch']
    """
    return [_entry(name) for name in (*HTTP_ENGINES, *_LOCAL)]


def engine_entry(name: str) -> EngineEntry:
    """Return one engine.

    Raises
    ------
    ParameterError
        If there is none of the name.

    Examples
    --------
    >>> print(engine_entry("tfidf").starter, end="")
    engine = "tfidf"
    corpus = "corpus.jsonl"
    """
    if name in ENGINES:
        return _entry(name)
    close = get_close_matches(name.lower(), ENGINES, n=1)
    raise ParameterError(
        found=f"the engine {name!r}",
        expected=f"one of {', '.join(ENGINES)}",
        hint=f"did you mean {close[0]}?" if close else "http is the generic one",
    )


def _entry(name: str) -> EngineEntry:
    from importlib.resources import files

    starters = files("gainful.systems.description").joinpath("starters")
    starter = starters.joinpath(f"{name}.toml").read_text("utf-8")
    if name in HTTP_ENGINES:
        told = preset(name)
        return EngineEntry(name, told.title, "gainful[search]", told.evidence, starter)
    title, needs = _LOCAL[name]
    return EngineEntry(name, title, needs, _RUN, starter)

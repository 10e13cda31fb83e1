"""The presets of engines: descriptions that a user's own goes on top of."""

from __future__ import annotations

from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Preset", "preset"]


class Preset(NamedTuple):
    """What is known of an engine.

    Attributes
    ----------
    title : str
        What it is called.
    evidence : str
        ``"run"`` by the tests, or only ``"read"`` about.
    keys : mapping of str to str
        What a description has to give for its path, and what that is.
    table : mapping
        Method, path, parameters, body and results, as a description has them.
    """

    title: str
    evidence: str
    keys: Mapping[str, str]
    table: Mapping[str, Any]


def preset(engine: str) -> Preset:
    """Return the preset of an engine.

    Examples
    --------
    >>> preset("solr").title, preset("solr").table["results"]["documents"]
    ('Apache Solr', 'response.docs[]')
    """
    import tomllib
    from importlib.resources import files

    file = files("gainful.systems.http").joinpath("engines", f"{engine}.toml")
    table = tomllib.loads(file.read_text("utf-8"))
    entry = table.pop("preset")
    return Preset(entry["title"], entry["evidence"], entry.get("keys", {}), table)

"""The presets of engines: descriptions that users extend."""

from __future__ import annotations

from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Preset", "preset"]


class Preset(NamedTuple):
    """The preset of an engine.

    Attributes
    ----------
    title : str
        Its title.
    evidence : str
        How it was verified: ``"run"`` if tests run it, ``"read"`` if only its documentation was
        read.
    keys : mapping of str to str
        The keys that a description must add for the path, with explanations.
    table : mapping
        Method, path, parameters, body and results, as in a description.
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

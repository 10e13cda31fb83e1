"""The project's file: defaults and colors of systems."""

from __future__ import annotations

import os

from gainful.errors import ParameterError, SourceError
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["color_of", "find_project_file", "read_project_file", "set_colors"]


def find_project_file() -> tuple[str, dict[str, Any]] | None:
    """Return the path and the table of the file in the current folder or the nearest above it."""
    folder = os.getcwd()
    while True:
        for name in ("gainful.toml", "pyproject.toml"):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and (table := read_project_file(path)) is not None:
                return os.path.relpath(path), table
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def read_project_file(path: str) -> dict[str, Any] | None:
    """Return the table of a file; None for a pyproject.toml without one."""
    is_shared = os.path.basename(path) == "pyproject.toml"
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise SourceError(error.strerror or str(error), file=path) from error
    if is_shared and b"tool.gainful" not in data and b"[tool]" not in data:
        return None
    import tomllib

    try:
        table = tomllib.loads(data.decode())
    except ValueError as error:
        if is_shared and b"tool.gainful" not in data:
            return None
        raise SourceError(f"not TOML: {error}", file=path) from error
    table = table.get("tool", {}).get("gainful") if is_shared else table
    if table is not None and not isinstance(table, dict):
        raise SourceError("tool.gainful is not a table", file=path)
    return table


_colors: dict[str, str] = {}


@suggest_keywords
def set_colors(colors: Mapping[str, str], *, where: str = "colors") -> None:
    """Set the colors of systems in plots and reports.

    Systems without one have the colors of Gainful. On the command line, the table ``colors`` of
    ``gainful.toml`` sets them.

    Parameters
    ----------
    colors : mapping of str to str
        A color such as ``"#1f77b4"`` by the name of the system. An empty one resets all.
    where : str
        What errors name.

    Raises
    ------
    ParameterError
        For a color in another form.

    Examples
    --------
    >>> set_colors({"bm25": "#555555", "dense": "#d00"})
    >>> color_of("dense"), color_of("other")
    ('#d00', None)
    >>> set_colors({})
    """
    for system, color in colors.items():
        digits = str(color).removeprefix("#") if str(color)[:1] == "#" else ""
        if len(digits) not in (3, 6) or not set(digits.lower()) <= {*"0123456789abcdef"}:
            raise ParameterError(
                where=f"{where}.{system}", found=repr(color), expected="a color such as '#1f77b4'"
            )
    _colors.clear()
    _colors.update(colors)


def color_of(system: str) -> str | None:
    """Return the color that is set for a system, or None."""
    return _colors.get(system)

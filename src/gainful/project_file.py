"""The project's file: ``gainful.toml``, or ``pyproject.toml`` with a table ``[tool.gainful]``."""

from __future__ import annotations

import os

from gainful.errors import SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["find_project_file", "read_project_file"]


def find_project_file() -> tuple[str, dict[str, Any]] | None:
    """Return the path and the table of the file in the current folder or the nearest above it.

    Raises
    ------
    SourceError
        If it cannot be read, or is not TOML.
    """
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
    """Return the table of a file; None for a pyproject.toml without one.

    Raises
    ------
    SourceError
        If it cannot be read, or is not TOML.
    """
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

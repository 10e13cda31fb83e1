"""What installed packages add: measures, layouts of files, systems and clients of models.

A package offers an object with an entry point of a group, such as ``gainful.measures``.
"""

from __future__ import annotations

from gainful.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint

__all__ = ["LAYOUTS", "LLM_CLIENTS", "MEASURES", "SYSTEMS", "error_in", "installed", "names"]

#: The groups of entry points.
MEASURES = "gainful.measures"
LAYOUTS = "gainful.layouts"
SYSTEMS = "gainful.systems"
LLM_CLIENTS = "gainful.llm_clients"


def names(group: str) -> list[str]:
    """Return the names that installed packages add to a group."""
    # Its import takes longer than that of this module.
    from importlib.metadata import entry_points

    return list(dict.fromkeys(entry.name for entry in entry_points(group=group)))


def installed(group: str, name: str | None = None) -> Iterator[tuple[EntryPoint, object]]:
    """Yield the entry points of a group, or those of a name, with what they load.

    Raises
    ------
    ArgumentError
        If one cannot be loaded; the message names its package.
    """
    from importlib.metadata import entry_points

    every = entry_points(group=group)
    for entry in every if name is None else every.select(name=name):
        try:
            loaded = entry.load()
        except Exception as error:
            problem = str(error) or type(error).__name__
            raise error_in(entry, f"cannot be loaded ({problem})") from error
        yield entry, loaded


def error_in(entry: EntryPoint, problem: str) -> ArgumentError:
    """Return the error of a package whose entry point has a problem."""
    package = entry.dist.name if entry.dist is not None else "unknown"
    return ArgumentError(
        f"{entry.value!r} of the installed package {package} {problem}",
        where=f"{entry.group} {entry.name}",
        hint=f"fix or uninstall {package}" if entry.dist is not None else None,
    )

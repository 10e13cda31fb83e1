"""Optional packages, imported on demand, and what installed packages add to Gainful.

A package offers an object with an entry point of a group, such as ``gainful.measures``.
"""

from __future__ import annotations

import os
import sys

from gainful.errors import ArgumentError, GainfulError, MissingPackageError
from gainful.threads import collect_at_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint, EntryPoints
    from typing import Any

__all__ = [
    "LAYOUTS",
    "LLM_CLIENTS",
    "MEASURES",
    "SYSTEMS",
    "error_in",
    "installed",
    "load_package",
    "names",
]

#: The groups of entry points.
MEASURES = "gainful.measures"

LAYOUTS = "gainful.layouts"

SYSTEMS = "gainful.systems"

LLM_CLIENTS = "gainful.llm_clients"


def names(group: str) -> list[str]:
    """Return the names that installed packages add to a group."""
    return list(dict.fromkeys(entry.name for entry in _entries(group)))


def installed(group: str, name: str | None = None) -> Iterator[tuple[EntryPoint, object]]:
    """Yield the entry points of a group, or those of a name, with what they load."""
    every = _entries(group)
    for entry in every if name is None else every.select(name=name):
        try:
            loaded = entry.load()
        except Exception as error:
            problem = str(error) or type(error).__name__
            raise error_in(entry, f"cannot be loaded ({problem})") from error
        yield entry, loaded


def _entries(group: str) -> EntryPoints:
    """Return the entry points of a group; installing a package changes the date of its folder."""
    dates = [os.stat(place).st_mtime_ns if os.path.exists(place) else 0 for place in sys.path]
    state = (*sys.path, *dates)
    if group not in _read or _read[group][0] != state:
        # Its import takes longer than that of this module.
        from importlib.metadata import entry_points

        _read[group] = state, entry_points(group=group)
    return _read[group][1]


#: The state of the folders of packages, and the entry points of a group: a file of each is read.
_read: dict[str, tuple[tuple[object, ...], EntryPoints]] = {}


def error_in(entry: EntryPoint, problem: str) -> ArgumentError:
    """Return the error of a package whose entry point has a problem."""
    package = entry.dist.name if entry.dist is not None else "unknown"
    return ArgumentError(
        f"{entry.value!r} of the installed package {package} {problem}",
        where=f"{entry.group} {entry.name}",
        hint=f"fix or uninstall {package}" if entry.dist is not None else None,
    )


def load_package(
    module: str, *, where: str | None = None, package: str | None = None, extra: str | None = None
) -> Any:
    """Import a module of an optional package.

    Examples
    --------
    >>> load_package("json").loads("[1]")
    [1]
    >>> load_package("nobody", where="charts", extra="report")
    Traceback (most recent call last):
    gainful.errors.MissingPackageError: charts: the package nobody is not installed. Hint: ...
    """
    from importlib import import_module

    collect_at_end()
    name = package or module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"the package {name} is not installed",
            where=where,
            hint=f"pip install 'gainful[{extra}]'" if extra else f"pip install {name}",
        ) from error
    except (ImportError, AttributeError) as error:
        # Altair does not load under python -OO, which removes docstrings.
        optimized = sys.flags.optimize > 1
        raise GainfulError(
            f"the package {name}: {describe_failed_import(error)}",
            where=where,
            hint="run Python without -OO and PYTHONOPTIMIZE=2" if optimized else None,
        ) from error


def describe_failed_import(error: BaseException) -> str:
    """Return the reason for which a module cannot be imported.

    Examples
    --------
    >>> describe_failed_import(ModuleNotFoundError(name="click"))
    'the package click is not installed. Hint: pip install click'
    >>> describe_failed_import(ImportError("libblas.so: failed to map segment"))
    'cannot load a library (libblas.so: failed to map segment). Hint: is there enough memory?'
    """
    if isinstance(error, ModuleNotFoundError):
        return f"the package {error.name} is not installed. Hint: pip install {error.name}"
    # NumPy replaces the error by advice.
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, ImportError):
        return f"cannot load a library ({error}). Hint: is there enough memory?"
    return f"cannot be imported ({error})"

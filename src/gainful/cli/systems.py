"""Load the system of a command: a description in TOML or a Python object."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress

from gainful.cli.output import say
from gainful.errors import ArgumentError, ParameterError, SourceNotFoundError
from gainful.progress import QueryBar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from gainful.systems.protocol import System

    Result = TypeVar("Result")

__all__ = ["call_with_bar", "isolated", "make_system", "system_file", "unloaded_object"]


def system_file(place: str) -> str:
    """Return the file of ``--system``.

    Examples
    --------
    >>> system_file("shop/search.py:find"), system_file("shop.toml")
    ('shop/search.py', 'shop.toml')
    """
    file, found, _ = place.rpartition(".py:")
    return f"{file}.py" if found else place


@contextmanager
def isolated() -> Iterator[None]:
    """Isolate the command from side effects of a Python system.

    What the system prints goes to the standard error, since the run may go to the standard output.
    If it changes the working directory, that is undone.
    """
    here = os.getcwd()
    with redirect_stdout(sys.stderr):
        try:
            yield
        finally:
            with suppress(OSError):
                os.chdir(here)


def call_with_bar(ask: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """Search or sweep with a progress bar; after Ctrl-C print what the journal contains."""
    try:
        with isolated(), QueryBar() as progress:
            return ask(*arguments, progress=progress, **options)
    except KeyboardInterrupt as interrupt:
        for note in getattr(interrupt, "__notes__", ()):
            say(f"gainful: {note}")
        raise


def make_system(
    place: str,
    settings: Mapping[str, Any],
    *,
    name: str | None = None,
    fields: Sequence[str] = (),
    version: str | None = None,
    batch: int | None = None,
    record: str | None = None,
    replay: str | None = None,
) -> System:
    """Return the system of ``--system``.

    Parameters
    ----------
    place : str
        The path of a description, ``module:object`` or ``file.py:object``.
    settings : mapping
        The values of ``--set``.
    name, version, batch, record, replay
        The values of the options with these names.
    fields : sequence of str
        The values of ``--field``.

    Raises
    ------
    ArgumentError, ParameterError, SourceError
        For an invalid system, or an option that this kind of system does not have.
    """
    from gainful.systems.python.named_objects import guarded, load_object

    if _is_object(place):
        for option, value in (("--record", record), ("--replay", replay)):
            if value is not None:
                raise ArgumentError(f"{option} works with search engines over HTTP only")
        from gainful.systems.loading import as_system

        found = load_object(place, settings)
        picked = _fields(fields)
        # Inspecting an object may run its code.
        known: System = guarded(
            lambda: as_system(found, name=name, fields=picked, version=version, batch=batch), place
        )
        return known
    if fields:
        raise ArgumentError(
            "--field works with Python objects only",
            hint="use [results] in the description",
        )
    if place.endswith(".py"):
        raise ParameterError(
            f"{place} needs the name of a function or class in it",
            where="--system",
            hint=f"write {place}:NAME",
        )
    if not os.path.exists(place):
        raise SourceNotFoundError(
            file=place,
            found="no such file",
            hint="a system is a TOML file, module:object or file.py:function",
        )
    from gainful.systems.loading import load_system

    return load_system(place, settings=settings, name=name, record=record, replay=replay)


def unloaded_object(place: str, settings: Mapping[str, Any]) -> str | None:
    """Return the Python object that ``--system`` names, without loading it; None for others.

    Raises
    ------
    FormatError, ParameterError, SourceNotFoundError
        For an invalid description or setting, or a missing file.
    """
    code = place if _is_object(place) else None
    if code is None and os.path.exists(place) and not place.endswith(".py"):
        from gainful.systems.description import read_description
        from gainful.systems.python.named_objects import check

        description = read_description(place, settings=settings)
        code = check(description) if description.engine == "python" else None
    if code is not None:
        file = system_file(code)
        if file.endswith(".py") and not os.path.isfile(file):
            raise SourceNotFoundError(file=file, found="no such file")
    return code


def _is_object(place: str) -> bool:
    from gainful.systems.python.named_objects import names_object

    return names_object(place) and not os.path.exists(place)


def _fields(words: Sequence[str]) -> dict[str, str | None] | None:
    found: dict[str, str | None] = {}
    for word in words:
        what, equals, path = word.partition("=")
        if not equals:
            raise ParameterError(
                where="--field", found=repr(word), expected="WHAT=PATH, as in id=metadata.source"
            )
        # An empty path for the score ignores scores.
        found[what.strip()] = path.strip() or None
    return found or None

"""The system that a command is to ask: described in TOML, or a Python object."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress

from gainful.cli.output import say
from gainful.cli.search_progress import SearchProgress
from gainful.errors import ArgumentError, ParameterError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from gainful.systems.protocol import System

    Result = TypeVar("Result")

__all__ = ["file_of", "system_of", "undisturbed", "with_bar"]


def file_of(place: str) -> str:
    """Return the file that ``--system`` names.

    Examples
    --------
    >>> file_of("shop/search.py:find"), file_of("shop.toml")
    ('shop/search.py', 'shop.toml')
    """
    file, found, _ = place.rpartition(".py:")
    return f"{file}.py" if found else place


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep what a Python system does beside its work away from ours.

    What it prints goes to the standard error, for the run or table may go to the standard output.
    If it goes to another folder, relative names still mean what they meant.
    """
    here = os.getcwd()
    with redirect_stdout(sys.stderr):
        try:
            yield
        finally:
            with suppress(OSError):
                os.chdir(here)


def with_bar(ask: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """Search or sweep with a bar; what Ctrl-C left in the journal is told."""
    try:
        with undisturbed(), SearchProgress() as progress:
            return ask(*arguments, progress=progress, **options)
    except KeyboardInterrupt as interrupt:
        for note in getattr(interrupt, "__notes__", ()):
            say(f"gainful: {note}")
        raise


def system_of(
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
    """Return the system that ``--system`` names.

    Parameters
    ----------
    place : str
        The path of a description, ``module:object`` or ``file.py:object``.
    settings : mapping
        What ``--set`` says.
    name, version, batch, record, replay
        What the options of these names say.
    fields : sequence of str
        What ``--field`` says.

    Raises
    ------
    ArgumentError, ParameterError, SourceError
        For what is no system, or for an option that this kind does not have.
    """
    from gainful.systems.python.named_objects import guarded, load_object, names_object

    if names_object(place) and not os.path.exists(place):
        for option, value in (("--record", record), ("--replay", replay)):
            if value is not None:
                raise ArgumentError(
                    where=option, found="it with a Python object", expected="an engine over HTTP"
                )
        from gainful.systems.loading import as_system

        found = load_object(place, settings)
        picked = _fields(fields)
        # Looking at an object may run code of its own, too.
        known: System = guarded(
            lambda: as_system(found, name=name, fields=picked, version=version, batch=batch), place
        )
        return known
    if fields:
        raise ArgumentError(
            where="--field",
            found="it with a description",
            expected="[results] in the description",
        )
    if place.endswith(".py"):
        raise ParameterError(
            where="--system",
            found=repr(place),
            expected="the name of what is in it, too",
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


def _fields(words: Sequence[str]) -> dict[str, str | None] | None:
    found: dict[str, str | None] = {}
    for word in words:
        what, equals, path = word.partition("=")
        if not equals:
            raise ParameterError(
                where="--field", found=repr(word), expected="WHAT=PATH, as in id=metadata.source"
            )
        # Nothing as score leaves scores alone.
        found[what.strip()] = path.strip() or None
    return found or None

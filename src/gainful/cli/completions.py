"""What the shell completes: the names of measures, conventions, policies and engines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def measures() -> Iterator[str]:
    """Yield the names of measures, also with cutoff 10 if they take one."""
    from gainful.measures import families

    for family in families():
        yield family.name
        if family.takes_cutoff:
            yield f"{family.name}@10"


def conventions() -> Iterator[str]:
    """Yield the names of conventions."""
    from gainful.conventions import presets, read

    yield from read()
    for preset in presets():
        yield preset.name


def policies() -> Iterator[str]:
    """Yield policies with their values."""
    from gainful.conventions import POLICIES

    for policy in POLICIES:
        for value in policy.values:
            yield f"{policy.name}={value}"
    yield "name="


def commands() -> Iterator[str]:
    """Yield the names of commands."""
    from gainful.cli.commands import COMMANDS

    yield from COMMANDS


def engines() -> Iterator[str]:
    """Yield the names of engines."""
    from gainful.systems.description import ENGINES

    yield from ENGINES

"""``engine = "python"``: a callable, or one that is made with the settings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.description.description import Description
    from gainful.systems.protocol import System

__all__ = ["build"]


def build(description: Description) -> System:
    """Make a system of a description that names a function, class or object."""
    raise description.wrong("engine", description.engine, "another engine")

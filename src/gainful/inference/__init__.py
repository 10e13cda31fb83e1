"""Inference on plain numbers and arrays: how sure a mean is.

Nothing here knows of files, runs or measures.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.inference.interval import mean_interval

__all__ = ["mean_interval"]


# Hidden from type checkers, which would else believe in every name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # An evaluation of one query needs no interval, and not the modules behind it.
        if name == "mean_interval":
            from gainful.inference.interval import mean_interval

            return mean_interval
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Inference on plain numbers and arrays: how sure a mean is, how far two orders agree.

Nothing here knows of files, runs or measures.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.inference.interval import geometric_interval, mean_interval
    from gainful.inference.rank_correlation import kendall_tau

__all__ = ["geometric_interval", "kendall_tau", "mean_interval"]


# Hidden from type checkers, which would else believe in every name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # An evaluation of one query needs no interval, and not the modules behind it.
        if name == "kendall_tau":
            from gainful.inference.rank_correlation import kendall_tau

            return kendall_tau
        if name in __all__:
            from gainful.inference import interval

            return getattr(interval, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

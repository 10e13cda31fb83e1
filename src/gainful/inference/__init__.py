"""Inference on plain numbers and arrays: how sure a mean is, how far two orders agree.

Nothing here knows of files, runs or measures.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.inference.interval import geometric_interval, mean_interval
    from gainful.inference.rank_correlation import kendall_tau
    from gainful.inference.raters import krippendorff_alpha, weighted_kappa
    from gainful.inference.raters_bootstrap import alpha_interval, kappa_interval

# Each name with the module that it is loaded from when first used: an evaluation of one query needs
# no interval, and none of them NumPy.
_PLACES = {
    "alpha_interval": "raters_bootstrap",
    "geometric_interval": "interval",
    "kappa_interval": "raters_bootstrap",
    "kendall_tau": "rank_correlation",
    "krippendorff_alpha": "raters",
    "mean_interval": "interval",
    "weighted_kappa": "raters",
}

__all__ = [
    "alpha_interval",
    "geometric_interval",
    "kappa_interval",
    "kendall_tau",
    "krippendorff_alpha",
    "mean_interval",
    "weighted_kappa",
]


# Hidden from type checkers, which would else believe in every name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        place = _PLACES.get(name)
        if place is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"gainful.inference.{place}"), name)

"""Compare systems with a random order, a baseline and the ideal order."""

from __future__ import annotations

from gainful.bounds.call import headroom
from gainful.bounds.result import Headroom, MeasureHeadroom, Place, Share

__all__ = ["Headroom", "MeasureHeadroom", "Place", "Share", "headroom"]

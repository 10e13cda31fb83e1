"""headroom(): where systems stand between floor, baseline and ceiling."""

from __future__ import annotations

from gainful.bounds.call import headroom
from gainful.bounds.result import Headroom, Place, Share

__all__ = ["Headroom", "Place", "Share", "headroom"]

"""headroom(): where systems stand between floor, baseline and ceiling."""

from __future__ import annotations

from gainful.headroom.call import headroom
from gainful.headroom.result import Headroom, Place, Share

__all__ = ["Headroom", "Place", "Share", "headroom"]

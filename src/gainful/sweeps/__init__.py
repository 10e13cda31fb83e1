"""Sweeps: search a grid of settings, compare the runs and choose the best."""

from __future__ import annotations

from gainful.sweeps.call import sweep
from gainful.sweeps.points import Point, Range
from gainful.sweeps.result import Choice, Sweep

__all__ = ["Choice", "Point", "Range", "Sweep", "sweep"]

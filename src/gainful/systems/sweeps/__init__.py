"""Sweeps: one system with many settings, each a run, compared and honestly chosen from."""

from __future__ import annotations

from gainful.systems.sweeps.call import sweep
from gainful.systems.sweeps.choosing import Choice
from gainful.systems.sweeps.points import Point, Range
from gainful.systems.sweeps.result import Sweep

__all__ = ["Choice", "Point", "Range", "Sweep", "sweep"]

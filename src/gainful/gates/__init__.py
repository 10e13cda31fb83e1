"""Gates: a run held against a baseline that was kept in a file."""

from __future__ import annotations

from gainful.gates.baseline import Baseline, BaselineQuery, Look
from gainful.gates.call import gate
from gainful.gates.files import read_baseline
from gainful.gates.made import make_baseline
from gainful.gates.measured import GatedMeasure
from gainful.gates.result import GateResult

__all__ = [
    "Baseline",
    "BaselineQuery",
    "GateResult",
    "GatedMeasure",
    "Look",
    "gate",
    "make_baseline",
    "read_baseline",
]

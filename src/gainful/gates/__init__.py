"""Gates: check a run for regressions against a saved snapshot."""

from __future__ import annotations

from gainful.gates.call import gate
from gainful.gates.creation import make_snapshot, read_snapshot
from gainful.gates.gated_measure import GatedMeasure
from gainful.gates.margins import CarriedMargin, carried_margins
from gainful.gates.result import GateResult, look_alpha
from gainful.gates.snapshot import Look, Snapshot, SnapshotQuery

__all__ = [
    "CarriedMargin",
    "GateResult",
    "GatedMeasure",
    "Look",
    "Snapshot",
    "SnapshotQuery",
    "carried_margins",
    "gate",
    "look_alpha",
    "make_snapshot",
    "read_snapshot",
]

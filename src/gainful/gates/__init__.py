"""Gates: check a run for regressions against a saved snapshot."""

from __future__ import annotations

from gainful.gates.call import gate
from gainful.gates.creation import make_snapshot
from gainful.gates.files import read_snapshot
from gainful.gates.gated_measure import GatedMeasure
from gainful.gates.result import GateResult
from gainful.gates.snapshot import Look, Snapshot, SnapshotQuery

__all__ = [
    "GateResult",
    "GatedMeasure",
    "Look",
    "Snapshot",
    "SnapshotQuery",
    "gate",
    "make_snapshot",
    "read_snapshot",
]

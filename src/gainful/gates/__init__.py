"""Gates: a run checked against a snapshot that was kept in a file."""

from __future__ import annotations

from gainful.gates.call import gate
from gainful.gates.files import read_snapshot
from gainful.gates.made import make_snapshot
from gainful.gates.measured import GatedMeasure
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

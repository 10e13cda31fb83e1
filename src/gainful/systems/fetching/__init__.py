"""Send queries to a system: scheduling, workers, journal and report."""

from __future__ import annotations

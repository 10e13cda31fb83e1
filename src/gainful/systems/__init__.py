"""What produces a run: callables, search engines over HTTP, databases and baselines.

``search`` asks a system every query and makes a `Run` of what it answers.
"""

from __future__ import annotations

from gainful.systems.description import load_system
from gainful.systems.protocol import Answer, Query, System

__all__ = ["Answer", "Query", "System", "load_system"]

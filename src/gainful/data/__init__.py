"""Judgments and runs: `Qrels`, `Run`, and reading them."""

from __future__ import annotations

from gainful.data.qrels import Qrels
from gainful.data.run import Run

__all__ = ["Qrels", "Run"]

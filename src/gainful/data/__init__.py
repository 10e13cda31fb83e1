"""Judgments and runs: `Qrels`, `Run`, and reading and writing them."""

from __future__ import annotations

from gainful.data.coercion import read_qrels, read_run
from gainful.data.qrels import Qrels
from gainful.data.read_options import ReadOptions
from gainful.data.run import Run

__all__ = ["Qrels", "ReadOptions", "Run", "read_qrels", "read_run"]

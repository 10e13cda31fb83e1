"""Baselines: what a system has to beat, and how much there is to win.

BM25 and TF-IDF are systems as any other, made from a corpus; vectors, fused runs, random and ideal
orders are runs. `gainful.baselines` is where they are called from.
"""

from __future__ import annotations

from gainful.systems.baselines.described import build

__all__ = ["build"]

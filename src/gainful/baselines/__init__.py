"""Baselines: BM25, TF-IDF, dense vectors, fused runs, random and ideal orders."""

from __future__ import annotations

from gainful.baselines.call import bm25, dense, fuse, oracle, random_order, tfidf

__all__ = ["bm25", "dense", "fuse", "oracle", "random_order", "tfidf"]

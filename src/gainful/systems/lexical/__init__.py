"""Lexical rankers over a corpus of texts in memory: BM25 and TF-IDF."""

from __future__ import annotations

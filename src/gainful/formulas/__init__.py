"""CG, DCG, IDCG and nDCG of grades in lists and arrays."""

from __future__ import annotations

from gainful.formulas.lists import cg, dcg, formula, idcg, ndcg

__all__ = ["cg", "dcg", "formula", "idcg", "ndcg"]

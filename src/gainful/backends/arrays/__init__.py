"""Measures on arrays of NumPy, CuPy, JAX or PyTorch, on any device.

Each function takes grades of shape ``(..., n)``, one list along the last axis, and returns an array
of shape ``(...)`` of the same library on the same device. Nothing is copied to the host. A mask,
``where=``, allows lists of different lengths.

>>> import numpy as np
>>> from gainful.backends import arrays
>>> labels = np.array([[0, 1, 3, 2], [1, 0, 0, 0]])
>>> scores = np.array([[1.0, 1.0, 1.0, 0.5], [0.2, 0.4, 0.1, 0.3]])
>>> arrays.ndcg(labels, scores=scores, k=3).round(4)
array([0.5967, 0.5   ])

`measure_lists` takes measures and a convention instead, as `gainful.evaluate` does.

This second implementation serves arrays that the kernel cannot read; tests compare the two. In
64-bit floats they agree to 1e-12; on NumPy, sums of gains agree to the last bit.
"""

from __future__ import annotations

from gainful.backends.arrays.cumulated import cg, dcg, idcg, ndcg
from gainful.backends.arrays.measuring import measure_lists
from gainful.backends.arrays.relevance import (
    average_precision,
    err,
    precision,
    rbp,
    recall,
    reciprocal_rank,
    success,
)

__all__ = [
    "average_precision",
    "cg",
    "dcg",
    "err",
    "idcg",
    "measure_lists",
    "ndcg",
    "precision",
    "rbp",
    "recall",
    "reciprocal_rank",
    "success",
]

"""The presets that each path rejects, with the reason in its message.

The list is exact, so every change is noticed. Paths that are not listed support all presets. The
reason None means that the path lacks a parameter of a measure that the preset sets.
"""

from __future__ import annotations

_QUERY = {
    "rounding=query:5": ("ir_measures-0.4.3-exp-log2",),
    "rounding=query:2": ("opensearch-3.1.0",),
    "rounding=term-down:2": ("rre-1.1",),
}
_DUCKDB = {
    **_QUERY,
    "unretrieved=last": ("scikit-learn-1.9.1-ignore_ties",),
    "ties=random(0)": ("tensorflow-ranking-0.5.5",),
    "ideal='given-order'": ("spark-4.3.0-graded",),
    None: (
        *("catboost-1.2.10", "catboost-1.2.10-exp", "catboost-1.2.10-position"),
        *("catboost-1.2.10-exp-position", "caserecommender-1.1.1", "evidently-0.7.23"),
        *("lightgbm-4.7.0", "rax-0.4.0", "torchmetrics-1.9.0"),
        *("xgboost-3.2.0", "xgboost-3.2.0-linear", "xgboost-3.2.0-minus"),
    ),
}
_ARRAYS = {
    **_QUERY,
    "unretrieved=last": ("scikit-learn-1.9.1", "scikit-learn-1.9.1-ignore_ties"),
    None: ("torchmetrics-1.9.0",),
}
_BY_IDS = {
    "ties=doc-id-desc": (
        *("gainful-1", "trec_eval-9.0.8", "trec_eval-10.0-rc3", "pytrec_eval-0.5.11"),
        *("ir_measures-0.4.3", "gdeval-1.3", "beir-2.2.0", "mteb-2.26.24"),
        *("jarvelin-kekalainen-2002", "burges-2005"),
    ),
    "ties=doc-id-asc": (
        *("trectools-0.0.50", "trectools-0.0.50-exponential", "sentence-transformers-6.2.0"),
    ),
}

#: By path and collection, without the presets that the reference also rejects.
REFUSED = {
    # A query has no relevant documents, which rre-1.1 rejects on all paths.
    ("SQL in DuckDB", "whole grades"): {
        reason: labels for reason, labels in _DUCKDB.items() if reason != "rounding=term-down:2"
    },
    ("SQL in DuckDB", "all judged"): _DUCKDB,
    ("arrays of NumPy", "no ties"): _ARRAYS,
    ("arrays of NumPy", "all judged"): _ARRAYS | _BY_IDS,
    ("arrays of NumPy, 32 bits", "no ties"): _ARRAYS,
    ("arrays of array-api-strict", "no ties"): _ARRAYS,
}


def refused_by(path: str, collection: str) -> dict[str, str | None]:
    """Return the presets that a path rejects for a collection, with the reasons."""
    reasons = REFUSED.get((path, collection), {})
    return {label: reason for reason, labels in reasons.items() for label in labels}

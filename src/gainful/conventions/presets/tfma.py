"""TensorFlow Model Analysis."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "tfma-0.52.0",
        field="search engines and RAG",
        summary=(
            "ties in the reverse order of the run; queries with no relevant documents have no "
            "weight"
        ),
        evidence="read",
        source="https://github.com/tensorflow/model-analysis/blob/v0.52.0/"
        "tensorflow_model_analysis/metrics/ndcg.py",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": ABSENT,
            "RR": ABSENT,
            "P": ABSENT,
            "R": ABSENT,
            "Success": ABSENT,
        },
        policies={
            "ties": "reverse",
            "negative": "signed",
            "duplicates": "copies",
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {"nDCG": {"ideal": "list"}},
        },
        remarks=(
            "It reverses an unstable sort, so the order of ties depends on the machine",
            "A query with an ideal DCG below 0 counts as 0; here it is left out",
        ),
    ),
)

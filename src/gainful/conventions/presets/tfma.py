"""TensorFlow Model Analysis."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "tfma-0.52.0",
        field="search engines and RAG",
        summary="the last of equal scores first, and queries with nothing relevant have no weight",
        evidence="read",
        source="https://github.com/tensorflow/model-analysis/blob/v0.52.0/"
        "tensorflow_model_analysis/metrics/ndcg.py",
        measures=("nDCG",),
        policies={
            "ties": "reverse",
            "negative": "signed",
            "duplicates": "copies",
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {"nDCG": {"ideal": "list"}},
        },
        remarks=(
            "It reverses an unstable sort: which of equal scores stands first depends on the "
            "machine, at every length",
            "A query whose losses outweigh the gains of the ideal counts 0; here it is left out",
        ),
    ),
)

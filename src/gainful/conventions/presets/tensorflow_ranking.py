"""TensorFlow Ranking: tfr.keras.metrics.NDCGMetric."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "tensorflow-ranking-0.5.5",
        field="learning to rank",
        summary="documents with a negative grade are padding and taken out, ties shuffled",
        evidence="read",
        source="https://www.tensorflow.org/ranking/api_docs/python/tfr/keras/metrics/NDCGMetric",
        measures=("nDCG",),
        policies={
            "ties": "random(0)",
            "precision": "float32",
            "negative": "drop",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {"nDCG": {"gain": "exponential", "ideal": "list"}},
        },
        remarks=(
            "Ties are shuffled anew at each call, so that its figure for them is one draw of many; "
            "random(0) is another, and expected the mean of all",
            "It computes in 32-bit floating-point numbers, so that its figures agree in some five "
            "digits",
            "Weights of single documents, from which it makes those of the queries, cannot be said "
            "here",
        ),
    ),
)

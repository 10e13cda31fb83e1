"""TensorFlow Ranking: tfr.keras.metrics.NDCGMetric."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "tensorflow-ranking-0.5.5",
        field="learning to rank",
        summary="removes documents with a negative grade (padding); shuffles ties",
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
            "It shuffles ties at each call, so its value is one random draw; random(0) is "
            "another, expected the mean of all",
            "It computes with 32-bit floats, so its values agree to about five digits",
            "Weights of single documents, from which it derives query weights, are not supported "
            "here",
        ),
    ),
)

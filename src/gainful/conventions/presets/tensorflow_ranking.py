"""TensorFlow Ranking: tfr.keras.metrics.NDCGMetric."""

from __future__ import annotations

from gainful.conventions.checks import equal
from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "tensorflow-ranking-0.5.5",
        field="learning to rank",
        summary="removes documents with a negative grade (padding); shuffles ties",
        evidence="run",
        source="https://www.tensorflow.org/ranking/api_docs/python/tfr/keras/metrics/NDCGMetric",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": equal("dcg"),
            "AP": equal("map"),
            "RR": equal("mrr"),
            "P": equal("precision"),
            "R": equal("recall"),
            "Success": equal("hits"),
        },
        names={"recall": "R"},
        policies={
            "ties": "random(0)",
            "precision": "float32",
            "negative": "drop",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {
                "nDCG": {"gain": "exponential", "ideal": "list"},
                "AP": {"norm": "list"},
                "P": {"to_depth": True},
                "R": {"listed": True},
            },
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

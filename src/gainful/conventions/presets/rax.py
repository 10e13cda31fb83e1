"""Rax: ndcg_metric, for JAX."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "rax-0.4.0",
        field="learning to rank",
        summary="gain 2^grade - 1 in the list alone, ties as given, negative grades losses",
        evidence="run",
        source="https://github.com/google/rax/blob/v0.4.0/rax/_src/metrics.py",
        measures=("nDCG",),
        names={"ndcg_metric": "nDCG"},
        policies={
            "ties": "given",
            "precision": "float32",
            "negative": "signed",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {"nDCG": {"gain": "exponential", "ideal": "list"}},
        },
        remarks=(
            "It computes in 32-bit floating-point numbers unless JAX is told otherwise, so that "
            "its figures agree in some five digits",
            "Weights of single documents, which multiply their gains, cannot be said here",
            "A document with a score of minus infinity counts in the ideal alone",
        ),
    ),
)

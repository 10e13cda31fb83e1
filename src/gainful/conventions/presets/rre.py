"""RRE, the Rated Ranking Evaluator."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "rre-1.1",
        field="search engines and RAG",
        summary="each term and the quotient are rounded down to two digits",
        evidence="re-expressed",
        source="https://github.com/SeaseLtd/rated-ranking-evaluator/blob/master/rre-core/src/main/"
        "java/io/sease/rre/core/domain/metrics/impl/NDCGAtK.java",
        measures=("nDCG",),
        policies={
            "ties": "given",
            "negative": "signed",
            "duplicates": "count",
            "no_relevant": "error",
            "rounding": "term-down:2",
            "defaults": {"nDCG": {"gain": "exponential"}},
        },
        remarks=(
            "Since November 2025 its main branch has gain='linear'",
            "It rounds means up to four digits; here they are unrounded",
            "It does not round the gain at rank 1, which matters for gains with more than two "
            "digits",
            "A query with only grades of 0 is a division by zero, unless nothing was returned",
            "A query without judgments scores 1 if nothing was returned, else 0; here it is left "
            "out",
        ),
    ),
)

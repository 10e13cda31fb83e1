"""RRE, the Rated Ranking Evaluator."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "rre-1.1",
        field="search engines and RAG",
        summary="each term and the quotient are cut to two digits, never rounded up",
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
            "It rounds means up to four digits; here they are in full",
            "The gain at rank 1 is not cut there, which shows for gains of more than two digits",
            "Where a query has only grades of 0 it divides by zero, unless nothing was returned",
            "A query without judgments is 1 if nothing was returned, else 0; here it is left out",
        ),
    ),
)

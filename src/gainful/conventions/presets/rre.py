"""RRE, the Rated Ranking Evaluator."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "rre-1.1",
        field="search engines and RAG",
        summary="each term and the quotient are rounded down to two digits",
        evidence="re-expressed",
        source="https://github.com/SeaseLtd/rated-ranking-evaluator/blob/master/rre-core/src/main/"
        "java/io/sease/rre/core/domain/metrics/impl/NDCGAtK.java",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": different("AP", text="adds differences of recall that are rounded to two digits"),
            "RR": different(
                "RR",
                text="takes the rank of the document with the highest grade in the top k",
            ),
            "P": different("P", text="counts every judged document and rounds to two digits"),
            "R": different("R", text="counts every judged document and rounds to two digits"),
            "Success": ABSENT,
        },
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

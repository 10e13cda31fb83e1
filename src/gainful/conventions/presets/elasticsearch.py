"""The metric dcg of Elasticsearch's Ranking Evaluation API."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "elasticsearch-9.4.2",
        field="search engines and RAG",
        summary="the ideal is cut at the number of returned documents",
        evidence="re-expressed",
        source="https://www.elastic.co/guide/en/elasticsearch/reference/current/"
        "search-rank-eval.html#_discounted_cumulative_gain_dcg",
        checks={
            "nDCG": equal(),
            "DCG": equal("dcg"),
            "AP": ABSENT,
            "RR": equal("mean_reciprocal_rank"),
            "P": equal("precision", evidence="read"),
            "R": equal("recall"),
            "Success": ABSENT,
        },
        others=("IDCG",),
        # Its default cutoff is 10.
        names={"recall": "R"},
        policies={
            "ties": "given",
            "negative": "signed",
            "fractions": "error",
            "defaults": {
                "nDCG": {"gain": "exponential", "ideal": "judged-to-depth", "cutoff": 10},
                "P": {"to_depth": True, "cutoff": 10},
                "R": {"cutoff": 10},
                "RR": {"cutoff": 10},
            },
        },
        remarks=(
            "Rewritten from the source of 9.4.2. The tests run _rank_eval of Elasticsearch 7.17 "
            "and OpenSearch 2.19, with the same numbers; later versions are not in Maven Central",
            "Without normalize=true it prints DCG: use the measure DCG",
            "Returning only the best document scores 1.0, however many are relevant",
            "unknown_doc_rating is unjudged=GRADE; it raises DCG but not the ideal, so nDCG can "
            "exceed 1",
            "It also divides by an ideal DCG below 0; here such a query has no relevant documents",
        ),
    ),
)

"""pytrec_eval, trec_eval 9 as a Python module."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset
from gainful.conventions.presets.trec_eval import families
from gainful.measures.trec_names import NICKNAMES

#: The policies of pytrec_eval, which BEIR and MTEB build on.
POLICIES = {
    "precision": "float32",
    "negative": "unjudged",
    "fractions": "error",
    "missing": "skip",
}

DECLARED = (
    Preset(
        "pytrec_eval-0.5.11",
        field="retrieval",
        summary="trec_eval 9.0.8 in Python; queries missing from the run are left out",
        evidence="run",
        source="https://pypi.org/project/pytrec-eval-terrier/0.5.11/",
        checks={
            "nDCG": equal("ndcg", "ndcg_cut"),
            "DCG": ABSENT,
            "AP": equal("map", "map_cut"),
            "RR": equal("recip_rank", text="without a cutoff, as it has none"),
            "P": equal("P"),
            "R": equal("recall"),
            "Success": equal("success"),
        },
        others=families(NICKNAMES["all_trec"]),
        policies=POLICIES,
        remarks=(
            "It returns values per query; the mean is left to the user",
            "A grade that is not a whole number is a TypeError",
        ),
    ),
)

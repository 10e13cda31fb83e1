"""pytrec_eval, trec_eval 9 as a Python module."""

from __future__ import annotations

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
        measures=families(NICKNAMES["all_trec"]),
        policies=POLICIES,
        remarks=(
            "It returns values per query; the mean is left to the user",
            "A grade that is not a whole number is a TypeError",
        ),
    ),
)

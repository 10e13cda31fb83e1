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
        summary="as trec_eval 9.0.8, with queries missing from the run absent from its result",
        evidence="run",
        source="https://pypi.org/project/pytrec-eval-terrier/0.5.11/",
        measures=families(NICKNAMES["all_trec"]),
        policies=POLICIES,
        remarks=(
            "It gives values a query; the mean over those that it returns is its users' own",
            "A grade that is no whole number is a TypeError",
        ),
    ),
)

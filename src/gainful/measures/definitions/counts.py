"""Counts: queries, documents returned, relevant, and both. Over queries they are summed."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import REL

_SOURCE = "trec_eval, measures num_q, num_ret, num_rel and num_rel_ret"


def _relevant_if_graded(given: dict[str, object]) -> tuple[str, dict[str, object]]:
    # ir_measures writes the relevant returned as NumRet(rel=1).
    return ("NumRelRet" if "rel" in given else "NumRet"), given


FAMILIES = (
    Family(
        "NumQ",
        kernel="num_q",
        summary="The number of queries",
        formula="1 for each query",
        source=_SOURCE,
        example="NumQ",
        group="counts",
        takes_cutoff=False,
        low=0.0,
        high=None,
        aggregate="sum",
    ),
    Family(
        "NumRet",
        kernel="num_ret",
        summary="The number of documents returned",
        formula="documents in the ranking",
        source=_SOURCE,
        example="NumRet",
        group="counts",
        takes_cutoff=False,
        low=0.0,
        high=None,
        aggregate="sum",
        translate=_relevant_if_graded,
    ),
    Family(
        "NumRel",
        kernel="num_rel",
        summary="The number of relevant documents, returned or not",
        formula="documents judged rel or higher",
        source=_SOURCE,
        example="NumRel(rel=2)",
        group="counts",
        parameters=(REL,),
        takes_cutoff=False,
        low=0.0,
        high=None,
        aggregate="sum",
    ),
    Family(
        "NumRelRet",
        kernel="num_rel_ret",
        summary="The number of relevant documents returned",
        formula="documents in the ranking judged rel or higher",
        source=_SOURCE,
        example="NumRelRet(rel=2)",
        group="counts",
        parameters=(REL,),
        takes_cutoff=False,
        low=0.0,
        high=None,
        aggregate="sum",
    ),
)

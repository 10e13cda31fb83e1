"""Counts of queries and of retrieved, relevant or both; summed over queries."""

from __future__ import annotations

from gainful.measures.family import Family, TrecName
from gainful.measures.parameters import REL

_SOURCE = "trec_eval, measures num_q, num_ret, num_rel, num_rel_ret and num_nonrel_judged_ret"


def _relevant_if_graded(given: dict[str, object]) -> tuple[str, dict[str, object]]:
    # ir_measures writes the number of relevant documents retrieved as NumRet(rel=1).
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
        describes_data=True,
        trec_names={"num_q": TrecName()},
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
        describes_data=True,
        trec_names={"num_ret": TrecName()},
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
        describes_data=True,
        trec_names={"num_rel": TrecName()},
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
        describes_data=True,
        trec_names={"num_rel_ret": TrecName()},
        parameters=(REL,),
        takes_cutoff=False,
        low=0.0,
        high=None,
        aggregate="sum",
    ),
    Family(
        "NumNonrelRet",
        kernel="num_nonrel_ret",
        summary="The number of judged non-relevant documents returned",
        formula="documents in the ranking judged from 0 to below rel",
        source=_SOURCE,
        example="NumNonrelRet(rel=2)",
        group="counts",
        describes_data=True,
        aliases=("numnonreljudgedret",),
        trec_names={"num_nonrel_judged_ret": TrecName()},
        parameters=(REL,),
        takes_cutoff=False,
        low=0.0,
        high=None,
        aggregate="sum",
    ),
)

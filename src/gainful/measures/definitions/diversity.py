"""Measures of diversity: gains by subtopic."""

from __future__ import annotations

from gainful.measures.catalogue import NINE_CUTOFFS, TENTHS
from gainful.measures.definitions.precision_recall import MULTIPLE, OVERLAP
from gainful.measures.family import Family, TrecName
from gainful.measures.parameters import (
    JUDGED_ONLY,
    REL,
    Parameter,
    as_float,
    number_between,
    share_of_ranks,
    share_of_relevant,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.measures.parameters import Values


_ALPHA_NDCG_SOURCE = (
    "C. Clarke, M. Kolla, G. Cormack, O. Vechtomova, A. Ashkan, S. Büttcher, I. MacKinnon: Novelty "
    "and diversity in information retrieval evaluation. SIGIR 2008; as computed by ndeval 4.5"
)

ALPHA_NDCG_ALPHA = Parameter(
    "alpha",
    number_between(0, 1),
    legal="a number from 0 to 1",
    meaning=(
        "the redundancy penalty: how much less each further relevant document of a subtopic "
        "gains, 0 for no penalty, 1 for no further gain"
    ),
    default=0.5,
)


def as_share(values: Values) -> dict[str, object]:
    """Return the kernel's values for a share of documents relevant to all subtopics."""
    named = [name for name in ("rel", "alpha", "beta") if name in values]
    return {**{name: as_float(values[name]) for name in named}, "normalised": False}


def normalised(values: Values) -> dict[str, object]:
    """Return the kernel's values for a share of the ideal."""
    return {**as_share(values), "normalised": True}


_ALPHA_NDCG = (
    Family(
        "alpha_nDCG",
        kernel="alpha_dcg",
        summary=(
            "Novelty-biased nDCG: gain over subtopics, reduced for each repetition of a subtopic"
        ),
        formula=(
            "sum over r <= k of gain(r) / log2(r + 1), divided by that of the ideal; gain(r) is "
            "the sum of w * (1 - alpha)^c over the subtopics of the document, c the number of "
            "documents above it with that subtopic, w the weight of the subtopic, which is 1 "
            "unless the judgments have weights; the ideal takes the document with the "
            "largest gain at each rank, with ties by descending id"
        ),
        source=_ALPHA_NDCG_SOURCE,
        example="alpha_nDCG(alpha=0.3)@20",
        parameters=(ALPHA_NDCG_ALPHA, REL, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        aliases=("αndcg", "andcg"),
        to_kernel=normalised,
        # The ideal is built greedily, so another ranking may exceed it.
        high=None,
    ),
    Family(
        "alpha_DCG",
        kernel="alpha_dcg",
        summary=(
            "The alpha_nDCG normalized by documents relevant to every subtopic instead of the ideal"
        ),
        formula=(
            "sum over r <= k of gain(r) / log2(r + 1), divided by the sum of S * (1 - alpha)^(r "
            "- 1) / log2(r + 1); gain(r) as in alpha_nDCG, S the number of subtopics with a "
            "relevant document, or their weight"
        ),
        source=_ALPHA_NDCG_SOURCE,
        example="alpha_DCG(alpha=0.3)@20",
        parameters=(ALPHA_NDCG_ALPHA, REL, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        aliases=("αdcg",),
        to_kernel=as_share,
    ),
)


_ERR_IA_SOURCE = (
    "O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan: Expected reciprocal rank for graded "
    "relevance. CIKM 2009; as computed by ndeval 4.5"
)

ERR_IA_ALPHA = Parameter(
    "alpha",
    number_between(0, 1),
    legal="a number from 0 to 1",
    meaning="the probability that a relevant document satisfies a user interested in its subtopic",
    default=0.5,
)


_ERR_IA = (
    Family(
        "ERR_IA",
        kernel="err_ia",
        summary="Intent-aware expected reciprocal rank",
        formula=(
            "sum over r <= k of gain(r) / r, divided by the sum of S * (1 - alpha)^(r - 1) / r, "
            "S the number of subtopics with a relevant document, or their weight; gain(r) as in "
            "alpha_nDCG"
        ),
        source=_ERR_IA_SOURCE,
        example="ERR_IA@20",
        parameters=(ERR_IA_ALPHA, REL, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        to_kernel=as_share,
    ),
    Family(
        "nERR_IA",
        kernel="err_ia",
        summary="ERR_IA divided by that of the ideal ranking",
        formula=(
            "sum over r <= k of gain(r) / r, divided by that of the ideal; gain(r) and the ideal "
            "as in alpha_nDCG"
        ),
        source=_ERR_IA_SOURCE,
        example="nERR_IA@20",
        parameters=(ERR_IA_ALPHA, REL, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        to_kernel=normalised,
        # The ideal is built greedily, so another ranking may exceed it.
        high=None,
    ),
)


_INTENT_AWARE_SOURCE = (
    "R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong: Diversifying search results. WSDM 2009; "
    "as computed by ndeval 4.5"
)


def averaged(within: str, over: str) -> Callable[[Values], dict[str, object]]:
    """Return a function that makes the kernel average a measure over subtopics."""

    def to_kernel(values: Values) -> dict[str, object]:
        spec: dict[str, object] = {"within": within, "over": over}
        for name in ("rel", "multiple", "overlap"):
            if name in values:
                spec[name] = as_float(values[name])
        return spec

    return to_kernel


_INTENT_AWARE = (
    Family(
        "AP_IA",
        kernel="groups",
        summary="Intent-aware average precision: the mean of AP over subtopics",
        formula=(
            "1/S * sum of AP over the S subtopics with a relevant document; with weights, sum of w "
            "* AP / sum of w"
        ),
        source=_INTENT_AWARE_SOURCE,
        example="AP_IA(rel=2)",
        parameters=(REL, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        aliases=("mapia",),
        to_kernel=averaged("ap", "relevant"),
        bounds=share_of_relevant,
    ),
    Family(
        "P_IA",
        kernel="groups",
        summary="Intent-aware precision: the mean of precision over subtopics",
        formula=(
            "sum over subtopics of relevant documents in the top k / (k * S), S the number of "
            "subtopics with a relevant document; with weights, sum of w * relevant in the top k / "
            "(k * sum of w)"
        ),
        source=_INTENT_AWARE_SOURCE,
        example="P_IA@20",
        parameters=(REL, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        aliases=("precisionia",),
        to_kernel=averaged("p", "relevant"),
        bounds=share_of_ranks,
    ),
    Family(
        "StRecall",
        kernel="groups",
        summary="Subtopic recall: the share of subtopics with a relevant document in the top k",
        formula=(
            "subtopics with a relevant document in the top k / subtopics with a relevant document; "
            "with weights, the weight of these subtopics / the weight of all"
        ),
        source="C. Zhai, W. Cohen, J. Lafferty: Beyond independent relevance: methods and "
        "evaluation metrics for subtopic retrieval. SIGIR 2003",
        example="StRecall@10",
        parameters=(REL, OVERLAP, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        aliases=("strec", "subtopicrecall", "srecall"),
        to_kernel=averaged("success", "relevant"),
    ),
)


_JUDGMENT_GROUPS = (
    Family(
        "AP_JG",
        kernel="groups",
        summary="The mean of average precision over groups of judgments",
        formula=(
            "1/J * sum of AP over the J groups that judged the query, 0 for groups with no "
            "relevant documents"
        ),
        source="C. Buckley: trec_eval, measure map_avgjg",
        example="AP_JG(rel=2)",
        parameters=(REL, JUDGED_ONLY),
        judgments="groups",
        group="diversity",
        aliases=("mapjg",),
        trec_names={"map_avgjg": TrecName()},
        to_kernel=averaged("ap", "all"),
        bounds=share_of_relevant,
    ),
    Family(
        "P_JG",
        kernel="groups",
        summary="The mean of precision over groups of judgments",
        formula="1/J * sum of P@k over the J groups that judged the query",
        source="C. Buckley: trec_eval, measure P_avgjg",
        example="P_JG@20",
        parameters=(REL, JUDGED_ONLY),
        judgments="groups",
        group="diversity",
        trec_names={"P_avgjg": TrecName("cutoffs", cutoffs=NINE_CUTOFFS)},
        to_kernel=averaged("p", "all"),
        bounds=share_of_ranks,
    ),
    Family(
        "RprecMult_JG",
        kernel="groups",
        summary="The mean of precision at a multiple of R over groups of judgments",
        formula=(
            "1/J * sum of relevant in the top k / k over the J groups that judged the query, k = "
            "multiple * R of the group, rounded"
        ),
        source="C. Buckley: trec_eval, measure Rprec_mult_avgjg",
        example="RprecMult_JG(multiple=0.5)",
        parameters=(MULTIPLE, REL, JUDGED_ONLY),
        takes_cutoff=False,
        judgments="groups",
        group="diversity",
        trec_names={"Rprec_mult_avgjg": TrecName("points", points=TENTHS, into=("multiple",))},
        to_kernel=averaged("rprec_mult", "all"),
        bounds=share_of_ranks,
    ),
)


_NRBP_SOURCE = (
    "C. Clarke, M. Kolla, O. Vechtomova: An effectiveness measure for ambiguous and underspecified "
    "queries. ICTIR 2009; as computed by ndeval 4.5"
)

BETA = Parameter(
    "beta",
    number_between(0, 1, high_open=True),
    legal="a number from 0 to 1, 1 excluded",
    meaning="the persistence: the probability that the user continues to the next rank",
    default=0.5,
)


_NRBP = (
    Family(
        "NRBP",
        kernel="nrbp",
        summary=(
            "Novelty- and rank-biased precision: gain over subtopics, reduced for each repetition"
        ),
        formula=(
            "(1 - (1 - alpha) * beta) / S * sum over all r of gain(r) * beta^(r - 1), S the "
            "number of subtopics with a relevant document, or their weight; gain(r) as in "
            "alpha_nDCG"
        ),
        source=_NRBP_SOURCE,
        example="NRBP(beta=0.8)",
        parameters=(ALPHA_NDCG_ALPHA, BETA, REL, JUDGED_ONLY),
        takes_cutoff=False,
        judgments="subtopics",
        group="diversity",
        to_kernel=as_share,
    ),
    Family(
        "nNRBP",
        kernel="nrbp",
        summary="NRBP divided by that of the ideal ranking",
        formula=(
            "sum over all r of gain(r) * beta^(r - 1), divided by that of the ideal; gain(r) and "
            "the ideal as in alpha_nDCG"
        ),
        source=_NRBP_SOURCE,
        example="nNRBP(beta=0.8)",
        parameters=(ALPHA_NDCG_ALPHA, BETA, REL, JUDGED_ONLY),
        takes_cutoff=False,
        judgments="subtopics",
        group="diversity",
        to_kernel=normalised,
        # The ideal is built greedily, so another ranking may exceed it.
        high=None,
    ),
)


FAMILIES = (
    *_ALPHA_NDCG,
    *_ERR_IA,
    *_INTENT_AWARE,
    *_JUDGMENT_GROUPS,
    *_NRBP,
)

"""Measures for incomplete or sampled judgments."""

from __future__ import annotations

from gainful.measures.definitions.cumulated_gain import GAIN, gain_to_kernel, translate_gains
from gainful.measures.family import Family, TrecName
from gainful.measures.parameters import REL, share_of_ranks, share_of_relevant

_BPREF = (
    Family(
        "bpref",
        kernel="bpref",
        summary=(
            "Binary preference: how often judged relevant documents are above judged "
            "non-relevant ones"
        ),
        formula=(
            "1/R * sum over returned relevant documents of 1 - min(n, R) / min(N, R), with n of "
            "the N judged non-relevant documents above it; 1 if n = 0"
        ),
        source="C. Buckley, E. Voorhees: Retrieval evaluation with incomplete information. "
        "SIGIR 2004; with min(N, R) for R, as trec_eval's bpref counts it",
        example="bpref(rel=2)",
        group="incomplete-judgments",
        trec_names={"bpref": TrecName()},
        parameters=(REL,),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
)


_INFERRED = (
    Family(
        "infAP",
        kernel="infap",
        summary="Inferred average precision, estimated from a judged sample of the pool",
        formula=(
            "1/R * sum over relevant documents at ranks k of 1/k + (k - 1)/k * pool/(k - 1) * "
            "(rel + e)/(rel + nonrel + 2e), with counts of the documents above it, e = 0.00001; "
            "a negative grade means in the pool but not judged"
        ),
        source="E. Yilmaz, J. Aslam: Estimating average precision with incomplete and imperfect "
        "judgments. CIKM 2006",
        example="infAP(rel=2)",
        group="incomplete-judgments",
        aliases=("inferredap", "inferredaverageprecision"),
        trec_names={"infAP": TrecName()},
        parameters=(REL,),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
)


_JUDGED = (
    Family(
        "Judged",
        kernel="judged",
        summary="The share of the top k documents with a judgment",
        formula=(
            "judged in the top k / min(k, returned); without a cutoff judged returned / returned"
        ),
        source="S. MacAvaney, C. Macdonald, I. Ounis: Streamlining evaluation with ir-measures. "
        "ECIR 2022",
        example="Judged@10",
        group="incomplete-judgments",
        describes_data=True,
        bounds=share_of_ranks,
    ),
    Family(
        "Unjudged",
        kernel="unjudged",
        summary="The share of the top k ranks with an unjudged document",
        formula="unjudged in the top k / k; without a cutoff unjudged returned / returned",
        source="trec_eval 10, measure unj",
        example="Unjudged@10",
        group="incomplete-judgments",
        describes_data=True,
        aliases=("unj",),
        trec_names={"unj": TrecName("cutoffs", cutoffs=(5, 10, 20))},
        bounds=share_of_ranks,
    ),
)


_SOURCE = (
    "E. Yilmaz, E. Kanoulas, J. Aslam: A simple and efficient sampling method for estimating AP "
    "and NDCG. SIGIR 2008; as in NIST's sample_eval, which cuts both at 1000"
)


_STRATIFIED = (
    Family(
        "infNDCG",
        kernel="stratified_ndcg",
        group="incomplete-judgments",
        aliases=("inferredndcg",),
        judgments="strata",
        summary="Inferred nDCG, estimated from judged samples of the pool's strata",
        formula=(
            "DCG / IDCG, with DCG = sum over strata of d / s * (sum over r <= k of gain(r) / "
            "log2(r + 1)), for d documents of the stratum in the top k with s sampled ones, and "
            "IDCG of the estimated number of documents per grade in the pool"
        ),
        source=_SOURCE,
        example="infNDCG@1000",
        parameters=(GAIN,),
        high=None,
        translate=translate_gains("infNDCG"),
        to_kernel=gain_to_kernel,
    ),
    Family(
        "xinfAP",
        kernel="stratified_ap",
        group="incomplete-judgments",
        judgments="strata",
        summary="Inferred AP, estimated from judged samples of the pool's strata",
        formula=(
            "1/R * sum over strata of D / S * (sum of E(r) over the returned sampled relevant "
            "documents), with R = sum of D / S * (relevant sampled), for the D documents and the "
            "S sampled ones of a stratum, and E(r) the expected precision at rank r"
        ),
        source=_SOURCE,
        example="xinfAP(rel=2)@1000",
        parameters=(REL,),
        high=None,
    ),
)


FAMILIES = (
    *_BPREF,
    *_INFERRED,
    *_JUDGED,
    *_STRATIFIED,
)

"""infNDCG and xinfAP, inferred from judgments of stratified samples."""

from __future__ import annotations

from gainful.measures.definitions.ndcg import GAIN, gain_to_kernel, translate_gains
from gainful.measures.family import Family
from gainful.measures.parameters import REL

_SOURCE = (
    "E. Yilmaz, E. Kanoulas, J. Aslam: A simple and efficient sampling method for estimating AP "
    "and NDCG. SIGIR 2008; as in NIST's sample_eval, which cuts both at 1000"
)


FAMILIES = (
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

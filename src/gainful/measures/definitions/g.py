"""G and binG: gains discounted by missed relevant documents instead of by rank."""

from __future__ import annotations

from gainful.measures.definitions.ndcg import GAIN, gain_to_kernel, translate_gains
from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL
from gainful.measures.ranges import share_of_gains, share_of_relevant
from gainful.measures.trec_names import TrecName

_SOURCE = "C. Buckley: trec_eval, measure {}, 2008"

FAMILIES = (
    Family(
        "G",
        kernel="g",
        summary="Gains, each discounted by the gain missed above it",
        formula="sum over r of gain(r) / log2(2 + sum over i <= r of (max(1, ideal gain(i)) - "
        "gain(i))), divided by the sum of the gains above 0 of all judged documents",
        source=_SOURCE.format("G"),
        example="G(gain={1: 1, 2: 10})",
        group="cumulated-gain",
        trec_names={"G": TrecName("gains")},
        parameters=(GAIN, JUDGED_ONLY),
        takes_cutoff=False,
        inherits="nDCG",
        translate=translate_gains("G"),
        to_kernel=gain_to_kernel,
        bounds=share_of_gains,
    ),
    Family(
        "binG",
        kernel="bin_g",
        summary="Relevant documents, each discounted by the non-relevant documents above it",
        formula=(
            "1/R * sum over returned relevant documents of 1 / log2(2 + non-relevant documents "
            "above it)"
        ),
        source=_SOURCE.format("binG"),
        example="binG(rel=2)",
        group="cumulated-gain",
        trec_names={"binG": TrecName()},
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
)

"""nDCG averaged over a fixed set of ranks."""

from __future__ import annotations

from gainful.measures.definitions.ndcg import GAIN, gain_to_kernel, translate_gains
from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL
from gainful.measures.ranges import share_of_gains
from gainful.measures.trec_names import TrecName

_SOURCE = "C. Buckley: trec_eval, measure {}, 2008"

FAMILIES = (
    Family(
        "nDCGrel",
        kernel="ndcg_rel",
        summary="The mean of nDCG over the ranks of relevant documents",
        formula=(
            "mean of DCG@r / IDCG@r over all documents with a gain, r the rank of each; DCG / "
            "IDCG without a cutoff for those not returned"
        ),
        source=_SOURCE.format("ndcg_rel"),
        example="nDCGrel(gain={1: 1, 2: 10})",
        group="cumulated-gain",
        trec_names={"ndcg_rel": TrecName("gains")},
        parameters=(GAIN, JUDGED_ONLY),
        takes_cutoff=False,
        inherits="nDCG",
        translate=translate_gains("nDCGrel"),
        to_kernel=gain_to_kernel,
        bounds=share_of_gains,
    ),
    Family(
        "RnDCG",
        kernel="rndcg",
        summary="The mean of nDCG over the ranks where the gain of the ideal ranking decreases",
        formula=(
            "mean of DCG@r / IDCG@r over the last rank r of each gain above 0 in the ideal "
            "ranking, and of DCG / IDCG if the ranking is at least two ranks longer; 0 if no "
            "document is judged rel or higher"
        ),
        source=_SOURCE.format("Rndcg"),
        example="RnDCG(gain={1: 1, 2: 10})",
        group="cumulated-gain",
        trec_names={"Rndcg": TrecName("gains")},
        parameters=(GAIN, REL, JUDGED_ONLY),
        takes_cutoff=False,
        inherits="nDCG",
        translate=translate_gains("RnDCG"),
        to_kernel=gain_to_kernel,
        bounds=share_of_gains,
    ),
)

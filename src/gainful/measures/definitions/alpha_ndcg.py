"""alpha-nDCG: nDCG whose gains decrease with redundancy within subtopics."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, Parameter, as_float, number_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Values

_SOURCE = (
    "C. Clarke, M. Kolla, G. Cormack, O. Vechtomova, A. Ashkan, S. Büttcher, I. MacKinnon: Novelty "
    "and diversity in information retrieval evaluation. SIGIR 2008; as computed by ndeval 4.5"
)

ALPHA = Parameter(
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


FAMILIES = (
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
        source=_SOURCE,
        example="alpha_nDCG(alpha=0.3)@20",
        parameters=(ALPHA, REL, JUDGED_ONLY),
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
        source=_SOURCE,
        example="alpha_DCG(alpha=0.3)@20",
        parameters=(ALPHA, REL, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        aliases=("αdcg",),
        to_kernel=as_share,
    ),
)

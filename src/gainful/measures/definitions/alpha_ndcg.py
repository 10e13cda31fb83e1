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
    meaning="how much less a relevant document of a subtopic gains than the one before it gained: "
    "0 nothing, 1 all of it",
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
        summary="What the first k documents gain for all subtopics, less for one met before",
        formula="sum over r <= k of gain(r) / log2(r + 1), over the same of the ideal; gain(r) is "
        "the sum of (1 - alpha)^c over the subtopics the document is relevant to, c the documents "
        "above it that are, too; the ideal takes the document of the largest gain at each rank, "
        "of equal ones the last by id",
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
        summary="As alpha_nDCG, over what k documents relevant to every subtopic gain",
        formula="sum over r <= k of gain(r) / log2(r + 1), over the sum of S * (1 - alpha)^(r - 1) "
        "/ log2(r + 1); gain(r) as alpha_nDCG's, S the number of subtopics with a relevant "
        "document",
        source=_SOURCE,
        example="alpha_DCG(alpha=0.3)@20",
        parameters=(ALPHA, REL, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        aliases=("αdcg",),
        to_kernel=as_share,
    ),
)

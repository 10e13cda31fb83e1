"""Intent-aware measures, averaged over subtopics, and subtopic recall."""

from __future__ import annotations

from gainful.measures.definitions.full_recall import OVERLAP
from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, as_float
from gainful.measures.ranges import share_of_ranks, share_of_relevant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.measures.family import Values

_SOURCE = (
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


FAMILIES = (
    Family(
        "AP_IA",
        kernel="groups",
        summary="Intent-aware average precision: the mean of AP over subtopics",
        formula=(
            "1/S * sum of AP over the S subtopics with a relevant document; with weights, sum of w "
            "* AP / sum of w"
        ),
        source=_SOURCE,
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
        source=_SOURCE,
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

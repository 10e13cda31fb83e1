"""Utility: a linear sum of values of relevant and retrieved documents."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import REL, Parameter, number, number_between
from gainful.measures.trec_names import TrecName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Number


def _weight(name: str, of: str, default: Number) -> Parameter:
    return Parameter(name, number, legal="a number", meaning=f"what {of} is worth", default=default)


COLLECTION = Parameter(
    "collection",
    number_between(0),
    legal="a number of 0 or more",
    meaning="the number of documents in the collection, required for d",
    default=0,
)

FAMILIES = (
    Family(
        "Utility",
        kernel="utility",
        summary="Utility: the weighted sum of returned and not returned documents",
        formula="a * relevant returned + b * other returned + c * relevant not returned + "
        "d * other not returned",
        source="D. Lewis: The TREC-4 filtering track. TREC-4, 1995; as trec_eval's utility",
        example="Utility(a=2, b=-1)",
        group="precision-recall",
        trec_names={"utility": TrecName("numbers", into=("a", "b", "c", "d"))},
        parameters=(
            _weight("a", "a relevant document returned", 1),
            _weight("b", "another document returned", -1),
            _weight("c", "a relevant document not returned", 0),
            _weight("d", "another document not returned", 0),
            COLLECTION,
            REL,
        ),
        takes_cutoff=False,
        low=None,
        high=None,
    ),
)

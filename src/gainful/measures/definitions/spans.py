"""Measures of retrieval by spans of text: how much of the relevant text the chunks cover."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import REL, Parameter, as_float, number, number_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypedDict

    from gainful.measures.parameters import Number, Values

    class _Shared(TypedDict):
        group: str
        judgments: str
        to_kernel: Callable[[Values], dict[str, object]]


_SOURCE = (
    "B. Smith, A. Troynikov: Evaluating chunking strategies for retrieval. Chroma technical "
    "report, 2024; here of sets, so that overlap and repetition earn nothing"
)
_DISCOUNTED = (
    "K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. ACM TOIS 20(4), "
    "2002, with newly covered text as the gain"
)
_SETS = "G is the relevant text, U the text of the chunks in the top k or within the budget"


def _whole(value: object) -> Number:
    units = number(value)
    if not isinstance(units, int) or units < 1:
        raise ValueError("not a whole number of 1 or more")
    return units


BUDGET = Parameter(
    "budget",
    _whole,
    legal="a whole number of 1 or more",
    meaning="how many units are read, in rank order; by default all chunks are read",
)
UNIT = Parameter(
    "unit",
    words={
        "characters": "are code points",
        "tokens": "are those that the run states for each chunk",
        "lines": "are lines of the text",
    },
    meaning="the units of the budget, by default those of the offsets",
)
LAST = Parameter(
    "last",
    words={
        "cut": "reads its beginning, in tokens the same share of its text",
        "drop": "ends the list before it",
    },
    meaning="the chunk that exceeds the budget",
    default="cut",
)
REPEATS = Parameter(
    "repeats",
    words={
        "once": "counts text once",
        "count": "adds the lengths of all chunks and of all relevant spans, as chunking_evaluation "
        "does",
    },
    meaning="text that several chunks or several relevant spans contain",
    default="once",
)
LENGTH = Parameter(
    "L",
    number_between(0, low_open=True),
    legal="a number above 0",
    meaning="the number of units after which text is worth nothing",
    default=8000,
)
_READ = (BUDGET, UNIT, LAST)


def _to_kernel(values: Values) -> dict[str, object]:
    """Return the kernel's values: numbers as floats, except for whole units."""
    spec: dict[str, object] = dict(values)
    if "rel" in spec:
        spec["rel"] = as_float(values["rel"])
    if "L" in spec:
        del spec["L"]
        spec["length"] = as_float(values["L"])
    return spec


#: What all measures of spans have.
_OF_SPANS: _Shared = {"group": "spans", "judgments": "spans", "to_kernel": _to_kernel}

FAMILIES = (
    Family(
        "SpanR",
        kernel="span_r",
        summary="Span recall: the share of the relevant text that the chunks cover",
        formula=f"|U and G| / |G|, where {_SETS}",
        source=_SOURCE,
        example="SpanR(budget=4000)",
        aliases=("spanrecall",),
        parameters=(*_READ, REPEATS, REL),
        **_OF_SPANS,
    ),
    Family(
        "SpanP",
        kernel="span_p",
        summary="Span precision: the share of the text in the chunks that is relevant",
        formula=f"|U and G| / |U|, 0 if nothing is read, where {_SETS}",
        source=_SOURCE,
        example="SpanP@5",
        aliases=("spanprecision",),
        parameters=(*_READ, REPEATS, REL),
        **_OF_SPANS,
    ),
    Family(
        "SpanIoU",
        kernel="span_iou",
        summary="Intersection over union of the relevant text and the text of the chunks",
        formula=f"|U and G| / |U or G|, where {_SETS}",
        source=_SOURCE,
        example="SpanIoU@5",
        aliases=("spanjaccard",),
        parameters=(*_READ, REPEATS, REL),
        **_OF_SPANS,
    ),
    Family(
        "SpanDCG",
        kernel="span_dcg",
        summary="Discounted span recall: the newly covered share of the relevant text at each rank",
        formula=(
            "sum over r <= k of |new(r) and G| / |G| / log2(r + 1), where new(r) is the text of "
            "the chunk at rank r that no chunk above it has"
        ),
        source=_DISCOUNTED,
        example="SpanDCG@5",
        parameters=(REL,),
        **_OF_SPANS,
    ),
    Family(
        "SpanU",
        kernel="span_u",
        summary="U-measure of spans: relevant text, discounted by what is read before it",
        formula=(
            "mean over the units of the relevant text of max(0, 1 - offset / L), where offset is "
            "the number of units read before it, and 0 for units that are not read"
        ),
        source="T. Sakai, Z. Dou: Summaries, ranked retrieval and sessions: a unified framework "
        "for information access evaluation. SIGIR 2013, with units of text as the trail",
        example="SpanU(L=4000)",
        parameters=(LENGTH, UNIT, REL),
        **_OF_SPANS,
    ),
    Family(
        "SpanFull",
        kernel="span_full",
        summary="Whether the chunks cover all of the relevant text",
        formula="1 if SpanR is 1, else 0",
        source=_SOURCE,
        example="SpanFull@5",
        parameters=(*_READ, REL),
        **_OF_SPANS,
    ),
    Family(
        "SpanUnits",
        kernel="span_units",
        summary="The number of units that are read: the lengths of the chunks, repeats included",
        formula="sum of the lengths of the chunks in the top k, at most the budget",
        source=_SOURCE,
        example="SpanUnits@5",
        parameters=_READ,
        high=None,
        **_OF_SPANS,
    ),
)

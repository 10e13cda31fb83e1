"""Ranges of measures that depend on the convention."""

from __future__ import annotations

from gainful.policies import SHARED_RANKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.measures.family import Policies, Range, Values


def widest(ranges: Iterable[Range]) -> Range:
    """Return the smallest range that contains all.

    Examples
    --------
    >>> widest([(0.0, 1.0), (0.0, 2.0)]), widest([(0.0, 1.0), (0.0, None)])
    ((0.0, 2.0), (0.0, None))
    """
    lows, highs = zip(*ranges, strict=True)
    return None if None in lows else min(lows), None if None in highs else max(highs)


def share_of_relevant(values: Values, convention: Policies | None) -> Range:
    """Return the range of a share of relevant documents: 0 to 1 without duplicates."""
    if convention is not None and convention.duplicates in ("count", "copies"):
        return 0.0, None
    return share_of_ranks(values, convention)


def share_of_ranks(values: Values, convention: Policies | None) -> Range:
    """Return the range of a share of the first k ranks: 0 to 1 if ranks are distinct."""
    # Three documents at the mean of ranks 1, 2 and 3 are all in the first 2.
    if convention is not None and convention.ties in SHARED_RANKS:
        return 0.0, None
    return 0.0, 1.0


def sum_of_gains(values: Values, convention: Policies | None) -> Range:
    """Return the range of CG and DCG without data: from 0 unless gains can be negative."""
    return (None if _has_losses(values, convention) else 0.0), None


def share_of_ideal(values: Values, convention: Policies | None) -> Range:
    """Return the range of nDCG: 0 to 1 if no gain is negative and the ideal is best."""
    if _has_losses(values, convention):
        # An ideal with losses can have any value, and so can a share of it.
        return None, None
    return 0.0, (1.0 if _ideal_is_best(values, convention) else None)


def between_extremes(values: Values, convention: Policies | None) -> Range:
    """Return the range of min-max nDCG: 0 to 1 if no ranking is outside the extremes."""
    if _ideal_is_best({**values, "ideal": "judged"}, convention):
        return 0.0, 1.0
    return None, None


def share_of_gains(values: Values, convention: Policies | None) -> Range:
    """Return the range of a share of all judged gain: 0 to 1 without losses."""
    if _has_losses(values, convention):
        return None, None
    best = convention is None or (
        convention.duplicates not in ("count", "copies")
        and convention.ties not in SHARED_RANKS
        and convention.unjudged in ("zero", "irrelevant", "condense", 0)
    )
    return 0.0, (1.0 if best else None)


def _has_losses(values: Values, convention: Policies | None) -> bool:
    gain = values["gain"]
    if isinstance(gain, tuple) and any(
        value < 0 for pair in gain if isinstance(pair, tuple) for value in pair[1:]
    ):
        return True
    if convention is None or gain in ("exponential+1", "binary", "judged"):
        return False
    unjudged = convention.unjudged
    return convention.negative == "signed" or (not isinstance(unjudged, str) and unjudged < 0)


def _ideal_is_best(values: Values, convention: Policies | None) -> bool:
    if values["ideal"] == "ones" and values["gain"] in ("binary", "judged"):
        values = {**values, "ideal": "judged"}
    if values["ideal"] not in ("judged", "judged-uncut", "judged-to-depth", "list", "list-cut"):
        return False
    discount = values["discount"]
    if isinstance(discount, tuple) and list(discount) != sorted(discount, reverse=True):
        return False
    if convention is None:
        return True
    # A grade for unjudged documents raises the ranking's gain but not the ideal's; documents at the
    # mean of their ranks can together exceed the weight of these ranks.
    return (
        convention.duplicates != "count"
        and convention.ties not in SHARED_RANKS
        and convention.unjudged in ("zero", "irrelevant", "condense", 0)
    )

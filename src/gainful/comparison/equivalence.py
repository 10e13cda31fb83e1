"""The equivalence test of pairs."""

from __future__ import annotations

from gainful.formats.numbers import short
from gainful.inference.paired import tost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gainful.comparison.choices import Choices
    from gainful.comparison.pair import Pair
    from gainful.comparison.pair_statistics import Couple

__all__ = ["compute_equivalence", "describe_equivalence"]


def compute_equivalence(couple: Couple, choices: Choices) -> dict[str, Any]:
    """Return the fields of a `Pair` about the equivalence margin, before correction."""
    if choices.margin is None or couple.identical:
        return {}
    p = tost(couple.differences, choices.margin, couple.design)
    # The variance of a stratum with one unit is unknown, so nothing can be equivalent.
    return {"p_equivalence": float(p)} if p == p else {}


def describe_equivalence(choices: Choices, pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield the equivalence test of some pairs."""
    if choices.margin is None:
        return
    holm = ", corrected by Holm" if len(pairs) > 1 else ""
    yield (
        f"Equivalence test: two one-sided tests (TOST), corrected for skewness, margin"
        f" {short(choices.margin)}, alpha {short(choices.alpha)}{holm}."
    )

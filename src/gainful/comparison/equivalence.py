"""The equivalence test of pairs: its p-values, and the pairs for which it is refused."""

from __future__ import annotations

from gainful.formats.numbers import short
from gainful.inference.paired import FEW, count_differing, tost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gainful.comparison.choices import Choices
    from gainful.comparison.pair import Pair
    from gainful.comparison.pair_statistics import Couple

__all__ = ["compute_equivalence", "describe_equivalence"]

#: The most pairs that a note names one by one.
_NAMED = 3


def compute_equivalence(couple: Couple, choices: Choices) -> dict[str, Any]:
    """Return the fields of a `Pair` about the equivalence margin, before correction."""
    if choices.margin is None or couple.identical:
        return {}
    if count_differing(couple.differences, couple.design) < FEW:
        return {"equivalence_refused": "few-differences"}
    p = tost(couple.differences, choices.margin, couple.design)
    # The variance of a stratum with one unit is unknown, so nothing can be equivalent.
    return {"p_equivalence": float(p)} if p == p else {}


def describe_equivalence(
    choices: Choices, pairs: Sequence[Pair], *, clustered: bool = False
) -> Iterator[str]:
    """Yield the equivalence test of some pairs, and the pairs for which it was refused."""
    if choices.margin is None:
        return
    refused = [pair for pair in pairs if pair.equivalence_refused is not None]
    if len(refused) < len(pairs):
        holm = ", corrected by Holm" if len(pairs) > 1 else ""
        yield (
            f"Equivalence test: two one-sided tests (TOST), corrected for skewness, margin"
            f" {short(choices.margin)}, alpha {short(choices.alpha)}{holm}."
        )
    if refused:
        units = "clusters" if clustered else "queries"
        names = list(dict.fromkeys(f"{pair.system} vs. {pair.baseline}" for pair in refused))
        more = f", and {len(names) - _NAMED:,} more pairs" if len(names) > _NAMED else ""
        yield (
            f"Not tested for equivalence, because fewer than {FEW} {units} differ:"
            f" {', '.join(names[:_NAMED])}{more}."
        )

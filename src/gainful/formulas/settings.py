"""The keyword arguments of the four functions, for type checkers.

A list of numbers gives a number, and a matrix a list of numbers. Arrays, and lists with ``groups``
or ``queries``, give what their library or their length decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

__all__ = [
    "Cumulative",
    "Discount",
    "Discounted",
    "Gain",
    "GroupedCumulative",
    "GroupedDiscounted",
    "GroupedIdeal",
    "GroupedNormalized",
    "Ideal",
    "Normalized",
]

Gain = str | Mapping[float, float] | Sequence[float] | Callable[[float], float]
Discount = str | Sequence[float] | Callable[[int], float]


class _Common(TypedDict, total=False):
    k: int | None
    gain: Gain
    negative: str
    threads: int | None


class _Groups(TypedDict, total=False):
    groups: Any
    queries: Any


class _Scored(TypedDict, total=False):
    scores: Any
    ties: str


class Cumulative(_Common, _Scored, total=False):
    """Those of `cg`, without ``groups`` and ``queries``."""


class Ideal(_Common, total=False):
    """Those of `idcg`, without ``groups`` and ``queries``."""

    discount: Discount
    base: float


class Discounted(Ideal, _Scored, total=False):
    """Those of `dcg`, without ``groups`` and ``queries``."""


class Normalized(Discounted, total=False):
    """Those of `ndcg`, without ``groups`` and ``queries``."""

    ideal: Any
    ideal_order: str
    no_relevant: float | str


class GroupedCumulative(Cumulative, _Groups, total=False):
    """Those of `cg`."""


class GroupedIdeal(Ideal, _Groups, total=False):
    """Those of `idcg`."""


class GroupedDiscounted(Discounted, _Groups, total=False):
    """Those of `dcg`."""


class GroupedNormalized(Normalized, _Groups, total=False):
    """Those of `ndcg`."""

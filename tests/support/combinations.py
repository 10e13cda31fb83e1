"""Which combinations of parameters the tests try: all with ``ALL=1``, otherwise all pairs.

Most faults depend on one or two parameters, so a set of cases in which each pair of values occurs
finds nearly what the full product finds (Kuhn, Wallace and Gallo, 2004, doi:10.1109/TSE.2004.24).
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from typing import Any, TypeVar

__all__ = ["ALL", "each_once", "in_turn", "pairwise", "share"]

ALL = os.environ.get("ALL") == "1"

T = TypeVar("T")


def pairwise(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return rows in which every pair of values of two axes occurs; with ``ALL=1``, the product."""
    rows = list(itertools.product(*(range(len(axis)) for axis in axes)))
    if not ALL:
        rows = _covering(rows)
    return [tuple(axis[place] for axis, place in zip(axes, row, strict=True)) for row in rows]


def each_once(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return rows in which every value of axes of one length occurs; with ``ALL=1``, the product.

    For parameters that do not act together.
    """
    return list(itertools.product(*axes) if ALL else zip(*axes, strict=True))


def _covering(rows: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return few of the rows that have all pairs, always the one with most that are missing."""
    pairs = {row: set(itertools.combinations(enumerate(row), 2)) for row in rows}
    missing = set().union(*pairs.values())
    chosen = []
    while missing:
        row = max(rows, key=lambda row: len(pairs[row] & missing))
        missing -= pairs[row]
        chosen.append(row)
    return sorted(chosen)


def share(values: Sequence[T], number: int, parts: int) -> list[T]:
    """Return one of several equal parts of the values, a different one for the next number.

    With ``ALL=1``, all of them.
    """
    return list(values) if ALL else list(values[number % parts :: parts])


def in_turn(values: Sequence[T], others: Sequence[Any], parts: int) -> list[tuple[T, Any]]:
    """Return each value with one of several equal parts of the others, see ``share``."""
    return [
        (value, other)
        for number, value in enumerate(values)
        for other in share(others, number, parts)
    ]

"""How many matches chance gives, and how many are too many."""

from __future__ import annotations

from math import expm1

#: A match explains a number if chance gives one as plausible to at most this share of numbers.
CHANCE = 0.05


def share_by_chance(coincidences: float) -> float:
    """Return the share of numbers with a match if so many matches are expected for each.

    Examples
    --------
    >>> round(share_by_chance(0.05), 4), round(share_by_chance(3.0), 4)
    (0.0488, 0.9502)
    """
    return -expm1(-coincidences)

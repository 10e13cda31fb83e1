"""Confidence bounds of a difference, and the verdict that follows from them."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from gainful.inference.one_sided import count_differing, one_sided_tests

if TYPE_CHECKING:
    from gainful.inference.design import Design, Floats

__all__ = ["Bounds", "bounds_of", "verdict_of"]


class Bounds(NamedTuple):
    """One-sided confidence bounds of a mean difference.

    `method` is ``t``, ``extended-t`` if few units changed, or ``none`` if nothing changed, no error
    rate is left, or the units are too few. `changed` is the number of changed units: queries,
    or clusters of queries.
    """

    low: float
    high: float
    method: str
    changed: int


def bounds_of(differences: Floats, design: Design, alpha_low: float, alpha_high: float) -> Bounds:
    """Return the lower bound at 1 - `alpha_low` and the upper bound at 1 - `alpha_high`.

    The bounds of `one_sided_tests`, Student's t corrected for skewed differences and for few
    changed queries. An error rate of 0 has no finite bound.

    Examples
    --------
    >>> import numpy as np
    >>> from gainful.inference.design import Design
    >>> changes = np.array([0.1, -0.2, 0.3, 0.1, 0.2, 0.1, -0.1, 0.2, 0.1, 0.2])
    >>> low, high, method, changed = bounds_of(changes, Design(10), 0.05, 0.05)
    >>> round(low, 4), round(high, 4), method
    (-0.0098, 0.1864, 't')
    >>> bounds_of(np.array([0.0, 0.5, 0.0]), Design(3), 0.05, 0.05)
    Bounds(low=-inf, high=inf, method='none', changed=1)
    """
    changed = count_differing(differences, design)
    if not changed:
        return Bounds(0.0, 0.0, "none", 0)
    if alpha_low <= 0.0 or alpha_high <= 0.0:
        return Bounds(-inf, inf, "none", changed)
    above, below = one_sided_tests(differences, design)
    # Of fewer units, not even equal changes are rarer than alpha by random signs.
    if above.error != above.error or 2.0**-design.units > min(alpha_low, alpha_high):
        return Bounds(-inf, inf, "none", changed)
    method = "t" if above is below else "extended-t"
    return Bounds(above.lower(alpha_low), below.upper(alpha_high), method, changed)


def verdict_of(bounds: Bounds, margin: float, fail_on: str) -> str:
    """Return ``pass``, ``fail`` or ``inconclusive``.

    Examples
    --------
    >>> several = [(-0.04, 0.03), (-0.04, -0.01), (-0.09, -0.06), (-0.06, 0.01)]
    >>> [verdict_of(Bounds(*each, "t", 12), 0.05, "margin") for each in several]
    ['pass', 'pass', 'fail', 'inconclusive']
    >>> verdict_of(Bounds(-0.04, -0.01, "t", 12), 0.05, "decrease")
    'fail'
    """
    if not bounds.changed:
        return "pass"
    if bounds.high < (0.0 if fail_on == "decrease" else -margin):
        return "fail"
    return "pass" if bounds.low > -margin else "inconclusive"

"""What ir_measures' names and parameters mean, where they are not Gainful's own.

Most are: nDCG, AP, RR, `rel` and `judged_only` are spelt the same and mean the same. Other names
(SetR, Bpref) are among the everyday names, and what belongs to one family
(``nDCG(dcg=, gains=)``, ``NumRet(rel=)``) its declaration translates.
"""

from __future__ import annotations


def translated(name: str, given: dict[str, object]) -> dict[str, object]:
    """Return the parameters that a name of ir_measures takes, as the family that it means has them.

    >>> translated("SetF", {"beta": 4, "rel": 2}), translated("F", {"beta": 4})
    ({'beta': 2.0, 'rel': 2}, {'beta': 4})
    """
    if name == "SetF" and "beta" in given:
        return {**given, "beta": root(given["beta"])}
    return given


def root(value: object) -> object:
    """Return beta for trec_eval's x, which is its square; SetF calls x beta."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        return value
    from math import sqrt

    return sqrt(value)

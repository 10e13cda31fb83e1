"""What ir_measures' names and parameters mean, where they are not Gainful's own.

Most are: nDCG, AP, RR, `rel` and `judged_only` are spelt the same and mean the same. Other names
(SetR, Bpref) are among the everyday names, and what belongs to one family
(``nDCG(dcg=, gains=)``, ``NumRet(rel=)``) its declaration translates.
"""

from __future__ import annotations


def translated(name: str, given: dict[str, object]) -> dict[str, object]:
    """Return the parameters that a name of ir_measures takes, as the family that it means has them.

    SetF's beta is what trec_eval's set_F takes: the weight, which is the square of beta.

    >>> translated("SetF", {"beta": 4, "rel": 2}), translated("F", {"beta": 4})
    ({'rel': 2, 'weight': 4}, {'beta': 4})
    """
    if name == "SetF" and "beta" in given:
        others = {key: value for key, value in given.items() if key != "beta"}
        return {**others, "weight": given["beta"]}
    return given

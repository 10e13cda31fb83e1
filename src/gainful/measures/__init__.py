"""What can be asked for: measures, their notation, and what is known about each family.

Every family is an attribute of this module, `gainful.measures.nDCG` and so on. A measure is made
from it by parameters and a cutoff:

>>> from gainful.measures import AP, nDCG, parse_measures
>>> nDCG @ 10, nDCG(gain="exponential") @ 10, AP(rel=2)
(nDCG@10, nDCG(gain='exponential')@10, AP(rel=2))
>>> parse_measures("ndcg_cut_10 MAP mrr@10")
[nDCG@10, AP, RR@10]

A family's declaration, one file each in `gainful.measures.definitions`, says what it is:

>>> from gainful.measures import describe
>>> describe("ERR").summary
'The expected reciprocal rank at which a user who reads downwards is satisfied'
"""

from __future__ import annotations

from gainful.measures.algebra import Measure
from gainful.measures.catalogue import MODULES as _MODULES
from gainful.measures.catalogue import families

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Family
    from gainful.measures.notation import describe, parse_measure, parse_measures
    from gainful.measures.parameters import Parameter

    AP: Measure
    CG: Measure
    DCG: Measure
    ERR: Measure
    F: Measure
    G: Measure
    GMAP: Measure
    GMbpref: Measure
    IAP: Measure
    IDCG: Measure
    IPrec: Measure
    Judged: Measure
    NumPrefs: Measure
    NumNonrelRet: Measure
    NumQ: Measure
    NumRel: Measure
    NumRelRet: Measure
    NumRet: Measure
    P: Measure
    Prefs: Measure
    R: Measure
    RBP: Measure
    RBPResidual: Measure
    RR: Measure
    RelativeP: Measure
    RnDCG: Measure
    Rprec: Measure
    RprecMult: Measure
    SetAP: Measure
    Success: Measure
    Unjudged: Measure
    Utility: Measure
    binG: Measure  # noqa: N816
    bpref: Measure
    infAP: Measure  # noqa: N816
    nDCG: Measure  # noqa: N816
    nERR: Measure  # noqa: N816
    infNDCG: Measure  # noqa: N816
    xinfAP: Measure  # noqa: N816
    MinMaxNDCG: Measure
    INST: Measure
    INSQ: Measure
    BPM: Measure
    SDCG: Measure
    NERR8: Measure
    NERR9: Measure
    NERR10: Measure
    NERR11: Measure
    IFT: Measure
    TBG: Measure
    U: Measure
    CWL: Measure
    Compat: Measure
    Accuracy: Measure
    # Judgments of subtopics, or by groups.
    alpha_nDCG: Measure  # noqa: N816
    alpha_DCG: Measure  # noqa: N816
    ERR_IA: Measure
    nERR_IA: Measure  # noqa: N816
    NRBP: Measure
    nNRBP: Measure  # noqa: N816
    AP_IA: Measure
    P_IA: Measure
    StRecall: Measure
    AP_JG: Measure
    P_JG: Measure
    RprecMult_JG: Measure
    nDCGrel: Measure  # noqa: N816
    yaap: Measure

__all__ = [
    "AP",
    "AP_IA",
    "AP_JG",
    "BPM",
    "CG",
    "CWL",
    "DCG",
    "ERR",
    "ERR_IA",
    "GMAP",
    "IAP",
    "IDCG",
    "IFT",
    "INSQ",
    "INST",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NRBP",
    "P_IA",
    "P_JG",
    "RBP",
    "RR",
    "SDCG",
    "TBG",
    "Accuracy",
    "Compat",
    "F",
    "Family",
    "G",
    "GMbpref",
    "IPrec",
    "Judged",
    "Measure",
    "MinMaxNDCG",
    "NumNonrelRet",
    "NumPrefs",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Parameter",
    "Prefs",
    "R",
    "RBPResidual",
    "RelativeP",
    "RnDCG",
    "Rprec",
    "RprecMult",
    "RprecMult_JG",
    "SetAP",
    "StRecall",
    "Success",
    "U",
    "Unjudged",
    "Utility",
    "alpha_DCG",
    "alpha_nDCG",
    "binG",
    "bpref",
    "describe",
    "families",
    "infAP",
    "infNDCG",
    "nDCG",
    "nDCGrel",
    "nERR",
    "nERR_IA",
    "nNRBP",
    "parse_measure",
    "parse_measures",
    "xinfAP",
    "yaap",
]

_ELSEWHERE = {
    "Family": "family",
    "Parameter": "parameters",
    "describe": "notation",
    "parse_measure": "notation",
    "parse_measures": "notation",
}


# Hidden from type checkers, which would else believe in every name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # Each family is declared in a file of its own, which is read when the family is first used.
        if name in _MODULES:
            value: object = Measure(name)
        elif name in _ELSEWHERE:
            module = __import__(f"{__name__}.{_ELSEWHERE[name]}", fromlist=[name])
            value = getattr(module, name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

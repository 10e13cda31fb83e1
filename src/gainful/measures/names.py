"""Everyday names of measures, and the family and parameters that each stands for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Value


def plain(name: str) -> str:
    """Return a name as it is looked up here: lower case, without ``_`` and ``-``.

    >>> plain("Hit_Rate"), plain("R-precision")
    ('hitrate', 'rprecision')
    """
    return name.lower().replace("_", "").replace("-", "")


# From the plain name to the family and the parameters that the name itself sets.
ALIASES: dict[str, tuple[str, dict[str, Value]]] = {
    "ndcg": ("nDCG", {}),
    "normalizeddcg": ("nDCG", {}),
    "normaliseddcg": ("nDCG", {}),
    "ndcgexp": ("nDCG", {"gain": "exponential"}),
    "ndcgburges": ("nDCG", {"gain": "exponential"}),
    "dcg": ("DCG", {}),
    "idcg": ("IDCG", {}),
    "idealdcg": ("IDCG", {}),
    "cg": ("CG", {}),
    "map": ("AP", {}),
    "ap": ("AP", {}),
    "averageprecision": ("AP", {}),
    "meanaverageprecision": ("AP", {}),
    "p": ("P", {}),
    "prec": ("P", {}),
    "precision": ("P", {}),
    "setp": ("P", {}),
    "r": ("R", {}),
    "recall": ("R", {}),
    "setr": ("R", {}),
    "rcap": ("R", {"capped": True}),
    "cappedrecall": ("R", {"capped": True}),
    "f": ("F", {}),
    "fmeasure": ("F", {}),
    "setf": ("F", {}),
    "f1": ("F", {"beta": 1}),
    "f2": ("F", {"beta": 2}),
    "rprec": ("Rprec", {}),
    "rprecision": ("Rprec", {}),
    "rr": ("RR", {}),
    "mrr": ("RR", {}),
    "reciprank": ("RR", {}),
    "reciprocalrank": ("RR", {}),
    "meanreciprocalrank": ("RR", {}),
    "success": ("Success", {}),
    "hit": ("Success", {}),
    "hits": ("Success", {}),
    "hr": ("Success", {}),
    "hitrate": ("Success", {}),
    "hitratio": ("Success", {}),
    "err": ("ERR", {}),
    "expectedreciprocalrank": ("ERR", {}),
    "rbp": ("RBP", {}),
    "rankbiasedprecision": ("RBP", {}),
    "rbpresidual": ("RBPResidual", {}),
    "rbpresid": ("RBPResidual", {}),
    "bpref": ("bpref", {}),
    "judged": ("Judged", {}),
    "unjudged": ("Unjudged", {}),
    "unj": ("Unjudged", {}),
    "numq": ("NumQ", {}),
    "numret": ("NumRet", {}),
    "numrel": ("NumRel", {}),
    "numrelret": ("NumRelRet", {}),
    "prefs": ("Prefs", {}),
    "preferences": ("Prefs", {}),
    "numprefs": ("NumPrefs", {}),
    "numnonrelret": ("NumNonrelRet", {}),
    "numnonreljudgedret": ("NumNonrelRet", {}),
    "gmap": ("GMAP", {}),
    "geometricmap": ("GMAP", {}),
    "geometricmeanaverageprecision": ("GMAP", {}),
    "gmbpref": ("GMbpref", {}),
    "infap": ("infAP", {}),
    "inferredap": ("infAP", {}),
    "inferredaverageprecision": ("infAP", {}),
    "iprec": ("IPrec", {}),
    "interpolatedprecision": ("IPrec", {}),
    "iap": ("IAP", {}),
    "interpolatedaverageprecision": ("IAP", {}),
    "rprecmult": ("RprecMult", {}),
    "relativep": ("RelativeP", {}),
    "relp": ("RelativeP", {}),
    "relativeprecision": ("RelativeP", {}),
    "setrelativep": ("RelativeP", {}),
    "setrelp": ("RelativeP", {}),
    "setap": ("SetAP", {}),
    "setmap": ("SetAP", {}),
    "utility": ("Utility", {}),
    "ndcgrel": ("nDCGrel", {}),
    "rndcg": ("RnDCG", {}),
    "g": ("G", {}),
    "bing": ("binG", {}),
    "yaap": ("yaap", {}),
}

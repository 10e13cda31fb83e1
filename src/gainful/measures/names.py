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
    "ndcg'": ("nDCG", {"judged_only": True}),
    "ndcg′": ("nDCG", {"judged_only": True}),
    "ndcgprime": ("nDCG", {"judged_only": True}),
    "condensedndcg": ("nDCG", {"judged_only": True}),
    "minmaxndcg": ("MinMaxNDCG", {}),
    "ndcgminmax": ("MinMaxNDCG", {}),
    "nerr": ("nERR", {}),
    "normalizederr": ("nERR", {}),
    "normalisederr": ("nERR", {}),
    "inst": ("INST", {}),
    "insq": ("INSQ", {}),
    "bpm": ("BPM", {}),
    "sdcg": ("SDCG", {}),
    "scaleddcg": ("SDCG", {}),
    "nerr8": ("NERR8", {}),
    "nerr9": ("NERR9", {}),
    "nerr10": ("NERR10", {}),
    "nerr11": ("NERR11", {}),
    "ift": ("IFT", {}),
    "tbg": ("TBG", {}),
    "timebiasedgain": ("TBG", {}),
    "u": ("U", {}),
    "umeasure": ("U", {}),
    "cwl": ("CWL", {}),
    "compat": ("Compat", {}),
    "compatibility": ("Compat", {}),
    "accuracy": ("Accuracy", {}),
    "infndcg": ("infNDCG", {}),
    "inferredndcg": ("infNDCG", {}),
    "xinfap": ("xinfAP", {}),
    "prefs": ("Prefs", {}),
    "numprefs": ("NumPrefs", {}),
}

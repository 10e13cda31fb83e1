"""The names of measures, and which file of `definitions` declares each.

Written by ``python docs/declared.py``, so that nDCG@10 opens one file of declarations.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.algebra import Measure

    nDCG: Measure
    DCG: Measure
    IDCG: Measure
    CG: Measure
    G: Measure
    binG: Measure
    MinMaxNDCG: Measure
    nDCGrel: Measure
    RnDCG: Measure
    SDCG: Measure
    P: Measure
    R: Measure
    F: Measure
    Rprec: Measure
    Accuracy: Measure
    FullRecall: Measure
    IPrec: Measure
    RprecMult: Measure
    RelativeP: Measure
    Utility: Measure
    AP: Measure
    Q: Measure
    GMAP: Measure
    IAP: Measure
    SetAP: Measure
    yaap: Measure
    RR: Measure
    OMeasure: Measure
    PPlus: Measure
    Success: Measure
    ERR: Measure
    nERR: Measure
    RBP: Measure
    BPM: Measure
    Compat: Measure
    CWL: Measure
    TBG: Measure
    U: Measure
    IFT: Measure
    INST: Measure
    INSQ: Measure
    NERR8: Measure
    NERR9: Measure
    NERR10: Measure
    NERR11: Measure
    bpref: Measure
    GMbpref: Measure
    infAP: Measure
    Judged: Measure
    Unjudged: Measure
    RBPResidual: Measure
    infNDCG: Measure
    xinfAP: Measure
    alpha_nDCG: Measure
    alpha_DCG: Measure
    ERR_IA: Measure
    nERR_IA: Measure
    AP_IA: Measure
    P_IA: Measure
    StRecall: Measure
    AP_JG: Measure
    P_JG: Measure
    RprecMult_JG: Measure
    NRBP: Measure
    nNRBP: Measure
    SpanR: Measure
    SpanP: Measure
    SpanIoU: Measure
    SpanDCG: Measure
    SpanU: Measure
    SpanFull: Measure
    SpanUnits: Measure
    Prefs: Measure
    NumPrefs: Measure
    NumQ: Measure
    NumRet: Measure
    NumRel: Measure
    NumRelRet: Measure
    NumNonrelRet: Measure

#: From a family to its file, in the order of listings.
FAMILIES = {
    "nDCG": "cumulated_gain",
    "DCG": "cumulated_gain",
    "IDCG": "cumulated_gain",
    "CG": "cumulated_gain",
    "G": "cumulated_gain",
    "binG": "cumulated_gain",
    "MinMaxNDCG": "cumulated_gain",
    "nDCGrel": "cumulated_gain",
    "RnDCG": "cumulated_gain",
    "SDCG": "user_models",
    "P": "precision_recall",
    "R": "precision_recall",
    "F": "precision_recall",
    "Rprec": "precision_recall",
    "Accuracy": "precision_recall",
    "FullRecall": "precision_recall",
    "IPrec": "precision_recall",
    "RprecMult": "precision_recall",
    "RelativeP": "precision_recall",
    "Utility": "precision_recall",
    "AP": "averaged_precision",
    "Q": "averaged_precision",
    "GMAP": "averaged_precision",
    "IAP": "precision_recall",
    "SetAP": "averaged_precision",
    "yaap": "averaged_precision",
    "RR": "first_hit",
    "OMeasure": "averaged_precision",
    "PPlus": "averaged_precision",
    "Success": "first_hit",
    "ERR": "user_models",
    "nERR": "user_models",
    "RBP": "rbp",
    "BPM": "user_models",
    "Compat": "user_models",
    "CWL": "user_models",
    "TBG": "user_models",
    "U": "user_models",
    "IFT": "user_models",
    "INST": "user_models",
    "INSQ": "user_models",
    "NERR8": "user_models",
    "NERR9": "user_models",
    "NERR10": "user_models",
    "NERR11": "user_models",
    "bpref": "incomplete_judgments",
    "GMbpref": "averaged_precision",
    "infAP": "incomplete_judgments",
    "Judged": "incomplete_judgments",
    "Unjudged": "incomplete_judgments",
    "RBPResidual": "rbp",
    "infNDCG": "incomplete_judgments",
    "xinfAP": "incomplete_judgments",
    "alpha_nDCG": "diversity",
    "alpha_DCG": "diversity",
    "ERR_IA": "diversity",
    "nERR_IA": "diversity",
    "AP_IA": "diversity",
    "P_IA": "diversity",
    "StRecall": "diversity",
    "AP_JG": "diversity",
    "P_JG": "diversity",
    "RprecMult_JG": "diversity",
    "NRBP": "diversity",
    "nNRBP": "diversity",
    "SpanR": "spans",
    "SpanP": "spans",
    "SpanIoU": "spans",
    "SpanDCG": "spans",
    "SpanU": "spans",
    "SpanFull": "spans",
    "SpanUnits": "spans",
    "Prefs": "preferences",
    "NumPrefs": "preferences",
    "NumQ": "counts",
    "NumRet": "counts",
    "NumRel": "counts",
    "NumRelRet": "counts",
    "NumNonrelRet": "counts",
}

#: From an everyday name, in lower case without ``_`` and ``-``, to its family.
ALIASES = {
    "ndcg": "nDCG",
    "normalizeddcg": "nDCG",
    "normaliseddcg": "nDCG",
    "ndcgexp": "nDCG",
    "ndcgburges": "nDCG",
    "ndcg'": "nDCG",
    "ndcg′": "nDCG",
    "ndcgprime": "nDCG",
    "condensedndcg": "nDCG",
    "dcg": "DCG",
    "idcg": "IDCG",
    "idealdcg": "IDCG",
    "cg": "CG",
    "g": "G",
    "bing": "binG",
    "minmaxndcg": "MinMaxNDCG",
    "ndcgminmax": "MinMaxNDCG",
    "ndcgrel": "nDCGrel",
    "rndcg": "RnDCG",
    "sdcg": "SDCG",
    "scaleddcg": "SDCG",
    "p": "P",
    "prec": "P",
    "precision": "P",
    "setp": "P",
    "r": "R",
    "recall": "R",
    "setr": "R",
    "rcap": "R",
    "cappedrecall": "R",
    "f": "F",
    "fmeasure": "F",
    "setf": "F",
    "f1": "F",
    "f2": "F",
    "rprec": "Rprec",
    "rprecision": "Rprec",
    "accuracy": "Accuracy",
    "fullrecall": "FullRecall",
    "recallall": "FullRecall",
    "rall": "FullRecall",
    "iprec": "IPrec",
    "interpolatedprecision": "IPrec",
    "rprecmult": "RprecMult",
    "relativep": "RelativeP",
    "relp": "RelativeP",
    "relativeprecision": "RelativeP",
    "setrelativep": "RelativeP",
    "setrelp": "RelativeP",
    "utility": "Utility",
    "ap": "AP",
    "map": "AP",
    "averageprecision": "AP",
    "meanaverageprecision": "AP",
    "q": "Q",
    "qmeasure": "Q",
    "gmap": "GMAP",
    "geometricmap": "GMAP",
    "geometricmeanaverageprecision": "GMAP",
    "iap": "IAP",
    "interpolatedaverageprecision": "IAP",
    "setap": "SetAP",
    "setmap": "SetAP",
    "yaap": "yaap",
    "rr": "RR",
    "mrr": "RR",
    "reciprank": "RR",
    "reciprocalrank": "RR",
    "meanreciprocalrank": "RR",
    "omeasure": "OMeasure",
    "o": "OMeasure",
    "pplus": "PPlus",
    "success": "Success",
    "hit": "Success",
    "hits": "Success",
    "hr": "Success",
    "hitrate": "Success",
    "hitratio": "Success",
    "recallany": "Success",
    "err": "ERR",
    "expectedreciprocalrank": "ERR",
    "nerr": "nERR",
    "normalizederr": "nERR",
    "normalisederr": "nERR",
    "rbp": "RBP",
    "rankbiasedprecision": "RBP",
    "bpm": "BPM",
    "compat": "Compat",
    "compatibility": "Compat",
    "cwl": "CWL",
    "tbg": "TBG",
    "timebiasedgain": "TBG",
    "u": "U",
    "umeasure": "U",
    "ift": "IFT",
    "inst": "INST",
    "insq": "INSQ",
    "nerr8": "NERR8",
    "nerr9": "NERR9",
    "nerr10": "NERR10",
    "nerr11": "NERR11",
    "bpref": "bpref",
    "gmbpref": "GMbpref",
    "infap": "infAP",
    "inferredap": "infAP",
    "inferredaverageprecision": "infAP",
    "judged": "Judged",
    "unjudged": "Unjudged",
    "unj": "Unjudged",
    "rbpresidual": "RBPResidual",
    "rbpresid": "RBPResidual",
    "infndcg": "infNDCG",
    "inferredndcg": "infNDCG",
    "xinfap": "xinfAP",
    "alphandcg": "alpha_nDCG",
    "αndcg": "alpha_nDCG",
    "andcg": "alpha_nDCG",
    "alphadcg": "alpha_DCG",
    "αdcg": "alpha_DCG",
    "erria": "ERR_IA",
    "nerria": "nERR_IA",
    "apia": "AP_IA",
    "mapia": "AP_IA",
    "pia": "P_IA",
    "precisionia": "P_IA",
    "strecall": "StRecall",
    "strec": "StRecall",
    "subtopicrecall": "StRecall",
    "srecall": "StRecall",
    "apjg": "AP_JG",
    "mapjg": "AP_JG",
    "pjg": "P_JG",
    "rprecmultjg": "RprecMult_JG",
    "nrbp": "NRBP",
    "nnrbp": "nNRBP",
    "spanr": "SpanR",
    "spanrecall": "SpanR",
    "spanp": "SpanP",
    "spanprecision": "SpanP",
    "spaniou": "SpanIoU",
    "spanjaccard": "SpanIoU",
    "spandcg": "SpanDCG",
    "spanu": "SpanU",
    "spanfull": "SpanFull",
    "spanunits": "SpanUnits",
    "prefs": "Prefs",
    "numprefs": "NumPrefs",
    "numq": "NumQ",
    "numret": "NumRet",
    "numrel": "NumRel",
    "numrelret": "NumRelRet",
    "numnonrelret": "NumNonrelRet",
    "numnonreljudgedret": "NumNonrelRet",
}

#: From a name of trec_eval to its family.
TREC_NAMES = {
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG",
    "dcg": "DCG",
    "ideal_dcg": "IDCG",
    "G": "G",
    "binG": "binG",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "RnDCG",
    "P": "P",
    "set_P": "P",
    "recall": "R",
    "set_recall": "R",
    "set_F": "F",
    "Rprec": "Rprec",
    "iprec_at_recall": "IPrec",
    "Rprec_mult": "RprecMult",
    "relative_P": "RelativeP",
    "set_relative_P": "RelativeP",
    "utility": "Utility",
    "map": "AP",
    "map_cut": "AP",
    "gm_map": "GMAP",
    "11pt_avg": "IAP",
    "set_map": "SetAP",
    "yaap": "yaap",
    "recip_rank": "RR",
    "success": "Success",
    "rbp": "RBP",
    "bpref": "bpref",
    "gm_bpref": "GMbpref",
    "infAP": "infAP",
    "unj": "Unjudged",
    "rbp_resid": "RBPResidual",
    "map_avgjg": "AP_JG",
    "P_avgjg": "P_JG",
    "Rprec_mult_avgjg": "RprecMult_JG",
    "prefs_simp": "Prefs",
    "prefs_pair": "Prefs",
    "prefs_avgjg": "Prefs",
    "prefs_avgjg_Rnonrel": "Prefs",
    "prefs_simp_ret": "Prefs",
    "prefs_pair_ret": "Prefs",
    "prefs_avgjg_ret": "Prefs",
    "prefs_avgjg_Rnonrel_ret": "Prefs",
    "prefs_simp_imp": "Prefs",
    "prefs_pair_imp": "Prefs",
    "prefs_avgjg_imp": "Prefs",
    "prefs_num_prefs_poss": "NumPrefs",
    "prefs_num_prefs_ful": "NumPrefs",
    "prefs_num_prefs_ful_ret": "NumPrefs",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelRet",
}

__all__ = [
    "nDCG",
    "DCG",
    "IDCG",
    "CG",
    "G",
    "binG",
    "MinMaxNDCG",
    "nDCGrel",
    "RnDCG",
    "SDCG",
    "P",
    "R",
    "F",
    "Rprec",
    "Accuracy",
    "FullRecall",
    "IPrec",
    "RprecMult",
    "RelativeP",
    "Utility",
    "AP",
    "Q",
    "GMAP",
    "IAP",
    "SetAP",
    "yaap",
    "RR",
    "OMeasure",
    "PPlus",
    "Success",
    "ERR",
    "nERR",
    "RBP",
    "BPM",
    "Compat",
    "CWL",
    "TBG",
    "U",
    "IFT",
    "INST",
    "INSQ",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "bpref",
    "GMbpref",
    "infAP",
    "Judged",
    "Unjudged",
    "RBPResidual",
    "infNDCG",
    "xinfAP",
    "alpha_nDCG",
    "alpha_DCG",
    "ERR_IA",
    "nERR_IA",
    "AP_IA",
    "P_IA",
    "StRecall",
    "AP_JG",
    "P_JG",
    "RprecMult_JG",
    "NRBP",
    "nNRBP",
    "SpanR",
    "SpanP",
    "SpanIoU",
    "SpanDCG",
    "SpanU",
    "SpanFull",
    "SpanUnits",
    "Prefs",
    "NumPrefs",
    "NumQ",
    "NumRet",
    "NumRel",
    "NumRelRet",
    "NumNonrelRet",
]

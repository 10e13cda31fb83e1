"""The families of measures that exist, each loaded when first asked for."""

from __future__ import annotations

from gainful.errors import MeasureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Family

# Which file of `definitions` declares a family: here, so that nDCG@10 opens one file, not twelve.
# The order is the one in which families are listed.
MODULES = {
    "nDCG": "ndcg",
    "DCG": "ndcg",
    "IDCG": "ndcg",
    "CG": "ndcg",
    "AP": "average_precision",
    "P": "precision",
    "R": "recall",
    "F": "f",
    "Rprec": "precision",
    "RR": "reciprocal_rank",
    "Success": "success",
    "ERR": "err",
    "RBP": "rbp",
    "RBPResidual": "rbp",
    "bpref": "bpref",
    "Judged": "judged",
    "Unjudged": "judged",
    "NumQ": "counts",
    "NumRet": "counts",
    "NumRel": "counts",
    "NumRelRet": "counts",
    "nERR": "err",
    "MinMaxNDCG": "ndcg",
    "INST": "inst",
    "INSQ": "inst",
    "BPM": "bpm",
    "SDCG": "sdcg",
    "NERR8": "nearly_err",
    "NERR9": "nearly_err",
    "NERR10": "nearly_err",
    "NERR11": "nearly_err",
    "IFT": "ift",
    "TBG": "effort",
    "U": "effort",
    "CWL": "cwl",
    "Compat": "compatibility",
    "Accuracy": "accuracy",
    "infNDCG": "stratified",
    "xinfAP": "stratified",
    # Judgments of subtopics, or by groups.
    "alpha_nDCG": "alpha_ndcg",
    "alpha_DCG": "alpha_ndcg",
    "ERR_IA": "err_ia",
    "nERR_IA": "err_ia",
    "NRBP": "nrbp",
    "nNRBP": "nrbp",
    "AP_IA": "intent_aware",
    "P_IA": "intent_aware",
    "StRecall": "intent_aware",
    "AP_JG": "judgment_groups",
    "P_JG": "judgment_groups",
    "RprecMult_JG": "judgment_groups",
    "Prefs": "preferences",
    "NumPrefs": "preferences",
    "NumNonrelRet": "counts",
    "GMAP": "geometric_mean",
    "GMbpref": "geometric_mean",
    "infAP": "inferred",
    "IPrec": "interpolated",
    "IAP": "interpolated",
    "RprecMult": "precision",
    "RelativeP": "relative_precision",
    "SetAP": "set_average_precision",
    "Utility": "utility",
    "nDCGrel": "ndcg_average",
    "RnDCG": "ndcg_average",
    "G": "g",
    "binG": "g",
    "yaap": "yaap",
}

_loaded: dict[str, Family] = {}


def family(name: str) -> Family:
    """Return the family of exactly this name.

    Raises
    ------
    MeasureError
        If there is none.

    Examples
    --------
    >>> family("nDCG").kernel
    'ndcg'
    """
    found = _loaded.get(name)
    if found is None:
        module = MODULES.get(name)
        if module is None:
            raise unknown(name)
        # Not importlib, which costs a millisecond where nothing else has loaded it.
        loaded = __import__(f"gainful.measures.definitions.{module}", fromlist=["FAMILIES"])
        for each in loaded.FAMILIES:
            _loaded[each.name] = each
        found = _loaded[name]
    return found


def families() -> list[Family]:
    """Return every family of measures, nDCG's first.

    Examples
    --------
    >>> [each.name for each in families()][:4]
    ['nDCG', 'DCG', 'IDCG', 'CG']
    """
    return [family(name) for name in MODULES]


def unknown(name: str, where: str | None = None) -> MeasureError:
    """Make the error for a name that no measure has, with the names that are close to it."""
    from difflib import get_close_matches

    from gainful.measures.names import ALIASES, plain
    from gainful.measures.trec_names import NOT_COMPUTED, TREC_NAMES

    listing = "`gainful measures` lists them all"
    if name in NOT_COMPUTED:
        return MeasureError(
            where=where,
            found=f"{name!r}, which trec_eval computes and Gainful does not",
            expected="a measure that Gainful computes",
            hint=listing,
        )
    written = {plain(each): each for each in reversed(MODULES)}
    for alias, (means, _) in ALIASES.items():
        written.setdefault(alias, means)
    for each in TREC_NAMES:
        written.setdefault(plain(each), each)
    close: list[str] = []
    for match in get_close_matches(plain(name), written, n=5, cutoff=0.6):
        if written[match] not in close:
            close.append(written[match])
    return MeasureError(
        where=where,
        found=f"the unknown measure {name!r}" if name else "no measure",
        expected="the name of a measure",
        hint=f"close names are {', '.join(close[:3])}; {listing}" if close else listing,
    )

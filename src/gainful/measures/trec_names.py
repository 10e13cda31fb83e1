"""trec_eval's names of measures.

A name sets only what trec_eval does otherwise than the default convention, so that
``ndcg_cut_10`` is `nDCG@10` and ``rbp`` is `RBP(p=0.9)`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Value

# As trec_eval lists them.
_PAIRS: tuple[dict[str, Value], ...] = ({}, {"pairs": "ret"}, {"pairs": "imp"})
_NINE = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_ELEVEN = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
_TEN = (0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2)


class TrecName:
    """One of trec_eval's names.

    Parameters
    ----------
    family : str
        The family that it means.
    takes : {"nothing", "cutoffs", "points", "gains", "p", "numbers"}
        What may follow it: ``ndcg_cut_10`` cutoffs, ``iprec_at_recall_0.10`` points,
        ``ndcg_1=3,2=9`` gains, ``rbp_p=0.5`` a persistence, ``set_F_0.5`` numbers.
    cutoffs : tuple of int
        Those that it means where it stands alone; empty for the whole ranking.
    points : tuple of numbers
        The same of a name that takes points: a measure for each.
    into : tuple of str
        The parameters that points and numbers become: the points or one number the first, several
        numbers one each, or a list of them the first where it ends in ``...``.
    params : dict
        The parameters that it sets.
    """

    __slots__ = ("cutoffs", "family", "into", "params", "points", "takes")

    def __init__(
        self,
        family: str,
        takes: str = "nothing",
        *,
        cutoffs: tuple[int, ...] = (),
        points: tuple[float, ...] = (),
        into: tuple[str, ...] = (),
        params: dict[str, Value] | None = None,
    ) -> None:
        self.family = family
        self.takes = takes
        self.cutoffs = cutoffs
        self.points = points
        self.into = into
        self.params = params or {}

    @property
    def is_set(self) -> bool:
        """Whether it is one of the names for the whole retrieved set, which take no ``@k``."""
        return self.takes in ("nothing", "numbers") and self.family in ("P", "R", "F", "RelativeP")


# In the order of trec_eval's own table, in which it also prints them.
TREC_NAMES = {
    "num_q": TrecName("NumQ"),
    "num_ret": TrecName("NumRet"),
    "num_rel": TrecName("NumRel"),
    "num_rel_ret": TrecName("NumRelRet"),
    "map": TrecName("AP"),
    "gm_map": TrecName("GMAP"),
    "Rprec": TrecName("Rprec"),
    "bpref": TrecName("bpref"),
    "recip_rank": TrecName("RR"),
    "iprec_at_recall": TrecName("IPrec", "points", points=_ELEVEN, into=("recall",)),
    "P": TrecName("P", "cutoffs", cutoffs=_NINE),
    "recall": TrecName("R", "cutoffs", cutoffs=_NINE),
    "infAP": TrecName("infAP"),
    "gm_bpref": TrecName("GMbpref"),
    "Rprec_mult": TrecName("RprecMult", "points", points=_TEN, into=("multiple",)),
    "utility": TrecName("Utility", "numbers", into=("a", "b", "c", "d")),
    "11pt_avg": TrecName("IAP", "numbers", into=("recalls...",)),
    "binG": TrecName("binG"),
    "G": TrecName("G", "gains"),
    "dcg": TrecName("DCG", "gains"),
    "ideal_dcg": TrecName("IDCG", "gains"),
    "ndcg": TrecName("nDCG", "gains"),
    "ndcg_rel": TrecName("nDCGrel", "gains"),
    "Rndcg": TrecName("RnDCG", "gains"),
    "ndcg_cut": TrecName("nDCG", "cutoffs", cutoffs=_NINE),
    "map_cut": TrecName("AP", "cutoffs", cutoffs=_NINE),
    "relative_P": TrecName("RelativeP", "cutoffs", cutoffs=_NINE),
    "success": TrecName("Success", "cutoffs", cutoffs=(1, 5, 10)),
    "set_P": TrecName("P"),
    "set_relative_P": TrecName("RelativeP"),
    "set_recall": TrecName("R"),
    "set_map": TrecName("SetAP"),
    "set_F": TrecName("F", "numbers", into=("weight",)),
    "num_nonrel_judged_ret": TrecName("NumNonrelRet"),
    **{
        f"prefs_num_prefs_{of}": TrecName("NumPrefs", params={"of": of, "ties": "doc-id-asc"})
        for of in ("poss", "ful", "ful_ret")
    },
    **{
        f"prefs_{count}{'_' * bool(pairs)}{pairs.get('pairs', '')}": TrecName(
            "Prefs", params={"count": count, **pairs, "ties": "doc-id-asc"}
        )
        for pairs in _PAIRS
        for count in ("simp", "pair", "avgjg", "avgjg_Rnonrel")
        if (count, pairs.get("pairs")) != ("avgjg_Rnonrel", "imp")
    },
    "map_avgjg": TrecName("AP_JG"),
    "P_avgjg": TrecName("P_JG", "cutoffs", cutoffs=_NINE),
    "Rprec_mult_avgjg": TrecName("RprecMult_JG", "points", points=_TEN, into=("multiple",)),
    "yaap": TrecName("yaap"),
    "rbp": TrecName("RBP", "p", params={"p": 0.9}),
    "rbp_resid": TrecName("RBPResidual", "p", params={"p": 0.9}),
    "unj": TrecName("Unjudged", "cutoffs", cutoffs=(5, 10, 20)),
}

# Of these, the ones that came with version 10.
SINCE_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")

# Names for several measures, those of version 9. runid and relstring, which are no measures, are
# left out.
NICKNAMES = {
    "official": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
        "recip_rank", "iprec_at_recall", "P",
    ),
    "set": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P",
        "set_recall", "set_map", "set_F",
    ),
    "all_trec": tuple(
        name
        for name in TREC_NAMES
        if name not in (*SINCE_10, "yaap") and not name.startswith("prefs_")
        and not name.endswith("_avgjg")
    ),
    "prefs": (
        "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret",
        "prefs_simp", "prefs_pair", "prefs_avgjg",
    ),
    "all_prefs": ("num_q", *(name for name in TREC_NAMES if name.startswith("prefs_"))),
    "qrels_jg": ("num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}  # fmt: skip

# Known, so that asking for one is answered better than a misspelling is.
NOT_COMPUTED = frozenset(("ndcg_p", "relstring", "runid"))


def split(word: str) -> tuple[str, str]:
    """Split a word into trec_eval's name and what follows it; ``("", "")`` if there is none.

    >>> split("ndcg_cut_10"), split("ndcg_cut.5"), split("set_F_0.5"), split("nDCG")
    (('ndcg_cut', '10'), ('ndcg_cut', '5'), ('set_F', '0.5'), ('', ''))
    """
    if word in TREC_NAMES:
        return word, ""
    # The longest name wins: ndcg_cut_10 is not ndcg with the parameter "cut_10".
    for at in range(len(word) - 1, 0, -1):
        if word[at] in "._" and word[:at] in TREC_NAMES:
            return word[:at], word[at + 1 :]
    return "", ""

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


class TrecName:
    """One of trec_eval's names.

    Parameters
    ----------
    family : str
        The family that it means.
    takes : {"nothing", "cutoffs", "gains", "p", "x"}
        What may follow it: ``ndcg_cut_10`` a cutoff, ``ndcg_1=3,2=9`` gains, ``rbp_p=0.5`` a
        persistence, ``set_F_0.5`` the weight of precision against recall.
    cutoffs : tuple of int
        Those that it means where it stands alone; empty for the whole ranking.
    params : dict
        The parameters that it sets.
    """

    __slots__ = ("cutoffs", "family", "params", "takes")

    def __init__(
        self,
        family: str,
        takes: str = "nothing",
        *,
        cutoffs: tuple[int, ...] = (),
        params: dict[str, Value] | None = None,
    ) -> None:
        self.family = family
        self.takes = takes
        self.cutoffs = cutoffs
        self.params = params or {}

    @property
    def is_set(self) -> bool:
        """Whether it is one of the names for the whole retrieved set, which take no ``@k``."""
        return self.takes == "x" or (self.takes == "nothing" and self.family in ("P", "R"))


TREC_NAMES = {
    "ndcg": TrecName("nDCG", "gains"),
    "ndcg_cut": TrecName("nDCG", "cutoffs", cutoffs=_NINE),
    "dcg": TrecName("DCG", "gains"),
    "ideal_dcg": TrecName("IDCG", "gains"),
    "map": TrecName("AP"),
    "map_cut": TrecName("AP", "cutoffs", cutoffs=_NINE),
    "P": TrecName("P", "cutoffs", cutoffs=_NINE),
    "set_P": TrecName("P"),
    "recall": TrecName("R", "cutoffs", cutoffs=_NINE),
    "set_recall": TrecName("R"),
    "set_F": TrecName("F", "x"),
    "Rprec": TrecName("Rprec"),
    "recip_rank": TrecName("RR"),
    "success": TrecName("Success", "cutoffs", cutoffs=(1, 5, 10)),
    "bpref": TrecName("bpref"),
    "rbp": TrecName("RBP", "p", params={"p": 0.9}),
    "rbp_resid": TrecName("RBPResidual", "p", params={"p": 0.9}),
    "unj": TrecName("Unjudged", "cutoffs", cutoffs=(5, 10, 20)),
    "num_q": TrecName("NumQ"),
    "num_ret": TrecName("NumRet"),
    "num_rel": TrecName("NumRel"),
    "num_rel_ret": TrecName("NumRelRet"),
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
}

# Known, so that asking for one is answered better than a misspelling is.
NOT_COMPUTED = frozenset(
    (
        "11pt_avg", "G", "P_avgjg", "Rndcg", "Rprec_mult", "Rprec_mult_avgjg", "binG", "gm_bpref",
        "gm_map", "infAP", "iprec_at_recall", "map_avgjg", "ndcg_p", "ndcg_rel",
        "num_nonrel_judged_ret", "relative_P", "relstring", "runid", "set_map", "set_relative_P",
        "utility", "yaap",
    )
)  # fmt: skip


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

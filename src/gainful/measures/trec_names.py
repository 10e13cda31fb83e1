"""trec_eval's names of measures.

Each family declares its own. A name sets only what trec_eval computes differently from the default
convention: ``ndcg_cut_10`` is `nDCG@10`, and ``rbp`` is `RBP(p=0.9)`.
"""

from __future__ import annotations

from gainful.measures.index import TREC_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.measures.parameters import Value

#: trec_eval's default cutoffs and multiples.
NINE_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = (0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2)


class TrecName:
    """The meaning of a trec_eval name.

    Parameters
    ----------
    takes : {"nothing", "cutoffs", "points", "gains", "p", "numbers"}
        What may follow it: ``ndcg_cut_10`` cutoffs, ``iprec_at_recall_0.10`` points,
        ``ndcg_1=3,2=9`` gains, ``rbp_p=0.5`` a persistence, ``set_F_0.5`` numbers.
    cutoffs : tuple of int
        The default cutoffs; empty for the whole ranking.
    points : tuple of numbers
        The default points, one measure each.
    into : tuple of str
        The parameters to set from points and numbers: the first one from points or a single number;
        one each from several numbers, or a list in the first if it ends in ``...``.
    params : dict
        The parameters that the name sets.
    """

    __slots__ = ("cutoffs", "into", "params", "points", "takes")

    def __init__(
        self,
        takes: str = "nothing",
        *,
        cutoffs: tuple[int, ...] = (),
        points: tuple[float, ...] = (),
        into: tuple[str, ...] = (),
        params: Mapping[str, Value] | None = None,
    ) -> None:
        self.takes = takes
        self.cutoffs = cutoffs
        self.points = points
        self.into = into
        self.params = dict(params or {})


# The names added in version 10.
SINCE_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")

# Names for several measures, those of version 9 in output order. runid and relstring are left out
# because they are not measures.
NICKNAMES = {
    "official": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
        "recip_rank", "iprec_at_recall", "P",
    ),
    "set": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P",
        "set_recall", "set_map", "set_F",
    ),
    "all_trec": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
        "recip_rank", "iprec_at_recall", "P", "recall", "infAP", "gm_bpref", "Rprec_mult",
        "utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut",
        "relative_P", "success", "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
        "num_nonrel_judged_ret",
    ),
    "prefs": (
        "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret",
        "prefs_simp", "prefs_pair", "prefs_avgjg",
    ),
    "all_prefs": (
        "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret",
        "prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret",
        "prefs_pair_ret", "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp",
        "prefs_pair_imp", "prefs_avgjg_imp",
    ),
    "qrels_jg": ("num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}  # fmt: skip

# Known names get a better error than misspelled ones.
NOT_COMPUTED = frozenset(("ndcg_p", "relstring", "runid"))


def split(word: str) -> tuple[str, str]:
    """Split a word into a trec_eval name and the rest; ``("", "")`` for other words.

    >>> split("ndcg_cut_10"), split("ndcg_cut.5"), split("set_F_0.5"), split("nDCG")
    (('ndcg_cut', '10'), ('ndcg_cut', '5'), ('set_F', '0.5'), ('', ''))
    """
    if word in TREC_NAMES:
        return word, ""
    # The longest name wins: ndcg_cut_10 is not ndcg with the parameter "cut_10".
    for index in range(len(word) - 1, 0, -1):
        if word[index] in "._" and word[:index] in TREC_NAMES:
            return word[:index], word[index + 1 :]
    return "", ""

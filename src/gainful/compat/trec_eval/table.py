"""trec_eval's measures in the order in which it prints them, and its nicknames.

A `Row` says how a measure is called, what parameters it takes, how its values are averaged and
printed, and which of Gainful's measures it is. What the numbers mean stands there
(`gainful measures` lists them); here stands only how trec_eval names them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NINE = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


class Row:
    """One of trec_eval's measures.

    Parameters
    ----------
    name : str
        As trec_eval calls it.
    family : str
        The family of `gainful.measures`; empty for what is no measure there.
    params : mapping, optional
        The parameters of the family that make it trec_eval's measure.
    takes : {"nothing", "cutoffs", "points", "numbers", "pairs"}
        What may follow the name after a dot: whole numbers or any numbers, each with a value of
        its own; any numbers for one value; pairs ``level=gain`` for one value.
    default : sequence of float
        The parameters that it has by default.
    slot : str
        Which parameter of the engine's kernel they go to.
    levelled : {"no", "judged", "listed"}
        Whether -l decides what is relevant, and if so, whether among judged documents alone or
        among all that are listed (which differs for negative levels only).
    reads : {"qrels", "qrels_jg", "prefs", "anything"}
        The kind of judgments that it needs.
    average : {"mean", "sum", "geometric", "none"}
        What becomes of the topics' values.
    whole : bool
        Whether values are printed as whole numbers.
    topics, summary : bool
        Whether it is printed for each topic, and for all.
    """

    __slots__ = (
        "average",
        "default",
        "family",
        "levelled",
        "name",
        "params",
        "reads",
        "slot",
        "summary",
        "takes",
        "topics",
        "whole",
    )

    def __init__(
        self,
        name: str,
        family: str = "",
        params: Mapping[str, object] | None = None,
        *,
        takes: str = "nothing",
        default: Sequence[float] = (),
        slot: str = "",
        levelled: str = "no",
        reads: str = "qrels",
        average: str = "mean",
        whole: bool = False,
        topics: bool = True,
        summary: bool = True,
    ) -> None:
        self.name = name
        self.family = family
        self.params = params or {}
        self.takes = takes
        self.default = default
        self.slot = slot
        self.levelled = levelled
        self.reads = reads
        self.average = average
        self.whole = whole
        self.topics = topics
        self.summary = summary


def _count(name: str, family: str, params: Mapping[str, object] | None = None, **more: str) -> Row:
    return Row(name, family, params, average="sum", whole=True, **more)  # type: ignore[arg-type]


def _cut(name: str, family: str, default: Sequence[float] = _NINE, levelled: str = "listed") -> Row:
    return Row(name, family, takes="cutoffs", default=default, slot="cutoff", levelled=levelled)


def _graded(name: str, family: str) -> Row:
    return Row(name, family, takes="pairs", slot="gain")


def _preferences() -> list[Row]:
    rows = [
        _count(f"prefs_num_prefs_{of}", "NumPrefs", {"of": of, "ties": "doc-id-asc"}, reads="prefs")
        for of in ("poss", "ful", "ful_ret")
    ]
    for pairs, ending in (("all", ""), ("ret", "_ret"), ("imp", "_imp")):
        for count in ("simp", "pair", "avgjg", "avgjg_Rnonrel"):
            if (count, pairs) != ("avgjg_Rnonrel", "imp"):
                params = {"count": count, "pairs": pairs, "ties": "doc-id-asc"}
                rows.append(Row(f"prefs_{count}{ending}", "Prefs", params, reads="prefs"))
    return rows


#: In trec_eval's order: of its source, and so of all that it prints.
ROWS = (
    Row("runid", reads="anything", average="none", topics=False),
    Row("num_q", reads="anything", average="none", whole=True, topics=False),
    _count("num_ret", "NumRet"),
    _count("num_rel", "NumRel", levelled="judged"),
    _count("num_rel_ret", "NumRelRet", levelled="judged"),
    Row("map", "AP", levelled="listed"),
    Row("gm_map", "AP", levelled="listed", average="geometric", topics=False),
    Row("Rprec", "Rprec", levelled="listed"),
    Row("bpref", "bpref", levelled="judged"),
    Row("recip_rank", "RR", levelled="listed"),
    Row("iprec_at_recall", "IPrec", takes="points", default=_ELEVEN, slot="recall",
        levelled="judged"),
    _cut("P", "P"),
    Row("relstring", takes="numbers", default=(10.0,), average="none", summary=False),
    _cut("recall", "R"),
    Row("infAP", "infAP", levelled="judged"),
    Row("gm_bpref", "bpref", levelled="judged", average="geometric", topics=False),
    Row("Rprec_mult", "RprecMult", takes="points", default=_MULTIPLES, slot="multiple",
        levelled="listed"),
    Row("utility", takes="numbers", default=(1.0, -1.0, 0.0, 0.0), levelled="judged"),
    Row("11pt_avg", "IAP", takes="numbers", default=_ELEVEN, slot="recalls", levelled="judged"),
    Row("binG", "binG", levelled="listed"),
    _graded("G", "G"),
    _graded("dcg", "DCG"),
    _graded("ideal_dcg", "IDCG"),
    _graded("ndcg", "nDCG"),
    _graded("ndcg_rel", "nDCGrel"),
    Row("Rndcg", "RnDCG", takes="pairs", slot="gain"),
    _cut("ndcg_cut", "nDCG", levelled="no"),
    _cut("map_cut", "AP"),
    _cut("relative_P", "RelativeP"),
    _cut("success", "Success", (1, 5, 10)),
    Row("set_P", "P", levelled="judged"),
    Row("set_relative_P", "RelativeP", levelled="judged"),
    Row("set_recall", "R", levelled="judged"),
    Row("set_map", "SetAP", levelled="judged"),
    Row("set_F", "F", takes="numbers", default=(1.0,), slot="weight", levelled="judged"),
    _count("num_nonrel_judged_ret", "NumNonrelRet", levelled="judged"),
    *_preferences(),
    Row("map_avgjg", "AP_JG", levelled="listed", reads="qrels_jg"),
    Row("P_avgjg", "P_JG", takes="cutoffs", default=_NINE, slot="cutoff", levelled="listed",
        reads="qrels_jg"),
    Row("Rprec_mult_avgjg", "RprecMult_JG", takes="points", default=_MULTIPLES, slot="multiple",
        levelled="listed", reads="qrels_jg"),
    Row("yaap", "yaap", levelled="listed"),
    Row("rbp", "RBP", takes="pairs"),
    Row("rbp_resid", "RBPResidual", {"p": 0.9}),
    Row("unj", "Unjudged", takes="cutoffs", default=(5, 10, 20), slot="cutoff"),
)  # fmt: skip

#: Measures that came with version 10.
NEW = frozenset(("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"))


def _words(text: str) -> list[str]:
    return text.split()


_OFFICIAL = (
    "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
)
_SET = "set_P set_recall set_relative_P set_map set_F"
_COUNTED = "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret"

#: Names for several measures.
NICKNAMES = {
    "official": _words(_OFFICIAL),
    "set": _words(f"runid num_q num_ret num_rel num_rel_ret utility {_SET}"),
    "all_trec": _words(
        f"{_OFFICIAL} relstring recall unj rbp rbp_resid infAP gm_bpref utility 11pt_avg ndcg "
        "relative_P Rprec_mult success map_cut ndcg_cut ndcg_rel Rndcg binG G "
        f"{_SET} num_nonrel_judged_ret"
    ),
    "all_prefs": ["runid", "num_q", *(row.name for row in ROWS if row.reads == "prefs")],
    "prefs": _words(f"{_COUNTED} prefs_simp prefs_pair prefs_avgjg"),
    "qrels_jg": _words("runid num_q map_avgjg P_avgjg Rprec_mult_avgjg"),
}


def rows(version: int) -> dict[str, Row]:
    """Return the measures of a version of trec_eval by name, in the order of its output.

    Examples
    --------
    >>> len(rows(9)), len(rows(10))
    (52, 57)
    """
    return {row.name: row for row in ROWS if version > 9 or row.name not in NEW}


def named(name: str, version: int) -> list[str]:
    """Return the measures that a measure's name or a nickname means; none if it is neither.

    Examples
    --------
    >>> named("set", 9)[-1], named("map", 9), named("unj", 9)
    ('set_F', ['map'], [])
    """
    known = rows(version)
    return [each for each in NICKNAMES.get(name, (name,)) if each in known]

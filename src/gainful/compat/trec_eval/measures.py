"""trec_eval's measures in the order in which it prints them, and its nicknames.

A `Row` defines how the values of a measure are averaged and printed, and how relevance is decided.
`gainful.measures.trec_names` has the equivalent measures of Gainful with their parameters.
"""

from __future__ import annotations

from gainful.measures.catalogue import trec_name
from gainful.measures.index import TREC_NAMES
from gainful.measures.trec_names import NICKNAMES, SINCE_10, TrecName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# These names have parameters of the form ``name=number``.
_PAIRS = ("gains", "p")


class Row:
    """One of trec_eval's measures.

    Parameters
    ----------
    name : str
        The name in trec_eval.
    family : str, optional
        The family of `gainful.measures`, if it differs from that of the name; empty if Gainful has
        no such measure.
    takes : {"nothing", "cutoffs", "points", "numbers", "pairs"}, optional
        The parameters after a dot, if they differ from those of the name: whole numbers or any
        numbers, with one value each; several numbers for one value; pairs ``level=gain`` for one
        value.
    default : sequence of float
        The default parameters.
    levelled : {"no", "judged", "listed"}
        Whether -l sets the lowest relevant grade, and if so, for judged documents only or for all
        listed ones (which differs only for negative levels).
    reads : {"qrels", "qrels_jg", "prefs", "anything"}
        The required kind of judgments.
    average : {"mean", "sum", "geometric", "none"}
        The aggregate of the values.
    whole : bool
        Whether values are whole numbers.
    topics, summary : bool
        Whether it is printed per topic, and for all topics.

    Attributes
    ----------
    params : dict
        The parameters of the family.
    slot : str
        The parameter of the family for points, numbers and pairs.
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
        family: str | None = None,
        *,
        takes: str | None = None,
        default: Sequence[float] = (),
        levelled: str = "no",
        reads: str = "qrels",
        average: str = "mean",
        whole: bool = False,
        topics: bool = True,
        summary: bool = True,
    ) -> None:
        known = trec_name(name) if name in TREC_NAMES else TrecName()
        self.name = name
        self.family = TREC_NAMES.get(name, "") if family is None else family
        self.params = known.params
        self.takes = takes or ("pairs" if known.takes in _PAIRS else known.takes)
        self.default = default or known.cutoffs or known.points
        self.slot = known.into[0].removesuffix("...") if known.into else "gain"
        self.levelled = levelled
        self.reads = reads
        self.average = average
        self.whole = whole
        self.topics = topics
        self.summary = summary


def _count(name: str, levelled: str = "judged", reads: str = "qrels") -> Row:
    return Row(name, levelled=levelled, reads=reads, average="sum", whole=True)


def _preferences(name: str) -> Row:
    if name.startswith("prefs_num_"):
        return _count(name, "no", reads="prefs")
    return Row(name, reads="prefs")


#: In the order of trec_eval's source and output.
ROWS = (
    Row("runid", reads="anything", average="none", topics=False),
    Row("num_q", "", reads="anything", average="none", whole=True, topics=False),
    _count("num_ret", "no"),
    _count("num_rel"),
    _count("num_rel_ret"),
    Row("map", levelled="listed"),
    Row("gm_map", "AP", levelled="listed", average="geometric", topics=False),
    Row("Rprec", levelled="listed"),
    Row("bpref", levelled="judged"),
    Row("recip_rank", levelled="listed"),
    Row("iprec_at_recall", levelled="judged"),
    Row("P", levelled="listed"),
    Row("relstring", takes="numbers", default=(10.0,), average="none", summary=False),
    Row("recall", levelled="listed"),
    Row("infAP", levelled="judged"),
    Row("gm_bpref", "bpref", levelled="judged", average="geometric", topics=False),
    Row("Rprec_mult", levelled="listed"),
    Row("utility", default=(1.0, -1.0, 0.0, 0.0), levelled="judged"),
    Row("11pt_avg", default=trec_name("iprec_at_recall").points, levelled="judged"),
    Row("binG", levelled="listed"),
    *map(Row, ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut")),
    Row("map_cut", levelled="listed"),
    Row("relative_P", levelled="listed"),
    Row("success", levelled="listed"),
    Row("set_P", levelled="judged"),
    Row("set_relative_P", levelled="judged"),
    Row("set_recall", levelled="judged"),
    Row("set_map", levelled="judged"),
    Row("set_F", default=(1.0,), levelled="judged"),
    _count("num_nonrel_judged_ret"),
    *map(_preferences, NICKNAMES["all_prefs"][1:]),
    Row("map_avgjg", levelled="listed", reads="qrels_jg"),
    Row("P_avgjg", levelled="listed", reads="qrels_jg"),
    Row("Rprec_mult_avgjg", levelled="listed", reads="qrels_jg"),
    Row("yaap", levelled="listed"),
    Row("rbp"),
    Row("rbp_resid", takes="nothing"),
    Row("unj"),
)


def rows(version: int) -> dict[str, Row]:
    """Return the measures of a version of trec_eval by name, in output order.

    Examples
    --------
    >>> len(rows(9)), len(rows(10))
    (52, 57)
    """
    return {row.name: row for row in ROWS if version > 9 or row.name not in SINCE_10}


def expand_name(name: str, version: int) -> list[str]:
    """Return the measures of a name or nickname; none if it is unknown.

    Examples
    --------
    >>> expand_name("set", 9)[-1], expand_name("map", 9), expand_name("unj", 9)
    ('set_F', ['map'], [])
    """
    known = rows(version)
    if name not in NICKNAMES:
        return [name] if name in known else []
    names = ["runid", *NICKNAMES[name]]
    if name == "all_trec":
        # Of the new measures of version 10, DCG is not included.
        names += ["relstring", "rbp", "rbp_resid", "unj"]
    return [each for each in names if each in known]

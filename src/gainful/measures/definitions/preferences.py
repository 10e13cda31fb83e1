"""Preference measures: which of the stated preferences a ranking satisfies."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import Parameter, one_of
from gainful.measures.trec_names import TrecName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Values

_SOURCE = (
    "B. Carterette, P. N. Bennett, D. M. Chickering, S. T. Dumais: Here or there: preference "
    "judgments for relevance. ECIR 2008; counted as by C. Buckley's trec_eval, measures prefs_*"
)

COUNT = Parameter(
    "count",
    one_of("simp", "pair", "avgjg", "avgjg_Rnonrel"),
    legal="'simp', 'pair', 'avgjg' or 'avgjg_Rnonrel'",
    meaning="what counts alike: each preference ('simp'), each pair of documents ('pair'), each "
    "group of judgments ('avgjg'), or each group after it was given as many documents that are "
    "not relevant as it has relevant ones ('avgjg_Rnonrel'), with 0 for a query of which a group "
    "has nothing relevant",
    default="simp",
)
PAIRS = Parameter(
    "pairs",
    one_of("all", "ret", "imp"),
    legal="'all', 'ret' or 'imp'; 'all' or 'ret' with count='avgjg_Rnonrel'",
    meaning="which preferences count: all, those between two documents that were retrieved "
    "('ret'), or those of which at least one was ('imp')",
    default="all",
)
TIES = Parameter(
    "ties",
    one_of("convention", "doc-id-asc"),
    legal="'convention' or 'doc-id-asc'",
    meaning="the order of tied documents: the convention's, or ascending ids, which trec_eval "
    "takes for preferences and for nothing else",
    default="convention",
)
OF = Parameter(
    "of",
    one_of("poss", "ful", "ful_ret"),
    legal="'poss', 'ful' or 'ful_ret'",
    meaning="preferences that there are ('poss'), that are fulfilled ('ful'), or that are "
    "fulfilled between two documents that were retrieved ('ful_ret')",
    default="poss",
)


def _relate(values: Values) -> str | None:
    if values.get("count") == "avgjg_Rnonrel" and values.get("pairs") == "imp":
        return (
            "pairs='all' or pairs='ret' with count='avgjg_Rnonrel', "
            "of which nobody has defined the implied preferences alone"
        )
    return None


_SHARES = {
    f"prefs_{count}{'_' * bool(pairs)}{pairs.get('pairs', '')}": TrecName(
        params={"count": count, **pairs, "ties": "doc-id-asc"}
    )
    for pairs in ({}, {"pairs": "ret"}, {"pairs": "imp"})
    for count in ("simp", "pair", "avgjg", "avgjg_Rnonrel")
    if (count, pairs.get("pairs")) != ("avgjg_Rnonrel", "imp")
}

FAMILIES = (
    Family(
        "Prefs",
        kernel="prefs",
        summary="The share of the preferences between documents that the ranking fulfils",
        formula="preferences fulfilled / preferences, where a > b is fulfilled if a stands above "
        "b, or if only a was retrieved. For 'pair' the mean of this share over pairs of documents, "
        "for 'avgjg' over groups. For 'avgjg_Rnonrel', where a group has R relevant documents and "
        "N others, R * (R - N) preferences over others are added if N < R, fulfilled where the "
        "relevant one was retrieved; if N > R only the first R of the others count",
        source=_SOURCE,
        example="Prefs(count='pair', pairs='ret')",
        group="preferences",
        trec_names=_SHARES,
        parameters=(COUNT, PAIRS, TIES),
        takes_cutoff=False,
        relate=_relate,
    ),
    Family(
        "NumPrefs",
        kernel="num_prefs",
        summary="The number of preferences between documents, or of those that are fulfilled",
        formula="sum over groups of pairs of documents (a, b) with a > b",
        source=_SOURCE,
        example="NumPrefs(of='ful')",
        group="preferences",
        trec_names={
            f"prefs_num_prefs_{of}": TrecName(params={"of": of, "ties": "doc-id-asc"})
            for of in ("poss", "ful", "ful_ret")
        },
        parameters=(OF, TIES),
        takes_cutoff=False,
        low=0.0,
        high=None,
        aggregate="sum",
        inherits="Prefs",
    ),
)

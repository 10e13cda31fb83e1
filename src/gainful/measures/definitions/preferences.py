"""Preference measures: which of the stated preferences a ranking satisfies."""

from __future__ import annotations

from gainful.measures.family import Family, TrecName
from gainful.measures.parameters import Parameter, one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Values

_SOURCE = (
    "B. Carterette, P. N. Bennett, D. M. Chickering, S. T. Dumais: Here or there: preference "
    "judgments for relevance. ECIR 2008; counted as by C. Buckley's trec_eval, measures prefs_*"
)

COUNT = Parameter(
    "count",
    one_of("simp", "pair", "avgjg", "avgjg_Rnonrel"),
    legal="'simp', 'pair', 'avgjg' or 'avgjg_Rnonrel'",
    meaning=(
        "what is averaged: preferences ('simp'), pairs of documents ('pair'), groups of "
        "judgments ('avgjg'), or groups with as many non-relevant as relevant documents "
        "('avgjg_Rnonrel'), with 0 for queries in which a group has no relevant documents"
    ),
    default="simp",
)
PAIRS = Parameter(
    "pairs",
    one_of("all", "ret", "imp"),
    legal="'all', 'ret' or 'imp'; 'all' or 'ret' with count='avgjg_Rnonrel'",
    meaning="which preferences count",
    values=(
        "'all', those with both documents retrieved ('ret'), or with at least one retrieved ('imp')"
    ),
    default="all",
)
TIES = Parameter(
    "ties",
    one_of("convention", "doc-id-asc"),
    legal="'convention' or 'doc-id-asc'",
    meaning=(
        "the order of tied documents: the convention's, or ascending ids, which trec_eval uses "
        "for preferences only"
    ),
    default="convention",
)
OF = Parameter(
    "of",
    one_of("poss", "ful", "ful_ret"),
    legal="'poss', 'ful' or 'ful_ret'",
    meaning=(
        "which preferences to count: all ('poss'), fulfilled ('ful'), or fulfilled with both "
        "documents retrieved ('ful_ret')"
    ),
    default="poss",
)


def _relate(values: Values) -> str | None:
    if values.get("count") == "avgjg_Rnonrel" and values.get("pairs") == "imp":
        return (
            "pairs='all' or pairs='ret' with count='avgjg_Rnonrel', for which pairs='imp' is not "
            "defined"
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
        summary="The share of preferences between documents that the ranking fulfills",
        formula=(
            "fulfilled preferences / preferences, where a > b is fulfilled if a is above b, or "
            "if only a was retrieved. 'pair' is the mean of this share over pairs of documents, "
            "'avgjg' over groups. For 'avgjg_Rnonrel' and a group with R relevant and N other "
            "documents, R * (R - N) preferences are added if N < R, fulfilled if the relevant "
            "document was retrieved; if N > R only the first R others count"
        ),
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
        summary="The number of preferences between documents, or of fulfilled ones",
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

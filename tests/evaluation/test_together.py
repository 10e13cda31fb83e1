"""A measure has the same value alone and together with others.

Measures of one plan share intermediate results of a query: the ranks of the judged documents and of
the relevant ones at the most common level, the value at the previous cutoff, and one pass over the
ranks for cumulated gain at ascending cutoffs.
"""

from __future__ import annotations

import random
import struct
from functools import cache

import pytest

import gainful
from combinations import ALL, share
from gainful.conventions import Convention
from gainful.errors import ConventionError, GradeError, MeasureError
from gainful.measures import CG, DCG, IDCG, Measure, families, nDCG

CUTOFFS = (1, 2, 3, 5, 10, 11, 1000, 2**53)
Scores = dict[str, dict[str, float]]
#: The bits of a measure's value for each query, and of its mean.
Values = tuple[dict[str, bytes | None], bytes | None]
#: Measures of subtopics or groups, which need judgments with labels.
LABELLED = {
    *("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"),
    *("AP_JG", "P_JG", "RprecMult_JG"),
}
#: Measures of both kinds of judgments.
EITHER = {
    *("Prefs", "NumPrefs", "infNDCG", "xinfAP", "Judged", "Unjudged", "NumQ", "NumRet"),
    "FullRecall",
}
#: Measures that reject such deep cutoffs, such large grades, or a document in two strata.
PARTICULAR = {"alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "Compat", "infNDCG", "xinfAP"}

SETTINGS: dict[str, tuple[object, ...]] = {
    "rel": (2, 3, 1.5),
    "judged_only": (True,),
    "capped": (True,),
    "listed": (True,),
    "to_depth": (True,),
    "norm": ("capped", "capped-to-depth", "list", "list-capped", "list-cut"),
    "gain": ("exponential", "binary", "judged", {0: 0, 1: 1, 2: 5, 3: 7}, {0: -1, 2: 4}),
    "discount": ("ln", "jarvelin-kekalainen", "reciprocal", "none", (1, 0.5)),
    "ideal": (
        *("judged-uncut", "judged-to-depth", "list", "list-cut", "given-order", "ones"),
        (3, 2, 1),
    ),
    "count": ("simp", "pair", "avgjg", "avgjg_Rnonrel"),
    "pairs": ("all", "ret", "imp"),
    "of": ("poss", "ful", "ful_ret"),
    "tail": ("always", "unjudged"),
    "multiple": (0.2, 2.0),
    "rounding": ("nearest",),
    "recalls": ((0.2, 0.5, 0.8),),
    "beta": (0.5,),
    "normalize": (False,),
}


@cache
def every_measure() -> list[Measure]:
    """Return every family without parameters, with each setting, and at cutoffs."""
    found = []
    for family in families():
        if family.judgments == "spans":
            continue
        plain = Measure(family.name)
        if family.at is not None:
            plain = plain(**{family.at: 0.3})
        if family.parameter("max_rel") is not None:
            plain = plain(max_rel=3)
        one_by_one = [plain]
        for parameter in family.parameters:
            for value in SETTINGS.get(parameter.name, ()):
                # CWL takes a level or a scale.
                try:
                    one_by_one.append(plain(**{parameter.name: value}))
                except MeasureError:
                    continue
        for measure in one_by_one:
            found.append(measure)
            if family.takes_cutoff:
                found += [measure @ cutoff for cutoff in CUTOFFS]
    return found


def bits(value: float | None) -> bytes | None:
    return None if value is None else struct.pack("<d", value)


def collection(chance: random.Random, labels: int) -> tuple[gainful.Qrels, Scores]:
    """Return judgments and a run with ties, unjudged documents and grades below 0.

    Each document has at most ``labels`` labels; without labels, one grade.
    """
    rows: list[tuple[object, ...]] = []
    run: Scores = {}
    for number in range(14):
        query = f"q{number}"
        judged = [f"d{n}" for n in range(chance.choice((1, 2, 6, 14)))]
        grades = chance.choice(((0, 1), (-1, 0, 1, 2), (-2, -1, 0), (0, 1, 1.5, 2, 3), (3,), (0,)))
        for document in judged:
            for label in chance.sample("abc", chance.randint(1, labels)) if labels else [None]:
                grade = chance.choice(grades)
                rows.append((query, *([label] if labels else []), document, grade))
        others = [f"u{n}" for n in range(chance.choice((0, 1, 9)))]
        returned = chance.sample([*judged, *others], chance.randint(0, len(judged) + len(others)))
        levels = chance.choice((1, 3, 1000))
        if returned or number % 2:
            run[query] = {document: float(chance.randrange(levels)) for document in returned}
    return gainful.Qrels(rows, subtopics=labels > 0), run


POLICIES: list[dict[str, object]] = [
    {},
    {"unjudged": "condense"},
    {"unjudged": 1},
    {"unjudged": -1},
    {"ties": "expected"},
    {"ties": "expected", "unjudged": "condense"},
    {"ties": "expected", "unjudged": 2},
    {"ties": "average-rank"},
    {"ties": "average-rank-down"},
    {"ties": "optimistic", "unretrieved": "last"},
    {"ties": "expected", "unretrieved": "last"},
    {"rounding": "term-down:2"},
    {"rounding": "term:3", "ties": "expected"},
    {"negative": "signed"},
    {"negative": "signed", "ties": "expected"},
    {"negative": "unjudged"},
    {"no_relevant": "skip"},
    {"missing": "skip", "no_relevant": 1, "rounding": "query:3"},
]


# Labels of the judgments: none, and one per document or several. No measure with labels is a sum of
# rounded terms.
POLICIES_AND_LABELS = [
    (policies, labels)
    for number, policies in enumerate(POLICIES)
    for labels in (0, *share((1, 3), number, 2))
    if not labels or "term" not in str(policies.get("rounding"))
]


@pytest.mark.parametrize(("policies", "labels"), POLICIES_AND_LABELS, ids=str)
def test_measures_have_the_same_value_alone_and_together(
    policies: dict[str, object], labels: int
) -> None:
    chance = random.Random(f"{policies} {labels}")
    convention = gainful.conventions["gainful-1"].replace(**policies)
    fitting = EITHER | LABELLED if labels else {each.name for each in families()} - LABELLED
    measures = [measure for measure in every_measure() if measure.family in fitting]
    measures = share(measures, POLICIES_AND_LABELS.index((policies, labels)), 2 if labels else 4)
    qrels, run = collection(chance, labels)
    alone: dict[Measure, Values] = {}
    for measure in measures:
        try:
            alone[measure] = values(qrels, run, [measure], convention)[measure]
        except ConventionError:
            continue
        except (MeasureError, GradeError):
            assert measure.family in PARTICULAR, measure
    assert len(alone) >= (20 if ALL else 10)
    assert_together(qrels, run, alone, list(alone), convention)
    # Other orders and subsets of the measures share other passes.
    shuffled = chance.sample(list(alone), len(alone))
    assert_together(qrels, run, alone, shuffled, convention)
    for _ in range(30 if ALL else 10):
        few = chance.sample(list(alone), chance.randint(2, 9))
        assert_together(qrels, run, alone, few, convention)


@pytest.mark.parametrize("ties", ["doc-id-desc", "expected", "average-rank", "average-rank-down"])
@pytest.mark.parametrize("duplicates", ["count", "copies"])
def test_every_cutoff_in_one_pass(ties: str, duplicates: str) -> None:
    chance = random.Random(f"{ties} {duplicates}")
    qrels, scores = collection(chance, 0)
    run = [(query, doc, score) for query, own in scores.items() for doc, score in own.items()]
    # A few documents are duplicates.
    run += [(query, doc, score - 1) for query, doc, score in chance.sample(run, 12)]
    convention = gainful.conventions["gainful-1"].replace(ties=ties, duplicates=duplicates)
    shapes = [nDCG, DCG, IDCG, CG, DCG(gain="exponential")]
    shapes += [nDCG(gain=gain) for gain in SETTINGS["gain"]]
    shapes += [nDCG(discount=discount) for discount in SETTINGS["discount"]]
    shapes += [nDCG(ideal=ideal) for ideal in SETTINGS["ideal"]]
    shapes += [nDCG(judged_only=True), nDCG(ideal="max-grade", max_grade=3)]
    for shape in shapes:
        cutoffs = [shape @ cutoff for cutoff in range(1, 32)]
        try:
            together = values(qrels, gainful.Run(run, duplicates="count"), cutoffs, convention)
        except ConventionError:
            assert ties != "doc-id-desc", shape
            continue
        for cutoff in (*cutoffs[:3], *chance.sample(cutoffs, 3)):
            alone = values(qrels, gainful.Run(run, duplicates="count"), [cutoff], convention)
            assert together[cutoff] == alone[cutoff], cutoff


def values(
    qrels: gainful.Qrels, run: Scores | gainful.Run, measures: list[Measure], convention: Convention
) -> dict[Measure, Values]:
    result = gainful.evaluate(qrels, run, measures, convention=convention, threads=1)
    means, table = result.means(), result.table_of(None)
    queries = table.query_ids()
    found = {}
    # By place, since each look-up of one of hundreds of measures compares it with half of them.
    for index, measure in enumerate(measures):
        column = zip(queries, table.column(index), table.flags(index), strict=True)
        per_query = {query: bits(value) for query, value, flags in column if not flags & 2}
        found[measure] = (per_query, bits(means[repr(measure)]))
    return found


def assert_together(
    qrels: gainful.Qrels,
    run: Scores,
    alone: dict[Measure, Values],
    measures: list[Measure],
    convention: Convention,
) -> None:
    together = values(qrels, run, measures, convention)
    for measure in measures:
        assert together[measure] == alone[measure], measure

"""The measures of trec_eval's table, on rankings small enough to work out by hand."""

from __future__ import annotations

import math
from math import log2

import pytest

import gainful
from gainful import Qrels, _kernel
from gainful.conventions import Convention, get
from gainful.measures import Measure, parse_measure

# Ranks 1 to 6: relevant (2), unjudged, not relevant (0), in the pool but not judged (-1), relevant
# (1), unjudged. One relevant document (3) was not returned. R = 3.
QRELS = {"q": {"a": 2, "c": 0, "d": -1, "e": 1, "z": 3}}
RUN = {"q": ["a", "b", "c", "d", "e", "f"]}

# DCG at ranks 1, 2 and 5, and the ideal 3, 2, 1.
DCG_1, DCG_5 = 2.0, 2 + 1 / log2(6)
IDCG_1, IDCG_2 = 3.0, 3 + 2 / log2(3)
IDCG_3 = IDCG_2 + 0.5

WORKED = {
    "GMAP": (1 + 2 / 5) / 3,
    "GMbpref": (1 + (1 - 1 / 1)) / 3,
    "IPrec@0": 1.0,
    "IPrec@0.1": 1.0,
    "IPrec@0.4": 0.4,  # 1.2 + 0.9 is 2 documents
    "IPrec(rounding='nearest')@0.4": 1.0,  # and 1.2 is nearest to 1
    "IPrec@1": 0.0,
    # Levels 0.4 to 0.7 are 2 documents: 0.7 * 3 + 0.9 falls short of 3 by a last digit.
    "IAP": (0.4 * 4 + 1.0 * 4) / 11,
    "IAP(recalls=(0.1, 0.5))": (1 + 0.4) / 2,
    "infAP": (1 + 1 / 5 + 4 / 5 * (3 / 4) * (1.00001 / 2.00002)) / 3,
    "RprecMult(multiple=0.5)": 1 / 2,  # 1.5 + 0.9 is 2 documents
    "RprecMult(multiple=2)": 2 / 6,
    "RprecMult(multiple=5)": 2 / 15,
    "RelativeP@2": 1 / 2,
    "RelativeP@10": 2 / 3,
    "RelativeP": 2 / 3,
    "SetAP": (2 / 6) * (2 / 3),
    "F(weight=0.5)": 1.5 * (2 / 6) * (2 / 3) / (0.5 * (2 / 6) + 2 / 3),
    "Utility": 2 - 4,
    "Utility(a=1, b=-1, c=-2, d=0.5, collection=100)": 2 - 4 - 2 * 1 + 0.5 * (100 + 2 - 6 - 3),
    "binG": (1 + 1 / log2(5)) / 3,
    # Cost 3, 5, 6, then 1 a rank; gained 2 at the first rank and 3 at the fifth.
    "G": (2 / log2(2 + 3 - 2) + 1 / log2(2 + 8 - 3)) / 6,
    "nDCGrel": (DCG_1 / IDCG_1 + DCG_5 / IDCG_3 + DCG_5 / IDCG_3) / 3,
    # The ideal falls after each of its ranks, and six ranks are two more than three and one.
    "RnDCG": (DCG_1 / IDCG_1 + DCG_1 / IDCG_2 + DCG_1 / IDCG_3 + DCG_5 / IDCG_3) / 4,
    "RnDCG(rel=4)": 0.0,
    "yaap": math.log((1 + 1.4) / (1 + 3 - 1.4)),
    "NumNonrelRet": 1,
    "NumNonrelRet(rel=2)": 2,
    "RBP(p=0.5, max_grade='judged')": 0.5 * (2 / 3 + 1 / 3 / 16),
    "RBPResidual(p=0.5)": 0.5 * (1 / 2 + 1 / 8 + 1 / 32) + 1 / 64,
    "RBPResidual(p=0.5, tail='unjudged')": 0.5 * (1 / 2 + 1 / 8 + 1 / 32) + 1 / 64,
}


@pytest.mark.parametrize(("measure", "value"), WORKED.items())
def test_worked_out_by_hand(measure: str, value: float) -> None:
    policy = Convention(negative="unjudged") if measure.startswith("RBPR") else Convention()
    found = gainful.evaluate(QRELS, RUN, measure, convention=policy).per_query()["q"]
    assert found == pytest.approx(value, rel=1e-14)


def test_a_residual_can_be_0_where_all_is_judged() -> None:
    for tail, value in (("always", 0.5), ("unjudged", 0.0)):
        result = gainful.evaluate({"q": {"a": 1}}, {"q": ["a"]}, f"RBPResidual(p=0.5, tail={tail})")
        assert result.mean() == value


@pytest.mark.parametrize("unjudged_in_pool", ["absent", "negative"])
def test_inferred_ap_distinguishes_the_pool(unjudged_in_pool: str) -> None:
    judged = {"a": 0, "b": 1, **({"x": -1} if unjudged_in_pool == "negative" else {})}
    found = gainful.evaluate({"q": judged}, {"q": ["x", "a", "b"]}, "infAP").mean()
    pool = 2 if unjudged_in_pool == "negative" else 1
    assert found == pytest.approx(1 / 3 + 2 / 3 * (pool / 2) * (0.00001 / 1.00002))


def test_gains_need_not_be_whole_nor_ascend() -> None:
    # trec_eval takes gains less than 1 apart for equal, and sorts them so.
    qrels = {"q": {"a": 1, "b": 2, "c": 3}}
    run = {"q": ["a", "b", "c"]}
    for gains in ({1: 0.3, 2: 0.5, 3: 0.9}, {1: 0.9, 2: 0.5, 3: 0.3}, {1: 0.1, 2: 0.1, 3: 0.2}):
        own, best = list(gains.values()), sorted(gains.values(), reverse=True)
        dcg, idcg = ([sum(g / log2(r + 2) for r, g in enumerate(each[:k])) for k in (1, 2, 3)]
                     for each in (own, best))  # fmt: skip
        shares = [part / whole for part, whole in zip(dcg, idcg, strict=True)]
        falls = [k for k in range(3) if k == 2 or best[k] != best[k + 1]]
        cost = 0.0
        g = 0.0
        for rank, gain in enumerate(own):
            cost += max(best[rank], 1.0)
            g += gain / log2(2 + cost - sum(own[: rank + 1]))
        expected = {
            "nDCG": shares[-1],
            "nDCGrel": sum(shares) / 3,
            "RnDCG": sum(shares[k] for k in falls) / len(falls),
            "G": g / sum(own),
        }
        for family, value in expected.items():
            found = gainful.evaluate(qrels, run, Measure(family, {"gain": gains})).mean()
            assert found == pytest.approx(value, rel=1e-14), (family, gains)


def test_nothing_relevant_and_nothing_returned() -> None:
    measures = [measure for measure in WORKED if not measure.startswith(("RBPR", "Utility"))]
    for qrels, run in (
        ({"q": {"a": 0}}, {"q": ["a", "b"]}),
        ({"q": {"a": 1}, "p": {"b": 1}}, {"p": ["x"]}),
    ):
        result = gainful.evaluate(qrels, run, measures)
        for measure in measures:
            counts = {"yaap": math.log(1 / 2), "NumNonrelRet": 1, "NumNonrelRet(rel=2)": 1}
            expected = counts.get(measure, 0.0)
            if (measure == "yaap") is (qrels == {"q": {"a": 0}}):
                expected = 0.0
            if measure.startswith("NumNonrelRet") and "p" in qrels:
                expected = 0.0
            assert result.per_query(measure)["q"] == expected, measure


def below(measure: str, given: dict[str, object], convention: Convention | None = None) -> float:
    """A measure at a level, or with gains, that only trec_eval's command line allows."""
    policies = convention or get("trec_eval-9.0.8").replace(unjudged=-1, negative="zero")
    kernel, values = parse_measure(measure).spec(policies)
    qrels = {"q": {doc: grade if grade >= 0 else -2 for doc, grade in QRELS["q"].items()}}
    run: dict[str, dict[str, float]] = {"q": {doc: 9.0 - rank for rank, doc in enumerate(RUN["q"])}}
    table = _kernel.evaluate(
        Qrels(qrels)._rows,
        run,
        policies.spec(),
        [(measure, kernel, {**values, **given})],
        threads=1,
    )
    return table.column(0)[0]


def test_a_level_below_0_counts_unjudged_documents() -> None:
    # From -1 on all but the document of the pool that was not judged; R is 4, the judged ones.
    level: dict[str, object] = {"rel": -1.0}
    assert below("P@5", level) == 4 / 5
    assert below("RR", level) == 1.0
    assert below("NumRel", level) == 4
    assert below("AP", level) == pytest.approx((1 + 1 + 1 + 4 / 5 + 5 / 6) / 4)
    # Sets count the judged alone.
    assert below("P", level) == 3 / 6
    assert below("NumRelRet", level) == 3
    assert below("bpref", level) == 3 / 4
    assert below("P@5", {"rel": -2.0}) == 1.0


def test_gains_of_unjudged_documents_are_not_in_the_ideal() -> None:
    gains = {"gain": [(-2.0, 5.0), (-1.0, 1.0)]}
    ideal = 3 + 2 / log2(3) + 1 / 2
    dcg = 2 + 1 / log2(3) + 5 / log2(5) + 1 / log2(6) + 1 / log2(7)
    assert below("nDCG", {**gains, "never_ideal": True}) == pytest.approx(dcg / ideal)
    assert below("nDCG", gains) != pytest.approx(dcg / ideal)


@pytest.mark.parametrize("measure", ["IPrec@0", "IAP"])
def test_0_divided_by_0_is_0_by_default(measure: str) -> None:
    condensed = get("trec_eval-9.0.8").replace(unjudged="condense")
    kernel, given = parse_measure(measure).spec(condensed)
    for undefined in (False, True):
        table = _kernel.evaluate(
            Qrels({"q": {"a": 1}})._rows,
            {"q": {"b": 1.0}},
            condensed.spec(),
            [(measure, kernel, {**given, "undefined": undefined})],
            threads=1,
        )
        (value,) = table.column(0)
        assert math.isnan(value) if undefined else value == 0.0

"""Measures of the C/W/L framework: computed by hand, and by cwl_eval and ir_measures."""

from __future__ import annotations

import logging
import math
import random
from typing import Any

import pytest

import gainful
from gainful.errors import GradeError, MeasureError
from gainful.measures import INST, SDCG, parse_measure
from requirements import need

# Gains 0.5, 0 and 1 at three ranks, and nothing below.
QRELS = {"q": {"a": 0.5, "b": 0, "c": 1}}
RUN = {"q": ["a", "b", "c"]}
LOG3 = math.log2(3)
BY_HAND = {
    "CWL(model='P', depth=3)@2": 1 / 4,
    "CWL(model='P', quantity='ETU', depth=3)@2": 1 / 2,
    "CWL(p=0.5, depth=3)": 3 / 7,
    "CWL(p=0.5, depth=3, quantity='ETU')": 1 / 4 + 1 / 8 + 3 / 16,
    "CWL(p=0.5, depth=3, quantity='ED')": 7 / 4,
    "CWL(p=0.5, depth=3, quantity='ETC')": 1 / 2 + 2 / 4 + 3 / 8,
    "CWL(p=0.5, depth=3, quantity='EC')": 1,
    "CWL(p=0.5, depth=2)": 1 / 3,
    "CWL(p=0.5, depth=3, rel=0.5)": (1 + 1 / 4) / (7 / 4),
    "CWL(model='RR', depth=3)": 1 / 2,
    "CWL(model='RR', rel=1, depth=3)": 1 / 3,
    "CWL(model='AP', depth=3)": (1 / 2 + 2 / 5) / (9 / 5),
    "CWL(model='AP', depth=3, quantity='ED')": 9 / 5,
    "SDCG(depth=3)@2": 0.5 / (1 + 1 / LOG3),
    "SDCG(depth=3)@3": (0.5 + 0.5) / (1 + 1 / LOG3 + 0.5),
    "INSQ(T=0.5, depth=3)": 22 / 49,
    "INST(depth=3)": (1 / 2 + 9 / 49) / (1 + 0.36 + 9 / 49),
    "BPM(T=0.5)@3": 1 / 2,
    "BPM(T=1)@3": 1.5 / 3,
    "BPM(T=9)@2": 1 / 4,
    # T: 1, then 1 + (0.5 - 1), which the gain so far has reached.
    "BPM(T=1, hb=1, gain_med=1)@3": 1 / 4,
    # k: 3, then 3 + (0.5 - 2), which the second rank is beyond.
    "BPM(T=9, hc=1, gain_med=2)@3": 1 / 4,
    "NERR8@3": 1 / 2,
    "NERR9@3": 8 / 17,
    "NERR10(p=0.5, depth=3)": 5 / 11,
    "NERR11(T=0.5, depth=3)": 8 / 17,
    "TBG(halflife=1, depth=3)": 3 / 7,
    "U(L=4, depth=3)": 2 / 7,
    "IFT(stops='goal', T=0.5, b1=1, R1=1, depth=3)": 3 / 7,
    "IFT(stops='rate', A=0.5, b2=1, R2=1, depth=2)": 0.5 / (1 + 1 / 2),
    "IFT(T=0.5, b1=1, R1=1, A=0.5, b2=1, R2=1, depth=2)": 0.5 / (1 + 1 / 4),
    # 1.5 of the 4 steps from grade -1 to 3.
    "SDCG(min_rel=-1, max_rel=3)@1": 1.5 / 4,
}


@pytest.mark.parametrize(("measure", "value"), BY_HAND.items())
def test_by_hand(measure: str, value: float) -> None:
    assert gainful.evaluate(QRELS, RUN, measure).mean() == pytest.approx(value, rel=1e-14)


def test_grades_become_gains_between_two_grades() -> None:
    qrels = {"q": {"a": 3, "b": 2, "c": -1}}
    run = {"q": ["c", "b", "a", "unjudged"]}
    one = [SDCG(max_rel=3) @ 1, SDCG(min_rel=1, max_rel=3) @ 4, SDCG(max_rel=4, quantity="ETU") @ 4]
    result = gainful.evaluate(qrels, run, one)
    whole = 1 + 1 / LOG3 + 1 / 2 + 1 / math.log2(5)
    chances = [1, 1 / LOG3, 1 / 2, 1 / math.log2(5)]
    assert [result.mean(each) for each in result.measures] == pytest.approx(
        [0, (0.5 / LOG3 + 1 / 2) / whole, 0.5 * chances[1] + 0.75 * chances[2]]
    )


def test_negative_grades_are_losses_if_the_convention_keeps_them() -> None:
    signed = gainful.conventions["gainful-1"].replace(negative="signed")
    result = gainful.evaluate({"q": {"a": -1, "b": 1}}, {"q": ["a"]}, "SDCG@1", convention=signed)
    assert result.mean() == -1
    assert SDCG.range(signed) == (None, 1.0)


def test_a_grade_above_the_scale_is_an_error_that_names_the_scale() -> None:
    with pytest.raises(GradeError, match=r"query 'q'.*grade 3.*at most 1.*Hint: .*max_rel=3"):
        gainful.evaluate({"q": {"a": 3}}, RUN, "INST")
    result = gainful.evaluate({"q": {"a": 3}}, RUN, ["INST(clip=True)", "INST(max_rel=3)"])
    assert result.mean("INST(clip=True)") == result.mean("INST(max_rel=3)") > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("INST(min_rel=1)", "max_rel above min_rel"),
        ("INST(min_rel=3, max_rel=3)", "max_rel above min_rel"),
        ("CWL(model=RR, p=0.5)", "p only with model='RBP'"),
        ("CWL(rel=1, max_rel=3)", "either rel"),
        ("INST(T=0)", "a number above 0"),
        ("INST(depth=0)", "a whole number from 1"),
        ("INST(depth=1e9)", "a whole number from 1"),
        ("INST(quantity=EUR)", "'EU', 'ETU'"),
        ("INST@10", "INST without a cutoff"),
        ("SDCG(dcg='exp-log2', max_rel=3)@10", "dcg"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        parse_measure(text)


def test_ranges() -> None:
    assert INST.range() == (0.0, 1.0)
    assert INST(quantity="ETU").range() == (0.0, None)
    assert INST(quantity="EC").range() == (1.0, 1.0)
    assert INST(quantity="ED").range() == (0.0, None)


def test_a_query_without_gains_and_one_without_a_ranking() -> None:
    result = gainful.evaluate(
        {"q": {"a": 0}, "missing": {"a": 1}},
        RUN,
        ["INST", "CWL(model='RR')", "CWL(model='RR', quantity='ED')", "CWL(model='AP')", "IFT"],
    )
    values = [list(result.per_query(measure).values()) for measure in result.measures]
    assert values == [[0, 0], [0, 0], [1000, 1000], [0, 0], [0, 0]]
    assert result.counts()["no_relevant"]["INST"] == 1


# EU, ETU and ED of the three topics, as cwl_eval 1.0.12 prints them for its own gain_file,
# result_file and metrics_file, without a cost file.
PRINTED = {
    "CWL(model='P')@1": ("1.0000 0.2000 0.0000", "1.0000 0.2000 0.0000", "1.0000 1.0000 1.0000"),
    "CWL(model='P')@5": ("0.6000 0.3200 0.0000", "3.0000 1.6000 0.0000", "5.0000 5.0000 5.0000"),
    "CWL(model='P')@10": (
        "0.5000 0.3200 0.2400",
        "5.0000 3.2000 2.4000",
        "10.0000 10.0000 10.0000",
    ),
    "CWL(model='P')@20": (
        "0.2500 0.1600 0.1200",
        "5.0000 3.2000 2.4000",
        "20.0000 20.0000 20.0000",
    ),
    "CWL(p=0.9)": ("0.3501 0.1973 0.1157", "3.5009 1.9729 1.1574", "10.0000 10.0000 10.0000"),
    "SDCG@10": ("0.5645 0.2953 0.1688", "2.5650 1.3418 0.7669", "4.5436 4.5436 4.5436"),
    "CWL(model='RR')": ("1.0000 0.2000 0.1333", "1.0000 0.2000 0.8000", "1.0000 1.0000 6.0000"),
    "CWL(model='AP')": ("0.7087 0.3199 0.1855", "1.9287 1.2827 1.4275", "2.7214 4.0099 7.6947"),
    "INST": ("0.7934 0.2342 0.0510", "1.1719 0.4917 0.1250", "1.4771 2.0996 2.4530"),
    "INSQ": ("0.5872 0.2200 0.0507", "1.5125 0.5668 0.1306", "2.5757 2.5757 2.5757"),
    "BPM@1000": ("1.0000 0.3200 0.1429", "1.0000 1.6000 1.0000", "1.0000 5.0000 7.0000"),
    "BPM(T=1000)@10": ("0.5000 0.3200 0.2400", "5.0000 3.2000 2.4000", "10.0000 10.0000 10.0000"),
    "BPM(T=1.2)@10": ("0.6667 0.3200 0.1750", "2.0000 1.6000 1.4000", "3.0000 5.0000 8.0000"),
    "BPM(hb=1)@1000": ("1.0000 0.2000 0.0000", "1.0000 0.6000 0.0000", "1.0000 3.0000 3.0000"),
    "BPM(T=1000, hb=1)@10": (
        "0.5000 0.3200 0.2400",
        "5.0000 3.2000 2.4000",
        "10.0000 10.0000 10.0000",
    ),
    "BPM(T=1.2, hb=1)@10": ("0.6667 0.1500 0.0000", "2.0000 0.6000 0.0000", "3.0000 4.0000 4.0000"),
    "U(L=50)": ("0.1812 0.1131 0.0808", "4.6200 2.8840 2.0600", "25.5000 25.5000 25.5000"),
    "U(L=10)": ("0.5636 0.2945 0.1273", "3.1000 1.6200 0.7000", "5.5000 5.5000 5.5000"),
    "TBG(halflife=22)": ("0.1381 0.0852 0.0596", "4.4537 2.7477 1.9229", "32.2419 32.2419 32.2419"),
    "IFT(stops='goal', R1=1)": (
        "0.6900 0.2696 0.1278",
        "1.7463 1.0517 0.6790",
        "2.5307 3.9014 5.3124",
    ),
    "IFT(stops='goal')": ("0.7121 0.3379 0.2393", "2.4735 2.6272 2.3944", "3.4735 7.7758 10.0080"),
    "IFT(stops='goal', R1=100)": (
        "0.7121 0.3500 0.2400",
        "2.4737 2.8000 2.4000",
        "3.4737 8.0000 10.0000",
    ),
    "IFT(stops='rate', R2=1)": (
        "0.6235 0.2376 0.0138",
        "1.7925 0.5094 0.0264",
        "2.8749 2.1439 1.9133",
    ),
    "IFT(stops='rate')": ("0.3362 0.2218 0.0000", "4.6294 0.5432 0.0000", "13.7714 2.4490 1.1504"),
    "IFT(stops='rate', R2=100)": (
        "0.2027 0.1766 0.0000",
        "5.0000 0.4159 0.0000",
        "24.6684 2.3546 1.0000",
    ),
    "IFT": ("0.7065 0.2250 0.0000", "2.4061 0.5279 0.0000", "3.4058 2.3465 1.1504"),
    "IFT(R1=100, R2=100)": ("0.7121 0.1775 0.0000", "2.4737 0.4150 0.0000", "3.4737 2.3378 1.0000"),
}


@pytest.mark.parametrize("measure", PRINTED)
def test_the_fixtures_of_cwl_eval(measure: str) -> None:
    folder = need("shared-data") / "cwl"
    for quantity, printed in zip(("EU", "ETU", "ED"), PRINTED[measure], strict=True):
        asked = parse_measure(measure)(quantity=quantity)
        for convention in ("gainful", "cwl_eval"):
            files = folder / "gain_file", folder / "result_file"
            result = gainful.evaluate(*files, asked, convention=convention)
            assert " ".join(f"{value:.4f}" for value in result.per_query().values()) == printed


def test_the_fixture_with_gains_up_to_two() -> None:
    folder = need("shared-data") / "cwl"
    files = folder / "big_gain_file", folder / "result_file"
    with pytest.raises(GradeError, match="max_rel=2"):
        gainful.evaluate(*files, "INST")
    result = gainful.evaluate(*files, ["SDCG(max_rel=2)@10", "SDCG(clip=True)@10"])
    halves, clipped = (result.per_query(measure) for measure in result.measures)
    assert f"{clipped['T1']:.4f}" == PRINTED["SDCG@10"][0].split()[0]
    assert 0 < halves["T2"] < clipped["T2"]


def collection(rng: random.Random, grades: list[Any]) -> tuple[dict, list[Any]]:
    gains = [rng.choice(grades) for _ in range(rng.choice([1, 2, 5, 30, 60, 1200]))]
    judged = {f"d{rank}": gain for rank, gain in enumerate(gains) if gain is not None}
    return {"q": {**judged, "elsewhere": 1}}, gains


def models_of(theirs: Any) -> dict[str, Any]:
    """Return metrics of cwl_eval by the measures that are the same."""
    return {
        "CWL(model='P')@7": theirs.PrecisionCWLMetric(7),
        "CWL(p=0.995)": theirs.RBPCWLMetric(0.995),
        "SDCG@10": theirs.NDCGCWLMetric(10),
        "CWL(model='RR')": theirs.RRCWLMetric(),
        "CWL(model='AP')": theirs.APCWLMetric(),
        "INST(T=1.5)": theirs.INSTCWLMetric(1.5),
        "INSQ(T=2)": theirs.INSQCWLMetric(2.0),
        "BPM(T=1.2)@10": theirs.BPMCWLMetric(1.2, 10),
        "BPM(T=1.2, hb=1)@10": theirs.BPMDCWLMetric(1.2, 10),
        "U(L=5000)": theirs.UMeasureCWLMetric(5000),
        "TBG(halflife=22)": theirs.TBGCWLMetric(22),
        "IFT(stops='goal', R1=1)": theirs.IFTGoalCWLMetric(2.0, 0.9, 1),
        "IFT(stops='rate')": theirs.IFTRateCWLMetric(0.2, 0.9, 10),
        "IFT": theirs.IFTGoalRateCWLMetric(2.0, 0.9, 10, 0.2, 0.9, 10),
        "NERR8@7": theirs.NERReq8CWLMetric(7),
        "NERR9@7": theirs.NERReq9CWLMetric(7),
        "NERR10": theirs.NERReq10CWLMetric(),
        "NERR11(T=2)": theirs.NERReq11CWLMetric(2.0),
    }


def test_cwl_eval_is_verified_for_these_measures() -> None:
    need("cwl")
    from cwl.ruler import cwl_ruler as theirs

    measured = {parse_measure(measure).family for measure in (*PRINTED, *models_of(theirs))}
    # Its NDCG-k is SDCG, and the preset's nDCG is the same sum.
    assert {*measured, "nDCG"} == set(gainful.conventions.describe("cwl_eval").measures or ())


def test_cwl_eval_on_random_rankings() -> None:
    need("cwl")
    logging.getLogger("cwl").disabled = True
    import numpy as np
    from cwl.ruler import cwl_ruler as theirs
    from cwl.ruler.ranking import Ranking

    models = models_of(theirs)
    quantities = ("EU", "ETU", "EC", "ETC", "ED")
    rng = random.Random(5)
    for _ in range(10):
        qrels, gains = collection(rng, [0, 0, 0.2, 0.4, 0.8, 1, None])
        depth = rng.choice([1000, 1000, 50, 10])
        documents = [f"d{rank}" for rank in range(len(gains))]
        vector = np.array([np.nan if gain is None else float(gain) for gain in gains])
        ranking = Ranking("q", vector, np.full(len(gains), np.nan), max_n=depth)
        scored = {
            parse_measure(measure)(quantity=quantity, depth=depth): value
            for measure, model in models.items()
            for quantity, value in zip(quantities, model._do_score(ranking), strict=True)
        }
        for convention in ("gainful", "cwl_eval"):
            result = gainful.evaluate(qrels, {"q": documents}, [*scored], convention=convention)
            ours = {measure: result.mean(measure) for measure in result.measures}
            assert ours == pytest.approx(scored, rel=1e-12)


def test_the_provider_of_ir_measures_on_random_collections() -> None:
    need("cwl")
    ir_measures = need("ir_measures")
    logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")
    from ir_measures.providers.cwl_eval import CwlEvalProvider

    texts = [
        "SDCG(max_rel=3)@5",
        "SDCG(dcg='log2', min_rel=1, max_rel=3)@10",
        "BPM(T=1.5, max_rel=3)@7",
        "NERR8(max_rel=3)@4",
        "NERR9(max_rel=3)@12",
        "NERR10(p=0.7, max_rel=3)",
        "NERR11(T=2.5, max_rel=3)",
        "INST(T=1.3, max_rel=3)",
        "INSQ(T=0.5, max_rel=3)",
    ]
    theirs = [ir_measures.parse_measure(text) for text in texts]
    rng = random.Random(3)
    for _ in range(20):
        qrels, gains = collection(rng, [-1, 0, 0, 1, 2, 3, None])
        run = {"q": {f"d{rank}": -float(rank) for rank in range(len(gains))}}
        result = gainful.evaluate(qrels, run, texts)
        ours = dict(zip(theirs, (result.mean(each) for each in result.measures), strict=True))
        for metric in CwlEvalProvider().iter_calc(theirs, qrels, run):
            assert ours[metric.measure] == pytest.approx(metric.value, rel=1e-12)

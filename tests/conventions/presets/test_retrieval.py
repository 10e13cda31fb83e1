"""Special behavior of the presets of retrieval tools, on data that can be checked by hand.

The values are output of the tools, unless a comment says otherwise.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import gainful
from gainful.errors import GainfulError, GradeError, MatchError

LOG3 = math.log2(3)

ONE = {"q": {"a": 1}}
TIED = {"q": {"a": 3, "b": 0, "c": 1, "d": 2}}
TIE = {"q": {"b": 1.0, "a": 1.0, "d": 1.0, "c": 1.0}}
CLOSE = {"q": {"a": 0.900000001, "b": 0.9, "c": 0.1, "d": 0.05}}
MIXED = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}}
SOME = {"1": {"x": 2.0, "a": 1.0}, "3": {"a": 1.0}}
LOWER = {"q": {"a": -1, "b": 1}}
BELOW = {"q": ["a", "b"]}
FRACTIONS = {"q": {"a": 1.9, "b": 1, "c": 1.2}}
UPWARDS = {"q": {"c": 3.0, "b": 2.0, "a": 1.0}}
GAINS = {"1": {"a": 0.5, "b": 0, "c": 1}, "2": {"z": 1}}


def twice(*documents: str) -> gainful.Run:
    """Return a ranking with duplicates."""
    rows = [("q", document, -float(rank)) for rank, document in enumerate(documents)]
    return gainful.Run(rows, duplicates="count")


def mean(preset: str, qrels: Any, run: Any, measure: str = "nDCG@3", **policies: object) -> float:
    convention = gainful.conventions[preset].replace(**policies)
    return gainful.evaluate(qrels, run, measure, convention=convention).mean()


VALUES = [
    # Scores are tied as 32-bit numbers; then the greater id is first.
    ("pytrec_eval-0.5.11", CLOSE, 0.5024905201686705),
    ("ir_measures-0.4.3", CLOSE, 0.5024905201686705),
    ("ir_measures-0.4.3-exp-log2", CLOSE, 0.79848),
    ("gdeval-1.3", CLOSE, 0.7984848580994974),
    ("trectools-0.0.50", CLOSE, 0.7350069851388743),
    ("ranx-0.3.21", CLOSE, 0.7350069851388743),
    # Ties.
    ("pytrec_eval-0.5.11", TIE, 0.5525004989384911),
    ("gdeval-1.3", TIE, 0.38656565720663316),
    ("trectools-0.0.50", TIE, 0.7350069851388743),
    ("trectools-0.0.50-exponential", TIE, 0.7984848580994974),
    ("ranx-0.3.21", TIE, 0.6074915180456525),
    ("ranx-0.3.21-burges", TIE, 0.6298989693877386),
    ("ranx-0.3.21-dict", TIE, 0.7899980042460358),
]


@pytest.mark.parametrize(("preset", "run", "value"), VALUES)
def test_equal_and_nearly_equal_scores(preset: str, run: dict, value: float) -> None:
    assert mean(preset, TIED, run) == pytest.approx(value, rel=1e-12)


def test_ids_are_compared_as_text() -> None:
    qrels, run = {"q": {"9": 1, "10": 0, "100": 0}}, {"q": {"9": 1.0, "10": 1.0, "100": 1.0}}
    assert mean("pytrec_eval", qrels, run) == 1.0
    assert mean("trectools", qrels, run) == 0.5


@pytest.mark.parametrize(
    ("preset", "value"),
    [
        # One query found at rank 2, one missing, one with no relevant documents.
        ("trec_eval-9.0.8", 1 / LOG3 / 2),
        ("pytrec_eval-0.5.11", 1 / LOG3 / 2),
        ("ir_measures-0.4.3", 1 / LOG3 / 3),
        ("ir_measures-0.4.3-exp-log2", 0.21031),
        ("gdeval-1.3", 1 / LOG3),
        ("beir-2.2.0", 0.31546),
        ("mteb-2.26.24", 0.31546),
        ("trectools-0.0.50", 1 / LOG3 / 2),
        ("trectools-0.0.50-exponential", 1 / LOG3 / 2),
    ],
)
def test_which_queries_are_in_the_mean(preset: str, value: float) -> None:
    assert mean(preset, MIXED, SOME) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("preset", ["trec_eval-10.0-rc3", "ranx-0.3.21", "ranx-0.3.21-dict"])
def test_a_missing_query_is_an_error(preset: str) -> None:
    with pytest.raises(MatchError, match="'2'"):
        mean(preset, MIXED, SOME)
    assert mean(preset, MIXED, SOME, missing="empty") == pytest.approx(1 / LOG3 / 3)


def test_an_extra_query_is_an_error_for_ranx() -> None:
    extra = {"q": {"a": 1.0}, "more": {"a": 1.0}}
    with pytest.raises(MatchError, match="'more'"):
        mean("ranx", ONE, extra)
    assert mean("ranx", ONE, extra, extra="ignore") == 1.0


@pytest.mark.parametrize(
    ("preset", "value"),
    [("gdeval-1.3", 1 + 1 / LOG3), ("ir_measures-0.4.3-exp-log2", 1.63093)],
)
def test_duplicates_count_twice(preset: str, value: float) -> None:
    assert mean(preset, ONE, twice("a", "a")) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("preset", ["trec_eval-9.0.8", "pytrec_eval", "trectools", "beir"])
def test_duplicates_are_an_error(preset: str) -> None:
    with pytest.raises(GainfulError, match="'a'"):
        mean(preset, ONE, twice("a", "a"))


def test_gdeval_cutoffs() -> None:
    qrels = {"q": {f"d{i}": 1 for i in range(30)}}
    run = {"q": [f"d{i}" for i in range(30) if i != 3]}
    result = gainful.evaluate(qrels, run, ["nDCG", "ERR", "nDCG@3"], convention="gdeval")
    assert [measure.cutoff for measure in result.resolved] == [20, 20, 3]
    # The next document fills rank 20, so no rank above is empty.
    assert result.mean("nDCG") == 1.0


@pytest.mark.parametrize("preset", ["gdeval-1.3", "ir_measures-0.4.3-exp-log2"])
def test_gdeval_accepts_five_grades(preset: str) -> None:
    with pytest.raises(GradeError, match="grade 5"):
        mean(preset, {"q": {"a": 5}}, {"q": ["a"]})
    with pytest.raises(GradeError, match=r"1\.5"):
        mean(preset, {"q": {"a": 1.5}}, {"q": ["a"]})
    assert mean(preset, LOWER, BELOW) == pytest.approx(1 / LOG3, abs=1e-5)


@pytest.mark.parametrize("preset", ["pytrec_eval", "beir", "mteb"])
def test_pytrec_eval_rejects_fractional_grades(preset: str) -> None:
    with pytest.raises(GradeError, match=r"1\.9"):
        mean(preset, FRACTIONS, UPWARDS)


def test_ranx_truncates_fractional_grades_of_objects() -> None:
    # c, b, a count 1 each; in dictionaries 1.2, 1 and 1.9.
    assert mean("ranx", FRACTIONS, UPWARDS) == 1.0
    whole = mean("ranx-dict", FRACTIONS, UPWARDS)
    assert whole == pytest.approx((1.2 + 1 / LOG3 + 1.9 / 2) / (1.9 + 1.2 / LOG3 + 1 / 2))
    # Output of the tool, with 0.7 in place of 1.2.
    assert mean("ranx", {"q": {"a": 1.9, "b": 1, "c": 0.7}}, UPWARDS) == 0.6934264036172708


def test_beir_drops_a_document_with_the_id_of_the_query() -> None:
    qrels = {"d1": {"d1": 1, "d2": 1}}
    run = {"d1": {"d1": 2.0, "d2": 1.0}}
    assert mean("beir", qrels, run) == 0.61315
    assert mean("beir", qrels, run, same_id="keep") == mean("mteb", qrels, run) == 1.0


def test_beir_and_mteb_round_only_the_mean() -> None:
    result = gainful.evaluate(MIXED, SOME, "nDCG@3", convention="beir")
    assert result.per_query()["1"] == 1 / LOG3
    assert result.mean() == 0.31546


def test_trectools_uses_a_thousand_documents() -> None:
    run = {"q": [f"x{i}" for i in range(1000)] + ["a"]}
    assert mean("trectools", ONE, run, "nDCG") == 0.0
    assert mean("trectools", ONE, run, "nDCG@1001") > 0.0
    # Negative grades are dropped when they are read.
    assert mean("trectools", LOWER, BELOW) == 1 / LOG3
    assert mean("trectools", LOWER, BELOW, unjudged="condense") == 1.0


def test_cwl_eval_ideal() -> None:
    run = {"1": {"a": 1.0, "b": 1.0, "c": 5.0}, "9": {"a": 1.0}}
    result = gainful.evaluate(
        GAINS, run, ["nDCG@5", "SDCG@5", "nDCG@10", "SDCG@10"], convention="cwl_eval"
    )
    means = [result.mean(measure) for measure in result.measures]
    # It prints four digits.
    assert [round(value, 4) for value in means] == [0.3392, 0.3392, 0.2201, 0.2201]
    # The order is that of the lines, whatever the scores; a missing query is skipped.
    assert means[0] == pytest.approx(1 / sum(1 / math.log2(rank + 1) for rank in range(1, 6)))
    assert result.counts()["queries"] == 1
    for grade in (-1, 2):
        with pytest.raises(GradeError, match=str(grade)):
            mean("cwl_eval", {"q": {"a": grade}}, {"q": ["a"]})

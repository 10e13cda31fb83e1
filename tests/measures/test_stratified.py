"""infNDCG and xinfAP: judgments of a random sample of each stratum of the pool."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

import gainful
from gainful.errors import ConventionError, FormatError, GradeError, ParameterError
from gainful.measures import infNDCG, nDCG, xinfAP

LOG3 = math.log2(3)
# Stratum 1: two documents, one sampled; stratum 2: two, both sampled.
ROWS = [("q", "1", "a", 1), ("q", "1", "b", -1), ("q", "2", "c", 2), ("q", "2", "d", 0)]
RUN = {"q": ["a", "b", "c", "x"]}


def strata(rows: list[tuple[str, str, str, int]] = ROWS) -> gainful.Qrels:
    return gainful.Qrels(rows, subtopics=True)


def test_infndcg_by_hand() -> None:
    # Of stratum 1 the run has both, one sampled: its gain of 1 at rank 1 counts twice. The ideal
    # has one document of grade 2, and as many of grade 1 as stratum 1 promises: 2.
    dcg = 2 * 1 + 2 / 2
    ideal = 2 + 1 / LOG3 + 1 / 2
    assert gainful.evaluate(strata(), RUN, infNDCG).mean() == pytest.approx(dcg / ideal)
    above_two = gainful.evaluate(strata(), RUN, infNDCG @ 2)
    assert above_two.mean() == pytest.approx(2 / (2 + 1 / LOG3))


def test_xinfap_by_hand() -> None:
    # R: twice the one of stratum 1, and one of stratum 2. At rank 3 two documents of stratum 1
    # stand above, of which the one sampled is relevant.
    at_three = 1 / 3 + 2 / 3 * (1 + 0.00001) / (1 + 0.00003)
    expected = (2 * 1 + at_three) / 3
    assert gainful.evaluate(strata(), RUN, xinfAP).mean() == pytest.approx(expected, rel=1e-14)
    at_two = gainful.evaluate(strata(), RUN, xinfAP @ 2).mean()
    assert at_two == pytest.approx(2 / 3)
    level = gainful.evaluate(strata(), RUN, xinfAP(rel=2)).mean()
    assert level == pytest.approx(1 / 3 + 2 / 3 * 0.00001 / 1.00003)


def test_a_promise_is_rounded_to_whole_documents() -> None:
    # Three of six sampled, one with grade 1: two promised. With two sampled of seven: 3.5, so 4.
    for sampled, size, promised in ((3, 6, 2), (2, 7, 4), (3, 4, 1)):
        rows = [("q", "1", f"d{n}", int(n == 0) if n < sampled else -1) for n in range(size)]
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, promised + 1))
        result = gainful.evaluate(strata(rows), {"q": ["d0"]}, infNDCG)
        assert result.mean() == pytest.approx(1 / ideal)


def test_judgments_without_strata_are_one_stratum() -> None:
    plain = gainful.Qrels({"q": {"a": 1, "b": -1, "c": 0}})
    labelled = [("q", "s", document, grade) for document, grade in plain["q"].items()]
    run = {"q": ["x", "a", "b"]}
    for measure in (infNDCG, xinfAP):
        one, other = (gainful.evaluate(qrels, run, measure) for qrels in (plain, strata(labelled)))
        assert one.mean() == other.mean() > 0


def test_all_judged_is_ndcg() -> None:
    rng = random.Random(2)
    for _ in range(30):
        grades = {f"d{n}": rng.choice([0, 0, 1, 2, 3]) for n in range(30)}
        rows = [("q", rng.choice("123"), each, grade) for each, grade in grades.items()]
        run = {"q": rng.sample([*grades, *"uvwxyz"], 25)}
        for cutoff in (5, 20, None):
            for gain in ("linear", "exponential"):
                inferred = infNDCG(gain=gain, cutoff=cutoff)
                value = gainful.evaluate(strata(rows), run, inferred).mean()
                whole = gainful.evaluate({"q": grades}, run, nDCG(gain=gain, cutoff=cutoff)).mean()
                assert value == pytest.approx(whole, rel=1e-14)


def test_the_mean_over_samples_is_near_the_truth() -> None:
    rng = random.Random(2008)
    sizes, rates = {"1": 30, "2": 100, "3": 270}, {"1": 1.0, "2": 0.4, "3": 0.2}
    documents = [
        (stratum, f"{stratum}-{n}") for stratum, size in sizes.items() for n in range(size)
    ]
    chance = {"1": 0.5, "2": 0.25, "3": 0.1}
    grades = {each: rng.choice([1, 2]) * (rng.random() < chance[s]) for s, each in documents}
    # Strata are of documents that many systems return high up; this one does too.
    ranking = sorted(grades, key=lambda each: rng.gauss(int(each[0]), 2) - grades[each])
    samples, count = [], 400
    for number in range(count):
        for stratum, each in documents:
            grade = grades[each] if rng.random() < rates[stratum] else -1
            samples.append((f"s{number}", stratum, each, grade))
    run = {f"s{number}": ranking for number in range(count)}
    result = gainful.evaluate(strata(samples), run, [infNDCG, xinfAP])
    truth = gainful.evaluate({"q": grades}, {"q": ranking}, ["nDCG", "AP"])
    # Standard errors are below 0.005. Where nothing of a stratum was sampled, xinfAP takes a third
    # of it for relevant.
    for ours, true, bound in zip(result.measures, truth.measures, (0.02, 0.04), strict=True):
        assert result.mean(ours) == pytest.approx(truth.mean(true), abs=bound)
        assert 0.01 < result.summary(ours).standard_deviation < 0.2


def test_nothing_relevant_nothing_sampled_and_nothing_returned() -> None:
    rows = [("q1", "1", "a", 0), ("q2", "1", "a", -1), ("q3", "1", "a", 1), ("q3", "1", "b", -1)]
    result = gainful.evaluate(
        strata(rows), {"q1": ["a"], "q2": ["a"], "q3": ["b"]}, [infNDCG, xinfAP]
    )
    for measure in result.measures:
        assert result.per_query(measure) == {"q1": 0.0, "q2": 0.0, "q3": 0.0}
        assert result.counts()["no_relevant"][str(measure)] == 2


def test_a_document_in_two_strata_is_an_error() -> None:
    rows = [*ROWS, ("q", "2", "a", 0)]
    with pytest.raises(GradeError, match=r"query 'q'.*document 'a'.*2 strata"):
        gainful.evaluate(strata(rows), RUN, infNDCG)


def test_the_order_of_ties_is_needed() -> None:
    convention = gainful.conventions["gainful-1"].replace(ties="expected")
    with pytest.raises(ConventionError, match="tied documents"):
        gainful.evaluate(strata(), RUN, infNDCG, convention=convention)


NIST = "q 0 a 1 1\nq 0 b 1 -1\nq 0 c 2 2\nq 0 d 2 0\n"


def test_the_files_of_sample_eval(tmp_path: Path) -> None:
    (tmp_path / "sample.txt").write_text(NIST)
    qrels = gainful.read_qrels(tmp_path / "sample.txt", format="strata")
    assert qrels == strata()
    qrels.write(tmp_path / "again.txt", format="strata")
    assert (tmp_path / "again.txt").read_text() == NIST
    with pytest.raises(FormatError, match=r"5 fields.*format=strata"):
        gainful.read_qrels(tmp_path / "sample.txt")
    (tmp_path / "four.txt").write_text("q 1 a 1\n")
    with pytest.raises(FormatError, match=r"4 fields.*query, iteration, document, stratum, grade"):
        gainful.read_qrels(tmp_path / "four.txt", format="strata")
    with pytest.raises(ParameterError, match="the format strata for a run"):
        gainful.read_run(tmp_path / "sample.txt", format="strata")


def test_a_stratum_in_the_second_column_is_read_where_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 1 a 1\nq 1 b -1\nq 2 c 2\nq 2 d 0\n")
    found = gainful.evaluate(tmp_path / "qrels", RUN, [infNDCG, xinfAP])
    held = gainful.evaluate(strata(), RUN, [infNDCG, xinfAP])
    assert [found.mean(each) for each in found.measures] == [
        held.mean(each) for each in held.measures
    ]
    # One grade a document, for measures that want that.
    assert gainful.evaluate(strata().merged("max"), RUN, nDCG).mean() > 0

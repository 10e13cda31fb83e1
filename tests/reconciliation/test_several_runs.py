"""reconcile(): several runs and their reported numbers, under one convention."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import gainful
from gainful.errors import ParameterError
from gainful.reconciliation.space import joint_value, read_reported
from json_schema import errors, schema_of
from reconcile_data import collection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gainful import Qrels, Run


def several(count: int, queries: int = 30) -> tuple[Qrels, dict[str, Run]]:
    """Return judgments, and runs that rank their documents differently."""
    qrels, _ = collection("several", queries)
    return qrels, {
        f"run {n}": collection(f"several {n}", queries, twice=False)[1] for n in range(count)
    }


def means(
    qrels: Qrels, runs: dict[str, Run], measure: str, *, factor: float = 1.0, digits: int = 4
) -> dict[str, str]:
    evaluation = gainful.evaluate(qrels, runs=runs, measures=measure)
    return {run: f"{factor * evaluation.mean(measure, run):.{digits}f}" for run in runs}


def test_a_mean_over_one_query_more_needs_several_runs() -> None:
    qrels, runs = several(4)
    reported = means(qrels, runs, "AP", factor=30 / 31)
    alone = gainful.reconcile(qrels, runs["run 0"], reported["run 0"], "AP")
    together = gainful.reconcile(qrels, runs, reported, "AP")
    first = together.matches[0]
    assert together.explained
    assert first.readings == ("as a mean over 31 queries, not 30",)
    assert [f"{value:.4f}" for value in first.values] == list(reported.values())
    assert together.matches[0].coincidences < (alone.matches[0].coincidences or 1.0) / 10


def test_every_match_gives_every_number() -> None:
    qrels, runs = several(2, 6)
    reported = means(qrels, runs, "AP", digits=2)
    joint = gainful.reconcile(qrels, runs, list(reported.values()), "AP")
    assert joint.matches
    assert joint.found < gainful.reconcile(qrels, runs["run 0"], reported["run 0"], "AP").found
    for match in (match for match in joint.matches if not match.readings):
        evaluation = gainful.evaluate(
            qrels, runs=runs, measures=match.measure, convention=match.convention
        )
        summaries = [evaluation.summary(system=run) for run in runs]
        values = tuple(getattr(summary, match.aggregation) for summary in summaries)
        assert match.values == pytest.approx(values)
        assert [f"{value:.2f}" for value in match.values] == list(reported.values())
    assert errors(joint.to_dict(), schema_of("reconciliation")) == []
    assert all(run in str(joint) for run in runs)


def test_numbers_of_different_conventions_do_not_match() -> None:
    qrels, runs = several(2, 6)
    measure = "nDCG(gain='linear', discount='log2')@5"
    reported = {
        "run 0": means(qrels, runs, measure, digits=8)["run 0"],
        "run 1": means(qrels, runs, measure, digits=8, factor=0.9)["run 1"],
    }
    result = gainful.reconcile(qrels, runs, reported, measure)
    assert not result.matches
    assert len(result.nearest) > 1
    assert all(len(match.values) == 2 for match in result.nearest)


def test_all_numbers_are_percentages_if_one_is() -> None:
    qrels, runs = several(2)
    plain = means(qrels, runs, "R@5", digits=5)
    percent = {run: f"{100 * float(text):.3f}" for run, text in plain.items()}
    one = gainful.reconcile(qrels, runs, percent, "R@5")
    assert one.matches[0].label == gainful.reconcile(qrels, runs, plain, "R@5").matches[0].label
    small = gainful.reconcile(qrels, runs, ["1.27", "44.29"], "R@5")
    assert [number.per_cent for number in small.numbers.values()] == [True, True]


def test_the_joint_value_is_that_of_the_worst_run() -> None:
    numbers = [read_reported("0.40"), read_reported("0.3500")]
    assert joint_value([0.402, 0.35], numbers) == 0.402
    assert joint_value([0.402, 0.3501], numbers) == pytest.approx(0.41)
    assert joint_value([0.5, 0.3501], numbers) == 0.5


@pytest.mark.parametrize(
    ("reported", "message"),
    [
        ("0.5", "found 0.5, expected a number for each run: run 0, run 1"),
        (["0.5"], "expected a number for each run"),
        (["0.5", "0.4", "0.3"], "expected a number for each run"),
        ({"run 0": "0.5", "other": "0.4"}, "found run 0, other, expected a number for each run"),
    ],
)
def test_a_number_for_each_run(reported: object, message: str) -> None:
    qrels, runs = several(2, 4)
    with pytest.raises(ParameterError, match=message):
        gainful.reconcile(qrels, runs, reported, "AP")  # type: ignore[arg-type]


def test_values_of_queries_need_one_run() -> None:
    qrels, runs = several(2, 4)
    with pytest.raises(ParameterError, match="per_query: values of queries need a single run"):
        gainful.reconcile(qrels, runs, ["0.5", "0.4"], "AP", per_query={"q1": "0.5"})


def test_the_command_takes_several_runs(output_of: Callable[..., str], small_files: Path) -> None:
    words = ("reconcile", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10")
    evaluation = gainful.evaluate("qrels.txt", runs=["bm25.run", "dense.run"], measures="nDCG@10")
    numbers = [f"{evaluation.mean('nDCG@10', run):.4f}" for run in evaluation.systems]
    printed = output_of(*words, "--reported", numbers[0], "--reported", numbers[1])
    result = gainful.reconcile("qrels.txt", ["bm25.run", "dense.run"], numbers, "nDCG@10")
    assert printed.split() == str(result).replace("per_query=", "--reported-per-query").split()
    assert result.matches[0].preset == "gainful-1"


@pytest.mark.parametrize(
    ("factor", "reading"),
    [(30 / 45, "as a mean over 45 queries, not 30"), (1.5, "as a mean over 20 queries, not 30")],
)
def test_a_constant_factor_of_all_runs(factor: float, reading: str) -> None:
    qrels, runs = several(3)
    result = gainful.reconcile(qrels, runs, means(qrels, runs, "AP", factor=factor), "AP")
    assert result.explained
    assert result.matches[0].readings == (reading,)
    assert result.matches[0].value == pytest.approx(
        factor * gainful.evaluate(qrels, runs["run 0"], "AP").mean()
    )


def test_a_factor_needs_three_runs() -> None:
    qrels, runs = several(3)
    reported = means(qrels, runs, "AP", factor=0.737)
    result = gainful.reconcile(qrels, runs, reported, "AP")
    assert result.explained
    assert result.matches[0].readings[0].startswith("times 0.73")
    del runs["run 2"], reported["run 2"]
    assert not gainful.reconcile(qrels, runs, reported, "AP").explained

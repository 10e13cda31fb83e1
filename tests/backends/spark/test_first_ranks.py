"""Which measures and policies allow Spark to remove rows before the shuffle."""

from __future__ import annotations

import re

import pytest

import gainful
from gainful.backends.spark.call import check_order, first_ranks
from gainful.errors import ConventionError, ParameterError
from gainful.evaluation.partition import RowForm
from random_rankings import draw

DRAWN = draw(23)
MEASURES = [
    "CG@4", "DCG@4", "P@4", "P(rel=2)@4", "P(to_depth=True)@4", "R@4", "R(capped=True)@4", "RR@4",
    "Success@4", "nDCG@4", "nDCG(gain=exponential)@4", "nDCG(ideal=judged-uncut)@4",
    "nDCG(ideal=judged-to-depth)@4", "nDCG(ideal=list-cut)@4",
]  # fmt: skip


@pytest.mark.parametrize("measure", MEASURES)
def test_rows_below_do_not_matter(measure: str) -> None:
    ranks = first_ranks(RowForm(measure, "gainful-1"), scored=True)
    assert ranks == 4
    ordered = {
        query: sorted(run.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
        for query, run in DRAWN.run.items()
    }
    cut = {query: dict(rows[:ranks]) for query, rows in ordered.items()}
    assert any(len(run) > ranks for run in DRAWN.run.values())
    values = [
        repr(sorted(gainful.evaluate(DRAWN.qrels, run, measure).per_query().items()))
        for run in (DRAWN.run, cut)
    ]
    assert values[0] == values[1]


@pytest.mark.parametrize(
    "measure",
    ["nDCG", "AP@10", "nDCG(ideal=list)@10", "nDCG(judged_only=True)@10", "R(listed=True)@10"],
)
def test_measures_that_need_all_rows_are_refused(measure: str) -> None:
    with pytest.raises(ParameterError, match="needs all documents"):
        first_ranks(RowForm(["P@5", measure], "gainful-1"), scored=True)


@pytest.mark.parametrize(
    "policy",
    [
        {"duplicates": "best"},
        {"unjudged": "condense"},
        {"unretrieved": "last"},
        {"same_id": "drop"},
        {"single": "error"},
        {"negative": "drop"},
        {"order": "rank"},
    ],
)
def test_policies_that_need_all_rows_are_refused(policy: dict[str, str]) -> None:
    convention = gainful.conventions.get("gainful-1").replace(**policy)
    (name, value) = next(iter(policy.items()))
    with pytest.raises(ParameterError, match=f"{name}={value} needs all documents"):
        first_ranks(RowForm("P@5", convention), scored=True)


def test_bounds_and_runs_without_scores_need_all_rows() -> None:
    with pytest.raises(ParameterError, match="bounds needs"):
        first_ranks(RowForm("P@5", "gainful-1", True, [0, 1]), scored=True)
    with pytest.raises(ParameterError, match="a run without scores"):
        first_ranks(RowForm("P@5", "gainful-1"), scored=False)


@pytest.mark.parametrize(
    ("measure", "policies", "setting"),
    [
        ("nDCG@10", {"unretrieved": "last", "ties": "given"}, "unretrieved=last with ties=given"),
        ("nDCG(ideal=given-order)@10", {}, "ideal='given-order' of nDCG(ideal='given-order')@10"),
    ],
)
def test_an_order_of_judgments_needs_a_column(
    measure: str, policies: dict[str, str], setting: str
) -> None:
    form = RowForm(measure, gainful.Convention(**policies))  # type: ignore[arg-type]
    with pytest.raises(
        ConventionError, match=f"{re.escape(setting)}: .* set qrels_position=COLUMN"
    ):
        check_order(form, "position", None)
    check_order(form, "position", "qrels_position")

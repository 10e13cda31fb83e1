"""counts=False: rows below the cutoff stay out of Spark's shuffle."""

from __future__ import annotations

from typing import Any

import pytest

import gainful
from gainful.backends import spark as backend
from gainful.errors import DuplicateError, GainfulError, ParameterError
from random_rankings import draw
from spark_tables import frame

MEASURES = ["nDCG@5", "P@3", "RR@5"]
# Few different scores, so that most queries have ties at the cutoffs.
DRAWN = draw(11)
QRELS = dict(DRAWN.qrels)
RUN = {
    query: {document: round(score) / 2 for document, score in documents.items()}
    for query, documents in DRAWN.run.items()
}
RUN.pop("q003")
#: The counts that need rows below the cutoff.
WHOLE = ("retrieved", "judged", "tied", "duplicates")


def kept(evaluation: gainful.Evaluation) -> list[str]:
    """Rows without the counts of whole rankings; texts, for NaN is not equal to itself."""
    return sorted(
        repr({name: value for name, value in row.items() if name not in WHOLE})
        for row in evaluation.rows()
    )


@pytest.mark.parametrize("changes", [{}, {"ties": "expected"}, {"precision": "float32"}])
def test_values_and_counts_at_cutoffs_stay_the_same(spark: Any, changes: dict[str, Any]) -> None:
    convention = gainful.conventions.get("gainful-1").replace(**changes)
    found = backend.evaluate(
        frame(spark, QRELS, "grade"),
        {name: frame(spark, RUN, "score") for name in ("a", "b")},
        MEASURES,
        convention=convention,
        counts=False,
    )
    whole = gainful.evaluate(
        QRELS, runs={"a": RUN, "b": RUN}, measures=MEASURES, convention=convention
    )
    assert kept(found.evaluation()) == kept(whole)
    retrieved = [
        sum(int(row["retrieved"] or 0) for row in each.rows())
        for each in (found.evaluation(), whole)
    ]
    assert retrieved[0] < retrieved[1]


def test_it_says_what_was_not_counted(spark: Any) -> None:
    found = backend.evaluate(
        frame(spark, QRELS, "grade"), frame(spark, RUN, "score"), MEASURES, counts=False
    )
    assert found.way.startswith("ranks 1 to 5 shuffled; ")
    assert "counts=True" in found.way
    assert str(found).endswith(found.way)


def test_duplicates_above_the_cutoff_are_errors(spark: Any) -> None:
    schema = "query_id string, doc_id string, score double"
    qrels = frame(spark, {"q1": {"a": 1.0}}, "grade")
    rows = [("q1", "a", 3.0), ("q1", "b", 2.0), ("q1", "c", 1.0)]

    def evaluate(row: tuple[str, str, float]) -> float:
        run = spark.createDataFrame([*rows, row], schema)
        return backend.evaluate(qrels, run, "RR@2", counts=False).evaluation().mean()

    with pytest.raises(DuplicateError):
        evaluate(("q1", "a", 2.5))
    assert evaluate(("q1", "a", 0.5)) == 1.0


@pytest.mark.parametrize("score", [None, float("nan"), float("inf"), float("-inf")])
def test_invalid_scores_are_errors_at_any_rank(spark: Any, score: float | None) -> None:
    schema = "query_id string, doc_id string, score double"
    rows = [("q1", "a", 3.0), ("q1", "b", 2.0), ("q1", "c", score)]
    run = spark.createDataFrame(rows, schema)
    qrels = frame(spark, {"q1": {"a": 1.0}}, "grade")
    with pytest.raises(GainfulError, match=r"null|finite"):
        backend.evaluate(qrels, run, "RR@1", counts=False).evaluation()


def test_measures_of_all_ranks_are_refused(spark: Any) -> None:
    qrels, run = frame(spark, QRELS, "grade"), frame(spark, RUN, "score")
    with pytest.raises(ParameterError, match="AP needs all documents"):
        backend.evaluate(qrels, run, ["nDCG@10", "AP"], counts=False)

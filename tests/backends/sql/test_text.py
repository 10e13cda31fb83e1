"""Errors of `sql.query`, and its text for dialects that no test executes."""

from __future__ import annotations

from typing import Any

import pytest

import gainful
from gainful.backends import sql
from gainful.conventions import Convention, get, presets
from gainful.errors import (
    ArgumentError,
    ConventionError,
    GainfulError,
    MeasureError,
    ParameterError,
)


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        ({"ties": "random(7)"}, r"sql: ties=random\(7\) is not available"),
        ({"ties": "given"}, r"ties=given .* no order of rows. Hint: set position="),
        ({"ties": "reverse"}, "ties=reverse is not available"),
        ({"order": "given"}, r"order=given .* position= to the column"),
        ({"rounding": "query:4"}, "rounding=query:4 is not available"),
        ({"rounding": "term:2", "ties": "doc-id-asc"}, "rounding=term:2 is not available"),
        (
            {"defaults": {"nDCG": {"ideal": "given-order"}}},
            "ideal='given-order' needs an order of rows",
        ),
    ],
)
def test_policies_that_no_query_follows(policies: dict[str, Any], message: str) -> None:
    with pytest.raises(GainfulError, match=message):
        sql.query("nDCG@10", convention=Convention(**policies))


@pytest.mark.parametrize("ties", ["given", "reverse"])
def test_documents_that_were_not_retrieved_have_no_position(ties: str) -> None:
    convention = Convention(ties=ties, unretrieved="last")
    with pytest.raises(
        ConventionError, match=f"with ties={ties} it needs the order of the judgments"
    ):
        sql.query("AP", convention=convention, position="rank")


def test_the_rounding_of_a_mean_is_no_matter_of_rows() -> None:
    assert sql.query("AP", convention=Convention(rounding="mean:4"))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("bpref", r"bpref is not available, expected one of nDCG, .*Hint: use gainful.evaluate"),
        ("nDCG(judged_only=True)@5", "needs a ranking without unjudged documents"),
        ("RBP(max_grade='judged')", "RBP.* is not available"),
    ],
)
def test_measures_that_no_query_is_written_for(measure: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        sql.query(measure)


def test_what_has_no_meaning_is_refused_as_the_engine_does() -> None:
    for measure, ties in (("AP", "average-rank"), ("ERR@5", "average-rank")):
        convention = Convention(ties=ties)
        with pytest.raises(ConventionError) as ours:
            sql.query(measure, convention=convention)
        with pytest.raises(ConventionError) as engines:
            gainful.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, measure, convention=convention)
        assert ours.value.found == engines.value.found
    with pytest.raises(MeasureError, match="ties=expected"):
        sql.query("ERR@5", convention=Convention(ties="expected"))


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"dialect": "dbase"}, ParameterError, "expected one of duckdb, postgres, spark, big"),
        ({"dialect": "MSSQL"}, ParameterError, "Hint: did you mean 'tsql'"),
        ({"dialect": "postgresql"}, ParameterError, "Hint: did you mean 'postgres'"),
        ({"run": ""}, ParameterError, "run: found '', expected a name"),
        ({"run": "a..b"}, ParameterError, "expected a name"),
        ({"grade": "g\0"}, ParameterError, "grade: found "),
        ({"qrels": 3}, ArgumentError, "qrels: found int, expected a name"),
        ({"run": "rows_of_qrels"}, ParameterError, "is reserved for a row source"),
        ({"measures": []}, MeasureError, "found no measure"),
        ({"doc_id": "query_id"}, ParameterError, "the same column as doc_id"),
        (
            {"measures": "nDCG(ideal='max-grade', max_grade=3)@1000001"},
            MeasureError,
            "allows at most 1000000",
        ),
    ],
)
def test_arguments(arguments: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        sql.query(**{"measures": "AP", **arguments})


def test_names_that_postgres_would_cut() -> None:
    long = "nDCG(gain={1: 0.125, 2: 0.25, 3: 0.5, 4: 1}, discount='log2')@10"
    assert sql.query(long)
    with pytest.raises(ParameterError, match="PostgreSQL truncates names to 63 bytes"):
        sql.query(long, dialect="postgres")


def test_nothing_ends_a_comment() -> None:
    text = sql.query("AP", run="x\n; DROP TABLE qrels; --")
    comments = [line for line in text.splitlines() if line.startswith("--")]
    assert any("DROP TABLE" in line for line in comments)
    body = text[text.index("WITH ") :]
    assert body.count("DROP TABLE") == body.count('"x\n; DROP TABLE qrels; --"') == 1


def test_every_preset_has_a_query_or_an_error() -> None:
    written, with_position, refused = set(), set(), {}
    for preset in presets():
        # ndeval is verified for other measures.
        own = get(preset.name).replace(name="own")
        try:
            sql.query("nDCG@10", convention=own)
            written.add(preset.name)
        except GainfulError:
            try:
                sql.query("nDCG@10", convention=own, position="at")
                with_position.add(preset.name)
            except GainfulError as error:
                refused[preset.name] = error.found
    assert {"gainful-1", "trec_eval-9.0.8", "beir-2.2.0", "scikit-learn-1.9.1"} <= written
    assert {"ranx-0.3.21", "lightgbm-4.7.0", "elasticsearch-9.4.2"} <= with_position
    assert refused == {
        "ir_measures-0.4.3-exp-log2": "rounding=query:5",
        "opensearch-3.1.0": "rounding=query:2",
        "rre-1.1": "rounding=term-down:2",
        "scikit-learn-1.9.1-ignore_ties": "unretrieved=last",
        "spark-4.3.0-graded": "ideal='given-order'",
        "tensorflow-ranking-0.5.5": "ties=random(0)",
    }


def test_spark_has_its_own_words() -> None:
    text = sql.query(
        ["nDCG@10", "RR"],
        convention=Convention(ties="expected"),
        dialect="spark",
        qrels="lake.judg`ments",
        run="it's",
    )
    assert "FROM `lake`.`judg``ments`" in text
    assert "FROM `it's`" in text
    assert "raise_error(f.fault)" in text
    assert "COLLATE" not in text
    body = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    assert '"' not in body
    assert "log2(pos + 1.0D)" in body
    assert "::" not in body

"""Past evaluations, from memory and from the rows that `gainful evaluate` writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful as package
from gainful.agreement import past_evaluation, read_past
from gainful.cli import main
from gainful.errors import ColumnError, FormatError, MeasureError

pytestmark = pytest.mark.usefixtures("small_files")

RUNS = {"bm25": "bm25.run", "dense": "dense.run"}


@pytest.mark.parametrize("style", ["tsv", "csv", "jsonl"])
@pytest.mark.parametrize("policy", [[], ["--policy", "no_relevant=skip"]])
def test_rows_of_evaluate_read_back_as_the_evaluation(style: str, policy: list[str]) -> None:
    words = ["evaluate", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10", "-m", "AP"]
    words += ["-m", "DCG@5", *policy, "--per-query", "--format", style, "-o", "past.rows"]
    assert main(words) == 0
    read = read_past("past.rows")
    convention = package.conventions.get("gainful-1")
    if policy:
        convention = convention.replace(no_relevant="skip")
    known = past_evaluation(
        package.evaluate(
            "qrels.txt", runs=RUNS, measures=["nDCG@10", "AP", "DCG@5"], convention=convention
        )
    )
    assert read.systems == known.systems
    assert read.measures == known.measures == ("nDCG@10", "AP", "DCG@5")
    assert read.scores == known.scores
    for measure in read.measures:
        assert read.matrix(measure)[0].tolist() == known.matrix(measure)[0].tolist()


def test_queries_that_do_not_count_for_all_are_left_out_and_counted() -> None:
    Path("past.csv").write_text(
        "system,query_id,AP\na,q1,.5\na,q2,.4\na,q3,\nb,q1,.1\nb,q3,.2\nb,q2,.3\n"
    )
    values, queries, left_out = read_past("past.csv").matrix("AP")
    assert queries == ["q1", "q2"]
    assert values.tolist() == [[0.5, 0.1], [0.4, 0.3]]
    assert left_out == 1


def test_measures_can_have_any_of_their_names() -> None:
    Path("past.csv").write_text("system,query_id,map,clicks\na,q1,.5,3\nb,q1,.1,4\n")
    assert read_past("past.csv").measures == ("AP", "clicks")
    assert read_past("past.csv", ["map"]).measures == ("AP",)
    assert read_past("past.csv", ["clicks", "nDCG@10"]).measures == ("clicks",)
    assert read_past("past.csv", name="last year").name == "last year"


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            "system,doc_id,AP\na,d1,.5\n",
            ColumnError,
            "expected a column for queries",
        ),
        ("system,query_id\na,q1\n", ColumnError, "at least one column with a measure"),
        ("system,query_id,AP\na,,.5\n", FormatError, "line 2: query_id is missing"),
        (
            "system,query_id,AP\na,q1,.5\na,q1,.5\n",
            FormatError,
            "line 3: duplicate query 'q1' of 'a'",
        ),
        ("system,query_id,AP\na,q1,high\n", FormatError, "line 2: AP: found 'high'"),
        ("system,query_id,AP\na,q1,inf\n", FormatError, "line 2: AP: found 'inf'"),
    ],
)
def test_invalid_rows_are_rejected(text: str, kind: type[Exception], message: str) -> None:
    Path("past.csv").write_text(text)
    with pytest.raises(kind, match=message):
        read_past("past.csv")


def test_a_file_without_the_measures_is_rejected() -> None:
    Path("past.csv").write_text("system,query_id,AP\na,q1,.5\n")
    with pytest.raises(ColumnError, match=r"found the measures AP, expected nDCG@10 or RR"):
        read_past("past.csv", ["nDCG@10", "RR"])


def test_geometric_means_are_rejected() -> None:
    evaluation = package.evaluate("qrels.txt", runs=RUNS, measures=["AP", "GMAP"])
    with pytest.raises(MeasureError, match="geometric"):
        past_evaluation(evaluation)


def test_a_query_that_does_not_count_is_written_as_nan() -> None:
    Path("past.csv").write_text("system,query_id,AP\na,q1,nan\na,q2,.5\nb,q1,.1\nb,q2,\n")
    assert read_past("past.csv").scores == {"AP": {"a": {"q2": 0.5}, "b": {"q1": 0.1}}}

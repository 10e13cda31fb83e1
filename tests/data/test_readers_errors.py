"""Bad input of the readers in Python: a value, or a `GainfulError` that names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.data.corpus import read_documents
from gainful.data.query_attributes import read_query_attribute
from gainful.data.records import read_records
from gainful.errors import ArgumentError, FormatError, GainfulError, ParameterError
from gainful.systems.queries import Queries
from repeated_tests import for_each

HALF = '{"_id": "d1", "text": "half \\ud83d here"}\n{"_id": "d2", "text": "soup"}\n'


def test_a_lone_surrogate_in_a_corpus_is_replaced(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(HALF)
    assert read_documents(corpus).found["d1"].text == "half \ufffd here"
    run = gainful.baselines.bm25(corpus, {"q1": "soup"})
    assert dict(run["q1"]).keys() == {"d2"}


def test_a_lone_surrogate_in_a_query_is_refused(tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text(HALF)
    with pytest.raises(FormatError, match="line 1: text 'half .*lone surrogate"):
        gainful.baselines.bm25({"d1": "soup"}, queries)


LARGE = 10**400


@pytest.mark.parametrize(
    "read",
    [
        lambda: gainful.Ratings([("q1", "d1", "ann", LARGE)]),
        lambda: gainful.Ratings([("q1", "d1", "ann", 10**5000)]),
        lambda: gainful.Qrels({"q1": {"d1": LARGE}}),
        lambda: gainful.Run({"q1": {"d1": LARGE}}),
        lambda: gainful.evaluate(
            {"q1": {"d1": 1}}, {"q1": ["d1"]}, "AP", weights={"q1": LARGE}
        ).mean(),
    ],
    ids=["ratings", "ratings of 5000 digits", "judgments", "run", "weights"],
)
def test_a_whole_number_beyond_all_floats(read: Any) -> None:
    with pytest.raises((FormatError, ParameterError), match="found") as caught:
        read()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("digits", [400, 5000])
@pytest.mark.parametrize(
    "line",
    [
        '{"query_id": "q1", "doc_id": "d1", "rater": "ann", "grade": %s}\n',
        '{"query": "q1", "docid": "d1", "rater_1": %s, "rater_2": 1}\n',
    ],
)
def test_a_grade_of_many_digits_in_a_file_of_raters(digits: int, line: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(line % ("9" * digits))
    with pytest.raises(GainfulError, match="line 1"):
        gainful.read_ratings(path)


def test_a_measured_value_of_many_digits_in_a_table(tmp_path: Path) -> None:
    path = tmp_path / "past.jsonl"
    path.write_text('{"experiment": "a", "online": %s, "offline": 1}\n' % ("9" * 400))
    with pytest.raises(FormatError, match="line 1"):
        gainful.compare_online(path)


@pytest.mark.parametrize("text", ["query_id,kind\nq1,a\rb\n", "q1,a\nq2,b\rc\n"])
def test_a_bare_carriage_return_in_csv(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kinds.csv"
    path.write_bytes(text.encode())
    with pytest.raises(FormatError, match="line 2: a carriage return.*Hint: save the file"):
        read_query_attribute(path)


def test_a_long_cell_in_csv(tmp_path: Path) -> None:
    path = tmp_path / "kinds.csv"
    path.write_text(f"query_id,kind\nq1,{'x' * 200_000}\n")
    assert len(read_query_attribute(path).values["q1"]) == 200_000
    assert len(str(read_records(path).rows[0].cells["kind"])) == 200_000


def test_a_line_end_within_quotes(tmp_path: Path) -> None:
    path = tmp_path / "kinds.csv"
    path.write_text('query_id,kind\nq1,"soup\nor stew"\nq2,bread\n')
    assert read_query_attribute(path).values == {"q1": "soup\nor stew", "q2": "bread"}


@for_each("name", ["queries.txt", "queries.csv", "queries.tsv"])
@for_each("header", ["query", "text", "query_id,text", "qid\ttext"])
@for_each("end", ["", "\n"])
def test_queries_of_one_header(name: str, header: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(header + end)
    with pytest.raises(FormatError, match="a header without queries"):
        Queries.of(path)


def test_one_query_without_a_line_end(tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    path.write_text("lentil soup")
    assert [query.text for query in Queries.of(path)] == ["lentil soup"]


QRELS, RUN = "q1 0 d1 1\n", "q1 Q0 d1 1 1 bm25\n"


@pytest.mark.parametrize("duplicates", ["most", "Error", None, 3])
def test_unknown_duplicates(duplicates: Any, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "list.csv").write_text("query,docid,rating\nsoup,d1,3\n")
    calls: list[Any] = [
        lambda: gainful.Qrels({"q1": {"d1": 1}}, duplicates=duplicates),
        lambda: gainful.Run({"q1": ["d1"]}, duplicates=duplicates),
        lambda: gainful.read_qrels(tmp_path / "qrels", duplicates=duplicates),
        lambda: gainful.read_run(tmp_path / "run", duplicates=duplicates),
        lambda: gainful.read_qrels(tmp_path / "list.csv", duplicates=duplicates),
        lambda: gainful.read_qrels(tmp_path / "list.csv", format="quepid", duplicates=duplicates),
        lambda: gainful.read_ratings(tmp_path / "qrels", duplicates=duplicates),
    ]
    for call in calls:
        with pytest.raises(ParameterError, match="^duplicates: found .*error, first, last"):
            call()


@pytest.mark.parametrize(
    "options",
    [{"format": 3}, {"split": 3}, {"header": "yes"}, {"comments": "#"}, {"columns": [1, 2]}],
)
def test_options_of_the_wrong_type(options: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    with pytest.raises(ArgumentError, match=f"^{next(iter(options))}: found"):
        gainful.read_qrels(tmp_path / "qrels", **options)
    with pytest.raises(ArgumentError, match=f"^{next(iter(options))}: found"):
        gainful.read_run(tmp_path / "run", **options)

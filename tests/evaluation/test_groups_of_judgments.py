"""Groups are read if judgments have a column or a level of them."""

from __future__ import annotations

import pytest

import gainful
from gainful.errors import GainfulError, MeasureError
from gainful.evaluation.partition import score_partition
from requirements import need

RUN = {"q": ["a", "c"]}
ROWS = [("q", "x", "a", 1), ("q", "x", "b", 1), ("q", "y", "c", 1)]
HEADER = "query_id\tsubtopic\tdoc_id\tgrade\n"


def text(rows, header):
    return header + "".join("\t".join(map(str, row)) + "\n" for row in rows)


def test_a_column_of_groups_is_read(tmp_path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text(text(ROWS, HEADER))
    result = gainful.evaluate(path, RUN, ["FullRecall@2", "nDCG@2", "StRecall@1"])
    assert [result.mean("FullRecall@2"), result.mean("StRecall@1")] == [1, 0.5]


def test_without_the_column_every_document_is_needed(tmp_path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text(text([row[:1] + row[2:] for row in ROWS], "query_id\tdoc_id\tgrade\n"))
    assert gainful.evaluate(path, RUN, "FullRecall@2").mean() == 0


def test_the_second_column_of_trec_text_is_no_group(tmp_path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("q 1 a 1\nq 1 b 1\nq 2 c 1\n")
    assert gainful.evaluate(path, RUN, "FullRecall@2").mean() == 0
    assert (
        gainful.evaluate(gainful.read_qrels(path, subtopics=True), RUN, "FullRecall@2").mean() == 1
    )


@pytest.mark.parametrize("kind", ["nested", "records", "polars", "pandas"])
def test_groups_in_memory(kind: str) -> None:
    names = ["query_id", "subtopic", "doc_id", "grade"]
    if kind == "nested":
        judged = {"q": {"x": {"a": 1, "b": 1}, "y": {"c": 1}}}
    elif kind == "records":
        judged = [dict(zip(names, row, strict=True)) for row in ROWS]
    else:
        columns = dict(zip(names, zip(*ROWS, strict=True), strict=True))
        judged = need(kind).DataFrame(columns)
    assert gainful.evaluate(judged, RUN, "FullRecall@2").mean() == 1
    assert gainful.evaluate(judged, RUN, ["FullRecall@2", "Success@1"]).mean("Success@1") == 1


def test_judgments_that_are_read_once_have_no_groups() -> None:
    rows = (row[:1] + row[2:] for row in ROWS)
    assert gainful.evaluate(rows, RUN, "FullRecall@2").mean() == 0


def test_a_fault_is_reported_once(tmp_path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text(text([("q", "x", "a", "high")], HEADER))
    with pytest.raises(GainfulError, match="'high'"):
        gainful.evaluate(path, RUN, "FullRecall@2")


def test_a_partition_needs_declared_groups() -> None:
    with pytest.raises(MeasureError, match="FullRecall@2 needs judgments that are read as Qrels"):
        score_partition({"q": {"a": 1}}, RUN, "FullRecall@2")
    qrels = gainful.Qrels({"q": {"x": {"a": 1, "b": 1}, "y": {"c": 1}}}, subtopics=True)
    assert score_partition(qrels, RUN, "FullRecall@2") is not None

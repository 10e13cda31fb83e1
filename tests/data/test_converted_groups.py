"""Groups and their weights, subtopics and places, from one format to another."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.data.convert import convert

PLACES = (
    "query\tdocument\tstart\tend\tgroup\tweight\tgrade\n"
    "q1\td1\t0\t50\ta\t3\t1\nq1\td2\t0\t50\tb\t1\t1\n"
)
RUN = {"q1": ["d1#char=0,50"]}
FLAT = "query,doc,grade\nq1,d1,2\nq1,d2,1\n"


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet", "qrels"])
def test_groups_weights_and_places_are_kept(suffix: str, tmp_path: Path) -> None:
    source, target = tmp_path / "gold.tsv", tmp_path / f"out.{suffix}"
    source.write_text(PLACES, "utf-8")
    table = convert(source, target, kind="qrels")
    assert isinstance(table, gainful.Qrels)
    assert table.note is None
    measures = ["SpanR@5", "StRecall@5", "FullRecall@5"]
    before, after = (gainful.evaluate(path, RUN, measures).mean() for path in (source, target))
    assert before == after
    assert before["StRecall@5"] == 0.75


def test_a_format_without_groups_says_that_they_are_lost(tmp_path: Path) -> None:
    source, target = tmp_path / "gold.tsv", tmp_path / "out.json"
    source.write_text(PLACES, "utf-8")
    table = convert(source, target, kind="qrels")
    assert isinstance(table, gainful.Qrels)
    assert table.note == "Groups of documents are not written in this format."
    assert gainful.read_qrels(target).to_dict() == {"q1": {"d1#char=0,50": 1, "d2#char=0,50": 1}}


def test_judgments_without_groups_are_written_as_before(tmp_path: Path) -> None:
    source, target = tmp_path / "gold.csv", tmp_path / "out.tsv"
    source.write_text(FLAT, "utf-8")
    convert(source, target, kind="qrels")
    assert target.read_text("utf-8") == "query_id\tdoc_id\tgrade\nq1\td1\t2\nq1\td2\t1\n"

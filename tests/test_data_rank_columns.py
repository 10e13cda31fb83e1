"""A column of ranks is never taken for scores."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.errors import FormatError

ROWS = "q1\td1\t1\nq1\td2\t2\nq1\td3\t3\nq2\td9\t1\n"


def test_an_unnamed_column_that_counts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text(ROWS)
    with pytest.raises(FormatError, match="counts 1, 2, 3"):
        gainful.read_run(path)


def test_named_it_is_the_order(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text(ROWS)
    run = gainful.read_run(path, columns=["query_id", "doc_id", "rank"])
    assert gainful.evaluate({"q1": {"d1": 1}}, run, "RR").mean() == 1.0
    path.write_text("qid\tdocid\trank\n" + ROWS)
    assert gainful.evaluate({"q1": {"d1": 1}}, path, "RR").mean() == 1.0


def test_scores_that_do_not_count_are_scores(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text("q1\td1\t3\nq1\td2\t2\nq1\td3\t1\n")
    assert gainful.evaluate({"q1": {"d1": 1}}, path, "RR").mean() == 1.0

"""``gainful sql``: the query on the standard output or in a file, and errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gainful.backends import sql
from gainful.cli import main
from gainful.conventions import Convention

Say = Callable[..., str]


def test_the_query_equals_that_of_the_function(output_of: Say) -> None:
    printed = output_of("sql", "--dialect", "duckdb")
    assert printed == sql.query(["nDCG@10", "AP", "RR", "P@10", "R@100"])
    printed = output_of(
        *("sql", "--dialect", "postgres", "-m", "nDCG@5", "--policy", "ties=given"),
        *("--qrels", "a.b", "--run", "c", "--query-id", "user", "--doc-id", "item"),
        *("--grade", "stars", "--score", "points", "--rank", "r", "--position", "line"),
    )
    assert printed == sql.query(
        "nDCG@5",
        convention=Convention(ties="given"),
        dialect="postgres",
        qrels="a.b",
        run="c",
        query_id="user",
        doc_id="item",
        grade="stars",
        score="points",
        rank="r",
        position="line",
    )


def test_to_a_file(output_of: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    output_of("sql", "--dialect", "spark", "-m", "AP", "-o", "ap.sql")
    assert Path("ap.sql").read_text() == sql.query("AP", dialect="spark")


def test_unsupported_policies_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "--dialect", "duckdb", "--convention", "ranx"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "ties=given is not available" in printed.err
    assert "Hint: " in printed.err
    assert "Traceback" not in printed.err


def test_a_missing_dialect_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql"]) == 2
    printed = capsys.readouterr().err
    assert printed == (
        "gainful: Missing option '--dialect'. Choose from: duckdb, postgres, spark, "
        "bigquery, clickhouse, databricks, mysql, oracle, redshift, snowflake, trino, tsql."
        " Hint: `gainful sql --help` shows the usage\n"
    )

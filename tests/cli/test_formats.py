"""All commands with a result write the same formats, by name or by the suffix of the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from combinations import share
from gainful.cli import main
from gainful.cli.arguments import FORMATS
from repeated_tests import for_each
from requirements import need

pytestmark = pytest.mark.usefixtures("small_files")

WITH_BOTH = ("--convention", "gainful-1", "--convention", "trec_eval")
COMMANDS = {
    "evaluate": ["evaluate", "qrels.txt", "bm25.run"],
    "several": ["evaluate", "qrels.txt", "bm25.run", *WITH_BOTH],
    "compare": ["compare", "qrels.txt", "bm25.run", "dense.run", "--resamples", "500"],
    "explain": ["explain", "qrels.txt", "bm25.run"],
    "diff": ["conventions", "diff", "trec_eval", "gainful"],
    "contrast": ["contrast", "qrels.txt", "bm25.run", "-a", "trec_eval", "-b", "gainful"],
    "reconcile": ["reconcile", "qrels.txt", "bm25.run", "--reported", "0.6118", "-m", "AP"],
    "reproduce": ["reproduce", "qrels.txt", "--original", "dense.run", "--rerun", "bm25.run"],
    "suite": ["evaluate-suite", "collections"],
    "leaderboard": ["rank-results", "leaderboard"],
    "judgments": ["assess-judgments", "qrels.txt"],
    "unjudged": ["find-unjudged", "qrels.txt", "bm25.run", "dense.run"],
    "headroom": ["headroom", "qrels.txt", "bm25.run"],
    "power": ["analyze-power", "--deviation", "0.2"],
}
EVERY = pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)


@EVERY
def test_a_suffix_selects_the_same_format_as_its_name(words: list[str], tmp_path: Path) -> None:
    need("pyarrow")
    suffixes = ("txt", "tsv", "csv", "json", "md", "tex", "html", "parquet")
    names = [*zip(FORMATS, suffixes, strict=True)]
    named_too = share(names, list(COMMANDS.values()).index(words), 4)
    for style, suffix in names:
        if (style, suffix) in named_too or style in ("json", "table", "parquet"):
            assert main([*words, "-o", str(tmp_path / f"{style}.{suffix}")]) == 0
    for style, suffix in named_too:
        named = tmp_path / f"{style}.out"
        assert main([*words, "--format", style, "-o", str(named)]) == 0
        assert named.read_bytes() == (tmp_path / f"{style}.{suffix}").read_bytes()
    json.loads((tmp_path / "json.json").read_text("utf-8"))
    assert (tmp_path / "table.txt").read_text("utf-8").count("\n") > 2
    assert (tmp_path / "parquet.parquet").read_bytes().startswith(b"PAR1")


def test_parquet_contains_the_records_with_their_types(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    result = gainful.evaluate("qrels.txt", runs=["bm25.run", "dense.run"])
    for name in result.RECORDS:
        result.save(tmp_path / "records.parquet", name)
        table = parquet.read_table(tmp_path / "records.parquet")
        assert table.schema.equals(result.to_arrow(name).schema)
        assert table.equals(result.to_arrow(name))


@for_each(
    ("words", "message"),
    [
        (["--format", "parquet"], "--format parquet needs an output file"),
        (["--format", "parquet", "-o", "-"], "--format parquet needs an output file"),
        (["--spreadsheet", "--format", "json"], "--spreadsheet does not work with --format json"),
        (["--spreadsheet"], "--spreadsheet does not work with --format table"),
        (["-o", "x.xlsx"], "does not write .xlsx"),
        (["--format", "docx"], "Invalid value for '--format'"),
    ],
)
def test_invalid_combinations_give_one_message(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "qrels.txt", "bm25.run", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["compare-measures", "qrels.txt", "bm25.run", "dense.run", "--rows", "curve"], "--rows"),
        (["evaluate-suite", "collections", "--pairs"], "--pairs"),
    ],
)
def test_options_about_rows_need_a_format_with_rows(
    words: list[str], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert (
        f"{option} does not work with --format table. Hint: add --format" in capsys.readouterr().err
    )


def test_a_format_wins_over_the_suffix(tmp_path: Path, output_of: Callable[..., str]) -> None:
    out = tmp_path / "x.csv"
    assert main(["analyze-power", "--deviation", "0.2", "--format", "json", "-o", str(out)]) == 0
    assert out.read_text("utf-8") == output_of(
        "analyze-power", "--deviation", "0.2", "--format", "json"
    )

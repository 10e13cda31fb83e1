"""Judgments and runs are written to files of every format and read back unchanged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful import errors
from gainful.data.coercion import run_input
from repeated_tests import for_each

QRELS = gainful.Qrels({"q2": {"d1": 3, "d2": 0}, "q1": {"d3": 1}})
RUN = gainful.Run({"q2": {"d1": 1.25, "d2": 2.0, "d3": 2.0}, "q1": {"d9": -1.5}}, name="bm25")
RANKED = gainful.Run({"q1": ["d3", "d1", "d2"], "q2": ["d9"]})
NAMES = ["a.txt", "a.trec", "a.tsv", "a.csv", "a.json", "a.jsonl"]
COMPRESSED = ["a.run.gz", "a.txt.bz2", "a.tsv.xz", "a.jsonl.zst"]


@for_each("name", NAMES + COMPRESSED)
@for_each("table", [QRELS, RUN])
def test_written_files_are_read_back(name: str, table: Any, tmp_path: Path) -> None:
    path = tmp_path / name
    table.write(path)
    again = type(table)(path)
    assert again == table
    assert again.source == str(path)
    if type(table) is gainful.Run:
        assert again.name == "a"


@pytest.mark.parametrize("name", [name for name in NAMES if name[2:] not in {"txt", "trec"}])
def test_rankings_without_scores_are_kept(name: str, tmp_path: Path) -> None:
    RANKED.write(tmp_path / name)
    assert gainful.Run(tmp_path / name) == RANKED


def test_rankings_without_scores_get_scores_in_trec(tmp_path: Path) -> None:
    RANKED.write(tmp_path / "a.run")
    again = gainful.Run(tmp_path / "a.run")
    assert again.scored
    assert [[document for document, _ in again[query]] for query in again] == [
        ["d3", "d1", "d2"],
        ["d9"],
    ]


@pytest.mark.parametrize("format", ["beir", "svmlight"])
def test_formats_of_judgments(format: str, tmp_path: Path) -> None:
    QRELS.write(tmp_path / "a", format)
    assert gainful.read_qrels(tmp_path / "a") == QRELS
    with pytest.raises(errors.ParameterError, match=f"the format {format} for a run"):
        RUN.write(tmp_path / "b", format)
    assert not (tmp_path / "b").exists()


def test_the_format_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("q1,d1,2\n")
    assert gainful.read_qrels(path, format="csv").to_dict() == {"q1": {"d1": 2}}
    with pytest.raises(errors.ParameterError, match="unknown format 'xml', expected one of trec"):
        gainful.read_qrels(path, format="xml")


def test_columns_of_a_table_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("d1\tx\tq1\t0.5\n")
    columns = ["doc_id", "-", "query_id", "score"]
    run = gainful.read_run(path, header=False, columns=columns)
    assert run.to_dict() == {"q1": {"d1": 0.5}}
    with pytest.raises(errors.ColumnError, match="'0.5', expected a column 's'"):
        gainful.Run(path, columns={"score": "s"})


def test_several_files_are_merged(tmp_path: Path) -> None:
    for query in ("q1", "q2"):
        RUN.select([query]).write(tmp_path / query)
    run = gainful.read_run([tmp_path / "q2", tmp_path / "q1"], name="bm25")
    assert run == RUN
    assert run.source == f"{tmp_path / 'q2'} and 1 more"


def test_trec_text_is_evaluated_while_it_is_read(tmp_path: Path) -> None:
    RUN.write(tmp_path / "a.run")
    RUN.write(tmp_path / "a.json")
    assert run_input(tmp_path / "a.run") == [str(tmp_path / "a.run")]
    assert not isinstance(run_input(tmp_path / "a.json"), list)


@for_each("name", [*NAMES, "a.gz"])
def test_numbers_are_the_same_from_every_format(name: str, tmp_path: Path) -> None:
    RUN.write(tmp_path / name)
    QRELS.write(tmp_path / f"qrels.{name}")
    found = gainful.evaluate(tmp_path / f"qrels.{name}", tmp_path / name, ["nDCG@10", "AP"])
    expected = gainful.evaluate(QRELS, RUN, ["nDCG@10", "AP"])
    assert found.per_query("nDCG@10") == expected.per_query("nDCG@10")
    assert found.per_query("AP") == expected.per_query("AP")


def test_scores_alone_belong_to_the_rows_of_judgments(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("0.5\n1.5\n-2\n")
    run = gainful.read_run(path, judgments=QRELS)
    assert run.to_dict() == {"q2": {"d1": 0.5, "d2": 1.5}, "q1": {"d3": -2.0}}
    with pytest.raises(errors.FormatError, match="scores without queries and documents"):
        gainful.read_run(path)


@pytest.mark.parametrize(
    ("table", "name", "words"),
    [
        (gainful.Qrels({"running shoes": {"d": 1}}), "a.txt", "query 'running shoes'.*white space"),
        (gainful.Run({"q": {"a\tb": 1.0}}), "a.tsv", "a tab"),
        (
            gainful.Qrels({"q": {}, "p": {"d": 1}}),
            "a.tsv",
            "query 'q': the format tsv cannot",
        ),
    ],
)
def test_unrepresentable_data_is_an_error(
    table: Any, name: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(errors.FormatError, match=words):
        table.write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_tag_is_the_name_of_the_run(tmp_path: Path) -> None:
    tags = []
    for name, tag in (("bm25", None), ("my system", None), (None, None), ("bm25", "other")):
        gainful.Run({"q": ["d"]}, name=name).write(tmp_path / "a.run", tag=tag)
        tags.append((tmp_path / "a.run").read_text().split()[-1])
    assert tags == ["bm25", "my_system", "gainful", "other"]
    with pytest.raises(errors.ParameterError, match="one word"):
        RUN.write(tmp_path / "a.run", tag="two words")


def test_files_are_written_atomically(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("before")
    with pytest.raises(errors.FormatError):
        gainful.Run({"q": ["a b"]}).write(path)
    assert path.read_text() == "before"
    with pytest.raises(errors.SourceNotFoundError, match="output folder does not exist"):
        RUN.write(tmp_path / "nowhere" / "a.run")


@pytest.mark.parametrize("name", ["a.run", "a.json", "a.run.gz"])
def test_the_standard_input(name: str, tmp_path: Path) -> None:
    RUN.write(tmp_path / name)
    code = "import gainful; print(gainful.read_run('-').to_dict())"
    content = (tmp_path / name).read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", code], input=content, capture_output=True, check=True
    )
    assert done.stdout.decode() == f"{RUN.top(9).to_dict()}\n"


def test_the_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    QRELS.write("-")
    assert capfd.readouterr().out == "q2 0 d1 3\nq2 0 d2 0\nq1 0 d3 1\n"

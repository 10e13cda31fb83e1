"""``gainful locate`` writes spans, and reports what has none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gainful.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "soup.md").write_text("Fry the onions.\nAdd lentils.", "utf-8")
    (tmp_path / "corpus" / "dal.md").write_text("Add lentils. Add salt.", "utf-8")
    golden = {"query_id": "q1", "reference_contexts": ["onions. Add", "Add salt."]}
    (tmp_path / "golden.jsonl").write_text(json.dumps(golden), "utf-8")
    return tmp_path


def test_the_spans_are_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["locate", "corpus/", "golden.jsonl", "-o", "gold.tsv"]) == 0
    assert (folder / "gold.tsv").read_text("utf-8").splitlines() == [
        "query_id\tdocument_id\tstart\tend\tgrade\tmatch",
        "q1\tsoup.md\t8\t19\t1\tnormalized",
        "q1\tdal.md\t13\t22\t1\texact",
    ]
    assert capsys.readouterr().err == "golden.jsonl: 2 of 2 quotes located in 2 documents.\n"


def test_a_quote_without_a_place_is_a_negative_result(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golden = {"query_id": "q1", "quotes": ["Add lentils.", "Add oil.", "Add salt."]}
    (folder / "golden.jsonl").write_text(json.dumps(golden), "utf-8")
    assert main(["locate", "corpus/", "golden.jsonl", "-o", "gold.tsv"]) == 4
    assert len((folder / "gold.tsv").read_text("utf-8").splitlines()) == 2
    error = capsys.readouterr().err
    assert "1 of 3 quotes located in 2 documents; 1 missing; 1 ambiguous." in error
    assert "--ambiguous first uses their first place" in error
    assert main(["locate", "corpus/", "golden.jsonl", "--format", "json"]) == 4
    document = json.loads(capsys.readouterr().out)
    assert document["outcomes"] == {"ambiguous": 1, "missing": 1, "exact": 1}
    assert main(["locate", "corpus/", "golden.jsonl", "--ambiguous", "error"]) == 2
    assert "occurs 2 times" in capsys.readouterr().err


def test_fields_can_be_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "own.jsonl").write_text('{"asked": "q", "words": "onions", "in": "soup"}', "utf-8")
    named = ["--columns", "query=asked, quote=words,doc=in"]
    assert main(["locate", "corpus/", "own.jsonl", *named, "--format", "tsv"]) == 0
    assert "q\tsoup.md\t8\t14" in capsys.readouterr().out
    assert main(["locate", "corpus/", "own.jsonl", "--columns", "words"]) == 2
    assert "found 'words', expected names of fields" in capsys.readouterr().err


def test_the_table_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["locate", "corpus/", "golden.jsonl"]) == 0
    assert "found as they are" in capsys.readouterr().out

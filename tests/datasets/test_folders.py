"""BEIR folders are listed and loaded."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.datasets import list_datasets, load_dataset
from gainful.errors import MissingPackageError, ParameterError, SourceError
from gainful_program import gainful as run_program
from requirements import need

FILES = {
    "corpus.jsonl": '{"_id": "d1", "title": "Soup", "text": "Red lentils."}\n'
    '{"_id": "d2", "title": "Bread", "text": "Flour."}\n',
    "queries.jsonl": '{"_id": "q1", "text": "soup"}\n{"_id": "q2", "text": "pie"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\n",
    "qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq2\td2\t1\n",
}


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        file = tmp_path / "beir" / "soups" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (tmp_path / "beir" / "empty" / "qrels").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_split_is_listed(top: Path) -> None:
    for folder in ("beir", "beir/soups", "."):
        found = list_datasets(folder)
        assert [each.name.removeprefix("./") for each in found] == [
            "beir/soups/dev",
            "beir/soups/test",
        ]
        assert {each.parts for each in found} == {("qrels", "queries", "docs")}
    assert list_datasets("beir/empty") == ()


def test_the_parts_are_read_when_they_are_used(top: Path) -> None:
    dataset = load_dataset("beir/soups/test")
    (top / "beir/soups/corpus.jsonl").unlink()
    assert dataset.qrels.to_dict() == {"q1": {"d1": 2}}
    assert dataset.queries == {"q1": "soup"}
    with pytest.raises(SourceError, match=r"no corpus.jsonl or"):
        list(dataset.docs)


def test_documents_are_a_mapping(top: Path) -> None:
    docs = load_dataset(top / "beir/soups/dev").docs
    assert list(docs) == ["d1", "d2"]
    assert len(docs) == 2
    assert docs["d2"] == {"title": "Bread", "text": "Flour."}
    assert "d3" not in docs
    need("bm25s")
    run = gainful.baselines.bm25(docs, {"q": "lentils"})
    assert [document for document, _ in run["q"]] == ["d1"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("beir/soups", "no split, expected one of dev, test. Hint: name it as in beir/soups/dev"),
        ("beir/soups/train", "the split 'train', expected one of dev, test"),
        ("beir", "found no BEIR folder"),
        ("beir/empty", "found no BEIR folder"),
        ("beir/soups/queries.jsonl", "the split 'queries.jsonl'"),
    ],
)
def test_names_that_are_no_collection(name: str, message: str, top: Path) -> None:
    with pytest.raises(ParameterError, match=message):
        load_dataset(name)


def test_folders_that_cannot_be_read(top: Path) -> None:
    with pytest.raises(SourceError, match="no such folder: nowhere"):
        list_datasets("nowhere")
    with pytest.raises(SourceError, match="found a file, expected a folder"):
        list_datasets("beir/soups/corpus.jsonl")


def test_a_part_that_is_not_there(top: Path) -> None:
    (top / "beir/soups/corpus.jsonl").unlink()
    dataset = load_dataset("beir/soups/test")
    with pytest.raises(ParameterError, match="found no docs, expected one of qrels, queries"):
        _ = dataset.docs


def test_names_of_ir_datasets_need_it(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    for call in (list_datasets, lambda: load_dataset("vaswani")):
        with pytest.raises(MissingPackageError, match="pip install ir-datasets"):
            call()


def test_the_command_lists_the_same(top: Path, output_of: Callable[..., str]) -> None:
    listing = output_of("datasets", "beir")
    found = list_datasets("beir")
    for dataset in found:
        [row] = [line.split() for line in listing.splitlines() if line.startswith(dataset.name)]
        assert row == [dataset.name, "beir", "qrels,", "queries,", "docs"]
    assert json.loads(output_of("datasets", "beir", "--format", "json")) == [
        dataset.to_dict() for dataset in found
    ]
    assert "| beir/soups/dev" in output_of("datasets", "beir", "--format", "markdown")
    assert "A BEIR folder has a folder qrels" in output_of("datasets", "beir/empty")
    assert json.loads(output_of("datasets", "beir/empty", "--format", "json")) == []


@pytest.mark.parametrize(
    ("folder", "message"),
    [("nowhere", "no such folder"), ("beir/soups/corpus.jsonl", "found a file, expected a folder")],
)
def test_the_command_refuses_what_is_no_folder(top: Path, folder: str, message: str) -> None:
    done = run_program("datasets", folder)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert done.stdout == b""

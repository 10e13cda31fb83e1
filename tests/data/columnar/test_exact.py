"""A columnar run gives the same rows as the run in TREC text, bit for bit."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from columnar_data import (
    MEASURES,
    QRELS,
    Row,
    as_rows,
    batches,
    made,
    reader,
    table,
    write_text,
)
from combinations import ALL
from evaluation_words import sorted_rows
from gainful.errors import GainfulError
from repeated_tests import for_each
from requirements import need

TIES = (
    "doc-id-desc",
    "doc-id-asc",
    "given",
    "reverse",
    "expected",
    "average-rank",
    "optimistic",
    "pessimistic",
    "random(7)",
    "error",
)
IDS = ("int64", "uint8", "string", "large_string", "string_view", "binary", "dictionary")
KINDS = ("table", "reader", "parquet", "parquet files", "arrow file", "arrow stream")

#: Few queries, documents and scores, so that scattered queries, duplicates and ties are common.
scattered = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 14), st.sampled_from([0.5, 1.0, -0.0, 0.0, 7.25])),
    min_size=1,
    max_size=60,
)
sizes = st.lists(st.integers(0, 7), min_size=1, max_size=4).filter(any)


def held(rows: list[Row], kind: str, ids: str, parts: list[int], folder: Path) -> Any:
    """Return rows in columns: in memory, as a stream, or in files."""
    pa, pq = need("pyarrow"), pytest.importorskip("pyarrow.parquet")
    whole = table(rows, ids)
    if kind == "table":
        return pa.Table.from_batches(batches(whole, parts), whole.schema)
    if kind == "reader":
        return reader(whole, parts)
    if kind == "parquet":
        pq.write_table(whole, folder / "run.parquet", row_group_size=max(parts))
        return folder / "run.parquet"
    if kind == "parquet files":
        for number, batch in enumerate(batches(whole, parts)):
            pq.write_table(pa.table(batch), folder / f"part-{number:03}.parquet")
        return folder / "part-*.parquet"
    path = folder / "run.arrow"
    new = pa.ipc.new_file if kind == "arrow file" else pa.ipc.new_stream
    with new(str(path), whole.schema) as writer:
        for batch in batches(whole, parts):
            writer.write_batch(batch)
    return path


def outcome(run: Any, convention: Any) -> Any:
    """Return the rows of an evaluation, or its error with query and document."""
    try:
        return as_rows(gainful.evaluate(QRELS, run, MEASURES, convention=convention, threads=2))
    except GainfulError as error:
        return type(error), error.query, error.document, error.found, error.expected, error.hint


@settings(deadline=None, max_examples=60 if ALL else 30)
@given(
    rows=scattered,
    together=st.booleans(),
    once=st.booleans(),
    ids=st.sampled_from(IDS),
    kind=st.sampled_from(KINDS),
    parts=sizes,
    ties=st.sampled_from(TIES),
    duplicates=st.sampled_from(["error", "first", "last", "best", "count"]),
    order=st.sampled_from(["score", "given", "rank"]),
)
def test_columns_and_text_give_the_same_rows(
    rows: Any,
    together: bool,
    once: bool,
    ids: str,
    kind: str,
    parts: list[int],
    ties: str,
    duplicates: str,
    order: str,
) -> None:
    need("pyarrow")
    run = made(rows, together, once)
    convention = gainful.conventions.get("gainful-1").replace(
        ties=ties, duplicates=duplicates, order=order
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = outcome(write_text(run, folder / "run.txt"), convention)
        assert outcome(held(run, kind, ids, parts, folder), convention) == text


@for_each("kind", KINDS)
@for_each("together", [True, False])
def test_scattered_queries_are_reported(kind: str, together: bool, tmp_path: Path) -> None:
    need("pyarrow")
    rows = [(query, document, float(document)) for document in range(9) for query in range(5)]
    run = made(rows, together, once=True)
    result = gainful.evaluate(QRELS, held(run, kind, "int64", [4], tmp_path), MEASURES)
    text = gainful.evaluate(QRELS, write_text(run, tmp_path / "run.txt"), MEASURES)
    assert as_rows(result) == as_rows(text)
    assert bool(result.scattered) is not together
    assert ("regrouped" in str(result)) is not together


def test_a_stream_larger_than_memory_is_stored_on_disk() -> None:
    """Rows of a stream are stored until it ends, and regrouped from disk."""
    from gainful import _kernel
    from gainful.data.columns import stream

    need("pyarrow")
    documents = [(q, d, float((q * 31 + d * 17) % 101)) for d in range(15_000) for q in range(5)]
    rows = made(documents, together=False, once=True)
    convention = gainful.conventions.get("gainful-1")
    kernels = [("AP", *gainful.measures.parse_measures("AP")[0].spec(convention))]
    judged = gainful.Qrels(QRELS)
    whole = table(rows, "string")
    found = []
    for run in (whole, reader(whole, [10_007])):
        evaluated = _kernel.evaluate(
            judged._rows,
            stream(run, "run", None),
            convention.spec(),
            kernels,
            threads=2,
            memory=1 << 16,
        )
        assert evaluated.scattered
        found.append(evaluated.column(0))
    expected = gainful.evaluate(QRELS, gainful.Run(whole), "AP")
    assert found == [[row["AP"] for row in sorted_rows(expected)]] * 2

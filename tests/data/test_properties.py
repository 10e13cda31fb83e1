"""Every kind of object gives the same table, for any rows, order and batches."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import gainful
from requirements import need

pa = need("pyarrow")

IDS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(["a", "b", "1", "10", "a long id of twenty-odd bytes"]),
)
ROWS = st.lists(
    st.tuples(st.sampled_from(["q1", "q2", "", "ein längerer Name"]), IDS, st.floats(-1e9, 1e9)),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:2],
)


@given(
    ROWS,
    st.lists(st.integers(0, 40), max_size=4),
    st.sampled_from(["string", "large_string", "string_view", "dictionary"]),
)
def test_a_table_of_any_batches(rows: list[Any], cuts: list[int], kind: str) -> None:
    expected: dict[str, dict[str, float]] = {}
    for query, document, score in rows:
        expected.setdefault(query, {})[document] = score
    queries, documents, scores = (list(column) for column in zip(*rows, strict=True))
    columns = [pa.array(queries), pa.array(documents)]
    if kind == "dictionary":
        columns = [column.dictionary_encode() for column in columns]
    else:
        columns = [column.cast(getattr(pa, kind)()) for column in columns]
    whole = pa.table({"query_id": columns[0], "doc_id": columns[1], "score": scores})
    edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    parts = [whole.slice(a, b - a) for a, b in pairwise(edges)]
    run = gainful.Run(pa.concat_tables(parts))
    assert run.to_dict() == expected
    assert run == gainful.Run(expected) == gainful.Run(rows) == gainful.Run(pa.table(run))
    for query, ranking in run.items():
        order = sorted(expected[query].items(), key=lambda pair: pair[0].encode(), reverse=True)
        assert ranking == sorted(order, key=lambda pair: -pair[1])

"""pytrec_eval's numbers, bit for bit, on random collections."""

from __future__ import annotations

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from requirements import need

MEASURES = [
    "ndcg",
    *(f"ndcg_cut_{k}" for k in (1, 2, 3, 5, 10, 1000)),
    "map",
    *(f"map_cut_{k}" for k in (1, 5, 10)),
    *(f"P_{k}" for k in (1, 5, 10)),
    *(f"recall_{k}" for k in (1, 5, 1000)),
    "recip_rank",
    "Rprec",
    "bpref",
    *(f"success_{k}" for k in (1, 5)),
    "set_P",
    "set_recall",
    "num_ret",
    "num_rel",
    "num_rel_ret",
]

ids = st.text(
    st.characters(exclude_categories=["Cs", "Z", "Cc"], include_characters="é中\U0001f600#"),
    min_size=1,
    max_size=4,
)
numbers = st.sampled_from(
    [0.0, 1.0, 1.5, 2.0, -1.0, 0.9, 0.900000001, 16777216.0, 16777217.0, 1e-40]
)
scores = numbers | st.floats(-1e6, 1e6)
qrels = st.dictionaries(
    ids, st.dictionaries(ids, st.integers(-2, 4), min_size=1, max_size=12), min_size=1, max_size=4
)


def bits(value: float) -> bytes:
    return struct.pack("<d", value + 0.0)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_bit_for_bit(data: st.DataObject) -> None:
    pytrec_eval = need("pytrec_eval")
    judged = data.draw(qrels)
    pool = sorted({doc for docs in judged.values() for doc in docs})
    documents = st.sampled_from(pool) | ids
    run = {
        query: data.draw(st.dictionaries(documents, scores, min_size=1, max_size=15))
        for query in judged
    }
    # All grades below 0 make trec_eval read memory that is not its own.
    for docs in judged.values():
        docs.setdefault(pool[0], 1)
        if max(docs.values()) < 0:
            docs[pool[0]] = 1
    theirs = pytrec_eval.RelevanceEvaluator(judged, set(MEASURES)).evaluate(run)
    ours = gainful.evaluate(judged, run, MEASURES, convention="trec_eval-9.0.8")
    for measure in MEASURES:
        per_query = ours.per_query(measure)
        for query, figures in theirs.items():
            assert bits(per_query[query]) == bits(figures[measure]), (measure, query)

"""pytrec_eval's numbers, bit for bit, on random collections."""

from __future__ import annotations

import math
import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gainful
from gainful.measures import Measure, parse_measure
from requirements import need

#: All its measures except counts of queries and measures without numeric values.
NOT_MEASURED = {"num_q", "relstring", "runid"}

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


CUT = ("ndcg_cut", "map_cut", "P", "recall", "relative_P", "success")


def at(level: int, name: str) -> Measure:
    """Return the measure of this name with a relevance level."""
    measure = parse_measure(name)
    return measure(rel=level) if measure.declaration.parameter("rel") else measure


def bits(value: float) -> bytes:
    return struct.pack("<d", value + 0.0)


@given(st.data(), st.sampled_from([1, 1, 2, 3]))
def test_bit_for_bit(data: st.DataObject, level: int) -> None:
    pytrec_eval = need("pytrec_eval")
    judged = data.draw(qrels)
    pool = sorted({doc for docs in judged.values() for doc in docs})
    documents = st.sampled_from(pool) | ids
    run = {
        query: data.draw(st.dictionaries(documents, scores, min_size=1, max_size=15))
        for query in judged
    }
    # With only negative grades trec_eval reads invalid memory, and also with a level above
    # all grades.
    for docs in judged.values():
        docs.setdefault(pool[0], 1)
        if max(docs.values()) < level:
            docs[pool[0]] = level
    names = pytrec_eval.supported_measures - {*CUT} - NOT_MEASURED
    names |= {f"{name}.1,2,3,5,10,1000" for name in CUT}
    theirs = pytrec_eval.RelevanceEvaluator(judged, names, relevance_level=level).evaluate(run)
    measures = {name: at(level, name) for name in next(iter(theirs.values()))}
    ours = gainful.evaluate(judged, run, measures.values(), convention="trec_eval-9.0.8")
    for name, measure in measures.items():
        per_query = ours.per_query(measure)
        for query, figures in theirs.items():
            value = per_query[query]
            if measure.aggregate == "geometric":
                value = math.log(max(value, 0.00001))
            assert bits(value) == bits(figures[name]), (name, query)
    assert len(measures) > 70


@pytest.mark.parametrize("name", ["gm_map", "gm_bpref", "map", "num_rel", "iprec_at_recall_0.50"])
def test_means_over_queries(name: str) -> None:
    pytrec_eval = need("pytrec_eval")
    rng = random.Random(3)
    judged = {f"q{q}": {f"d{d}": rng.choice([0, 0, 1, 2]) for d in range(9)} for q in range(40)}
    run = {q: {f"d{d}": rng.random() for d in rng.sample(range(20), 8)} for q in judged}
    root = name.removesuffix("_0.50")
    theirs = pytrec_eval.RelevanceEvaluator(judged, {root}).evaluate(run)
    values = [theirs[query][name] for query in sorted(theirs)]
    total = sum(values)
    expected = {"gm": math.exp(total / len(values)), "nu": total}.get(name[:2], total / len(values))
    found = gainful.evaluate(judged, run, name, convention="trec_eval-9.0.8").summary().value
    assert bits(found) == bits(expected)

"""Every measure of ir_measures equals the values of its own providers."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from gainful.compat import ir_measures as compat
from gainful.compat.ir_measures.adapter import translate
from gainful.measures import parse_measure, parse_measures
from ir_measures_table import ADHOC, DIVERSITY, WITHOUT_PROVIDER
from requirements import need

ir_measures = need("ir_measures")
TABLE = ADHOC | DIVERSITY | WITHOUT_PROVIDER


def theirs(text: str) -> Any:
    """Return the ir_measures object of a notation."""
    return eval(text, vars(ir_measures) | vars(ir_measures.measures))


@pytest.mark.parametrize("text", TABLE)
def test_notation_and_object_convert_to_one_measure(text: str) -> None:
    measure = theirs(text)
    ours = translate(measure)
    assert ours == parse_measure(TABLE[text])
    assert repr(ours) == TABLE[text]
    assert parse_measure(repr(measure)).resolve() == ours.resolve()
    if not text.startswith("P") or "@" in text:
        assert parse_measure(text).resolve() == ours.resolve()


def test_objects_name_the_measures_of_a_result() -> None:
    wanted = [ir_measures.nDCG @ 10, ir_measures.P(rel=2) @ 5]
    found = gainful.evaluate({"q1": {"d1": 2}}, {"q1": ["d2", "d1"]}, wanted)
    for measure in wanted:
        assert found.mean(measure) == found.mean(repr(measure)) > 0
        assert found[measure] == found.per_query(measure)
    assert gainful.reconcile({"q1": {"d1": 1}}, {"q1": ["d2", "d1"]}, 0.5, ir_measures.RR).matches


def test_the_table_has_every_measure_with_every_parameter() -> None:
    written = [theirs(text) for text in TABLE]
    names = {re.match(r"\w+", text)[0] for text in TABLE}  # type: ignore[index]
    assert names == set(ir_measures.measures.registry)
    for measure in ir_measures.measures.registry.values():
        same = [each for each in written if each.NAME == measure.NAME]
        for parameter in measure.SUPPORTED_PARAMS:
            assert any(parameter in each.params for each in same), (measure, parameter)


def collection(seed: int, *, subtopics: bool = False) -> tuple[list[Any], dict[str, Any]]:
    """Return judgments and a run with distinct scores and some unjudged documents."""
    rng = random.Random(seed)
    qrels, run = [], {}
    for query in map(str, range(1, 9)):
        documents = [f"d{number}" for number in range(40)]
        judged = rng.sample(documents, 15)
        for document in judged:
            for topic in rng.sample("123", rng.randint(1, 3)) if subtopics else "0":
                grade = rng.choice([0, 0, 1, 2, 3])
                qrels.append(ir_measures.Qrel(query, document, grade, topic))
        found = rng.sample(documents, rng.randint(1, 30))
        run[query] = {document: score / 8 for score, document in enumerate(found)}
    del run["3"]
    run["99"] = {"d1": 1.0}
    return qrels, run


#: Tolerances of measures whose providers print or keep fewer digits.
_ROUNDED = re.compile(r"nDCG\(dcg='exp-log2'\)@|ERR@")


@pytest.mark.parametrize("text", ADHOC | DIVERSITY)
def test_values(text: str) -> None:
    qrels, run = collection(7, subtopics=text in DIVERSITY)
    measure = theirs(text)
    asked, seen = measure, run
    if text in DIVERSITY and measure.params.get("judged_only"):
        # ir_measures 0.4.3 raises a TypeError here, so unjudged documents are removed before.
        judged = {(qrel.query_id, qrel.doc_id) for qrel in qrels}
        seen = {
            query: {doc: score for doc, score in scored.items() if (query, doc) in judged}
            for query, scored in run.items()
        }
        asked = theirs(text.replace("judged_only=True", "judged_only=False"))
    try:
        calculated = ir_measures.iter_calc([asked], qrels, seen)
        expected = {m.query_id: m.value for m in calculated}
    except (ValueError, FileNotFoundError) as error:
        pytest.skip(f"ir_measures has no program for it here: {error}")
    found = {m.query_id: m.value for m in compat.provider.iter_calc([measure], qrels, run)}
    if measure.NAME in ("NumQ", "NumRel"):
        expected["3"] = found["3"]
    digits = 5e-6 if _ROUNDED.match(text) else 1e-12
    assert found == pytest.approx(expected, rel=0, abs=digits)
    if measure.NAME != "Accuracy":
        assert len(found) == len({qrel.query_id for qrel in qrels})


BITS = [theirs(text) for text in ADHOC if ir_measures.pytrec_eval.supports(theirs(text))]
ids = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=3)
scores = st.sampled_from([0.0, 1.0, 1.5, -2.0, 0.9, 0.900000001]) | st.floats(-1e6, 1e6)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_equal_to_pytrec_eval_bit_for_bit(data: st.DataObject) -> None:
    qrels = data.draw(
        st.dictionaries(
            ids,
            st.dictionaries(ids, st.integers(-1, 4), min_size=1, max_size=10),
            min_size=1,
            max_size=3,
        )
    )
    pool = sorted({doc for docs in qrels.values() for doc in docs})
    for docs in qrels.values():
        # With only negative grades in a query, trec_eval reads invalid memory.
        docs[pool[0]] = max(docs.get(pool[0], 0), 0)
    run = {
        query: data.draw(
            st.dictionaries(st.sampled_from(pool) | ids, scores, min_size=1, max_size=12)
        )
        for query in qrels
    }
    expected = {
        (m.query_id, m.measure): 0.0 if math.isnan(m.value) else m.value
        for m in ir_measures.pytrec_eval.iter_calc(BITS, qrels, run)
    }
    found = {(m.query_id, m.measure): m.value for m in compat.provider.iter_calc(BITS, qrels, run)}
    assert found == expected


TREC_NAMES = [
    *("map", "map_cut", "map_cut_10", "map_cut.5,10", "ndcg", "ndcg_cut", "ndcg_cut_7", "P_5,10"),
    *("recall", "recall_100", "success", "success.1,5", "recip_rank", "Rprec", "bpref", "infAP"),
    *("set_P", "set_recall", "set_map", "set_F", "set_F_0.5", "set_F.2", "set_relative_P"),
    *("iprec_at_recall", "iprec_at_recall_0.25", "iprec_at_recall.0.1,0.5"),
    *("num_q", "num_ret", "num_rel", "num_rel_ret"),
]


@pytest.mark.parametrize("name", TREC_NAMES)
def test_names_of_trec_eval_have_the_same_meaning(name: str) -> None:
    """P is the exception: nine cutoffs in trec_eval, precision of the whole ranking here."""
    need("pytrec_eval")
    theirs = [translate(measure) for measure in ir_measures.parse_trec_measure(name)]
    ours = parse_measures(name)
    assert {measure.resolve() for measure in ours} == {m.resolve() for m in theirs if m}
    assert len(ours) == len(theirs)


def test_python_providers_with_grades_outside_the_scale() -> None:
    need("cwl")
    rng = random.Random(11)
    texts = ["Accuracy", "Compat", "INST(max_rel=2)", "SDCG(max_rel=2)@5", "NERR8(max_rel=1)@4"]
    measures = [theirs(text) for text in texts]
    for _ in range(50):
        documents = [f"d{number}" for number in range(15)]
        # The provider of Compat orders the ideal's documents that are not in the run arbitrarily.
        grades = {each: grade for grade, each in enumerate(rng.sample(documents, 4))}
        qrels = {"q": {**dict.fromkeys(documents[:5], 0), **dict.fromkeys(documents[5:9], -1)}}
        qrels["q"] |= grades
        found = rng.sample(documents, 12)
        run = {"q": {document: score + 0.5 for score, document in enumerate(found)}}
        expected = ir_measures.calc_aggregate(measures, qrels, run)
        ours = compat.provider.calc_aggregate(measures, qrels, run)
        assert ours == pytest.approx(expected, rel=1e-12, nan_ok=True)

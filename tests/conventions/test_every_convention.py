"""Under every convention, all readers give one value, and its explanation adds up to it.

The collections have data that conventions treat differently: ties, duplicates, unjudged documents,
negative and fractional grades, queries without results or without judgments.
"""

from __future__ import annotations

import struct
from itertools import zip_longest
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given, settings

import gainful
from gainful import Convention, evaluate
from gainful.conventions import get, presets
from gainful.errors import ConventionError, GainfulError
from gainful.explanation import explain, worst_query
from requirements import need

OWN = [
    Convention(duplicates=duplicates, **policies)
    for duplicates in ("first", "last", "best", "count", "copies", "blank")
    for policies in (
        {},
        {"ties": "expected", "unretrieved": "last"},
        {"ties": "average-rank-down", "negative": "drop"},
        {"ties": "pessimistic", "negative": "signed", "unjudged": "condense"},
        {"order": "rank", "no_relevant": "agree", "same_id": "drop"},
        {"order": "given", "rounding": "term-down:2"},
        {"no_relevant": "error", "defaults": {"nDCG": {"ideal": "list"}}},
        {"single": "error", "defaults": {"nDCG": {"ideal": "ones", "discount": "ln"}}},
        {"defaults": {"nDCG": {"gain": "exponential+1", "ideal": "judged-uncut", "cutoff": 2}}},
        {"unretrieved": "last", "defaults": {"nDCG": {"gain": "judged", "ideal": "list-cut"}}},
    )
]
#: With a new name, since the presets are not verified for all measures.
RENAMED = [get(each.name).replace(name=f"own-{each.name}") for each in presets()]
CONVENTIONS = st.sampled_from([*RENAMED, *OWN])
SUMS = ["nDCG", "nDCG@2", "DCG@3", "IDCG@2", "CG@2", "nDCG(judged_only=True)@3"]
MEASURES = st.sampled_from([*SUMS, *SUMS, "AP", "P@3", "RR", "R@2", "bpref", "ERR@3", "Rprec"])

DOCUMENTS = st.sampled_from(["a", "b", "c", "d", "q1"])
GRADES = st.sampled_from([-1, 0, 1, 1, 2, 3, 0.5])
SCORES = st.sampled_from([1.0, 2.0, 2.0 + 1e-9, 3.0])
RANKED = st.lists(st.tuples(DOCUMENTS | st.just("x"), SCORES), max_size=6)
JUDGED = st.dictionaries(DOCUMENTS, GRADES, min_size=1)
QUERIES = st.fixed_dictionaries({"q1": st.tuples(JUDGED, RANKED), "q2": st.tuples(JUDGED, RANKED)})


def text(rows: list[tuple[str, str, int, float]]) -> str:
    return "".join(f"{query} 0 {doc} {rank} {score!r} t\n" for query, doc, rank, score in rows)


def found(qrels: Any, run: Any, measure: str, convention: Convention) -> Any:
    """Return the bits of a measure's values; None for an error."""
    try:
        result = evaluate(qrels, run, measure, convention=convention)
        values = [result.mean(), *result.per_query().values()]
        return [struct.pack("<d", value) for value in values], list(result.per_query())
    except GainfulError:
        return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@settings(max_examples=100)
@given(queries=QUERIES, convention=CONVENTIONS, measure=MEASURES)
def test_the_value_does_not_depend_on_the_reader(
    folder: Path, queries: Any, convention: Convention, measure: str
) -> None:
    qrels = {query: judged for query, (judged, _) in queries.items()}
    parts = [
        [(query, doc, rank, score) for rank, (doc, score) in enumerate(ranked, start=1)]
        for query, (_, ranked) in queries.items()
    ]
    rows = [row for part in parts for row in part]
    assume(rows)
    (folder / "run").write_text(text(rows))
    # The rows of all queries alternate, so that every query is scattered.
    turns = [row for turn in zip_longest(*parts) for row in turn if row is not None]
    (folder / "turns").write_text(text(turns))
    number = found(qrels, folder / "run", measure, convention)
    assert found(qrels, folder / "turns", measure, convention) == number
    stored = gainful.Run(folder / "turns", duplicates="count")
    assert found(qrels, stored, measure, convention) == number
    if convention.order != "rank":
        triples = [(query, doc, score) for query, doc, _, score in turns]
        assert found(qrels, triples, measure, convention) == number
        if len({row[:2] for row in rows}) == len(rows):
            plain = {
                each[0][0]: {doc: score for _, doc, _, score in each} for each in parts if each
            }
            assert found(qrels, plain, measure, convention) == number
    pyarrow = need("pyarrow")
    names = ["query_id", "doc_id", "rank", "score"]
    table = pyarrow.table([list(column) for column in zip(*turns, strict=True)], names=names)
    assert found(qrels, table, measure, convention) == number


@settings(max_examples=100)
@given(queries=QUERIES, convention=CONVENTIONS, measure=MEASURES)
def test_the_explanation_adds_up_to_the_value(
    folder: Path, queries: Any, convention: Convention, measure: str
) -> None:
    qrels = {query: judged for query, (judged, _) in queries.items()}
    rows = [
        (query, doc, rank, score)
        for query, (_, ranked) in queries.items()
        for rank, (doc, score) in enumerate(ranked, start=1)
    ]
    run = folder / "explained"
    run.write_text(text(rows))
    try:
        values = evaluate(qrels, run, measure, convention=convention).per_query()
    except GainfulError:
        assume(False)
    for query in qrels:
        if query not in values and not queries[query][1]:
            continue  # Skipped, since the run lacks it.
        explanation = explain(qrels, run, query, measure, convention=convention)
        assert explanation.skipped == (query not in values)
        if query in values:
            assert struct.pack("<d", explanation.value) == struct.pack("<d", values[query])
        assert max(map(len, str(explanation).splitlines())) <= 100
        if explanation.dcg is None or explanation.loss is None:
            continue
        last = explanation.ranks[-1] if explanation.ranks else None
        assert (last.running if last else 0.0) == explanation.dcg
        assert (last.ideal_running if last else 0.0) == explanation.idcg
        assert sum(each.cost or 0.0 for each in explanation.ranks) == pytest.approx(
            explanation.loss, abs=1e-9
        )
        if "term" not in convention.rounding and convention.name != "own-cwl_eval-1.0.12":
            costs = sum(each.cost or 0.0 for each in explanation.documents)
            assert costs == pytest.approx(explanation.loss, abs=1e-9)


COPIES = [("q", "a", 4.0), ("q", "x", 3.0), ("q", "a", 2.0), ("q", "c", 1.0), ("q", "b", 0.5)]
GRADED = {"q": {"a": 2, "b": 1, "c": -1}}


def test_copies_are_named_in_the_ideal() -> None:
    explanation = explain(GRADED, COPIES, "q", "nDCG", convention=Convention(duplicates="copies"))
    assert [each.ideal_document for each in explanation.ranks] == ["a", "a", "b", "c", None]
    costs = {each.document: each.cost for each in explanation.documents}
    assert costs.keys() == {"a", "b"}
    assert sum(cost or 0 for cost in costs.values()) == pytest.approx(explanation.loss)
    # Below the cutoff a copy does not count as another document.
    cut = explain(GRADED, COPIES, "q", "nDCG@2", convention=Convention(duplicates="copies"))
    assert [each.ideal_document for each in cut.ranks] == ["a", "b"]


def test_copies_count_among_the_judged_too() -> None:
    """Copies are also in the ideal if unjudged documents are removed."""
    run = [("q", "x", 5.0), ("q", "a", 4.0), ("q", "y", 3.0), ("q", "a", 2.0), ("q", "z", 1.0)]
    for copies, value in (("copies", 1.0), ("count", (2 + 2 / 1.584962500721156) / 2)):
        convention = Convention(duplicates=copies)
        measure = "nDCG(judged_only=True)@2"
        mean = evaluate({"q": {"a": 2}}, run, measure, convention=convention).mean()
        assert mean == pytest.approx(value, rel=1e-15)


def test_blank_duplicates_are_not_called_unjudged() -> None:
    text = str(explain(GRADED, COPIES, "q", "nDCG", convention=Convention(duplicates="blank")))
    assert "no grade: 1 duplicate (duplicates=blank)." in text
    assert "no grade: 1 unjudged" in text


def test_dropped_negative_grades_are_named() -> None:
    convention = Convention(negative="drop", duplicates="first")
    explanation = explain(GRADED, COPIES, "q", "nDCG", convention=convention)
    assert [(each.document, each.reason) for each in explanation.left_out] == [
        ("a", "duplicate"),
        ("c", "negative"),
    ]
    assert "1 duplicate, 1 with a negative grade" in str(explanation)


class TestSingle:
    """A ranking of one document is an error, reported after its last row is read."""

    QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}

    def test_a_scattered_query_is_not_single(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        run.write_text(
            "q1 Q0 x 1 9 t\nq2 Q0 b 1 9 t\nq1 Q0 a 2 8 t\nq2 Q0 y 2 8 t\n", encoding="utf-8"
        )
        for convention in (
            Convention(single="error"),
            Convention(no_relevant="error", defaults={"nDCG": {"ideal": "list"}}),
        ):
            values = evaluate(self.QRELS, run, "nDCG", convention=convention).per_query()
            assert list(values) == ["q1", "q2"]
        # An unreadable line is reported first, even after an apparently single document.
        run.write_text("q1 Q0 x 1 9 t\nq1 Q0\n", encoding="utf-8")
        with pytest.raises(GainfulError, match="line 2"):
            evaluate(self.QRELS, run, "nDCG", convention=Convention(single="error"))

    def test_the_message_names_the_convention_and_the_line(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        run.write_text("q1 Q0 a 1 9 t\nq1 Q0 x 2 8 t\nq2 Q0 b 1 9 t\n", encoding="utf-8")
        words = f"under scikit-learn-1.9.1, {run}, line 3, query 'q2': the ranking has only"
        with pytest.raises(ConventionError) as raised:
            evaluate(self.QRELS, run, "nDCG", convention="scikit-learn")
        assert str(raised.value).startswith(words)
        for call in (
            lambda: worst_query(self.QRELS, run, convention="scikit-learn"),
            lambda: explain(self.QRELS, run, "q2", convention="scikit-learn"),
        ):
            with pytest.raises(ConventionError, match=r"^under scikit-learn-1\.9\.1, "):
                call()

    def test_a_condensed_ranking_of_one_document_is_not_single(self) -> None:
        run = {"q1": {"a": 2.0, "x": 1.0}}
        single = gainful.conventions.get("scikit-learn").replace(name="own")
        explanation = explain({"q1": {"a": 1, "b": 0}}, run, "q1", "bpref", convention=single)
        assert explanation.value == 1.0


def test_unsupported_measures_are_errors() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    with pytest.raises(ConventionError) as raised:
        evaluate(qrels, run, convention=gainful.conventions.get("rre").replace(name="own"))
    text = str(raised.value)
    assert text.startswith("under own: AP is not defined for rounding=term-down")
    assert text.endswith("use rounding=none for other measures")


def test_the_default_convention_is_not_named() -> None:
    run = [("q", "a", 1.0), ("q", "a", 2.0)]
    with pytest.raises(GainfulError, match=r"^query 'q', document 'a'"):
        evaluate({"q": {"a": 1}}, run)
    with pytest.raises(GainfulError, match=r"^under trec_eval-9\.0\.8, query 'q', document 'a'"):
        evaluate({"q": {"a": 1}}, run, convention="trec_eval")


@pytest.mark.parametrize(
    ("qrels", "run", "convention", "words"),
    [
        ({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"]}, "ranx", "the run has no ranking for the"),
        ({"q1": {"a": 1}}, {"q1": ["a"], "q2": ["b"]}, "ranx", "query 'q2' has no judgments"),
        ({"q1": {"a": 2000}}, {"q1": ["a"]}, "rax", "query 'q1': the gain of"),
        ({"q1": {"a": -1}}, {"q1": ["a"]}, "phoenix", "query 'q1', document 'a': found grade -1,"),
        ({"q1": {"a": 0.5}}, {"q1": ["a"]}, "beir", "query 'q1', document 'a': found grade 0.5,"),
        ({"q1": {"a": 5}}, {"q1": ["a"]}, "gdeval", "query 'q1', document 'a': found grade 5,"),
        ({"q1": {"a": 0}}, {"q1": ["a"]}, "rre", "judgments, query 'q1': no relevant documents"),
    ],
)  # fmt: skip
def test_rejected_data(qrels: Any, run: Any, convention: str, words: str) -> None:
    with pytest.raises(GainfulError) as raised:
        evaluate(qrels, run, "nDCG@10", convention=convention)
    text = str(raised.value)
    assert text.startswith(f"under {gainful.conventions[convention].name}")
    assert words in text
    assert "Hint: " in text

"""Tools for retrieval-augmented generation and the memory of agents: numbers that they printed."""

from __future__ import annotations

from typing import Any

import pytest

import gainful
from gainful.errors import MatchError, MeasureError

AB = {"q": {"A": 1, "B": 1}}
TWO_GROUPS = [["A", "B"], ["C"]]
SHARED = [["A"], ["A", "B"]]


def mean(name: str, qrels: Any, ranked: str, measure: str) -> float:
    """Return the mean of a measure on a list of documents with names of one letter."""
    run = [("q", document, float(-rank)) for rank, document in enumerate(ranked)]
    return gainful.evaluate(qrels, run, measure, convention=name).mean()


def groups(listed: list[list[str]]) -> gainful.Qrels:
    golden = [{"qid": "q", "query": "x", "retrieval_gt": listed}]
    return gainful.Qrels(golden, subtopics=True)


@pytest.mark.parametrize(
    ("ranked", "cutoff", "longmemeval", "mempalace"),
    [
        ("cAdefB", 3, (1, 0, 0.5), (1, 0, 0.6309297535714575)),
        ("cAdefB", 5, (1, 0, 0.5), (1, 0, 0.6309297535714575)),
        ("cAdefB", 10, (1, 1, 0.6934264036172708), (1, 1, 0.6052602440527057)),
    ],
)
def test_memory(ranked: str, cutoff: int, longmemeval: tuple, mempalace: tuple) -> None:
    names = [f"{name}@{cutoff}" for name in ("recall_any", "recall_all", "ndcg_any")]
    for convention, values in (("longmemeval", longmemeval), ("mempalace", mempalace)):
        found = [mean(convention, AB, ranked, name) for name in names]
        assert found == pytest.approx(values, rel=1e-12)


def test_questions_without_evidence() -> None:
    qrels = {**AB, "none": {"A": 0}}
    run = {"q": ["A", "x"], "none": ["A"]}

    def value(name: str, measure: str) -> float:
        return gainful.evaluate(qrels, run, measure, convention=name).mean()

    assert value("longmemeval", "recall_any@5") == 1
    assert value("longmemeval", "recall_all@5") == 0
    assert value("mempalace-locomo", "recall@10") == 0.75
    assert value("ragas", "id_based_context_recall") == 0.5
    assert value("deepeval", "contextual_precision") == 0.5


def test_ragas() -> None:
    qrels = {"q": dict.fromkeys("ABC", 1)}
    for name, value in {
        "non_llm_context_precision_with_reference": 0.8333333332916666,
        "context_precision": 0.8333333332916666,
        "id_based_context_precision": 2 / 3,
        "id_based_context_recall": 2 / 3,
        "non_llm_context_recall": 2 / 3,
    }.items():
        assert mean("ragas", qrels, "AXB", name) == pytest.approx(value, rel=1e-10)
    # Ids are sets: two of the three.
    assert mean("ragas", qrels, "AAXB", "id_based_context_precision") == 2 / 3
    assert mean("deepeval", qrels, "AXB", "contextual_precision") == pytest.approx(5 / 6)
    assert mean("deepeval", qrels, "AAXB", "contextual_precision") == pytest.approx(2.75 / 3)
    copies = gainful.conventions["ragas"].replace(duplicates="count")
    run = [("q", document, -rank) for rank, document in enumerate("AAXB")]
    result = gainful.evaluate(qrels, run, "context_precision", convention=copies)
    assert result.mean() == pytest.approx(2.75 / 3)


@pytest.mark.parametrize(
    ("listed", "ranked", "recall", "full", "precision", "ndcg"),
    [
        (TWO_GROUPS, "AC", 1, 1, 1, 1),
        (TWO_GROUPS, "AB", 0.5, 0, 1, 0.6131471927654584),
        (TWO_GROUPS, "AAC", 1, 1, 2 / 3, 0.9197207891481876),
        (TWO_GROUPS, "XBC", 1, 1, 2 / 3, 0.6934264036172708),
    ],
)
def test_autorag_research(
    listed: list, ranked: str, recall: float, full: float, precision: float, ndcg: float
) -> None:
    expected = {"recall": recall, "full_recall": full, "precision": precision, "ndcg": ndcg}
    for name, value in expected.items():
        found = mean("autorag-research", groups(listed), ranked, f"retrieval_{name}")
        assert found == pytest.approx(value, rel=1e-12)


def test_a_document_in_two_groups() -> None:
    """AutoRAG-Research prints nDCG .6131 for it, although both groups are satisfied."""
    name = "autorag-research"
    assert mean(name, groups(SHARED), "A", "retrieval_full_recall") == 1
    assert mean(name, groups(SHARED), "A", "retrieval_ndcg") == 1
    check = gainful.conventions.describe(name).checks["alpha_nDCG"]
    assert "if no document is in two groups" in check.text


@pytest.mark.parametrize(
    ("ranked", "recall", "precision", "ndcg"),
    [
        ("AC", 1, 1, 1),
        ("AB", 0.5, 1, 1),
        ("XBC", 1, 2 / 3, 0.5307212739772434),
    ],
)
def test_autorag(ranked: str, recall: float, precision: float, ndcg: float) -> None:
    for name, value in {"recall": recall, "precision": precision, "ndcg": ndcg}.items():
        found = mean("autorag", groups(TWO_GROUPS), ranked, f"retrieval_{name}")
        assert found == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("convention", ["autorag", "autorag-research"])
@pytest.mark.parametrize("measure", ["retrieval_map", "retrieval_mrr", "retrieval_f1"])
def test_means_over_groups_are_refused(convention: str, measure: str) -> None:
    with pytest.raises(MeasureError, match=f"is not equal to {measure} of {convention}"):
        mean(convention, groups(TWO_GROUPS), "AC", measure)


@pytest.mark.parametrize(
    ("version", "ranked", "recall", "ndcg", "precision"),
    [
        # The precision of newer versions counts copies, which blank does not.
        ("2.16", "AAX", 0.5, 0.6131471927654584, 1 / 3),
        ("2.13", "AAX", 1, 1, 2 / 3),
        ("2.16", "AB", 1, 1, 1),
        ("2.13", "AAB", 1.5, 1.3065735963827292, 1),
    ],
)
def test_trulens(version: str, ranked: str, recall: float, ndcg: float, precision: float) -> None:
    for name, value in {
        "recall_at_k": recall,
        "ndcg_at_k": ndcg,
        "precision_at_k": precision,
    }.items():
        found = mean(f"trulens-{version}", AB, ranked, f"{name}@3")
        assert found == pytest.approx(value, rel=1e-12)


def test_aspects() -> None:
    aspects = {"a1;weight=3": {"A": 1, "B": 1}, "a2;weight=1": {"C": 1}}
    qrels = gainful.Qrels({"q": aspects}, subtopics=True)
    assert mean("bright-pro", qrels, "AB", "a_recall") == 0.75
    assert mean("bright-pro", qrels, "C", "a_recall") == 0.25
    log3 = 1.584962500721156
    ideal = 3 + 1.5 / log3 + 1 / 2
    assert mean("bright-pro", qrels, "CA", "alpha_ndcg") == pytest.approx((1 + 3 / log3) / ideal)


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("longmemeval", "ndcg_any@5"),
        ("mempalace", "recall_any@5"),
        ("ragas", "context_precision"),
        ("deepeval", "contextual_precision"),
        ("trulens", "recall_at_k@5"),
    ],
)
def test_a_question_missing_from_the_run_is_an_error(name: str, measure: str) -> None:
    with pytest.raises(MatchError, match="'r'"):
        gainful.evaluate({**AB, "r": {"A": 1}}, {"q": ["A"]}, measure, convention=name)

"""reconcile(): MIND's reciprocal rank."""

from __future__ import annotations

import pytest

import gainful
from reconcile_data import collection

TYPE_CHECKING = False


def mean_over_relevant(qrels: gainful.Qrels, run: gainful.Run, level: float = 1) -> float:
    """Return the mean reciprocal rank as MIND's script computes it, with 0 for missing items."""
    values = []
    for query, grades in qrels.to_dict().items():
        relevant = {document for document, grade in grades.items() if grade >= level}
        ranked = sorted(run.to_dict().get(query, {}).items(), key=lambda pair: -pair[1])
        ranks = [n for n, (document, _) in enumerate(ranked, 1) if document in relevant]
        values.append(sum(1 / rank for rank in ranks) / len(relevant) if relevant else 0.0)
    return sum(values) / len(values)


@pytest.mark.parametrize(("measure", "level"), [("RR", 1), ("RR(rel=2)", 2), ("RR@50", 1)])
def test_the_reciprocal_rank_of_mind(measure: str, level: int) -> None:
    qrels, run = collection("mind", 40, ties=False, twice=False)
    value = mean_over_relevant(qrels, run, level)
    result = gainful.reconcile(qrels, run, f"{value:.6f}", measure)
    assert result.explained
    assert "all relevant documents" in result.matches[0].readings[0]
    assert result.matches[0].value == pytest.approx(value)
    assert result.matches[0].preset is not None


def test_other_measures_are_not_averaged_over_relevant_documents() -> None:
    qrels, run = collection("mind", 40, ties=False, twice=False)
    result = gainful.reconcile(qrels, run, f"{mean_over_relevant(qrels, run):.8f}", "AP")
    assert not any("all relevant documents" in " ".join(m.readings) for m in result.matches)

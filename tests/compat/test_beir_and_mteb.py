"""BEIR's evaluation and MTEB's calls, with Gainful as a replacement for pytrec_eval."""

from __future__ import annotations

import copy
import importlib
import sys
from random import Random
from types import ModuleType
from typing import Any

import pytest

import gainful.compat
from requirements import need

CUTOFFS = [1, 3, 5, 10, 100, 1000]
Dicts = tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]


@pytest.fixture(scope="module")
def collection() -> Dicts:
    """Return judgments and results like BEIR's, with ties and a document id equal to a query id."""
    random = Random(7)
    documents = [f"doc{number}" for number in range(400)] + ["test-3"]
    qrels, results = {}, {}
    for number in range(60):
        query = f"test-{number}"
        judged = random.sample(documents, random.randint(1, 12))
        qrels[query] = {document: random.choice((0, 1, 1, 2)) for document in judged}
        qrels[query][judged[0]] = 1
        found = random.sample(documents, random.choice((5, 30, 150)))
        results[query] = {
            document: random.choice((random.random(), 0.5, 0.25)) for document in found
        }
    results["test-3"]["test-3"] = 2.0
    qrels["test-900"] = {"doc1": 1}
    return qrels, results


def evaluation(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Reimport BEIR's evaluation with the current pytrec_eval."""
    need("beir")
    monkeypatch.delitem(sys.modules, "beir.retrieval.evaluation", raising=False)
    return importlib.import_module("beir.retrieval.evaluation")


def figures(module: ModuleType, collection: Dicts, **options: bool) -> list[Any]:
    """Return all results of BEIR's evaluation of a collection."""
    qrels, results = copy.deepcopy(collection)
    retrieval = module.EvaluateRetrieval
    found = [retrieval.evaluate(qrels, results, CUTOFFS, **options)]
    for metric in ("mrr", "recall_cap", "hole", "top_k_accuracy"):
        found.append(retrieval.evaluate_custom(qrels, results, CUTOFFS, metric))
    return found


@pytest.mark.parametrize("ignored", [True, False])
def test_beir_has_equal_results(
    monkeypatch: pytest.MonkeyPatch, collection: Dicts, ignored: bool
) -> None:
    theirs = need("pytrec_eval")
    with gainful.compat.install():
        module = evaluation(monkeypatch)
        assert module.pytrec_eval is gainful.compat.pytrec_eval
        ours = figures(module, collection, ignore_identical_ids=ignored)
    module = evaluation(monkeypatch)
    assert module.pytrec_eval is theirs
    assert ours == figures(module, collection, ignore_identical_ids=ignored)
    assert 0 < ours[0][0]["NDCG@10"] < 1


def test_beir_needs_no_pytrec_eval(monkeypatch: pytest.MonkeyPatch, collection: Dicts) -> None:
    # With None in sys.modules, importing the original fails.
    monkeypatch.setitem(sys.modules, "pytrec_eval", None)
    with gainful.compat.install():
        found = evaluation(monkeypatch).EvaluateRetrieval.evaluate(*copy.deepcopy(collection), [10])
    monkeypatch.delitem(sys.modules, "beir.retrieval.evaluation")
    assert set(found[0]) == {"NDCG@10"}


def test_results_have_the_keys_that_mteb_reads(collection: Dicts) -> None:
    # MTEB's retrieval metrics request five names with all cutoffs, then read each key.
    names = {
        "ndcg": "ndcg_cut",
        "map": "map_cut",
        "recall": "recall",
        "precision": "P",
        "hit_rate": "success",
    }
    asked = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in names.values()}
    qrels, results = collection

    def means(module: ModuleType) -> dict[str, float]:
        scores = module.RelevanceEvaluator(qrels, asked).evaluate(results)
        assert list(scores) == list(results)
        return {
            f"{title}_at_{cutoff}": round(
                sum(values[f"{name}_{cutoff}"] for values in scores.values()) / len(scores), 5
            )
            for title, name in names.items()
            for cutoff in CUTOFFS
        }

    ours = means(gainful.compat.pytrec_eval)
    assert ours == means(need("pytrec_eval"))
    assert 0 < ours["ndcg_at_10"] < 1
    assert set(ours.values()) != {0.0}


def assert_rounded_means(collection: Dicts, convention: Any, theirs: dict[str, float]) -> None:
    """Compare means of five digits by the tool's names; halves may be rounded either way."""
    found = gainful.evaluate(*collection, list(theirs), convention=convention)
    for name, value in theirs.items():
        assert found.mean(name) == pytest.approx(value, rel=0, abs=1.01e-5), name
    measures = gainful.conventions.describe(found.convention.name).measures
    assert {measure.family for measure in found.measures} == set(measures or ())


@pytest.mark.parametrize("ignored", [True, False])
def test_the_preset_of_beir(
    monkeypatch: pytest.MonkeyPatch, ignored: bool, collection: Dicts
) -> None:
    need("pytrec_eval")
    qrels, results = copy.deepcopy(collection)
    tables = evaluation(monkeypatch).EvaluateRetrieval.evaluate(
        qrels, results, CUTOFFS, ignore_identical_ids=ignored
    )
    preset = gainful.conventions.get("beir")
    theirs = {name: value for table in tables for name, value in table.items()}
    assert len(theirs) == 4 * len(CUTOFFS)
    assert_rounded_means(collection, preset if ignored else preset.replace(same_id="keep"), theirs)


def test_the_preset_of_mteb(collection: Dicts) -> None:
    """The names are those of its make_score_dict."""
    names = {"ndcg": "ndcg_cut", "map": "map_cut", "recall": "recall", "precision": "P"}
    names["hit_rate"] = "success"
    qrels, results = collection
    asked = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in names.values()}
    scores = need("pytrec_eval").RelevanceEvaluator(qrels, asked).evaluate(results)
    theirs = {
        f"{title}_at_{cutoff}": round(
            sum(values[f"{name}_{cutoff}"] for values in scores.values()) / len(scores), 5
        )
        for title, name in names.items()
        for cutoff in CUTOFFS
    }
    theirs["accuracy"] = theirs["recall_at_1"]
    assert_rounded_means(collection, "mteb", theirs)

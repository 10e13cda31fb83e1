"""Libraries that evaluate with pytrec_eval or ir_measures evaluate with Gainful instead."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

import gainful.compat
import gainful.compat.ir_measures
from requirements import need

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

CUTOFFS = [1, 3, 10, 100]


def collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return judgments and results with ties."""
    random = Random(7)
    documents = [f"d{number}" for number in range(200)]
    qrels, results = {}, {}
    for number in range(40):
        judged = random.sample(documents, random.randint(1, 12))
        qrels[f"q{number}"] = {name: random.choice((0, 1, 1, 2)) for name in judged} | {"d1": 1}
        found = random.sample(documents, random.choice((5, 30, 150)))
        results[f"q{number}"] = {name: random.choice((random.random(), 0.5)) for name in found}
    return qrels, results


@contextmanager
def without_modules_of(package: str) -> Iterator[None]:
    """Import a package again, and forget it."""
    kept = {name: each for name, each in sys.modules.items() if name.partition(".")[0] == package}
    for name in kept:
        del sys.modules[name]
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]
        sys.modules.update(kept)


def scores_of_mteb() -> Any:
    module = importlib.import_module("mteb._evaluators.retrieval_metrics")
    qrels, results = collection()
    found = module.calculate_retrieval_scores(results, qrels, CUTOFFS)
    return module.pytrec_eval, found


def test_mteb_itself() -> None:
    need("mteb")
    theirs = need("pytrec_eval")
    with gainful.compat.install(), without_modules_of("mteb"):
        used, ours = scores_of_mteb()
        assert used is gainful.compat.pytrec_eval
    with without_modules_of("mteb"):
        used, expected = scores_of_mteb()
        assert used is theirs
    assert ours.ndcg == expected.ndcg
    assert 0 < ours.ndcg["NDCG@10"] < 1
    for name in ("all_scores", "map", "recall", "precision", "hit_rate", "mrr"):
        assert getattr(ours, name) == getattr(expected, name), name


def test_pyterrier_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    pyterrier = need("pyterrier")
    measures = need("ir_measures")
    from pandas import DataFrame

    qrels, results = collection()
    judged = DataFrame(
        [(query, name, grade) for query, row in qrels.items() for name, grade in row.items()],
        columns=["qid", "docno", "label"],
    )
    ranked = DataFrame(
        [(query, name, score) for query, row in results.items() for name, score in row.items()],
        columns=["qid", "docno", "score"],
    )
    topics = DataFrame({"qid": list(qrels), "query": "soup"})
    wanted = [measures.nDCG @ 10, measures.AP, measures.P @ 5]

    def experiment() -> list[float]:
        table = pyterrier.Experiment([ranked], topics, judged, wanted, names=["bm25"])
        (row,) = table.to_dict("records")
        assert row.pop("name") == "bm25"
        return [row[str(each)] for each in wanted]

    theirs = experiment()

    def refuse(self: object, wanted: object, qrels: object) -> None:
        raise AssertionError("ir_measures' own provider was asked")

    for own in measures.providers.registry.values():
        monkeypatch.setattr(type(own), "_evaluator", refuse)
    with gainful.compat.ir_measures.register():
        ours = experiment()
    # The order in which queries are added can change the last bit.
    assert ours == pytest.approx(theirs, rel=1e-14)
    assert 0 < ours[0] < 1

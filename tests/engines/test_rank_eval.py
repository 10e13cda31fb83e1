"""The convention named after Elasticsearch gives the numbers of its Ranking Evaluation API."""

from __future__ import annotations

from typing import Any

import pytest

import gainful
from engine_descriptions import FIELDS, fields_of, written
from engine_server import Server
from gainful import demo

pytestmark = pytest.mark.parametrize(
    "server", ["elasticsearch", "opensearch"], indirect=True, scope="session"
)

QUERIES = demo.queries()
JUDGMENTS = demo.qrels()


@pytest.fixture(scope="module")
def run(server: Server, tmp_path_factory: pytest.TempPathFactory) -> gainful.Run:
    system = written(fields_of(server), tmp_path_factory.mktemp("rank_eval"))
    return gainful.search(system, QUERIES, k=100)


def rank_eval(server: Server, metric: dict[str, Any]) -> tuple[float, dict[str, float]]:
    """Return the mean and what each query has, as the engine says."""
    requests = [
        {
            "id": query,
            "request": {
                "query": {"multi_match": {"query": text, "fields": ["title^2", *FIELDS[1:]]}}
            },
            "ratings": [
                {"_index": "shop", "_id": document, "rating": grade}
                for document, grade in JUDGMENTS[query].items()
            ],
        }
        for query, text in QUERIES.items()
    ]
    answer = server.ask("/shop/_rank_eval", {"requests": requests, "metric": metric})
    assert answer["failures"] == {}
    details = answer["details"]
    return answer["metric_score"], {query: details[query]["metric_score"] for query in QUERIES}


@pytest.mark.parametrize("k", [1, 3, 5, 10, 50, 100])
@pytest.mark.parametrize("normalize", [True, False])
def test_dcg(server: Server, run: gainful.Run, k: int, normalize: bool) -> None:
    mean, by_query = rank_eval(server, {"dcg": {"k": k, "normalize": normalize}})
    measure = f"nDCG@{k}" if normalize else f"DCG@{k}"
    convention = "elasticsearch-9.4.2"
    result = gainful.evaluate(JUDGMENTS, run, measure, convention=convention)
    assert dict(result.per_query(measure)) == pytest.approx(by_query, abs=1e-12)
    assert result.mean(measure) == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("k", [1, 5, 10, 100])
@pytest.mark.parametrize(("metric", "measure"), [("recall", "R"), ("mean_reciprocal_rank", "RR")])
def test_recall_and_reciprocal_rank(
    server: Server, run: gainful.Run, metric: str, measure: str, k: int
) -> None:
    _, by_query = rank_eval(server, {metric: {"k": k, "relevant_rating_threshold": 1}})
    result = gainful.evaluate(JUDGMENTS, run, f"{measure}@{k}", convention="elasticsearch-9.4.2")
    assert dict(result.per_query()) == pytest.approx(by_query, abs=1e-12)

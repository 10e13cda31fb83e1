"""The body that Gainful writes for ``_rank_eval`` is taken, and gives what Gainful gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful
from engine_server import Server
from gainful import demo


@pytest.mark.parametrize("server", ["elasticsearch", "opensearch"], indirect=True, scope="session")
def test_a_written_body(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    qrels = gainful.Qrels(demo.qrels())
    qrels.write(path, format="rank_eval:index=shop,field=title", queries=demo.queries())
    body = json.loads(path.read_text("utf-8"))
    for request in body["requests"]:
        request["request"]["size"] = 10
    answer = server.ask("/shop/_rank_eval", body)
    assert answer["failures"] == {}
    # What the engine found, as it says itself, measured by Gainful.
    run = {
        query: [hit["hit"]["_id"] for hit in details["hits"]]
        for query, details in answer["details"].items()
    }
    assert gainful.read_qrels(path) == qrels
    found = gainful.evaluate(path, run, "nDCG@10", convention="elasticsearch-9.4.2")
    scores = {query: details["metric_score"] for query, details in answer["details"].items()}
    assert dict(found.per_query()) == pytest.approx(scores, abs=1e-12)
    assert found.mean() == pytest.approx(answer["metric_score"], abs=1e-12)
    assert found.mean() > 0.1

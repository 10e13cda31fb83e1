"""Rankings without scores are in the given order or in that of their ranks."""

from __future__ import annotations

import random

import pytest

import gainful
from gainful.errors import FormatError
from requirements import need

RANKED = {"q1": ["d3", "d1", "d2"], "q2": ["d9"]}


def frame(library: str, rows: list[tuple[str, str, int]]) -> object:
    queries, documents, ranks = zip(*rows, strict=True)
    columns = {"query_id": list(queries), "doc_id": list(documents), "rank": list(ranks)}
    module = need(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


@pytest.mark.parametrize("kind", [list, tuple, iter])
def test_the_order_given_is_the_ranking(kind: type) -> None:
    run = gainful.Run({query: kind(documents) for query, documents in RANKED.items()})
    assert not run.scored
    assert run.to_dict() == RANKED
    assert run["q1"] == [("d3", None), ("d1", None), ("d2", None)]


def test_pairs_of_document_and_score_have_scores() -> None:
    run = gainful.Run({"q": [("d1", 1.0), ["d2", 2]]})
    assert run.scored
    assert run["q"] == [("d2", 2.0), ("d1", 1.0)]


@pytest.mark.parametrize("library", ["polars", "pyarrow", "pandas"])
def test_ranks_order_a_frame_without_scores(library: str) -> None:
    rows = [(q, d, rank) for q, ranking in RANKED.items() for rank, d in enumerate(ranking, 1)]
    random.Random(1).shuffle(rows)
    run = gainful.Run(frame(library, rows))
    assert not run.scored
    assert run == gainful.Run(RANKED)


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_duplicate_ranks_are_errors(library: str) -> None:
    with pytest.raises(FormatError, match="row 2.*duplicate rank"):
        gainful.Run(frame(library, [("q", "a", 2), ("p", "a", 1), ("q", "b", 2)]))


def test_a_run_has_scores_everywhere_or_nowhere() -> None:
    with pytest.raises(FormatError, match="query 'q2': the document has a score"):
        gainful.Run({"q1": ["d1"], "q2": {"d1": 1.0}})


def test_the_ranking_orders_an_evaluation_without_scores() -> None:
    result = gainful.evaluate({"q1": {"d3": 1}}, RANKED, "RR")
    assert result.mean("RR") == 1.0


def test_ranks_order_if_the_convention_uses_them() -> None:
    pyarrow = need("pyarrow")
    run = pyarrow.table(
        {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0], "rank": [2, 1]}
    )
    by_rank = gainful.conventions["gainful-1"].replace(order="rank")
    assert gainful.evaluate({"q": {"b": 1}}, run, "RR").mean() == 0.5
    assert gainful.evaluate({"q": {"b": 1}}, run, "RR", convention=by_rank).mean() == 1.0

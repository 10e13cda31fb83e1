"""Data checks: what contradicts itself in judgments and runs, from every source."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from evaluation_words import doubts
from requirements import need

pandas = pytest.importorskip("pandas")

RISES = "The scores rise from the first document to the last in every query."
CONTRARY = "Ranks contradict scores in 1 of the 1 queries examined, and scores decide."
TIED = "ties decide the first ranks of 1 query"

Rows = list[tuple[str, str, int | float, float]]


def trec(rows: Rows, folder: Path) -> object:
    path = folder / "a.run"
    path.write_text("".join(f"{q} Q0 {d} {rank} {score} t\n" for q, d, rank, score in rows))
    return path


def csv(rows: Rows, folder: Path) -> object:
    path = folder / "a.csv"
    lines = [f"{q},{d},{rank},{score}\n" for q, d, rank, score in rows]
    path.write_text("query_id,doc_id,rank,score\n" + "".join(lines))
    return path


def jsonl(rows: Rows, folder: Path) -> object:
    path = folder / "a.jsonl"
    names = ("query_id", "doc_id", "rank", "score")
    path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    return path


def read(rows: Rows, folder: Path) -> object:
    return gainful.read_run(str(trec(rows, folder)))


def mapping(rows: Rows, folder: Path) -> object:
    found: dict[str, dict[str, float]] = {}
    for query, document, _, score in rows:
        found.setdefault(query, {})[document] = score
    return found


def frame(rows: Rows, folder: Path) -> object:
    return pandas.DataFrame(rows, columns=["query_id", "doc_id", "rank", "score"])


#: Sources that keep ranks next to scores, and sources of scores alone.
WITH_RANKS = (trec, read, csv, jsonl)
WITHOUT = (mapping, frame)


@pytest.mark.parametrize("source", WITH_RANKS + WITHOUT)
def test_distances_rise(source: Callable[[Rows, Path], object], tmp_path: Path) -> None:
    rows: Rows = [("q1", "a", 1, 0.11), ("q1", "b", 2, 0.42), ("q1", "c", 3, 0.93)]
    assert RISES in doubts({"q1": {"a": 1}}, source(rows, tmp_path))
    rows = [(query, document, rank, -score) for query, document, rank, score in rows]
    assert doubts({"q1": {"a": 1}}, source(rows, tmp_path)) == ""


@pytest.mark.parametrize("source", WITH_RANKS)
def test_ranks_contradict_scores(source: Callable[[Rows, Path], object], tmp_path: Path) -> None:
    scores = [1.738, 1.596, 1.590, 1.983, 1.954, 1.760]
    rows: Rows = [("q1", f"d{rank}", rank, score) for rank, score in enumerate(scores, 1)]
    run = source(rows, tmp_path)
    assert CONTRARY in doubts({"q1": {"d1": 2, "d2": 1}}, run, "nDCG@5")
    by_rank = gainful.conventions.get("gainful-1").replace(order="rank")
    assert (
        gainful.evaluate({"q1": {"d1": 2, "d2": 1}}, run, "nDCG@5", convention=by_rank).mean() == 1
    )
    assert doubts({"q1": {"d1": 2, "d2": 1}}, run, "nDCG@5", convention=by_rank) == ""


@pytest.mark.parametrize("source", WITH_RANKS)
def test_ranks_and_scores_are_exchanged(
    source: Callable[[Rows, Path], object], tmp_path: Path
) -> None:
    rows: Rows = [("q1", "a", 9.5, 2), ("q1", "b", 8.25, 1)]
    found = doubts({"q1": {"a": 1}}, source(rows, tmp_path))
    assert "The ranks of 1 query are not whole. Are the columns of ranks and scores" in found


@pytest.mark.parametrize("source", WITH_RANKS + WITHOUT)
@pytest.mark.parametrize("measure", ["RR", "AP", "nDCG@10", "nDCG@2"])
def test_ties_decide(measure: str, source: Callable[[Rows, Path], object], tmp_path: Path) -> None:
    rows: Rows = [("q1", document, rank, 1) for rank, document in enumerate("abc", 1)]
    assert TIED in doubts({"q1": {"a": 1}}, source(rows, tmp_path), measure)
    everything = {"q1": dict.fromkeys("abc", 1)}
    assert TIED not in doubts(everything, source(rows, tmp_path), measure)


def test_ties_below_the_cutoff_and_within_a_set_decide_nothing() -> None:
    run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0}}
    assert doubts({"q1": {"a": 2, "c": 1}}, run, "nDCG@2") == ""
    assert doubts({"q1": {"a": 2, "c": 1}}, run, "P@4") == ""
    assert TIED in doubts({"q1": {"a": 2, "c": 1}}, run, "nDCG@4")


@pytest.mark.parametrize(
    ("scores", "rises"),
    [
        ([[1, 2, 3]], True),
        ([[1, 2], [1, 2], [1, 2]], True),
        # A random order of two scores rises half of the time.
        ([[1, 2]], False),
        ([[1, 2], [1, 2]], False),
        ([[1, 2, 3], [2, 1]], False),
        ([[1, 2, 2]], False),
        ([[1], [2], [3]], False),
    ],
)
def test_scores_that_rise_by_chance_are_no_doubt(scores: list[list[float]], rises: bool) -> None:
    run = {f"q{n}": {f"d{k}": s for k, s in enumerate(each)} for n, each in enumerate(scores)}
    qrels = {query: dict.fromkeys(documents, 1) for query, documents in run.items()}
    assert (RISES in doubts(qrels, run)) == rises


@pytest.mark.parametrize(
    ("judged", "run", "named"),
    [
        ("q2", "Q2", "'q2' in the judgments, 'Q2' in the run"),
        ("topic 7", "topic-007", "'topic 7' in the judgments, 'topic-007' in the run"),
        ("9", "9.0", "'9' in the judgments, '9.0' in the run"),
        ("q2", "\ufeffq2", r"'q2' in the judgments, '\ufeffq2' in the run"),
        ("caf\u00e9", "cafe\u0301", "Ids of queries nearly match"),
        ("q2", "q20", ""),
        ("q10", "q1", ""),
    ],
)
def test_ids_that_nearly_match(judged: str, run: str, named: str) -> None:
    found = doubts({"a": {"d": 1}, judged: {"d": 1}}, {"a": {"d": 1.0}, run: {"d": 1.0}})
    assert named in found
    assert ("nearly match" in found) == bool(named)


def test_a_header_among_the_queries_is_named(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.tsv", tmp_path / "a.run"
    qrels.write_text("uid\tsku\nu1\tp1\nu2\tp2\n")
    run.write_text("u1 Q0 p1 1 2 t\nu2 Q0 p2 1 2 t\n")
    judged = gainful.read_qrels(str(qrels), columns=["query", "doc"], header=False)
    assert "1 not in the run (uid; counted as empty)" in doubts(judged, run)


@pytest.mark.parametrize("threads", [1, 3])
def test_numbers_do_not_depend_on_threads(threads: int, tmp_path: Path) -> None:
    # Large enough for several segments.
    queries, depth = 3000, 20
    qrels = {f"q{number:04}": {"d3": 1} for number in range(queries)}
    path = tmp_path / "a.run"
    with path.open("w") as file:
        for query in qrels:
            for rank in range(depth):
                score = 5 if rank == 7 else -rank
                file.write(f"{query} Q0 d{rank} {rank + 1} {score} {'tag' * 20}\n")
    found = doubts(qrels, path, threads=threads)
    assert "Ranks contradict scores in 100 of the 100 queries examined" in found


def test_real_runs_in_order_pass_and_a_run_of_ties_does_not() -> None:
    folder = need("shared-data") / "robust03"
    qrels = folder / "qrels.robust03.txt.gz"
    assert doubts(qrels, folder / "input.humR03dc.gz", "AP") == ""
    assert "ties decide the first ranks of 72 queries" in doubts(
        qrels, folder / "input.rutcor03100.gz", "AP"
    )


def test_a_copy_of_an_evaluation_keeps_its_checks() -> None:
    import pickle

    result = gainful.evaluate({"q1": {"a": 1}}, {"q1": {"a": 0.1, "b": 0.4, "c": 0.9}}, "RR")
    assert RISES in str(pickle.loads(pickle.dumps(result)))
    other = gainful.evaluate({"q2": {"a": 1}}, {"q2": {"a": 0.1, "b": 0.4, "c": 0.9}}, "RR")
    assert RISES in str(gainful.Evaluation.concat([result, other]))

"""Verdicts across chunkings: budgets compare them, ranks do not."""

from __future__ import annotations

import json
import pickle
import random

import pytest

import gainful
from gainful.cli import main

TEXT = 4_000
QUERIES = 24


def chunked(size: int, seed: int, *, k: int = 50) -> dict[str, dict[str, float]]:
    """Return a run that ranks all chunks of one size, better near the evidence."""
    numbers = random.Random(seed)
    run: dict[str, dict[str, float]] = {}
    for query in range(QUERIES):
        center = place(query)[0]
        scores = {
            f"d{query}#char={start},{start + size}": numbers.gauss(-abs(start - center), 300)
            for start in range(0, TEXT, size)
        }
        run[f"q{query}"] = dict(sorted(scores.items(), key=lambda pair: -pair[1])[:k])
    return run


def place(query: int) -> tuple[int, int]:
    start = random.Random(query).randrange(0, TEXT - 150)
    return start, start + 150


GOLD = {f"q{query}": {"d{}#char={},{}".format(query, *place(query)): 1} for query in range(QUERIES)}
SMALL, LARGE = chunked(200, 1), chunked(1_000, 2)


def pair_of(runs: dict[str, object], measure: str):
    return gainful.compare(GOLD, runs, measure, resamples=2_000, bootstrap=0).pairs[0]


@pytest.mark.parametrize(
    "measure", ["SpanR@3", "SpanDCG@3", "SpanP@3", "SpanFull@3", "FullRecall@3", "SpanR"]
)
def test_ranks_do_not_compare_chunkings(measure):
    pair = pair_of({"small": SMALL, "large": LARGE}, measure)
    assert pair.verdict == "not comparable"
    assert "compare within a budget" in pair.verdict_text


@pytest.mark.parametrize("measure", ["SpanR(budget=1000)", "SpanU(L=2000)"])
def test_budgets_compare_chunkings(measure):
    pair = pair_of({"small": SMALL, "large": LARGE}, measure)
    assert pair.withheld is None
    assert pair.verdict != "not comparable"


@pytest.mark.parametrize("measure", ["SpanR@3", "SpanDCG@3", "SpanR(budget=1000)"])
def test_systems_with_the_same_chunks_are_compared_at_any_measure(measure):
    pair = pair_of({"one": SMALL, "two": chunked(200, 3)}, measure)
    assert pair.withheld is None


def test_lists_that_end_before_the_budget_get_no_verdict():
    short = chunked(200, 1, k=2)
    runs = {"short": short, "large": LARGE}
    evaluation = gainful.evaluate(GOLD, short, ["SpanR", "SpanUnits"])
    units, coverage = evaluation.per_query("SpanUnits"), evaluation.per_query("SpanR")
    ended = [units[query] for query in units if units[query] < 1_000 and coverage[query] < 1]
    pair = pair_of(runs, "SpanR(budget=1000)")
    assert pair.verdict == "not comparable"
    assert pair.withheld == (
        f"{len(ended)} lists of short end before 1,000, the shortest at {min(ended):,.0f}"
    )
    # Two chunks of 200 characters reach this far.
    assert pair_of(runs, "SpanR(budget=400)").withheld is None
    assert "lists of short end before" in str(gainful.compare(GOLD, runs, "SpanR(budget=1000)"))


def test_documents_without_places_are_compared_as_ever():
    pair = gainful.compare(
        {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}},
        {"x": {"q1": ["a"], "q2": ["b"], "q3": ["c"]}, "y": {"q1": ["z"], "q2": ["b"], "q3": []}},
        "R@1",
    ).pairs[0]
    assert pair.withheld is None


def test_groups_of_spans_get_no_verdict_at_a_rank_either() -> None:
    grouped = gainful.Qrels(
        {"q": {}, **{query: {"fact": places} for query, places in GOLD.items()}}, subtopics=True
    )
    runs = {"small": SMALL, "large": LARGE}
    pair = gainful.compare(grouped, runs, "FullRecall@5", resamples=2_000, bootstrap=0).pairs[0]
    assert pair.verdict == "not comparable"


def test_values_computed_elsewhere_keep_their_verdicts(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    gainful.Qrels(GOLD).write("gold.tsv")
    for name, run in (("small", SMALL), ("large", LARGE)):
        gainful.Run(run).write(f"{name}.tsv")
    rows = [
        f"{query},{name},{int(name == 'large')}\n" for query in GOLD for name in ("small", "large")
    ]
    (tmp_path / "answers.csv").write_text("query_id,system,correct\n" + "".join(rows))
    words = ["compare", "gold.tsv", "small.tsv", "large.tsv", "-m", "SpanR@5"]
    assert main([*words, "--values", "answers.csv", "--format", "json"]) == 0
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    assert {pair["measure"]: pair["verdict"] for pair in pairs} == {
        "SpanR@5": "not comparable",
        "correct": "better",
    }


def test_evaluations_have_the_verdicts_of_their_runs(tmp_path):
    runs = {"small": SMALL, "large": LARGE}
    for measure in ("SpanR@3", "SpanR(budget=1000)", "FullRecall@3"):
        whole = gainful.evaluate(GOLD, runs=runs, measures=measure)
        parts = [gainful.evaluate(GOLD, runs={name: runs[name]}, measures=measure) for name in runs]
        expected = pair_of(runs, measure)
        for evaluations in (whole, parts):
            pair = gainful.compare(evaluations, resamples=2_000, bootstrap=0).pairs[0]
            assert (pair.verdict, pair.withheld) == (expected.verdict, expected.withheld)


@pytest.mark.parametrize("measure", ["SpanR@3", "SpanR(budget=1000)"])
def test_values_without_runs_get_no_verdict(measure, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    evaluation = gainful.evaluate(GOLD, runs={"small": SMALL, "large": LARGE}, measures=measure)
    restored = pickle.loads(pickle.dumps(evaluation))
    values = {name: evaluation.per_query(measure, name) for name in evaluation.systems}
    for stored in (restored, gainful.Evaluation.from_values(values, measure)):
        pair = gainful.compare(stored, resamples=2_000, bootstrap=0).pairs[0]
        assert (pair.verdict, pair.withheld) == (
            "not comparable",
            "the chunks are unknown; compare the runs",
        )
    lines = [f"{q},{values['small'][q]},{values['large'][q]}" for q in values["small"]]
    (tmp_path / "answers.csv").write_text("\n".join(["query,small,large", *lines]) + "\n", "utf-8")
    assert main(["compare", "answers.csv", "-m", measure]) == 0
    assert "not comparable: the chunks are unknown" in capsys.readouterr().out
    assert main(["compare", "answers.csv"]) == 0
    assert "not comparable" not in capsys.readouterr().out

"""``gainful pool --queries``: a random sample of queries, and the check of its record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.cli import main
from gainful.data.samples import QuerySample
from gainful.errors import FormatError, ParameterError
from gainful.pooling import Pool
from json_schema import errors, schema_of
from model_labels import collection, write_collection


def drawn(queries: int = 30, **options: Any) -> Pool:
    return gainful.pool(collection()[2], depth=5, queries=queries, **options)


def judged(pool: Pool) -> dict[str, dict[str, float]]:
    """Return judgments of the pooled queries."""
    people, model, _ = collection()
    return {query: people.get(query, model[query]) for query in pool.counts()}


def combined(people: object, sampled: object, **options: object) -> Any:
    _, model, runs = collection()
    options = {"predicted": model, "sampled": sampled, **options}
    return gainful.evaluate(people, runs, "P@5", **options)  # type: ignore[call-overload]


@pytest.mark.parametrize("strategy", ["depth", "sample", "mtf", "mtc"])
def test_a_pool_of_a_random_sample_has_the_documents_of_its_queries(strategy: str) -> None:
    options = {"strategy": strategy, "budget": 200, "depth": 5}
    part = gainful.pool(collection()[2], queries=30, seed=7, **options)
    assert part.query_sample == QuerySample(drawn=30, queries=120, seed=7)
    assert len(part.counts()) <= 30
    assert len(part)
    assert part.query_sample.draw(collection()[1]) >= set(part.queries)
    assert errors(json.loads(json.dumps(part.to_dict())), schema_of("pool")) == []


def test_every_query_is_drawn_equally_often() -> None:
    counts = dict.fromkeys(collection()[1], 0)
    for seed in range(150):
        for query in drawn(30, seed=seed).counts():
            counts[query] += 1
    shares = np.array(list(counts.values())) / 150
    assert shares.mean() == pytest.approx(0.25)
    assert abs(shares - 0.25).max() < 4.5 * (0.25 * 0.75 / 150) ** 0.5


@pytest.mark.parametrize("strategy", ["depth", "sample"])
def test_the_recorded_draw_replaces_the_declaration(strategy: str, tmp_path: Path) -> None:
    pool = drawn(strategy=strategy, budget=150, seed=5)
    file = tmp_path / "pool.jsonl"
    pool.write(file)
    people = judged(pool)
    declared = combined(people, "random")
    for sampled in (pool, file, str(file)):
        found = combined(people, sampled)
        assert found.to_dict()["estimates"] == declared.to_dict()["estimates"]
        assert "30 of 120 queries that were drawn at random (seed 5)" in " ".join(
            str(found).split()
        )
    assert "Valid if people judged" in str(declared)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("lost", "was drawn, but people did not judge it"),
        ("more", "was judged by people, but not drawn"),
        ("seed", "was drawn, but people did not judge it"),
        ("model", "drawn from 120 queries, but the model judged 119"),
        ("undrawn", "random, or a pool with a random sample of queries"),
    ],
)
def test_judgments_that_contradict_the_record_are_refused(change: str, message: str) -> None:
    pool, (_, model, runs) = drawn(seed=5), collection()
    people, options = judged(pool), {}
    if change == "lost":
        people.pop(next(iter(people)))
    elif change == "more":
        other = next(query for query in model if query not in people)
        people[other] = model[other]
    elif change == "seed":
        pool = drawn(seed=6)
    elif change == "model":
        options["predicted"] = dict(list(model.items())[:-1])
    else:
        pool = gainful.pool(runs, depth=5)
    with pytest.raises(ParameterError, match=message):
        combined(people, pool, **options)


@pytest.mark.parametrize(
    "rows",
    [
        [{"query_id": "q1", "doc_id": "d1", "judges": 1}],
        [{"query_id": "q1", "query_sample": {"drawn": 3, "queries": "5", "seed": 0}}],
        [{"query_sample": {"drawn": n, "queries": 120, "seed": 0}} for n in (30, 31)],
    ],
)
def test_a_file_without_a_record_is_refused(rows: list[object], tmp_path: Path) -> None:
    file = tmp_path / "pool.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(FormatError, match="no record of a random sample of queries"):
        combined(judged(drawn()), file)


@pytest.mark.parametrize(("queries", "message"), [(121, "at most the 120"), (0, "1 or more")])
def test_impossible_numbers_are_refused(queries: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        drawn(queries)


def test_commands_draw_record_and_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    runs = ["good.run", "poor.run"]
    words = ["pool", *runs, "--queries", "30", "--seed", "4", "--depth", "5", "-o", "pool.jsonl"]
    assert main(words) == 0
    assert "random sample of queries 30 of 120" in " ".join(capsys.readouterr().out.split())
    gainful.Qrels(judged(drawn(seed=4))).write("people.qrels")
    options = ["--predicted", "llm.qrels", "--sampled", "pool.jsonl"]
    assert main(["gate", "llm.qrels", "good.run", "--save", "saved.json"]) == 0
    for command in (
        ["evaluate", "people.qrels", *runs],
        ["compare", "people.qrels", *runs],
        ["report", "people.qrels", *runs, "-o", "report.html"],
        ["gate", "people.qrels", "good.run", "--snapshot", "saved.json"],
        ["analyze-power", "people.qrels", *runs],
    ):
        assert main([*command, *options]) == 0, command
        command[1] = "human.qrels"
        assert main([*command, *options]) == 2, command
        assert "was drawn, but people did not judge it" in capsys.readouterr().err


def test_a_draw_does_not_depend_on_the_order_of_queries() -> None:
    turned = {name: dict(reversed(run.items())) for name, run in collection()[2].items()}
    assert set(gainful.pool(turned, depth=5, queries=30).counts()) == set(drawn().counts())

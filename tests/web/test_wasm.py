"""The kernel in WebAssembly, in Node, gives the numbers of the kernel in Python."""

from __future__ import annotations

import json
import math
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

import browser
import gainful
from gainful.inference import randomization_test
from requirements import ROOT, need

Question = dict[str, Any]

_ABOUT = {"qrels": "qrels.txt", "run": "random.run", "cutoff": 10}


@pytest.fixture(scope="module")
def conventions() -> dict[str, Any]:
    return browser.conventions()


def ask(questions: list[Question], conventions: dict[str, Any]) -> list[Any]:
    node, wasm = need("node"), need("wasm")
    Path("conventions.json").write_text(json.dumps(conventions), "utf-8")
    script = ROOT / "docs/_static/web/kernel.js"
    done = subprocess.run(
        [node, ROOT / "tests/web/ask.mjs", script, wasm, "conventions.json"],
        input="".join(f"{json.dumps(question)}\n" for question in questions),
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def near(value: float | None, own: float | None) -> bool:
    """Whether numbers are equal: logarithms and powers may differ in their last bit."""
    if value is None or own is None:
        return value is own
    return math.isclose(value, own, rel_tol=1e-14, abs_tol=1e-15)


def _defined(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def write_random(seed: int) -> None:
    drawn = random.Random(seed)
    lines, ranked = [], []
    for number in range(30):
        for document in range(40):
            if drawn.random() < 0.4:
                lines.append(f"q{number} 0 d{document} {drawn.choice((0, 0, 1, 2, 3))}")
            if drawn.random() < 0.7:
                # Rounded, so that some scores are equal.
                ranked.append((f"q{number}", f"d{document}", round(drawn.random(), 1)))
    Path("qrels.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    text = "".join(f"{query} Q0 {document} 0 {score} t\n" for query, document, score in ranked)
    Path("random.run").write_text(text, "utf-8")


def test_values_under_every_convention(
    conventions: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("node")
    need("wasm")
    monkeypatch.chdir(tmp_path)
    write_random(7)
    questions = [
        {**_ABOUT, "convention": name, "family": family, "query": None}
        for name, convention in conventions.items()
        for family in convention["measures"]
    ]
    compared = 0
    for question, answer in zip(questions, ask(questions, conventions), strict=True):
        measure = f"{question['family']}@10"
        about = f"{question['convention']}, {measure}"
        try:
            own = gainful.evaluate(
                "qrels.txt", "random.run", measure, convention=question["convention"]
            )
        except gainful.GainfulError:
            assert "error" in answer, about
            continue
        assert "error" not in answer, (about, answer)
        rows = own.records("queries")
        values = dict(zip(rows["query_id"], rows[repr(own.measures[0])], strict=True))
        found = {
            each["id"]: None if each["skipped"] else each["value"] for each in answer["queries"]
        }
        assert set(found) == set(values), about
        assert all(near(found[name], _defined(value)) for name, value in values.items()), about
        summary = own.summary()
        assert (answer["n"], near(answer["mean"], _defined(summary.value))) == (summary.n, True), (
            about
        )
        compared += 1
    assert compared > 150


def test_an_account_is_that_of_explain(
    conventions: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("node")
    need("wasm")
    monkeypatch.chdir(tmp_path)
    write_random(8)
    questions = [
        {**_ABOUT, "convention": name, "family": "nDCG", "query": f"q{number}"}
        for number, name in enumerate(("gainful-1", "trec_eval-9.0.8", "burges-2005"))
    ]
    for question, answer in zip(questions, ask(questions, conventions), strict=True):
        own = gainful.explain(
            "qrels.txt",
            "random.run",
            question["query"],
            "nDCG@10",
            convention=question["convention"],
        )
        account = answer["account"]
        assert near(account["value"], own.value)
        assert [near(*pair) for pair in zip(account["parts"], (own.dcg, own.idcg), strict=True)]
        assert [each["document"] for each in account["ranks"]] == [
            each.document for each in own.ranks
        ]
        for each, rank in zip(account["ranks"], own.ranks, strict=True):
            assert (each["grade"], each["score"]) == (rank.grade, rank.score)
            assert near(each["contribution"], rank.contribution)


@pytest.mark.parametrize("count", [0, 1, 7, 20, 21, 60, 500])
def test_a_comparison_is_that_of_the_randomization_test(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("node")
    need("wasm")
    monkeypatch.chdir(tmp_path)
    drawn = random.Random(count)
    # Some differences are 0, and some sums are equal.
    differences = [round(drawn.gauss(0.05, 0.3), 1) for _ in range(count)] + [0.0]
    (answer,) = ask([{"differences": differences}], {})
    own = randomization_test(differences)
    assert (answer["p"], answer["exact"]) == (own.p, own.exact)
    assert answer["resamples"] == own.resamples


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ("", "q1 Q0 d1 1 2.0 t\n", "qrels.txt"),
        ("q1 0 d1 1\n", "q1 Q0 d1 1 high t\n", "random.run: line 1"),
        ("q1 0 d1 1\n", "q2 Q0 d1 1 2.0 t\n", "judg"),
        ("q1 0 d1 1\n", "q1 Q0 d1 1 2.0 t\nq1 Q0 d1 2 1.0 t\n", "query q1: document d1:"),
        ("q1 0 d1 1\n", "PAR1", "random.run: Parquet and Arrow files cannot be read here"),
    ],
    ids=["empty", "no number", "no common query", "duplicate", "columns"],
)
def test_errors_name_the_place(
    qrels: str,
    run: str,
    message: str,
    conventions: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(qrels)
    Path("random.run").write_text(run)
    asked = {**_ABOUT, "convention": "gainful-1", "family": "nDCG", "query": None}
    # The kernel answers again after an error.
    first, second = ask([asked, asked], conventions)
    assert message in first["error"]
    assert second == first

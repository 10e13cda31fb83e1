"""`gainful explain`: the default query, the formats, texts next to ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful as package
from gainful.cli import main
from gainful_program import gainful

pytestmark = pytest.mark.usefixtures("small_files")

ONE = ("explain", "qrels.txt", "bm25.run")
TEXTS = ("--docs", "docs.jsonl", "--queries", "queries.jsonl")


@pytest.mark.parametrize("query", ["q1", "q4"])
def test_the_output_equals_that_of_the_function(query: str, output_of) -> None:
    account = package.explain("qrels.txt", "bm25.run", query)
    assert output_of(*ONE, "--query", query) == f"{account}\n"


def test_the_default_is_the_query_with_the_lowest_value(output_of) -> None:
    values = package.evaluate("qrels.txt", "bm25.run", "nDCG@10").per_query()
    counted = {query: value for query, value in values.items() if query != "q6"}
    worst = min(counted, key=counted.__getitem__)
    printed = output_of(*ONE)
    assert printed.startswith(f"query {worst}")
    assert f"Query {worst} has the lowest value" in printed


@pytest.mark.parametrize("style", ["table", "markdown", "latex"])
def test_titles_are_next_to_ids(style: str, output_of) -> None:
    text = output_of(*ONE, "-q", "q1", *TEXTS, "--format", style)
    assert "lentil soup" in text
    assert "Lentil soup with cumin" in text
    assert "r01" in text


def test_json_is_complete(output_of) -> None:
    found = json.loads(output_of(*ONE, "-q", "q1", *TEXTS, "--format", "json"))
    account = package.explain(
        "qrels.txt", "bm25.run", "q1", docs="docs.jsonl", queries="queries.jsonl"
    )
    assert len(found.pop("inputs")) == 4
    assert found == json.loads(json.dumps(account.to_dict()))
    assert found["schema"] == "gainful.explanation/1"


def test_measure_convention_and_depth(output_of) -> None:
    words = ("-q", "q1", "-m", "nDCG(gain=exponential)@5", "--depth", "2", "--format", "json")
    found = json.loads(output_of(*ONE, *words, "--policy", "ties=expected"))
    assert found["measure"] == "nDCG(gain='exponential')@5"
    assert found["convention"]["ties"] == "expected"
    assert len(found["ranks"]) == 2


def test_standard_input(small_files: Path, output_of) -> None:
    content = (small_files / "bm25.run").read_bytes()
    piped = gainful("explain", "qrels.txt", "-", input=content).stdout
    assert piped.decode() == output_of(*ONE) != ""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("-q", "q99"), ["'q99'", "q1"]),
        (("-m", "NumRet", "-q", "q1"), ["NumRet"]),
        (("--depth", "0"), ["depth", "1 or more"]),
        (("--docs", "none.jsonl"), ["none.jsonl", "no such file"]),
    ],
)
def test_each_mistake_gives_one_message(
    words: tuple[str, ...], expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*ONE, *words]) == 2
    message = capsys.readouterr().err
    assert message.startswith("gainful: ")
    assert message.count("\n") == 1
    for each in expected:
        assert each in message

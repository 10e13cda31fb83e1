"""`gainful demo rag`: its data are sound, its numbers correct, and its commands work."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from statistics import fmean

import pytest

import gainful
from gainful.cli import main
from gainful.demo.collection import questions_path
from gainful.demo.handbook import (
    BUDGET,
    CHUNKINGS,
    MEASURES,
    RANKS,
    chunk,
    compare_chunkings,
    handbook,
)
from requirements import need

EXTRA = "a baseline of the demo"


@pytest.fixture(scope="module")
def shown():
    need("bm25s", EXTRA)
    need("PyStemmer", EXTRA)
    return compare_chunkings()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    need("bm25s", EXTRA)
    need("PyStemmer", EXTRA)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evidence() -> dict[str, list[str]]:
    rows = map(json.loads, questions_path().read_text("utf-8").splitlines())
    return {row["query_id"]: row["reference_contexts"] for row in rows}


def place_of(chunk: str) -> tuple[str, int, int]:
    document, start, end = re.fullmatch(r"(.+)#char=(\d+),(\d+)", chunk).groups()
    return document, int(start), int(end)


def positions_read(ranking: list[str], chunks: int, budget: int) -> set[tuple[str, int]]:
    read: set[tuple[str, int]] = set()
    for name in ranking[:chunks]:
        document, start, end = place_of(name)
        end = min(end, start + budget)
        budget -= end - start
        read |= {(document, position) for position in range(start, end)}
    return read


def test_every_quote_is_at_one_place() -> None:
    texts = handbook()
    quotes = [quote for quotes in evidence().values() for quote in quotes]
    assert (len(texts), len(evidence()), len(quotes)) == (10, 40, 48)
    assert {sum(text.count(quote) for text in texts.values()) for quote in quotes} == {1}


@pytest.mark.parametrize("name", CHUNKINGS)
def test_chunks_cover_the_handbook(name: str) -> None:
    size, overlap = CHUNKINGS[name]
    texts = handbook()
    ends: dict[str, int] = {}
    for place, text in chunk(texts, size, overlap).items():
        document, start, end = place_of(place)
        assert text == texts[document][start:end]
        assert 0 < len(text) <= size
        assert start == (ends[document] - overlap if document in ends else 0)
        assert len(text) == size or end == len(texts[document])
        ends[document] = end
    assert ends == {document: len(text) for document, text in texts.items()}


def test_the_numbers_are_shares_of_sets_of_characters(shown) -> None:
    texts = handbook()
    expected = {name: {measure: [] for measure in MEASURES[1:-1]} for name in CHUNKINGS}
    for query, quotes in evidence().items():
        gold = []
        for quote in quotes:
            document = next(name for name, text in texts.items() if quote in text)
            start = texts[document].index(quote)
            gold.append({(document, start + place) for place in range(len(quote))})
        union = set.union(*gold)
        for name, values in expected.items():
            # Equal scores: the larger id first.
            rows = sorted(((score, doc) for doc, score in shown.runs[name][query]), reverse=True)
            ranking = [doc for _, doc in rows]
            five = positions_read(ranking, 5, 10**9)
            values[RANKS].append(len(five & union) / len(union))
            values["FullRecall@5"].append(all(five & part for part in gold))
            for budget in (500, 1000, 2000):
                read = positions_read(ranking, len(ranking), budget)
                values[f"SpanR(budget={budget})"].append(len(read & union) / len(union))
    for name, values in expected.items():
        for measure, numbers in values.items():
            assert shown.evaluation.mean(measure, name) == pytest.approx(fmean(numbers)), measure


def test_the_winner_changes_with_the_unit(shown) -> None:
    by_ranks, by_budget = shown.winners
    assert (by_ranks, by_budget) == ("chunks-1000", "chunks-400")
    assert shown.comparison.pair(by_budget, by_ranks, measure=BUDGET).verdict == "better"
    assert [explanation.value for explanation in shown.explanations] == [0, 1]


@pytest.mark.parametrize("words", [(), ("-o", "a folder")])
def test_the_suggested_commands_work(words: tuple[str, ...], folder: Path, capsys) -> None:
    assert main(["demo", "rag", *words]) == 0
    text = capsys.readouterr().out
    assert list(folder.iterdir()) == ([folder / "a folder"] if words else [])
    commands = [line.strip() for line in text.splitlines() if line.startswith("  gainful ")]
    prose = [line for line in text.splitlines() if "gainful " not in line]
    assert max(map(len, prose)) <= 102
    assert len(commands) >= 6
    for command in map(shlex.split, commands):
        assert main(command[1:]) == 0, command
        out, _ = capsys.readouterr()
        assert out or "-o" in command


def test_the_files_give_the_numbers_shown(folder: Path, shown, capsys) -> None:
    assert main(["demo", "rag", "-o", "rag"]) == 0
    text = capsys.readouterr().out
    runs = {name: f"rag/{name}.tsv" for name in CHUNKINGS}
    result = gainful.evaluate("rag/gold.tsv", runs=runs, measures=MEASURES)
    for measure in MEASURES[1:]:
        means = [f"{result.mean(measure, name):.4f}".removeprefix("0") for name in runs]
        line = next(line for line in text.splitlines() if line.startswith(f"{measure} "))
        assert line.split()[1:] == means
    # Searching the written texts gives the written judgments.
    before = Path("rag/gold.tsv").read_bytes()
    located = gainful.locate("rag/handbook", "rag/questions.jsonl")
    assert located.is_complete
    located.save("rag/gold.tsv")
    assert Path("rag/gold.tsv").read_bytes() == before
    # A second time it replaces its own files.
    assert main(["demo", "rag", "-o", "rag"]) == 0


@pytest.mark.parametrize("name", ["gold.tsv", "chunks-400.tsv", "questions.jsonl"])
def test_files_of_others_are_not_replaced(name: str, folder: Path, capsys) -> None:
    Path("rag").mkdir()
    Path("rag", name).write_text("my notes\n")
    assert main(["demo", "rag", "-o", "rag"]) == 2
    assert name in capsys.readouterr().err
    assert Path("rag", name).read_text() == "my notes\n"


def test_the_handbook_is_not_judged(capsys) -> None:
    assert main(["demo", "rag", "--judge"]) == 2
    assert "--judge works with the shop only" in capsys.readouterr().err


def test_an_unknown_scene(capsys) -> None:
    assert main(["demo", "handbook"]) == 2
    assert "rag" in capsys.readouterr().err


def test_without_the_baselines_it_names_the_extra(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    assert main(["demo", "rag"]) == 2
    assert "gainful[baselines]" in capsys.readouterr().err

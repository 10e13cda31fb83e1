"""Options for slices, clusters and selections of queries."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from repeated_tests import for_each


@pytest.mark.parametrize("command", ["compare", "find-unjudged"])
def test_several_attributes_slice_the_queries(
    small_files: Path, output_of: Callable[..., str], command: str
) -> None:
    lines = (small_files / "qrels.txt").read_text().splitlines()
    queries = sorted({line.split()[0] for line in lines})
    rows = [f"{query}\t{'ab'[at % 2]}\t{'cd'[at % 3 == 0]}" for at, query in enumerate(queries)]
    (small_files / "kinds.tsv").write_text("\n".join(["query_id\tkind\tlength", *rows]) + "\n")
    words = [command, "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10"]
    printed = output_of(*words, "--by", "kinds.tsv:kind", "--by", "kinds.tsv:length")
    assert "kind, length" in printed
    for name in ("kind: a", "kind: b", "length: c"):
        assert name in printed


RUNS = ["qrels.txt", "bm25.run", "dense.run"]


@pytest.fixture
def kinds(small_files: Path) -> str:
    queries = gainful.read_qrels("qrels.txt").keys()
    rows = [f"{query}\t{'ab'[at % 2]}\tu{at // 2}" for at, query in enumerate(queries)]
    (small_files / "kinds.tsv").write_text("\n".join(["query_id\tkind\tuser", *rows]) + "\n")
    return "kinds.tsv"


def test_evaluate_summarizes_slices(kinds: str, output_of: Callable[..., str]) -> None:
    words = ["evaluate", *RUNS, "-m", "nDCG@10", "--by", f"{kinds}:kind"]
    result = gainful.evaluate("qrels.txt", RUNS[1:], "nDCG@10", by=f"{kinds}:kind")
    assert output_of(*words).rstrip() == str(result).rstrip()
    document = json.loads(output_of(*words, "--format", "json"))
    assert document["slices"] == json.loads(json.dumps(result.to_dict()["slices"]))
    lines = output_of(*words, "--format", "csv").splitlines()
    assert lines[0].endswith(",judged,attribute,slice")
    assert [line.split(",")[-2:] for line in lines[1:]] == [
        *[["", ""]] * 2,
        *[["kind", name] for name in "aabb"],
    ]
    objects = [json.loads(line) for line in output_of(*words, "--format", "jsonl").splitlines()]
    assert [each.get("slice") for each in objects] == [None, None, *"aabb"]
    assert "**by kind**" in output_of(*words, "--format", "markdown")


def test_evaluate_takes_clusters(kinds: str, output_of: Callable[..., str]) -> None:
    words = ["evaluate", *RUNS[:2], "-m", "nDCG@10"]
    printed = output_of(*words, "--clusters", f"{kinds}:user")
    assert "6 queries in 3 clusters (user)." in printed
    summary = json.loads(output_of(*words, "--clusters", f"{kinds}:user", "--format", "json"))
    assert summary["clusters"] == {"attribute": "user", "number": 3}
    assert summary["systems"]["bm25"]["nDCG@10"]["clusters"] == 3
    assert "little about new ones" in output_of(
        "compare", *RUNS, "--clusters", f"{kinds}:user", "--resamples", "100"
    )


@pytest.mark.parametrize("option", ["--only", "--queries"])
def test_some_queries_without_some_documents(
    kinds: str, output_of: Callable[..., str], option: str
) -> None:
    Path("ids.txt").write_text("q1\nq3\n")
    Path("pairs.tsv").write_text("q1\td1\n")
    pairs = {"q1": [next(iter(gainful.read_run("bm25.run")["q1"]))[0]]}
    Path("pairs.tsv").write_text(f"q1\t{pairs['q1'][0]}\n")
    known = gainful.evaluate("qrels.txt", "bm25.run", "RR", queries="q1,q3", exclude=pairs)
    for queries in ("q1,q3", "ids.txt"):
        words = [option, queries, "--exclude", "pairs.tsv"]
        printed = output_of("evaluate", *RUNS[:2], "-m", "RR", *words)
        assert printed.rstrip() == str(known).rstrip()
        assert "2 of 6 judged queries were selected." in printed
        compared = output_of("compare", *RUNS, "-m", "RR", *words, "--resamples", "100")
        assert "RR, 2 queries" in compared


@for_each(
    ("words", "message"),
    [
        (["--only", "q1,zz"], "1 of 2 selected queries has no judgments: zz"),
        (["--exclude", "nowhere.tsv"], "no such file: nowhere.tsv"),
        (["--by", "kinds.tsv"], "2 columns besides the query id"),
        (["--by", "kinds.tsv:kind", "--per-query"], "--by does not work with --per-query"),
        (
            ["--clusters", "kinds.tsv:user", "--sample", "pool"],
            "--clusters does not work with --sample",
        ),
        (
            ["--only", "q1", "--convention", "trec_eval", "--convention", "ranx"],
            "works with a single --convention",
        ),
        (["--by", "kinds.tsv:kind", "--predicted", "qrels.txt", "--sampled", "random"], "--by"),
    ],
)
def test_what_does_not_work_is_refused(
    kinds: str, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["evaluate", *RUNS[:2], *words]) == 2
    assert message in capsys.readouterr().err


def test_a_pool_needs_all_queries(kinds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *RUNS, "--only", "q1", "--pool", "pool.jsonl"]) == 2
    assert "does not work with --pool" in capsys.readouterr().err

"""``gainful baseline``: each kind writes and describes its run, and prints its score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import gainful
from gainful.cli import main
from repeated_tests import for_each
from requirements import need

pytestmark = pytest.mark.usefixtures("small_files")

Said = Callable[..., str]


@pytest.fixture(autouse=True)
def _extra() -> None:
    need("bm25s")
    need("PyStemmer")


@pytest.mark.parametrize(
    ("words", "make"),
    [
        (
            ["bm25", "docs.jsonl", "queries.jsonl", "--k1", "0.9", "--b", "0.4"],
            lambda: gainful.baselines.bm25("docs.jsonl", "queries.jsonl", 7, k1=0.9, b=0.4),
        ),
        (
            ["bm25", "docs.jsonl", "queries.jsonl", "--method", "bm25+", "--delta", "1"],
            lambda: gainful.baselines.bm25(
                "docs.jsonl", "queries.jsonl", 7, method="bm25+", delta=1
            ),
        ),
        (
            ["tfidf", "docs.jsonl", "queries.jsonl", "--stemmer", "none", "--stopwords", "none"],
            lambda: gainful.baselines.tfidf(
                "docs.jsonl", "queries.jsonl", 7, stemmer=None, stopwords=None
            ),
        ),
        (
            ["tfidf", "docs.jsonl", "queries.jsonl", "--sublinear"],
            lambda: gainful.baselines.tfidf("docs.jsonl", "queries.jsonl", 7, sublinear=True),
        ),
        (
            ["fuse", "bm25.run", "dense.run", "--constant", "10", "--weight", "2", "--weight", "1"],
            lambda: gainful.baselines.fuse(
                ["bm25.run", "dense.run"], k=7, constant=10, weights=[2, 1]
            ),
        ),
        (
            ["fuse", "bm25.run", "dense.run", "--method", "combmnz", "--norm", "z-score"],
            lambda: gainful.baselines.fuse(["bm25.run", "dense.run"], "combmnz", 7, norm="z-score"),
        ),
        (
            ["random", "docs.jsonl", "queries.jsonl", "--seed", "4"],
            lambda: gainful.baselines.random_order("docs.jsonl", "queries.jsonl", 7, seed=4),
        ),
        (
            ["random", "--judged", "qrels.txt"],
            lambda: gainful.baselines.random_order(judged="qrels.txt", k=7),
        ),
        (["oracle", "qrels.txt"], lambda: gainful.baselines.oracle("qrels.txt", 7)),
        (
            ["oracle", "qrels.txt", "--run", "bm25.run", "--depth", "3"],
            lambda: gainful.baselines.oracle("qrels.txt", 7, run="bm25.run", depth=3),
        ),
    ],
)
def test_the_run_equals_that_of_the_function(
    words: list[str], make: Callable[[], gainful.Run]
) -> None:
    assert main(["baseline", *words, "-k", "7", "-o", "out.json"]) == 0
    assert gainful.Run("out.json") == make()


def test_vectors() -> None:
    rng = np.random.default_rng(2)
    np.save("docs.npy", rng.normal(size=(20, 5)))
    np.save("queries.npy", rng.normal(size=(6, 5)))
    words = ["--doc-ids", "docs.jsonl", "--query-ids", "queries.jsonl", "--similarity", "cosine"]
    assert main(["baseline", "dense", "docs.npy", "queries.npy", *words, "-o", "out.run"]) == 0
    expected = gainful.baselines.dense(
        "docs.npy",
        "queries.npy",
        document_ids="docs.jsonl",
        query_ids="queries.jsonl",
        similarity="cosine",
    )
    assert gainful.Run("out.run") == expected
    assert len(expected["q1"]) == 20


def test_the_standard_error_describes_the_run(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "bm25", "docs.jsonl", "queries.jsonl", "-k", "3"]) == 0
    out, err = capfd.readouterr()
    # q6 has no documents, so TREC has no line for it.
    assert {line.split()[0] for line in out.splitlines()} == {"q1", "q2", "q3", "q4", "q5"}
    assert err == (
        "the standard output lacks 1 query without results ('q6'), which TREC cannot represent;"
        " TSV, CSV and JSON can\n"
        "bm25: BM25 (lucene, k1 1.2, b 0.75; Snowball stemmer for english, 33 English stop words"
        " removed). 20 documents. 6 queries, 1 of them without documents; 12 rows.\n"
    )


def test_with_judgments_the_score_is_printed_with_its_bounds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["baseline", "tfidf", "docs.jsonl", "queries.jsonl", "--qrels", "qrels.txt"]
    assert main([*words, "-m", "nDCG@10", "-m", "AP", "-o", "out.run"]) == 0
    out, _ = capsys.readouterr()
    found = gainful.headroom("qrels.txt", ["out.run"], ["nDCG@10", "AP"], documents=20)
    for measure in ("nDCG@10", "AP"):
        assert f"{measure} between random order (floor)" in out
        assert f"{found.floors[measure]:.4f}"[1:] in out
        assert f"{found.place(measure, 'out').mean:.4f}"[1:] in out
    assert "random order of the 20 documents" in out
    Path("out.run").unlink()
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("nDCG@10 between random order (floor)")
    assert not Path("out.run").exists()


@for_each(
    ("words", "message"),
    [
        (["bm26"], "unknown baseline 'bm26'"),
        (["bm25", "docs.jsonl"], "Missing argument 'QUERIES'"),
        (["bm25", "docs.jsonl", "none.tsv"], "no such file: none.tsv"),
        (["bm25", "-", "-"], "the standard input (-) is given 2 times"),
        (["bm25", "docs.jsonl", "queries.jsonl", "-k", "0"], "k: found 0"),
        (["bm25", "docs.jsonl", "queries.jsonl", "--k1", "-1"], "k1: found -1.0"),
        (["tfidf", "docs.jsonl", "queries.jsonl", "--stemmer", "x"], "stemmer: found 'x'"),
        (["fuse", "bm25.run"], "found 1, expected two or more"),
        (["fuse", "bm25.run", "dense.run", "--weight", "1"], "expected 2 numbers"),
        (["random"], "exactly one of them"),
        (["random", "docs.jsonl"], "a corpus without queries"),
        (["oracle", "qrels.txt", "--depth", "3"], "a depth without a run"),
        (["dense", "docs.jsonl", "queries.jsonl"], "not a NumPy array"),
        (["oracle", "qrels.txt", "-o", "no/such/out.run"], "no/such/out.run"),
    ],
)
def test_errors_are_one_message(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["baseline", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.startswith("gainful: ")
    assert err.count("\n") == 1


def test_help_lists_the_kinds(output_of: Said) -> None:
    text = output_of("baseline", "--help")
    for name in ("bm25", "tfidf", "dense", "fuse", "random", "oracle"):
        assert name in text
        assert f"gainful baseline {name}" in output_of("baseline", name, "--help")

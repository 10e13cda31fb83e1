"""Commands that write published scores, and a leaderboard of such a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.errors import ParameterError
from gainful.published import PublishedScore, read_published, write_published
from gainful_program import gainful as run_program

Say = Callable[..., str]


def test_evaluate_publishes_its_means(output_of: Say, small_files: Path) -> None:
    plain = output_of("evaluate", "qrels.txt", "bm25.run", "-m", "nDCG@10")
    options = ("--publish", "own.json", "--collection", "recipes", "--convention", "trec_eval")
    output_of("evaluate", "qrels.txt", "bm25.run", "-m", "nDCG@10", "-m", "AP", *options)
    scores = read_published("own.json")
    own = gainful.evaluate("qrels.txt", "bm25.run", ["nDCG@10", "AP"], convention="trec_eval")
    assert [(score.measure, score.mean) for score in scores] == [
        (repr(measure), own.summary(measure).value) for measure in own.measures
    ]
    assert {(score.collection, score.convention) for score in scores} == {
        ("recipes", "trec_eval-9.0.8")
    }
    assert scores[0].low is not None
    # The table does not change.
    published = output_of(
        "evaluate", "qrels.txt", "bm25.run", "-m", "nDCG@10", "--publish", "own.json"
    )
    assert published == plain
    assert [score.collection for score in read_published("own.json")] == [None]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--collection", "shop"), "--collection works with --publish only"),
        (
            ("--publish", "own.json", "--convention", "beir", "--convention", "trec_eval"),
            "--publish works with a single --convention",
        ),
        (("--publish", "."), "directory"),
    ],
)
def test_refused_options(options: tuple[str, ...], message: str, small_files: Path) -> None:
    done = run_program("evaluate", "qrels.txt", "bm25.run", *options)
    assert done.returncode == 2
    assert message in done.stderr.decode()


def scores_of(measure: str = "nDCG@10", convention: str | None = None) -> list[PublishedScore]:
    return [
        PublishedScore(
            system=system, measure=measure, mean=mean / 10, collection=task, convention=convention
        )
        for task, means in {"nq": (5, 4, 3), "fever": (7, 8, 1), "fiqa": (3, 2, 1)}.items()
        for system, mean in zip(("colbert", "bm25", "tfidf"), means, strict=True)
    ]


def test_a_file_of_published_scores_is_ranked(output_of: Say, small_files: Path) -> None:
    write_published("scores.json", scores_of())
    board = gainful.rank_results("scores.json")
    assert [entry.system for entry in board.entries] == ["colbert", "bm25", "tfidf"]
    assert board.tasks == ("nq", "fever", "fiqa")
    assert board.measure == "nDCG@10"
    assert gainful.rank_results("scores.json", "ndcg_cut_10").scores == board.scores
    # What is written is what was read.
    output_of("rank-results", "scores.json", "--publish", "again.json")
    assert read_published("again.json") == read_published("scores.json")
    assert json.loads(output_of("rank-results", "again.json", "--format", "json"))["tasks"] == [
        "nq",
        "fever",
        "fiqa",
    ]


def test_conventions_are_not_mixed(small_files: Path) -> None:
    write_published("scores.json", [*scores_of(convention="beir"), *scores_of(convention="ranx")])
    systems = {entry.system for entry in gainful.rank_results("scores.json").entries}
    known = {score.convention for score in read_published("scores.json")}
    assert systems == {
        f"{name} ({each})" for name in ("colbert", "bm25", "tfidf") for each in known
    }


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([], {}, "found scores of 0 measures, expected one"),
        (scores_of() + scores_of("AP"), {}, "expected one of nDCG@10, AP"),
        (scores_of(), {"measure": "RR"}, "found no published score of RR, expected one of nDCG@10"),
        (scores_of(), {"split": "dev"}, "split needs a folder of result files"),
    ],
    ids=["none", "several", "other", "split"],
)
def test_what_cannot_be_ranked(
    scores: list[PublishedScore], options: dict[str, str], message: str, small_files: Path
) -> None:
    write_published("scores.json", scores)
    with pytest.raises(ParameterError, match=message):
        gainful.rank_results("scores.json", **options)  # type: ignore[arg-type]

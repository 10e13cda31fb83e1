"""``gainful recommenders``: as the function in Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gainful.backends.recommendations import evaluate_recommendations
from gainful.cli import main

HELD_OUT = "user_id\titem_id\trating\nann\ttea\t1\nbob\tjam\t1\n"
LISTS = "user_id\titem_id\tscore\nann\ttea\t3\nann\tjam\t2\nbob\ttea\t3\nbob\toil\t2\n"
SEEN = "user_id\titem_id\trating\nann\toil\t1\nbob\ttea\t1\ncid\ttea\t1\n"
ITEMS = "item_id\tgenres\tviews\ntea\tdrink|hot\t10\njam\tsweet\t3\noil\tcooking|hot\t1\n"
CATEGORIES = {"tea": ["drink", "hot"], "jam": ["sweet"], "oil": ["cooking", "hot"]}
VIEWS = {"tea": 10, "jam": 3, "oil": 1}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"test.tsv": HELD_OUT, "als.tsv": LISTS, "seen.tsv": SEEN, "items.tsv": ITEMS}
    for name, text in texts.items():
        Path(name).write_text(text)


def test_files_of_items_have_the_values_of_mappings(output_of: Callable[..., str]) -> None:
    accuracy = ["R@2", "nDCG@2"]
    measures = ["Coverage@2", "Gini@2", "Popularity@2", "CategoryEntropy@2"]
    measures += ["ILD(of='categories')@2"]
    words = [word for measure in accuracy + measures for word in ("-m", measure)]
    options = ["--popularity", "items.tsv:views", "--categories", "items.tsv:genres"]
    output = output_of(
        "recommenders", "test.tsv", "als.tsv", *words, *options, "--items", "5", "--json"
    )
    result = evaluate_recommendations(
        "test.tsv",
        systems={"als": "als.tsv"},
        measures=accuracy + measures,
        popularity=VIEWS,
        categories=CATEGORIES,
        items=5,
    )
    document, expected = json.loads(output), result.to_dict()
    assert document["schema"] == "gainful.recommender-evaluation/1"
    for key in ("measures", "item_measures", "recommended"):
        assert document[key] == json.loads(json.dumps(expected[key]))


def test_seen_items_are_removed_and_count_for_novelty(output_of: Callable[..., str]) -> None:
    words = ("test.tsv", "als=als.tsv", "--seen", "seen.tsv", "-m", "Novelty@2", "-m", "R@2")
    document = json.loads(output_of("recommenders", *words, "--json"))
    lists = {"als": {"ann": ["tea", "jam"], "bob": ["tea", "oil"]}}
    seen = {"ann": ["oil"], "bob": ["tea"], "cid": ["tea"]}
    result = evaluate_recommendations(
        {"ann": ["tea"], "bob": ["jam"]}, systems=lists, seen=seen, measures=["Novelty@2", "R@2"]
    )
    expected = json.loads(json.dumps(result.to_dict()))
    for key in ("item_measures", "recommended"):
        assert document[key] == expected[key]


def test_vectors_of_items(output_of: Callable[..., str]) -> None:
    numpy = pytest.importorskip("numpy")
    numpy.save("vectors.npy", numpy.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    Path("ids.txt").write_text("tea\njam\noil\n")
    words = ("--vectors", "vectors.npy", "--vector-ids", "ids.txt", "-m", "ILD@2")
    text = output_of("recommenders", "test.tsv", "als.tsv", *words)
    # Of 1 and 1 - cos(45°).
    assert "ILD@2" in text
    assert ".6464" in text


def test_evaluate_names_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "test.tsv", "als.tsv", "-m", "Coverage@10"]) == 2
    error = capsys.readouterr().err
    assert "Hint: `gainful recommenders` computes it" in error


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["-m", "ILD@2"], "ILD@2 needs vectors"),
        (["-m", "Novelty@2"], "Novelty@2 needs popularity"),
        (["--popularity", "items.tsv:genres"], "--popularity: found 'drink|hot' of 'tea'"),
        (["--vector-ids", "ids.txt"], "--vector-ids are the ids of --vectors"),
    ],
)
def test_what_is_missing_is_named(
    words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["recommenders", "test.tsv", "als.tsv", *words]) == 2
    assert problem in capsys.readouterr().err

"""`gainful assess-judgments`: its output in every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.demo import annotations_path
from json_schema import errors, schema_of
from requirements import need

runs = cache(gainful.demo.runs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the demo's annotations and its runs."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / "annotations.csv").write_bytes(annotations_path().read_bytes())
    for name, rankings in runs().items():
        gainful.Run({q: r for q, r in rankings.items() if r}).write(folder / f"{name}.run")
    return folder


@pytest.fixture
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the command line for the demo's annotations and its runs."""
    monkeypatch.chdir(folder)
    return [
        *("assess-judgments", "annotations.csv"),
        *(word for path in sorted(folder.glob("*.run")) for word in ("--run", path.name)),
    ]


def test_the_table_equals_that_of_python(files: list[str], output_of: Callable[..., str]) -> None:
    quality = gainful.assess_judgments("annotations.csv", {f: f"{f}.run" for f in sorted(runs())})
    assert output_of(*files) == f"{quality}\n"
    assert max(map(len, str(quality).splitlines())) <= 100
    assert "None of the 3 verdicts depends on the rater." in str(quality)


def test_json_matches_its_schema(files: list[str], output_of: Callable[..., str]) -> None:
    schema = schema_of("judgments")
    document = json.loads(output_of(*files, "--format", "json"))
    assert errors(document, schema) == []
    assert document["alphas"][0]["raters"] == ["ana", "ben"]
    labels = [("q", "a", "ana", 1), ("q", "b", "ben", 0.5)]
    for quality in (
        gainful.assess_judgments(labels),
        gainful.assess_judgments(labels, {"r": {"q": ["a"]}}),
        gainful.assess_judgments({"ana": {"q": {"a": 1}}}, {"r": {"q": ["a"]}}, "AP"),
        gainful.assess_judgments(gainful.Ratings(labels, final="ben")),
    ):
        assert errors(json.loads(json.dumps(quality.to_dict())), schema) == []


@pytest.mark.parametrize("style", ["tsv", "csv"])
def test_one_row_per_figure(style: str, files: list[str], output_of: Callable[..., str]) -> None:
    lines = output_of(*files, "--format", style).splitlines()
    cut = "," if style == "csv" else "\t"
    assert lines[0].split(cut) == ["about", "name", "other", "figure", "value", "low", "high"]
    rows = [line.split(cut) for line in lines[1:]]
    kappa = next(row for row in rows if row[3] == "weighted kappa")
    quality = gainful.assess_judgments("annotations.csv")
    assert kappa[:3] == ["raters", "ana", "ben"]
    assert float(kappa[4]) == quality.pairs[0].kappa
    verdicts = [row for row in rows if row[3] == "verdict for ben"]
    assert len(verdicts) == 3


@pytest.mark.parametrize("style", ["markdown", "latex"])
def test_pages(style: str, files: list[str], output_of: Callable[..., str]) -> None:
    text = output_of(*files, "--format", style, "--notes")
    assert "Krippendorff's alpha (ordinal): .7991" in text
    assert ("toprule" in text) == (style == "latex")


def test_labels_are_written_with_their_raters(
    files: list[str], output_of: Callable[..., str], tmp_path: Path
) -> None:
    words = ("--source", "ben=model:umbrela@2", "--labels", "-o", f"{tmp_path}/labels.tsv")
    assert output_of(*files[:2], *words) == ""
    lines = (tmp_path / "labels.tsv").read_text("utf-8").splitlines()
    assert lines[0] == "query_id\tdoc_id\trater\tgrade\tsource\tmodel\tversion"
    assert "Q02\tP0036\tben\t0\tmodel\tumbrela\t2" in lines
    again = gainful.read_ratings(tmp_path / "labels.tsv")
    assert [str(rater.source) for rater in again.raters] == ["unknown", "model umbrela, 2"]
    assert len(again) == 932


def test_one_file_per_rater(small_files: Path, output_of: Callable[..., str]) -> None:
    lines = Path("qrels.txt").read_text().splitlines()
    Path("other.txt").write_text("\n".join([lines[0][:-1] + "1", *lines[1:]]) + "\n")
    text = output_of("assess-judgments", "qrels.txt", "second=other.txt", "--run", "bm25.run")
    assert "qrels and second" in text
    assert "96.3%" in text


def test_a_notebook_and_a_frame() -> None:
    polars = need("polars")
    quality = gainful.assess_judgments(annotations_path(), resamples=99)
    assert "<table>" in quality._repr_html_()
    frame = polars.DataFrame(quality)
    assert frame.columns == list(quality.columns)
    assert frame.filter(polars.col("figure") == "same")["value"][0] == quality.pairs[0].same
    assert repr(quality).startswith("<JudgmentQuality of <Ratings")


def test_on_a_terminal(files: list[str]) -> None:
    quality = gainful.assess_judgments("annotations.csv", resamples=99)
    assert "\x1b[1m" in quality._drawn()


def test_many_grades_and_raters_stay_within_100_columns() -> None:
    labels = [
        (f"q{n % 7}", f"d{n}", f"a rater with a rather long name {rater}", (n * rater) % 11 / 2)
        for n in range(40)
        for rater in range(1, 9)
    ]
    systems = {f"system {s}": {f"q{q}": [f"d{q}"] for q in range(s + 1)} for s in range(7)}
    text = str(gainful.assess_judgments(labels, systems, resamples=99))
    assert max(map(len, text.splitlines())) <= 100
    assert "13 more pairs of raters" in text
    assert "least" in text
    assert "Confusion" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.csv"], "no such file"),
        (["annotations.csv", "--source", "ben"], "--source: found 'ben'"),
        (["annotations.csv", "--source", "eve=human"], "--source: found 'eve'"),
        (["annotations.csv", "--column", "rater"], "--column: found 'rater'"),
        (["annotations.csv", "--final", "eve"], "final: found 'eve'"),
        (
            ["annotations.csv", "--labels", "--format", "json"],
            "--labels does not work with --format",
        ),
        (["annotations.csv", "--scale", "ratio"], "Invalid value for '--scale'"),
        (["annotations.csv", "--run", "a.run", "--run", "a.run"], "two runs have the name 'a'"),
        (["-", "--run", "x=-"], "the standard input (-) is given 2 times"),
        (["=annotations.csv"], "without a name"),
        ([], "FILE"),
    ],
)
def test_bad_arguments(
    words: list[str], message: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["assess-judgments", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gainful: ")
    assert message in captured.err

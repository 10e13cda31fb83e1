"""The command `gainful sweep`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gainful.cli import main
from gainful_program import gainful
from repeated_tests import for_each
from sweep_data import QRELS, QUERIES, made_shop

ASK = ["sweep", "qrels.txt", "queries.tsv", "--system", "shop.toml", "--resamples", "1000"]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made_shop(tmp_path)
    header, *queries = Path(QUERIES).read_text("utf-8").splitlines(keepends=True)[:21]
    ids = {query.split("\t")[0] for query in queries}
    judgments = Path(QRELS).read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "queries.tsv").write_text("".join([header, *queries]), "utf-8")
    (tmp_path / "qrels.txt").write_text(
        "".join(line for line in judgments if line.split()[0] in ids), "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_best_point_and_its_estimated_value(shop: Path, capsys) -> None:
    assert main([*ASK, "--set", "title=1,2,8", "--baseline", "current"]) == 0
    output = capsys.readouterr()
    lines = output.out.split("\n")
    assert lines[0] == "nDCG@10, 20 queries, baseline title=8 (.691045)"
    assert lines[1].split()[:3] == ["title", "mean", "difference"]
    assert lines[3].split()[:2] == ["2", ".703388"]
    assert "The best of 3 points by nDCG@10: title=2" in lines
    assert max(map(len, lines)) <= 100
    first, second = output.err.rstrip("\n").split("\n")
    assert first.startswith("60 answers at 3 points; latency p50 ")
    assert second.startswith("Saved in shop.sweep.journal. ")
    assert (shop / "shop.sweep.journal").is_file()


def test_a_second_sweep_runs_only_new_points(shop: Path, capsys) -> None:
    assert main([*ASK, "--set", "title=1,2"]) == 0
    assert "from the journal" not in capsys.readouterr().err
    assert main([*ASK, "--set", "title=1,2,4"]) == 0
    assert "60 answers at 3 points; 40 of them from the journal (since " in capsys.readouterr().err
    assert main([*ASK, "--set", "title=1,2,4", "--restart"]) == 0
    assert "from the journal" not in capsys.readouterr().err


def test_a_sweep_over_two_settings_as_json_and_rows(shop: Path, capsys) -> None:
    sets = ["--set", "title=1,4", "--set", "brand=1,2"]
    assert main([*ASK, *sets, "--format", "json", "-o", "out.json"]) == 0
    written = json.loads((shop / "out.json").read_text())
    assert [point["settings"] for point in written["points"]][1] == {"title": 1, "brand": 2}
    capsys.readouterr()
    assert main([*ASK, *sets, "--format", "tsv"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split("\t")[:5] == ["point", "title", "brand", "measure", "mean"]
    means = written["comparison"]["systems"]
    assert {row.split("\t")[0]: float(row.split("\t")[4]) for row in rows} == {
        name: own["nDCG@10"] for name, own in means.items()
    }
    for style in ("csv", "markdown", "latex", "table"):
        assert main([*ASK, *sets, "--format", style]) == 0
    assert "title  brand" in capsys.readouterr().out


def test_random_points_and_runs_in_a_folder(shop: Path) -> None:
    sets = ["--set", "title=0.5..16:log", "--sample", "3", "--seed", "4", "--runs", "runs"]
    assert main([*ASK, *sets, "-m", "nDCG@5", "-m", "AP"]) == 0
    runs = sorted(path.name for path in (shop / "runs").iterdir())
    assert len(runs) == 3
    assert all(name.startswith("title=") and name.endswith(".run") for name in runs)


@for_each(
    ("more", "message"),
    [
        (["--set", "titel=1,2"], "did you mean 'title'"),
        (["--set", "title"], "NAME=VALUES, as in boost.title=1,2,4"),
        (["--set", "title=1", "--set", "title=2"], "title twice"),
        (["--set", "title=1..8"], "--sample 20"),
        (["--set", "title=1,1"], "duplicate value 1"),
        (["--set", "title=1"], "one point, expected at least 2"),
        (["--set", "title=1,2", "--baseline", "now"], "expected current, or the name of a point"),
        (["--set", "title=1,2", "--system", "none.toml"], "--system is not repeatable"),
        (["--set", "title=1,2", "--folds", "1"], "folds: found 1"),
        ([], "Missing option '--set'"),
    ],
)
def test_each_mistake_gives_one_message(shop: Path, capsys, more: list[str], message: str) -> None:
    assert main([*ASK, *more]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert output.err.count("gainful: ") == 1
    assert output.out == ""


def test_a_missing_description_is_named(shop: Path, capsys) -> None:
    words = ["none.toml" if word == "shop.toml" else word for word in ASK]
    assert "none.toml" in words
    assert main([*words, "--set", "title=1,2"]) == 2
    assert "no such file: none.toml" in capsys.readouterr().err


def test_a_failure_at_a_point_gives_one_message(shop: Path, capsys) -> None:
    assert main([*ASK, "--set", "title=1,2"]) == 0
    text = (shop / "shop.toml").read_text()
    (shop / "shop.toml").write_text(text.replace("brand = 4", "brand = 6"))
    capsys.readouterr()
    assert main([*ASK, "--set", "title=1,2"]) == 2
    output = capsys.readouterr().err
    assert "brand" in output
    assert output.count("\n") == 1


def test_as_a_program(shop: Path, output_of) -> None:
    done = gainful(*ASK, "--set", "title=1,2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().startswith("nDCG@10, 20 queries, 2 points\n")
    helped = output_of("sweep", "--help")
    assert "--set NAME=VALUES" in helped
    assert (
        "gainful sweep qrels.txt queries.tsv --system shop.toml \\\n        --set boost.title=1,2,4"
        in helped
    )

"""`gainful compare`: what it prints, in every format, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful as package
import json_schema
from gainful.cli import main

Say = Callable[..., str]

pytestmark = pytest.mark.usefixtures("small_files")

BOTH = ("compare", "qrels.txt", "bm25.run", "dense.run")
PATHS = ["bm25.run", "dense.run"]


@pytest.fixture
def kinds(small_files: Path) -> Path:
    path = small_files / "kinds.tsv"
    path.write_text(
        "query_id\tkind\tuser\n"
        + "".join(f"q{at}\t{'soup' if at < 4 else 'bread'}\tu{at // 2}\n" for at in range(1, 7))
    )
    return path


def test_the_table_equals_that_of_the_function(output_of: Say) -> None:
    assert output_of(*BOTH) == f"{package.compare('qrels.txt', PATHS)}\n"


def test_a_pair_in_one_line(output_of: Say) -> None:
    lines = output_of(*BOTH).splitlines()
    assert lines[0] == "nDCG@10, 6 queries, baseline bm25 (.7193)"
    cells = lines[3].split()
    assert cells[:3] == ["dense", ".7581", "+.0388"]
    assert cells[-1] == "inconclusive"


def test_no_table_is_wider_than_a_terminal(output_of: Say, kinds: Path) -> None:
    words = ("--details", "--risk", "1", "--worst", "3", "--by", f"{kinds}:kind")
    runs = ("a-system-of-long-name=bm25.run", "another-long-name=dense.run", "third-one=bm25.run")
    text = output_of("compare", "qrels.txt", *runs, "-m", "nDCG@10", "-m", "AP", *words)
    assert max(map(len, text.splitlines())) <= 100
    assert "group" in text
    assert "by kind" in text
    assert "GeoRisk" in text
    assert "largest losses of another-long-name" in text
    # NaN is never printed.
    assert "nan" not in text.replace("another-long-name", "")


def test_json_matches_its_schema(output_of: Say, kinds: Path) -> None:
    words = ("--by", f"{kinds}:kind", "--margin", "0.1", "--test", "sign", "-m", "AP", "-m", "RR")
    written = json.loads(output_of(*BOTH, *words, "--format", "json"))
    assert json_schema.errors(written, json_schema.schema_of("comparison")) == []
    found = package.compare(
        "qrels.txt", PATHS, ["AP", "RR"], by=f"{kinds}:kind", margin=0.1, tests="sign"
    )
    assert [file["path"] for file in written.pop("inputs")] == ["qrels.txt", *PATHS, str(kinds)]
    assert written == json.loads(json.dumps(found.to_dict()))
    assert list(written["segments"]) == ["bread", "soup"]
    assert written["letters"]["AP"] == {"bm25": "a", "dense": "a"}


def test_the_schema_names_every_field() -> None:
    """A new field must be added to the schema."""
    schema = json_schema.schema_of("comparison")
    found = package.compare(
        "qrels.txt", PATHS, baseline="bm25", clusters={f"q{at}": str(at // 2) for at in range(1, 7)}
    )
    whole = found.to_dict()
    assert json_schema.errors(json.loads(json.dumps(whole)), schema) == []
    assert set(whole) == set(schema["properties"]) == set(schema["required"])
    assert set(found.pairs[0].to_dict()) == set(
        schema["properties"]["pairs"]["items"]["properties"]
    )


@pytest.mark.parametrize(("style", "separator"), [("tsv", "\t"), ("csv", ",")])
def test_rows_for_programs(style: str, separator: str, output_of: Say, kinds: Path) -> None:
    text = output_of(*BOTH, "--by", f"{kinds}:kind", "--format", style)
    rows = list(csv.DictReader(io.StringIO(text), delimiter=separator))
    found = package.compare("qrels.txt", PATHS, by=f"{kinds}:kind")
    assert [row["segment"] for row in rows] == ["", "bread", "soup"]
    assert float(rows[0]["difference"]) == found.pair().difference
    assert rows[0]["verdict_text"] == rows[0]["verdict"] == "inconclusive"


def test_markdown_and_latex(output_of: Say) -> None:
    words = ("-m", "nDCG@10", "-m", "AP")
    text = output_of(*BOTH, *words, "--format", "markdown")
    assert text.startswith("**nDCG@10, 6 queries, baseline bm25 (.7193)**\n\n| system | ")
    assert text.count("| dense ") == 2
    latex = output_of(*BOTH, *words, "--format", "latex")
    assert r"\begin{tabular}{llrr}" in latex
    assert r"b & dense & \textbf{.7581} & \textbf{.7750} \\" in latex


def test_marks_of_significance(output_of: Say, small_files: Path) -> None:
    queries = [f"q{at}" for at in range(1, 61)]
    (small_files / "many.txt").write_text("".join(f"{q} 0 d1 1\n{q} 0 d2 0\n" for q in queries))
    for name, order in (("good", ("d1", "d2")), ("bad", ("d2", "d1")), ("worst", ("d3", "d2"))):
        rows = [f"{q} Q0 {doc} {at} {9 - at} r\n" for q in queries for at, doc in enumerate(order)]
        (small_files / f"{name}.run").write_text("".join(rows))
    runs = ("bad.run", "good.run", "worst.run")
    latex = output_of("compare", "many.txt", *runs, "--format", "latex")
    rows = [line for line in latex.splitlines() if line[1:4] == " & "][:3]
    assert rows == [
        r"a & bad & .6309$^{c}_{b}$ \\",
        r"b & good & \textbf{1.0000}$^{ac}$ \\",
        r"c & worst & .0000$_{ab}$ \\",
    ]
    with_baseline = output_of(
        "compare", "many.txt", *runs, "--baseline", "bad", "--format", "latex"
    )
    rows = [line for line in with_baseline.splitlines() if line[1:4] == " & "][:3]
    assert [row.split("&")[2].removesuffix(r"\\").strip() for row in rows] == [
        ".6309$^{c}_{b}$",
        r"\textbf{1.0000}$^{a}$",
        ".0000$_{a}$",
    ]


def test_a_file_contains_the_whole_output(output_of: Say, small_files: Path) -> None:
    assert output_of(*BOTH, "--format", "json", "-o", "out.json") == ""
    assert json.loads((small_files / "out.json").read_text())["schema"] == "gainful.comparison/1"


def test_options_reach_the_comparison(output_of: Say, kinds: Path) -> None:
    words = (
        *("--baseline", "dense", "--clusters", f"{kinds}:user", "--alpha", "0.1"),
        *("--detect", "0.2", "--tie-margin", "0.05", "--family", "all", "--resamples", "500"),
        *("--seed", "7", "--convention", "trec_eval", "--policy", "no_relevant=1"),
    )
    written = json.loads(output_of(*BOTH, *words, "--format", "json"))
    assert written["baselines"] == ["dense"]
    assert written["clusters"] == {"attribute": "user", "number": 4}
    assert (written["alpha"], written["detect"], written["tie_margin"]) == (0.1, 0.2, 0.05)
    assert (written["family"], written["resamples"], written["seed"]) == ("all", 500, 7)
    assert written["convention"]["no_relevant"] == 1
    assert written["pairs"][0]["system"] == "bm25"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", "qrels.txt", "bm25.run"), "runs: found 1 run, expected at least 2"),
        ((*BOTH, "--baseline", "bm52"), "--baseline: found 'bm52'"),
        ((*BOTH, "--margin", "-1"), "--margin: found -1.0"),
        ((*BOTH, "--by", "missing.tsv"), "no such file: missing.tsv"),
        ((*BOTH, "--risk", "-1"), "aversion: found -1.0"),
    ],
)
def test_each_mistake_gives_one_message(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"gainful: {message}")
    assert captured.err.count("\n") == 1


def test_the_eight_runs_of_robust03(shared_data: Path, output_of: Say) -> None:
    folder = shared_data / "robust03"
    runs = [f"{path.name.split('.')[1]}={path}" for path in sorted(folder.glob("input.*"))]
    words = ("compare", str(folder / "qrels.robust03.txt.gz"), *runs, "--baseline", "pircRBa1")
    written = json.loads(output_of(*words, "--format", "json"))
    verdicts = {pair["system"]: pair["verdict"] for pair in written["pairs"]}
    assert len(verdicts) == 7
    assert verdicts["THUIRr0301"] == "inconclusive"
    assert verdicts["rutcor03100"] == "worse"
    pair = next(each for each in written["pairs"] if each["system"] == "THUIRr0301")
    assert (round(pair["mean"], 4), round(pair["baseline_mean"], 4)) == (0.4574, 0.4572)


def test_an_attribute_from_the_standard_input(
    output_of: Say, kinds: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--resamples", "500", "--by")
    named = output_of(*BOTH, *asked, f"{kinds}:kind")

    def given() -> io.TextIOWrapper:
        return io.TextIOWrapper(io.BytesIO(kinds.read_bytes()))

    monkeypatch.setattr("sys.stdin", given())
    assert output_of(*BOTH, *asked, "-:kind") == named
    # One of several columns has to be named, and the hint says how.
    monkeypatch.setattr("sys.stdin", given())
    assert main([*BOTH, *asked, "-"]) == 2
    assert "Hint: name one, as in -:kind" in capsys.readouterr().err
    assert main([*BOTH, *asked, "-:kind", "--clusters", "-:user"]) == 2
    assert "given 2 times" in capsys.readouterr().err


def test_latex_has_the_requested_tables_and_their_notes_only(output_of: Say, kinds: Path) -> None:
    copied = ("compare", "qrels.txt", *PATHS, "copy=bm25.run", "--resamples", "500")
    plain = output_of(*copied, "--format", "latex")
    assert "share a letter" not in plain
    assert "The intervals" not in plain
    more = output_of(
        *(*copied, "--format", "latex", "--by", f"{kinds}:kind"),
        *("--details", "--risk", "1", "--worst", "1"),
    )
    assert more.startswith(plain)
    for title in ("by kind", "nDCG@10, details", "nDCG@10, risk", "largest losses of"):
        assert title in more


def test_a_negative_number_of_worst_queries_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BOTH, "--worst", "-1"]) == 2
    assert "--worst: found -1" in capsys.readouterr().err

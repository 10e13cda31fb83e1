"""`gainful analyze-power`, `compare-measures` and `compare-online`: formats and refusals."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful as package
from gainful.cli import main
from gainful.formats.table import width
from repeated_tests import for_each

pytestmark = pytest.mark.usefixtures("small_files")

Say = Callable[..., str]
RUNS = {"bm25": "bm25.run", "dense": "dense.run"}
FILES = ("qrels.txt", "bm25.run", "dense.run")
#: Few resamples, to be fast.
FEW = ("--resamples", "999")
HELP = tuple(
    f"collections/help/{name}"
    for name in ("qrels.txt", "fts5-plain.run", "fts5-tuned.run", "title-words.run")
)


@pytest.fixture
def experiments(small_files: Path) -> str:
    lines = ["experiment,offline_difference,offline_se,online_difference,online_se"]
    lines += [f"e{at},{(at - 7) / 100},.01,{(at * 7) % 15 / 4 - 1 + at / 8},.5" for at in range(18)]
    (small_files / "experiments.csv").write_text("\n".join(lines))
    return "experiments.csv"


def test_each_command_prints_the_result_of_its_function(output_of: Say, experiments: str) -> None:
    evaluation = package.evaluate("qrels.txt", runs=RUNS, measures=["nDCG@10", "AP"])
    words = ("-m", "nDCG@10", "-m", "AP")
    power = str(package.analyze_power(evaluation)).replace("From evaluation 1 ", "From qrels ")
    assert output_of("analyze-power", *FILES, *words) == f"{power}\n"
    agreement = package.compare_measures("qrels.txt", RUNS, ["nDCG@10", "AP"], resamples=999)
    assert output_of("compare-measures", *FILES, *FEW, *words) == f"{agreement}\n"
    assert output_of("compare-online", experiments) == f"{package.compare_online(experiments)}\n"


def test_no_line_is_wider_than_100_columns(output_of: Say, experiments: str) -> None:
    measures = [
        word
        for name in ("nDCG@10", "AP", "RR", "P@10", "RBP(p=0.8)", "ERR@20", "R@1000")
        for word in ("-m", name)
    ]
    for words in (
        ("analyze-power", *HELP, *measures[-6:]),
        ("compare-measures", *HELP, *FEW, *measures),
        ("compare-online", experiments),
    ):
        assert max(width(line) for line in output_of(*words).splitlines()) <= 100


@pytest.mark.parametrize("style", ["tsv", "csv"])
def test_rows_have_full_precision(style: str, output_of: Say, experiments: str) -> None:
    separator = "\t" if style == "tsv" else ","
    for words, result in (
        (
            ("analyze-power", *FILES),
            package.analyze_power(package.evaluate("qrels.txt", runs=RUNS, measures="nDCG@10")),
        ),
        (
            ("compare-measures", *FILES, *FEW, "-m", "AP", "-m", "RR"),
            package.compare_measures("qrels.txt", RUNS, ["AP", "RR"], resamples=999),
        ),
        (("compare-online", experiments), package.compare_online(experiments)),
    ):
        rows = list(
            csv.reader(io.StringIO(output_of(*words, "--format", style)), delimiter=separator)
        )
        columns = result.records()
        assert rows[0] == list(columns)
        for at, column in enumerate(columns.values()):
            expected = ["" if v is None else v if isinstance(v, str) else repr(v) for v in column]
            assert [row[at] for row in rows[1:]] == expected


@pytest.mark.parametrize("part", ["agreement", "power", "ranks", "curve"])
def test_the_parts_of_an_agreement(part: str, output_of: Say) -> None:
    found = package.compare_measures("qrels.txt", RUNS, ["AP", "RR"], resamples=999)
    text = output_of(
        "compare-measures", *FILES, *FEW, "-m", "AP", "-m", "RR", "--format", "tsv", "--rows", part
    )
    assert text.splitlines()[0].split("\t") == list(found.records(part))


def test_json_matches_its_schema(output_of: Say, experiments: str) -> None:
    for words, name in (
        (("analyze-power", *FILES), "power"),
        (("compare-measures", *FILES, *FEW), "agreement"),
        (("compare-online", experiments), "online"),
    ):
        assert json.loads(output_of(*words, "--format", "json"))["schema"] == f"gainful.{name}/1"


def test_markdown_latex_and_html(output_of: Say, experiments: str) -> None:
    for words in (
        ("analyze-power", *FILES),
        ("compare-measures", *FILES, *FEW),
        ("compare-online", experiments),
    ):
        markdown = output_of(*words, "--format", "markdown")
        assert markdown.startswith("**")
        assert "|:--" in markdown or "|--" in markdown
        latex = output_of(*words, "--format", "latex")
        assert latex.count(r"\toprule") == latex.count(r"\bottomrule") > 1
        assert not set("▁▂▃▄▅▆▇█▏▎▍▌▋▊▉") & set(latex)


def test_power_from_past_evaluations(output_of: Say) -> None:
    output_of(
        "evaluate", *FILES, "-m", "nDCG@10", "--per-query", "--format", "tsv", "-o", "past.tsv"
    )
    asked = ("--difference", ".05", "--queries", "40")
    of_rows = output_of("analyze-power", "--past", "past.tsv", *asked).replace(
        "From past ", "From qrels "
    )
    of_runs = output_of("analyze-power", *FILES, *asked)
    assert of_runs.startswith(of_rows.rstrip("\n"))
    twice = output_of("analyze-power", "--past", "past.tsv", "--past", "past.tsv", *asked)
    assert "From past (2 systems, 6 queries), past (2 systems, 6 queries)." in twice


def test_power_of_a_deviation(output_of: Say) -> None:
    found = package.analyze_power(deviation=0.2, difference=0.05)
    assert output_of("analyze-power", "--deviation", ".2", "--difference", ".05") == f"{found}\n"


@for_each(
    ("words", "message"),
    [
        (("analyze-power",), "Missing argument 'QRELS RUN...', or --past or --deviation"),
        (("analyze-power", "qrels.txt"), "Missing argument 'RUN...': two or more runs"),
        (("analyze-power", "qrels.txt", "bm25.run"), "found 1 system and 6 queries"),
        (
            ("analyze-power", *FILES, "--deviation", "1"),
            "--deviation cannot be combined with past evaluations",
        ),
        (("analyze-power", *FILES, "--difference", "0"), "found difference=0.0"),
        (("analyze-power", "--past", "none.tsv"), "no such file: none.tsv"),
        (
            ("compare-measures", "qrels.txt", "bm25.run"),
            "runs: found 1 run, expected at least 2",
        ),
        (("compare-measures", *FILES, *FEW, "--alpha", "2"), "--alpha: found 2.0"),
        (("compare-online", "none.csv"), "no such file: none.csv"),
        (("compare-online", "qrels.txt"), "expected a column of offline_difference"),
    ],
)
def test_each_mistake_gives_one_message(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gainful: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("analyze-power", "--deviation", ".1", "-m", "AP"), "cannot be combined with --measure"),
        (
            ("analyze-power", "--past", "-", "--past", "-"),
            "the standard input (-) is given 2 times",
        ),
        (
            ("analyze-power", "-", "bm25.run", "dense.run", "--past", "-"),
            "the standard input (-) is given 2",
        ),
    ],
)
def test_combinations_that_are_refused(words, message, capsys) -> None:
    assert main(list(words)) == 2
    assert message in capsys.readouterr().err

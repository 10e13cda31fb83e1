"""The option --plot."""

from __future__ import annotations

from pathlib import Path

import pytest

from requirements import need

need("altair")
need("vl_convert")

pytestmark = pytest.mark.usefixtures("small_files")

RUNS = ("qrels.txt", "bm25.run", "dense.run")


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", *RUNS),
        ("evaluate", *RUNS, "--per-query"),
        ("evaluate", *RUNS, "-m", "nDCG@10", "--format", "jsonl"),
        ("evaluate", *RUNS, "-m", "AP", "--convention", "gainful", "--convention", "trec_eval"),
        ("compare", *RUNS, "--resamples", "1000"),
        ("compare-measures", *RUNS, "--resamples", "1000"),
        ("contrast", *RUNS[:2], "-a", "gainful", "-b", "burges-2005"),
        ("explain", *RUNS[:2], "-q", "q1"),
        ("headroom", *RUNS),
        ("find-unjudged", *RUNS),
        ("evaluate-suite", "collections"),
        ("rank-results", "leaderboard", "--resamples", "1000"),
        ("analyze-power", "--deviation", "0.2", "--difference", "0.05"),
    ],
    ids=lambda command: " ".join(command),
)
def test_the_picture_is_saved_next_to_the_output(command: tuple[str, ...], output_of) -> None:
    # Drawing takes long, and the tests of plots draw all of them.
    suffix, start = (".svg", "<svg") if command == ("evaluate", *RUNS) else (".json", "{")
    plain = output_of(*command)
    assert output_of(*command, "--plot", f"figure{suffix}") == plain
    assert Path(f"figure{suffix}").read_text("utf-8").startswith(start)


def test_the_picture_is_that_of_the_result(output_of) -> None:
    import gainful

    output_of("evaluate", *RUNS, "-m", "AP", "--plot", "figure.json")
    runs = {"bm25": "bm25.run", "dense": "dense.run"}
    gainful.evaluate("qrels.txt", runs=runs, measures="AP").plot().save("expected.json")
    assert Path("figure.json").read_bytes() == Path("expected.json").read_bytes()


def test_another_suffix_is_refused_before_the_work(capsys: pytest.CaptureFixture[str]) -> None:
    from gainful.cli import main

    assert main(["evaluate", "missing.txt", "bm25.run", "--plot", "figure.docx"]) == 2
    printed = capsys.readouterr()
    assert "--plot: found 'figure.docx', expected a name that ends in .pdf" in printed.err
    assert printed.out == ""


def test_a_folder_that_is_missing_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    from gainful.cli import main

    assert main(["evaluate", *RUNS, "--plot", "missing/figure.svg"]) == 2
    assert "missing/figure.svg" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *(("compare", name) for name in ("queries", "ranks", "differences")),
        *(("evaluate", name) for name in ("scatter", "waterfall", "difficulty")),
    ],
)
def test_a_file_is_the_picture_that_it_is_named_after(command: str, name: str, output_of) -> None:
    import gainful

    output_of(command, *RUNS, "-m", "nDCG@10", "--plot", f"{name}.json")
    runs = {"bm25": "bm25.run", "dense": "dense.run"}
    result = gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@10")
    if command == "compare":
        result = gainful.compare(result)
    result.plot(name).save("expected.json")
    assert Path(f"{name}.json").read_bytes() == Path("expected.json").read_bytes()


def test_a_picture_of_a_pair_needs_two_systems(capsys: pytest.CaptureFixture[str]) -> None:
    from gainful.cli import main

    assert main(["evaluate", *RUNS[:2], "--plot", "scatter.svg"]) == 2
    expected = "plot: found 1 systems, expected two, or a system and a baseline"
    assert expected in capsys.readouterr().err

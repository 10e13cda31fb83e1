"""Texts name arguments in Python and options on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gainful
from gainful.cli.program import run
from gainful.errors import GainfulError
from gainful.references import refer, set_reference


def test_python_shows_arguments_and_the_command_line_options(
    small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measures = ["nDCG@10", "AP"]
    found = gainful.compare("qrels.txt", ["bm25.run", "dense.run"], measures, resamples=100)
    shown = (str(found), found._repr_html_(), found.to_markdown(), found.to_latex())
    assert "family='all' corrects for all." in str(found)
    assert not any(re.search(r"(?<![-\w])--[a-z]", each) for each in shown)
    words = ["compare", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10", "-m", "AP"]
    assert run([*words, "--resamples", "100"]) == 0
    assert "--family all corrects for all." in capsys.readouterr().out
    assert str(found) == shown[0]


def test_many_pairs_are_exported_with_the_means_of_the_interface(
    small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = {f"s{at}": {"q1": ["r01", f"x{at}"]} for at in range(12)}
    found = gainful.compare("qrels.txt", runs, "nDCG@10", resamples=100)
    assert "Export all 66 pairs with Comparison.pairs." in str(found)
    before = set_reference(lambda name, value: f"--{name} {value}")
    try:
        assert "Export all 66 pairs with --records tsv." in str(found)
    finally:
        assert set_reference(before) is not None


def test_commands_are_functions_in_python(
    small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = gainful.headroom("qrels.txt", ["bm25.run"], "nDCG@10", baseline="bm25")
    assert "gainful.compare() tests the difference" in found.to_text(notes=True)
    words = ["headroom", "qrels.txt", "bm25.run", "-m", "nDCG@10", "--baseline", "bm25"]
    assert run([*words, "--notes"]) == 0
    assert "`gainful compare` tests the difference" in capsys.readouterr().out
    assert run(["evaluate", "qrels.txt", "bm25.run", "--convention", "zzz"]) == 2
    assert "`gainful conventions` lists all" in capsys.readouterr().err
    Path("other.json").write_text("{}")
    with pytest.raises(GainfulError, match=r"make_snapshot\(...\).write\(FILE\) writes one"):
        gainful.gate("qrels.txt", "bm25.run", "other.json")
    assert run(["gate", "qrels.txt", "bm25.run", "--snapshot", "other.json"]) == 2
    assert "`gainful gate QRELS RUN --save FILE` writes one" in capsys.readouterr().err


def test_the_reference_is_reset_after_an_error() -> None:
    assert run(["compare", "nothing.txt", "none.run"]) == 2
    assert refer("family", "'all'") == "family='all'"


@pytest.mark.parametrize(
    ("name", "value", "command", "text"),
    [
        ("new_anchor", "True", "gate", "--new-anchor"),
        ("correction", "'max-t'", "compare", "--correction max-t"),
        ("per_query", "FILE", "reconcile", "--reported-per-query FILE"),
        ("as_complete", "True", "sweep", "--incomplete"),
        ("records", "tsv", "compare", "--format tsv"),
        ("top", "N", "find-unjudged", "--top N"),
    ],
)
def test_options_of_commands(name: str, value: str, command: str, text: str) -> None:
    from gainful.cli.program import _called, option

    assert option(_called([command]), name, value) == text


def test_messages_name_parameters_as_hints_do(
    small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluation = gainful.evaluate("qrels.txt", "bm25.run", "AP")
    with pytest.raises(gainful.errors.ArgumentError) as caught:
        gainful.compare([evaluation, evaluation], predicted="qrels.txt", sampled="random")
    assert str(caught.value) == "predicted= requires judgments and runs, not evaluations"
    assert caught.value.problem == str(caught.value)
    words = ["evaluate", "qrels.txt", "bm25.run", "--predicted", "qrels.txt", "--sampled", "random"]
    assert run([*words, "--bounds"]) == 2
    assert "--bounds" in (shown := capsys.readouterr().err)
    assert "⟪" not in shown

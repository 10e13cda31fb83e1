"""Defaults of options: the project's file, then the environment, then the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.plots.plot import PALETTE
from gainful.project_file import color_of
from repeated_tests import for_each
from requirements import need

Say = Callable[..., str]

pytestmark = pytest.mark.usefixtures("small_files")

COMPARE = ("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "AP", "--format", "json")


def test_each_origin_has_precedence_over_the_one_before(
    output_of: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    alphas = [json.loads(output_of(*COMPARE))["alpha"]]
    Path("gainful.toml").write_text("[compare]\nalpha = 0.2\n")
    alphas.append(json.loads(output_of(*COMPARE))["alpha"])
    monkeypatch.setenv("GAINFUL_COMPARE_ALPHA", "0.1")
    alphas.append(json.loads(output_of(*COMPARE))["alpha"])
    alphas.append(json.loads(output_of(*COMPARE, "--alpha", "0.01"))["alpha"])
    assert alphas == [0.05, 0.2, 0.1, 0.01]


def test_options_of_all_commands_are_in_the_file(output_of: Say) -> None:
    Path("pyproject.toml").write_text(
        '[tool.gainful]\nconvention = "trec_eval"\nmeasure = ["P@3", "AP"]\n'
        '[tool.gainful.explain]\nmeasure = "nDCG@3"\n'
    )
    evaluated = json.loads(output_of("evaluate", "qrels.txt", "bm25.run", "--format", "json"))
    assert evaluated["convention"]["name"] == "trec_eval-9.0.8"
    assert list(evaluated["measures"]) == ["P@3", "AP"]
    explained = json.loads(output_of("explain", "qrels.txt", "bm25.run", "--format", "json"))
    assert explained["measure"] == "nDCG@3"
    headroom = output_of("headroom", "qrels.txt", "bm25.run")
    assert "P@3" in headroom
    # The text names the convention, wherever it is from.
    assert "trec_eval-9.0.8" in output_of("evaluate", "qrels.txt", "bm25.run")


def test_the_nearest_file_counts_and_paths_are_relative_to_it(
    output_of: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("weights.txt").write_text("q1 3\n" + "".join(f"q{n} 1\n" for n in range(2, 7)))
    Path("gainful.toml").write_text('[evaluate]\nweights = "weights.txt"\n')
    Path("below").mkdir()
    monkeypatch.chdir("below")
    words = ("evaluate", "../qrels.txt", "../bm25.run", "-m", "AP", "--format", "json")
    weighted = output_of(*words)
    assert weighted == output_of(*words, "--weights", "../weights.txt")
    Path("gainful.toml").write_text("")
    assert output_of(*words) != weighted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[compare]\nalpha = 7\n", "gainful.toml, --alpha: found 7.0, expected a number from"),
        ('[compare]\nalpha = "low"\n', "gainful.toml, compare.alpha: found 'low', expected a num"),
        ("[compare]\nalpha = true\n", "gainful.toml, compare.alpha: found True, expected a num"),
        ("[compare]\nalfa = 0.1\n", "gainful.toml: 'compare.alfa' is not an option of compare"),
        ("alfa = 0.1\n", "gainful.toml: 'alfa' is not an option. Hint: did you mean alpha?"),
        ("[compar]\nalpha = 1\n", "gainful.toml: 'compar' is not a command. Hint: did you mean"),
        ('[compare]\ncorrection = "bonf"\n', "gainful.toml, --correction: 'bonf' is not one of"),
        ("[compare\n", "gainful.toml: not TOML"),
    ],
)
def test_mistakes_in_the_file_are_named(
    text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("gainful.toml").write_text(text)
    assert main(COMPARE) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err.replace(str(Path.cwd()) + "/", "")
    assert captured.err.count("\n") == 1
    # The help does not need the file.
    assert main(["compare", "--help"]) == 0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("GAINFUL_COMPARE_ALPHA", "x", "GAINFUL_COMPARE_ALPHA: 'x' is not a valid float"),
        ("GAINFUL_COMPARE_ALPHA", "1_0", "GAINFUL_COMPARE_ALPHA: '1_0' is not a valid float"),
        ("GAINFUL_COMPARE_SEED", "-1", "GAINFUL_COMPARE_SEED: found -1, expected a whole number"),
        ("GAINFUL_COMPARE_ALFA", ".1", "GAINFUL_COMPARE_ALFA names no option. Hint: did you mean"),
    ],
)
def test_mistakes_in_variables_are_named(
    name: str,
    value: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(name, value)
    assert main(COMPARE) == 2
    assert message in capsys.readouterr().err


def test_variables_of_commands_with_a_longer_name_are_no_mistake(
    output_of: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAINFUL_COMPARE_MEASURES_ALPHA", "0.1")
    assert json.loads(output_of(*COMPARE))["alpha"] == 0.05


def test_defaults_that_do_not_apply_are_left_out(output_of: Say) -> None:
    Path("gainful.toml").write_text("[gate]\nmargin = 0.5\nalpha = 0.1\n[evaluate]\ndigits = 2\n")
    output_of("gate", "qrels.txt", "bm25.run", "--save", "snapshot.json")
    written = output_of("gate", "qrels.txt", "dense.run", "--snapshot", "snapshot.json")
    assert "Gate passed" in written
    # JSON has all digits, and refuses the option only on the command line.
    words = ("evaluate", "qrels.txt", "bm25.run", "-m", "nDCG@3")
    output_of(*words, "--format", "json")
    shown = output_of(*words)
    Path("gainful.toml").unlink()
    assert shown == output_of(*words, "--digits", "2")
    assert shown != output_of(*words)


def test_an_option_of_all_commands_is_used_where_it_applies(output_of: Say) -> None:
    Path("gainful.toml").write_text('format = "markdown"\nbaseline = "bm25"\nmargin = 0.1\n')
    compared = json.loads(output_of(*COMPARE))
    assert (compared["baselines"], compared["margin"]) == (["bm25"], 0.1)
    assert "\n| dense" in output_of(*COMPARE[:-2])
    # The runs of baselines have other formats, and the command has the name of the option.
    assert main(["baseline", "oracle", "qrels.txt", "-o", "ideal.run"]) == 0
    assert Path("ideal.run").read_text().startswith("q1 Q0 ")


def test_a_variable_has_several_values_and_a_subcommand_its_own(
    output_of: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAINFUL_COMPARE_MEASURE", "P@3 RR")
    words = ("compare", "qrels.txt", "bm25.run", "dense.run", "--format", "json")
    assert list(json.loads(output_of(*words))["measures"]) == ["P@3", "RR"]
    monkeypatch.setenv("GAINFUL_CONVENTIONS_DIFF_FORMAT", "json")
    output_of("conventions", "trec_eval")
    assert output_of("conventions", "diff", "trec_eval", "gainful").startswith("{")
    monkeypatch.setenv("GAINFUL_EVALUATE_PER_QUERY", "true")
    assert "q1" in output_of("evaluate", "qrels.txt", "bm25.run")


def test_config_shows_what_is_in_force(output_of: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No option has a default" in output_of("config")
    Path("gainful.toml").write_text('measure = ["AP"]\n[compare]\nalpha = 0.2\nseed = 3\n')
    monkeypatch.setenv("GAINFUL_COMPARE_ALPHA", "0.1")
    rows = json.loads(output_of("config", "compare", "--format", "json"))
    by_option = {row["option"]: (row["value"], row["origin"]) for row in rows}
    assert by_option["--alpha"] == ("0.1", "GAINFUL_COMPARE_ALPHA")
    assert by_option["--seed"] == (3, "gainful.toml")
    assert by_option["--measure"] == (["AP"], "gainful.toml")
    assert by_option["--resamples"] == (100_000, "default")
    everything = output_of("config")
    assert "default" not in everything.partition("\n")[2]
    assert "evaluate" in everything
    assert "--resamples" not in everything


def test_config_refuses_unknown_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "compar"]) == 2
    assert "found 'compar'" in capsys.readouterr().err


CONVENTIONS = """
convention = "ours"
measures = ["nDCG@3", "AP"]
[conventions.ours]
extends = "trec_eval"
no_relevant = "skip"
defaults.nDCG.gain = "exponential"
[conventions.strict]
extends = "ours"
unjudged = "condense"
defaults.nDCG.discount = "log2"
"""


def test_conventions_of_the_file_have_names(output_of: Say) -> None:
    Path("gainful.toml").write_text(CONVENTIONS)
    written = json.loads(output_of("evaluate", "qrels.txt", "bm25.run", "--format", "json"))
    assert list(written["measures"]) == ["nDCG@3", "AP"]
    convention = written["convention"]
    assert convention["name"] == "ours"
    assert (convention["precision"], convention["no_relevant"]) == ("float32", "skip")
    assert convention["defaults"]["nDCG"]["gain"] == "exponential"
    assert "\nours: gain exponential" in output_of("evaluate", "qrels.txt", "bm25.run")
    changed = ("--convention", "strict", "--policy", "missing=empty", "--format", "json")
    strict = json.loads(output_of("evaluate", "qrels.txt", "bm25.run", *changed))["convention"]
    assert (strict["name"], strict["unjudged"]) == ("strict", "condense")
    assert (strict["missing"], strict["no_relevant"]) == ("empty", "skip")
    assert strict["defaults"]["nDCG"]["gain"] == "exponential"
    assert "ours       skip" in output_of("conventions", "ours")
    # Python reads the file only on request.
    read = gainful.conventions.read()
    assert list(read) == ["ours", "strict"]
    assert read["ours"].to_dict() | {"text": convention["text"]} == convention
    assert "ours" not in gainful.conventions
    Path("other.toml").write_text('[conventions.other]\nties = "expected"\n')
    assert gainful.conventions.read("other.toml")["other"].ties == "expected"
    Path("pyproject.toml").write_text("[project]\n")
    assert gainful.conventions.read("pyproject.toml") == {}


@for_each(
    ("text", "message"),
    [
        ('[conventions.a]\nextends = "b"\n[conventions.b]\nextends = "a"\n', "a → b → a"),
        ('[conventions.trec_eval]\nties = "expected"\n', "a convention of Gainful has this name"),
        ('[conventions.a]\ntie = "expected"\n', "unknown policy 'tie'. Hint: did you mean ties?"),
        ('[conventions.a]\nties = "fair"\n', "conventions.a, policy 'ties': found 'fair'"),
        ('[conventions.a]\nextends = "trec_evil"\n', "conventions.a: found the unknown convention"),
        ("[conventions.a]\nextends = 1\n", "conventions.a: found int as a convention"),
        ("[conventions.b]\n", "found the unknown convention 'a', expected one of"),
        ('[conventions.a]\ngain = "linear"\n', "gain is a parameter of nDCG: defaults.nDCG.gain"),
        ('[conventions]\nties = "given"\n', "[conventions.NAME] is the table of a convention"),
    ],
)
def test_mistakes_in_conventions_are_named(
    text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("gainful.toml").write_text(text)
    assert main(["evaluate", "qrels.txt", "bm25.run", "--convention", "a"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert "[conventions.b]" not in text or "extends" in text or "file has b" in error


def test_columns_are_a_table(output_of: Say) -> None:
    Path("gainful.toml").write_text('[columns]\nquery = "Term"\ndoc = "Product"\ngrade = "Stars"\n')
    Path("judgments.csv").write_text("Term,Product,Stars\nq1,d1,3\nq2,d2,0\n")
    Path("products.run").write_text("q1 Q0 d1 1 2 x\nq2 Q0 d1 1 1 x\n")
    shown = json.loads(output_of("config", "--format", "json"))
    assert {row["value"][0] for row in shown} == {"query=Term,doc=Product,grade=Stars"}
    assert "locate" not in {row["command"] for row in shown}
    assert "RR       .5000" in output_of("evaluate", "judgments.csv", "products.run", "-m", "RR")


def test_colors_of_systems_are_in_the_file(output_of: Say) -> None:
    need("altair")
    Path("gainful.toml").write_text('[colors]\ndense = "#112233"\n')
    words = ("evaluate", "qrels.txt", "bm25.run", "dense.run", "-m", "AP", "--force")
    output_of(*words, "--plot", "means.json")
    color = json.loads(Path("means.json").read_text())["layer"][0]["encoding"]["color"]
    assert dict(zip(color["scale"]["domain"], color["scale"]["range"], strict=True)) == {
        "bm25": PALETTE[0],
        "dense": "#112233",
    }
    output_of("report", "qrels.txt", "bm25.run", "dense.run", "-o", "page.html")
    assert '"colors":[null,"#112233"]' in Path("page.html").read_text()
    assert "colors.dense" in output_of("config")
    # They are those of the command only.
    assert color_of("dense") is None


def test_a_wrong_color_names_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gainful.toml").write_text('[colors]\ndense = "red; x"\n')
    assert main(["evaluate", "qrels.txt", "bm25.run"]) == 2
    error = capsys.readouterr().err
    assert "gainful.toml, colors.dense: found 'red; x', expected a color such as '#1f77b4'" in error

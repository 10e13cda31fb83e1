"""`gainful measures`, `conventions`, `completion`, `--help`, `--version`."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import gainful as package
from gainful.cli import main
from gainful.cli.commands import COMMANDS
from gainful.cli.commands import GROUPS as TASKS
from gainful.cli.defaults import commands
from gainful.measures.family import plain
from gainful.measures.index import ALIASES
from gainful.measures.listing import GROUPS, drawn
from gainful.measures.listing import plain as as_text
from gainful.parameters import Group
from gainful_program import COMMAND, gainful
from repeated_tests import for_each
from requirements import need


@pytest.mark.parametrize("formulas", [False, True])
def test_every_family_is_listed_by_group(formulas: bool, output_of) -> None:
    listing = output_of("measures", *["--formulas"] * formulas)
    assert max(map(len, listing.splitlines())) <= 100
    words = " ".join(listing.split())
    for family in package.measures.families():
        more = f" = {family.formula} {family.source}"
        text = " ".join(f"{family.name} {family.summary}{more * formulas}".split())
        assert text in words
        assert formulas or family.source not in words
        heading = GROUPS[family.group]
        assert listing.index(f"{heading}\n") < listing.index(f"\n  {family.name} ")


def test_measures_of_a_file_are_listed(output_of, tmp_path, capsys) -> None:
    file = tmp_path / "my_metrics.py"
    file.write_text(
        "from gainful.measures import define\n"
        "define('clicks_listed', lambda ranking: 1.0, summary='The share of clicks')\n"
    )
    listing = output_of("measures", str(file))
    assert listing.startswith("Your own\n  clicks_listed  The share of clicks\n")
    assert output_of("measures", str(file)) == listing
    description = output_of("measures", f"{file}:clicks_listed")
    assert description.startswith("clicks_listed: The share of clicks\n")
    empty = tmp_path / "none.py"
    empty.write_text("")
    assert main(["measures", str(empty)]) == 2
    assert "none.py: found no measure, expected" in capsys.readouterr().err


def test_measures_of_packages_are_listed(capsys, monkeypatch, tmp_path) -> None:
    (tmp_path / "listed_package.py").write_text(
        "import gainful\nlisted = gainful.measures.define('packaged_listed', lambda ranking: 1.0)\n"
    )
    folder = tmp_path / "listed_package-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: listed-package\n")
    (folder / "entry_points.txt").write_text(
        "[gainful.measures]\npackaged_listed = listed_package:listed\n"
        "broken_listed = broken:listed\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["measures"]) == 0
    out, err = capsys.readouterr()
    assert "Your own\n  packaged_listed" in out
    assert "'broken:listed' of the installed package listed-package cannot be loaded" in err


def test_a_group_of_measures(output_of) -> None:
    listing = output_of("measures", "counts")
    assert listing.startswith("Counts\n  NumQ ")
    assert "nDCG" not in listing
    names = [
        each["name"] for each in json.loads(output_of("measures", "counts", "--format", "json"))
    ]
    assert names == [each.name for each in package.measures.families() if each.group == "counts"]
    assert names[:2] == ["NumQ", "NumRet"]
    for group in GROUPS:
        assert plain(group) not in ALIASES, "it would hide the measure of this name"


def test_measures_as_markdown(output_of) -> None:
    page = output_of("measures", "--format", "markdown")
    assert "**Cumulated gain**\n\n| measure " in page
    for family in package.measures.families():
        assert f"\n| {family.name} " in page


def test_measures_on_a_terminal() -> None:
    families = package.measures.families()
    coloured = drawn(families, 72)
    assert "\x1b[1mCumulated gain\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).split() == as_text(families, 72).split()


@pytest.mark.parametrize("name", ["nDCG", "ndcg_cut_10", "mrr", "RBP(p=0.9)", "NumRel"])
def test_the_description_of_a_measure(name: str, output_of) -> None:
    family = package.measures.describe(name)
    words = " ".join(output_of("measures", name).split())
    for part in (family.summary, family.formula, family.source, *family.trec_names):
        assert part in words
    for parameter in family.parameters:
        assert parameter.meaning in words


@for_each("family", [each.name for each in package.measures.families()])
def test_every_family_has_a_description(family: str, output_of) -> None:
    lines = output_of("measures", family).splitlines()
    assert lines[0].startswith(f"{family}: ")
    assert max(map(len, lines)) <= 100


def test_measures_as_json(output_of) -> None:
    listed = json.loads(output_of("measures", "--format", "json"))
    assert [each["name"] for each in listed] == [f.name for f in package.measures.families()]
    (one,) = json.loads(output_of("measures", "map", "--format", "json"))
    assert one["name"] == "AP"


@pytest.mark.parametrize("listing", ["measures", "conventions"])
def test_an_unknown_name(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([listing, "trec_evil" if listing == "conventions" else "ndgc"]) == 2
    assert "Hint: " in capsys.readouterr().err


def test_help_names_every_command_and_every_help_shows_examples(output_of) -> None:
    listing = output_of("--help")
    assert output_of() == listing
    assert [line[:-1] for line in listing.splitlines() if re.match(r"[A-Z].*:$", line)] == [
        "Options",
        *TASKS,
    ]
    for command, line in COMMANDS.items():
        assert re.search(rf"^  {command} +{re.escape(line)}$", listing, re.MULTILINE)
        assert 5 <= len(line.split()) <= 8
        text = output_of(command, "--help")
        assert text.startswith(f"Usage: gainful {command}")
        assert text.count(f"gainful {command}") >= 2
        assert output_of(command, "-h") == text


#: All commands and subcommands, without groups and without trec_eval, which has its own options.
DECLARED = {
    name: declared
    for name, declared in commands()
    if not declared.kind and not declared.takes_words
}


@for_each("command", DECLARED)
def test_a_short_help_has_the_common_options(command: str, output_of) -> None:
    declared = DECLARED[command]
    options = {parameter.option for parameter in declared.options}
    short = output_of(*command.split(), "--help")
    whole = output_of(*command.split(), "--help-all")
    assert max(map(len, [*short.splitlines(), *whole.splitlines()])) <= 80
    shown = {
        name
        for name in options
        if re.search(rf"^  (?:-[-\w, /]+[ ,] ?)?{name}\b", short, re.MULTILINE)
    }
    assert len(shown) <= 15
    if shown != options:
        last = f"`gainful {command} --help-all` describes all {len(options)} options.\n"
        assert short.endswith(last)
        assert len(shown) <= 12
        assert declared.common <= declared.parameters.keys()
        for name in options:
            assert re.search(rf"^  (?:-[-\w, /]+[ ,] ?)?{name}\b", whole, re.MULTILINE), name
        for example in declared.examples:
            assert " ".join(example.split()) in " ".join(whole.replace("\\\n", " ").split())


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_help_lists_options_in_groups_with_their_defaults(command: str, output_of) -> None:
    text = output_of(command, "--help-all")
    titles = re.findall(r"^([A-Z].*):$", text, re.MULTILINE)
    assert titles[0] == "Common options"
    assert titles[1:] == [group for group in Group.ORDER if group in titles[1:]]
    assert {"Convention", "Input formats", "Output", "Other options"} < set(titles)
    for option in ("--measure", "--convention", "--notes", "--help"):
        assert len(re.findall(rf"^  (?:-\w, )?{option}(?= )", text, re.MULTILINE)) == 1
    assert "Default: gainful-1." in " ".join(text.split())
    assert "[default" not in text


def test_help_with_few_options_has_no_groups(output_of) -> None:
    text = output_of("measures", "--help")
    assert re.findall(r"^([A-Z].*):$", text, re.MULTILINE) == ["Options"]


def test_the_version(output_of) -> None:
    assert output_of("--version") == f"gainful {package.__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_valid(shell: str, output_of, tmp_path: Path) -> None:
    script = output_of("completion", shell)
    assert f"_GAINFUL_COMPLETE={shell}_complete" in script
    program = need(shell)
    (tmp_path / "script").write_text(script)
    subprocess.run([program, "-n", str(tmp_path / "script")], check=True)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ev"], "evaluate"),
        (["compare-"], "compare-measures"),
        (["find-unjudged", "q", "r", "-m", "nd"], "nDCG@10"),
        (["evaluate", "q", "r", "-m", "nd"], "nDCG@10"),
        (["evaluate", "q", "r", "--convention", "trec"], "trec_eval-9.0.8"),
        (["evaluate", "q", "r", "--policy", "ties=exp"], "ties=expected"),
        (["evaluate", "q", "r", "--format", "js"], "jsonl"),
        (["measures", "AP"], "AP"),
        (["conventions", "di"], "diff"),
        (["conventions", "trec"], "trec_eval-9.0.8"),
        (["conventions", "diff", "trec"], "trec_eval-9.0.8"),
        (["conventions", "diff", "gainful", "ndev"], "ndeval-4.5"),
        (["conventions", "diff", "gainful", "ndeval", "--pol"], "--policy"),
    ],
)
def test_completion(
    words: list[str], offered: str, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setenv("_GAINFUL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(["gainful", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    assert main([]) == 0
    assert f"plain,{offered}" in capsys.readouterr().out.splitlines()


def test_the_shell_completes_files() -> None:
    done = gainful(
        _GAINFUL_COMPLETE="bash_complete", COMP_WORDS="gainful evaluate qr", COMP_CWORD="2"
    )
    assert (done.returncode, done.stdout.decode().splitlines()) == (0, ["file,qr"])


def test_bash_completes(tmp_path: Path) -> None:
    bash = need("bash")
    (tmp_path / "gainful").write_text("#!/bin/sh\nexec " + " ".join(COMMAND) + ' "$@"\n')
    (tmp_path / "gainful").chmod(0o755)
    asked = (
        'eval "$(gainful completion bash)"; COMP_WORDS=(gainful evaluate q r -m nD); COMP_CWORD=5;'
        ' _gainful_completion gainful; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "-c", asked],
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["nDCG", "nDCG@10", "nDCGrel"]

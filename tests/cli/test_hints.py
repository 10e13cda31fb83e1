"""Hints refer to existing options on the command line and to arguments in Python."""

from __future__ import annotations

import re

import click
import pytest

import gainful
from gainful.cli import main
from gainful.cli.commands import COMMANDS
from gainful.cli.program import _OPTIONS, option, program
from gainful.data.convert import convert
from gainful_program import gainful as called
from requirements import need


def commands(command: click.Command = program) -> list[click.Command]:
    context = click.Context(command)
    if not isinstance(command, click.Group):
        return [command]
    found = [command.get_command(context, name) for name in command.list_commands(context)]
    return [command, *(each for sub in found if sub for each in commands(sub))]


OPTIONS = {flag for each in commands() for param in each.params for flag in param.opts}


def test_every_option_that_a_hint_names_exists() -> None:
    root = need("checkout")
    python = "\n".join(path.read_text() for path in root.glob("src/gainful/**/*.py"))
    rust = "\n".join(path.read_text() for path in root.glob("kernel/*/src/**/*.rs"))
    hints = re.findall(r'hint=\(?\s*f?"((?:[^"]|"\s*f?")*)', python)
    hints += re.findall(r'\.hint\(\s*(?:format!\()?"((?:[^"]|"\s*")*)', rust)
    named = {flag for hint in hints for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", hint)}
    assert len(hints) > 200
    # These are options of the pytest plugin.
    named = {flag for flag in named if not flag.startswith("--gainful-")}
    assert named <= OPTIONS | {"--help"}


def test_every_reference_is_to_an_option_or_an_argument() -> None:
    dests = {param.name for each in commands() for param in each.params}
    for names in _OPTIONS.values():
        assert set(names) <= dests
    assert {*COMMANDS} >= {"convert", "evaluate"}


@pytest.mark.parametrize(
    ("words", "shown"), [(["evaluate"], "--qrels-format or --run-format"), (["convert"], "--from")]
)
def test_a_hint_names_the_option_of_the_command(words, shown, tmp_path) -> None:
    context = click.Context(program)
    command = program.get_command(context, words[0])
    assert command is not None
    assert option(command, "format", "") == shown


def test_a_hint_reads_as_argument_in_python_and_as_option_on_the_command_line(tmp_path) -> None:
    path = tmp_path / "rows.json"
    path.write_text('{"q1": {"d1": 1}}')
    with pytest.raises(gainful.errors.ParameterError, match=r"set kind=qrels or kind=run"):
        convert(path, tmp_path / "out")
    result = called("convert", path, tmp_path / "out")
    assert b"set --kind qrels or --kind run" in result.stderr


@pytest.mark.parametrize("name", ["x.parquet.gz", "x.XLSX", "x.arrow.gz"])
def test_suffixes_of_other_formats_are_refused(
    name: str, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / name
    for words in (
        ["baseline", "bm25", "docs.jsonl", "queries.tsv", "-o"],
        ["search", "queries.tsv", "--system", "engine.toml", "-o"],
        ["convert", "qrels.txt"],
    ):
        assert main([*words, str(out)]) == 2, words
        assert "does not write" in capsys.readouterr().err, words
    with pytest.raises(gainful.errors.ParameterError, match="does not write"):
        gainful.Run({"q": ["d"]}).write(out)
    with pytest.raises(gainful.errors.ParameterError, match="does not write"):
        gainful.Qrels({"q": {"d": 1}}).write(out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["evaluate", "--metric", "AP"], "did you mean --measure?"),
        (["search", "--top-k", "5"], "did you mean -k?"),
        (["explain", "--limit", "5"], "did you mean --depth?"),
        (["evaluate", "-k", "5"], "the cutoff is part of the measure: 'nDCG@10'"),
        (["evaluate", "--top", "5"], "the cutoff is part of the measure: 'nDCG@10'"),
        (["evaluate", "--persent"], "did you mean --percent?"),
        (["evaluate", "--zzz"], "`gainful evaluate --help` shows the usage"),
        (["--zzz"], "`gainful --help` shows the usage"),
    ],
)
def test_an_unknown_option_is_explained(
    words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    message = capsys.readouterr().err
    assert message.startswith("gainful: No such option '-")
    assert message.rstrip().endswith(hint)

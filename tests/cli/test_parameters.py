"""Every parameter is declared once: functions, docstrings and commands agree with it."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from pathlib import Path

import pytest

from gainful._lazy import load
from gainful.cli.command import Command
from gainful.parameters import Parameter
from loaded_modules import loaded
from requirements import need

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
parameters = import_module("parameters")

COMMANDS: dict[str, Command] = dict(parameters.commands())

#: Each parameter of a command that a function of the package has, too.
SHARED = [
    pytest.param(target, parameter, id=f"{name} {parameter.name} {target}")
    for name, command in COMMANDS.items()
    for target in command.targets
    for parameter in command.parameters.values()
    if parameter.python in inspect.signature(load(target)).parameters
]


@pytest.mark.parametrize(("target", "parameter"), SHARED)
def test_signatures_have_the_declared_default_and_annotation(
    target: str, parameter: Parameter
) -> None:
    python = inspect.signature(load(target)).parameters[parameter.python]
    # A word of the command line is one of several forms that Python accepts.
    is_word = parameter.kind not in (int, float, bool) and not parameter.choices
    if not is_word or parameter.has_annotation:
        assert python.annotation == parameter.annotation
    is_comparable = not (is_word or parameter.has_annotation or parameter.required)
    is_same = parameter.default is not None and parameter.convert is None
    if is_same or is_comparable:
        assert python.default in (parameter.default, inspect.Parameter.empty)


def test_there_are_shared_parameters() -> None:
    assert len(SHARED) > 60


@pytest.mark.parametrize(
    ("target", "parameter"),
    [
        pytest.param(target, parameter, id=f"{target} {parameter.python}")
        for target, parameter in parameters.documented()
        # Others are described together, or as for another function.
        if f"\n{parameter.python} : " in (inspect.getdoc(load(target)) or "")
    ],
)
def test_docstrings_have_the_declared_entry(target: str, parameter: Parameter) -> None:
    docstring = inspect.getdoc(load(target)) or ""
    head, text = parameter.entry()
    words = " ".join(docstring.split())
    is_there = " ".join(f"{head} {text}".split()) in words
    assert is_there, f"run python docs/parameters.py: {target}, {parameter.python}"


def test_the_source_is_as_the_command_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    need("checkout")
    assert parameters.main(check=True) == 0, capsys.readouterr().out


@pytest.mark.parametrize("command", list(COMMANDS))
def test_excluded_and_required_options_are_parameters(command: str) -> None:
    declared = COMMANDS[command]
    names = {*declared.excludes, *declared.requires, *declared.requires.values()}
    names |= {name for words in declared.excludes.values() for name in words.split()}
    assert names <= declared.parameters.keys()


def test_help_loads_no_library() -> None:
    code = (
        "import io; sys.stdout = io.StringIO()\n"
        "from gainful.cli import main\n"
        f"for name in {list(COMMANDS)!r}:\n"
        "    assert name == 'trec_eval' or main([*name.split(), '--help']) == 0, name\n"
        "sys.stdout = sys.__stdout__"
    )
    assert loaded(code, "numpy", "scipy", "rich") == set()

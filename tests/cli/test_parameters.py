"""Every parameter is declared once: functions, docstrings and commands agree with it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from gainful._lazy import load
from gainful.cli.command import Command
from loaded_modules import loaded
from repeated_tests import for_each
from requirements import need

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
parameters = import_module("parameters")

COMMANDS: dict[str, Command] = dict(parameters.commands())


@cache
def signature(target: str) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(load(target)).parameters


def test_signatures_have_the_declared_default_and_annotation() -> None:
    shared = [
        (target, parameter)
        for command in COMMANDS.values()
        for target in command.targets
        for parameter in command.parameters.values()
        if parameter.python in signature(target)
    ]
    assert len(shared) > 60
    for target, parameter in shared:
        about = target, parameter.name
        python = signature(target)[parameter.python]
        # A word of the command line is one of several forms that Python accepts.
        is_word = parameter.kind not in (int, float, bool) and not parameter.choices
        if not is_word or parameter.has_annotation:
            assert python.annotation == parameter.annotation, about
        is_comparable = not (is_word or parameter.has_annotation or parameter.required)
        is_same = parameter.default is not None and parameter.convert is None
        if is_same or is_comparable:
            assert python.default in (parameter.default, inspect.Parameter.empty), about


#: What Python alone has, or words of a command say in another way: for all commands, and each.
IN_EVERY_CALL = {"convention", "name", "policies", "progress", "run", "system"}
WITHOUT_OPTION = {
    "analyze-power": "past",
    "assess-judgments": "judgments level path starts",
    "compare": "bootstrap bounds candidates scale",
    "compare-measures": "bootstrap",
    "evaluate-suite": "bootstrap family tie_margin",
    "gate": "after count",
    "headroom": "level",
    "judge-llm": "announce confirm",
    "recommenders": "candidates item_ids memory scores systems user_ids",
    "report": "command",
    "search": "description on_failure settings transport",
    "sweep": "fields grid",
}


def test_every_other_parameter_of_a_function_is_an_option() -> None:
    lacking: dict[str, set[str]] = {}
    for name, command in COMMANDS.items():
        options = {option.python for option in command.parameters.values()} | {*command.combined}
        taken = {parameter for target in command.targets for parameter in signature(target)}
        lacking[name] = taken - options - IN_EVERY_CALL - {"self", "options"}
    assert {name: found for name, found in lacking.items() if found} == {
        name: set(words.split()) for name, words in WITHOUT_OPTION.items()
    }


def test_docstrings_have_the_declared_entry() -> None:
    for target, parameter in parameters.documented():
        docstring = inspect.getdoc(load(target)) or ""
        # Others are described together, or as for another function.
        if f"\n{parameter.python} : " in docstring:
            head, text = parameter.entry()
            is_there = " ".join(f"{head} {text}".split()) in " ".join(docstring.split())
            assert is_there, f"run python docs/parameters.py: {target}, {parameter.python}"


def test_the_source_is_as_the_command_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    need("checkout")
    assert parameters.main(check=True) == 0, capsys.readouterr().out


@for_each("command", list(COMMANDS))
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

"""Defaults of options: of the project's file and of the environment.

An option of the command line has precedence over the variable ``GAINFUL_COMMAND_OPTION``, and that
over the nearest ``gainful.toml``, or ``pyproject.toml`` with a table ``[tool.gainful]``, in the
current folder or one above it. The file has options of all commands, and a table for each command.
"""

from __future__ import annotations

import os

from gainful._lazy import load
from gainful.cli.command import Command
from gainful.cli.commands import COMMANDS, TARGETS
from gainful.errors import ParameterError
from gainful.project_file import find_project_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gainful.parameters import Parameter

__all__ = ["ProjectFile", "check_variables", "commands", "project_file", "variable"]


def variable(command: str, parameter: Parameter) -> str:
    """Return the variable of the environment with an option's default.

    Examples
    --------
    >>> from gainful.parameters.comparing import ALPHA
    >>> variable("compare", ALPHA)
    'GAINFUL_COMPARE_ALPHA'
    """
    return f"{_prefix(command)}{_key(parameter).upper().replace('-', '_')}"


def check_variables(command: str, declared: Command) -> None:
    """Refuse variables that look like options of a command."""
    prefix = _prefix(command)
    known = {variable(command, parameter) for parameter in _options(declared)}
    longer = [_prefix(f"{command} {word}") for word in declared.commands]
    longer += [_prefix(name) for name in COMMANDS if _prefix(name) != prefix]
    others = tuple(other for other in longer if other.startswith(prefix))
    for name in os.environ:
        if name.startswith(prefix) and name not in known and not name.startswith(others):
            raise ParameterError(f"the variable {name} names no option", hint=_suggest(name, known))


class ProjectFile:
    """The defaults of a file.

    Parameters
    ----------
    path : str
        The file.
    table : mapping
        Its options, and its tables by command.
    """

    __slots__ = ("path", "table")

    def __init__(self, path: str, table: Mapping[str, Any]) -> None:
        self.path = path
        self.table = table

    def values(self, command: str, declared: Command) -> dict[str, Any]:
        """Return the defaults of a command by the name of the parameter."""
        options = {_key(parameter): parameter for parameter in _options(declared)}
        values = {}
        for key, value in self.table.items():
            if isinstance(value, dict) and (key in COMMANDS or key == "colors"):
                continue
            word = _word(key)
            if (option := _option(word, options)) is not None:
                # A command with a single measure takes the first of several.
                is_first = isinstance(value, list) and bool(value) and not option.repeatable
                chosen = value[0] if is_first else value
                # Another command may have other choices, or take a table.
                is_other = (
                    isinstance(value, dict) and option.kind is not dict and _takes_table(word)
                )
                if is_other:
                    continue
                if _is_choice(option, chosen) or not _is_choice_of_any(word, chosen):
                    values[option.name] = self._value(key, option, chosen)
            elif _option(word, {_key(known): known for known in _all_options()}) is None:
                if isinstance(value, dict):
                    raise self._error(key, "is not a command", COMMANDS)
                raise self._error(key, "is not an option", map(_key, _all_options()))
        place, section = command, self.table
        for word in command.split():
            # An option may have the name of a command.
            table = section.get(word)
            section = table if isinstance(table, dict) else {}
        for key, value in section.items():
            place = f"{command.replace(' ', '.')}.{key}"
            # The tables of `conventions` are conventions, which `gainful.conventions` reads.
            if isinstance(value, dict) and (key in declared.commands or command == "conventions"):
                continue
            parameter = _option(_word(key), options)
            if parameter is None:
                raise self._error(place, f"is not an option of {command}", options)
            values[parameter.name] = self._value(place, parameter, value)
        return values

    def colors(self) -> dict[str, Any]:
        """Return the colors of systems by name."""
        colors = self.table.get("colors", {})
        return colors if isinstance(colors, dict) else {}

    def _value(self, place: str, parameter: Parameter, value: Any) -> Any:
        """Return a value in the form of the command line; paths are relative to the file."""
        if isinstance(value, list) and parameter.repeatable:
            return tuple(self._value(place, parameter.replace(repeatable=False), v) for v in value)
        if isinstance(value, dict) and parameter.kind is dict:
            value = ",".join(f"{name}={column}" for name, column in value.items())
        kinds: dict[type, tuple[type, ...]] = {bool: (bool,), int: (int,), float: (int, float)}
        expected = kinds.get(parameter.kind, (str, int, float))
        is_bool = isinstance(value, bool)
        if not isinstance(value, expected) or (is_bool and parameter.kind is not bool):
            raise ParameterError(
                where=f"{self.path}, {place}",
                found=repr(value),
                expected={bool: "true or false", int: "a whole number", float: "a number"}.get(
                    parameter.kind, "a text"
                ),
            )
        if parameter.complete in ("files", "folders"):
            value = self._resolve(str(value), parameter)
        return (value,) if parameter.repeatable else value

    def _resolve(self, word: str, parameter: Parameter) -> str:
        path = os.path.normpath(os.path.join(os.path.dirname(self.path), word))
        exists = os.path.exists(path) or os.path.exists(path.rpartition(":")[0])
        return path if word != "-" and (exists or parameter.writes is not None) else word

    def _error(self, place: str, problem: str, known: Any) -> ParameterError:
        return ParameterError(
            f"{self.path}: {place!r} {problem}", hint=_suggest(place.rpartition(".")[2], known)
        )


def project_file() -> ProjectFile | None:
    """Return the project's file, if there is one."""
    file = find_project_file()
    return None if file is None else ProjectFile(*file)


def commands() -> Iterator[tuple[str, Command]]:
    """Yield all commands and subcommands that have options, with their names."""
    for name, target in TARGETS.items():
        declared: Command = load(target)
        yield name, declared
        for word, target in declared.commands.items():
            yield f"{name} {word}", load(target)


def _all_options() -> Iterator[Parameter]:
    for _, declared in commands():
        yield from _options(declared)


def _is_choice(option: Parameter, value: object) -> bool:
    return not option.choices or value in option.choices


def _is_choice_of_any(key: str, value: object) -> bool:
    """Return whether a command has the option with this value."""
    return any(
        _key(option) == key and option.choices and _is_choice(option, value)
        for option in _all_options()
    )


def _takes_table(key: str) -> bool:
    return any(_key(option) == key and option.kind is dict for option in _all_options())


def _options(declared: Command) -> Iterator[Parameter]:
    """Yield the options that can have defaults."""
    for parameter in declared.parameters.values():
        if not parameter.is_argument:
            yield parameter


def _key(parameter: Parameter) -> str:
    """Return the name of an option in the file: the longest one, without dashes."""
    return parameter.option.lstrip("-")


def _word(key: str) -> str:
    """Return a key of the file as the name of an option."""
    return key.replace("_", "-")


def _option(word: str, options: Mapping[str, Parameter]) -> Parameter | None:
    """Return the option of a word, which may be the plural of one that is repeatable."""
    return options.get(word) or options.get(word.removesuffix("s"))


def _prefix(command: str) -> str:
    return f"GAINFUL_{command.upper().replace('-', '_').replace(' ', '_')}_"


def _suggest(word: str, known: Any) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, [*known], n=1)
    return f"did you mean {close[0]}?" if close else "`gainful config COMMAND` lists the options"

"""A command: its parameters, the function of the package that it calls, and its values."""

from __future__ import annotations

from gainful._lazy import load
from gainful.errors import ArgumentError
from gainful.parameters import Combined, Group, Parameter, flat, members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self

    from gainful.input_files import InputFiles
    from gainful.parameters import Parameters

__all__ = ["COMMAND_LINE", "FORCE", "Command", "Values", "current"]

#: The origin of a value; the others are a variable of the environment and a file.
COMMAND_LINE = "command line"

#: The short help of a command with more options shows only common ones.
_MANY = 15

#: Parameters of other groups that are common.
_COMMON = ("convention", "conventions", "plot", "output", "style")

FORCE = Parameter(
    "force",
    bool,
    group=Group.OUTPUT,
    help="Replace a file also if it contains something else: a run, judgments or files that this"
    " command did not write. An input is never replaced.",
)


class Command:
    """A declared command, which decorates the function that runs it.

    The function's docstring is the help. Its parameters name the values that it uses; ``values``
    is all of them.

    Parameters
    ----------
    *parameters : Parameter, Combined, or sequence of them
        The parameters, in the order of the help.
    targets : sequence of str
        The functions of the package that it calls, as ``module:name``, the usual one first. A
        test compares their parameters with those of the command.
    examples : sequence of str
        The examples at the end of the help, the most useful ones first.
    common : str
        The parameters that the short help shows, separated by spaces, if there are many. Default:
        those of the first group, convention and output.
    excludes : mapping of str to str, optional
        The options that one of them excludes: names, separated by spaces.
    requires : mapping of str to str, optional
        The option without which another one has no meaning.
    summary : str, optional
        Its line in the help of a group. Default: the first sentence.
    commands : mapping of str to str, optional
        The subcommands, as ``module:name``.
    kind : str, optional
        What a subcommand is, if the command only groups them.
    takes_words : bool
        Whether all words are values of its argument, also those that look like options.
    """

    __slots__ = (
        "combined",
        "commands",
        "common",
        "examples",
        "excludes",
        "function",
        "kind",
        "parameters",
        "requires",
        "summary",
        "takes_words",
        "targets",
    )

    def __init__(
        self,
        *parameters: Parameters,
        targets: Sequence[str] = (),
        examples: Sequence[str] = (),
        common: str = "",
        excludes: Mapping[str, str] | None = None,
        requires: Mapping[str, str] | None = None,
        summary: str = "",
        commands: Mapping[str, str] | None = None,
        kind: str = "",
        takes_words: bool = False,
    ) -> None:
        self.combined = {
            item.name: item for item in members(parameters) if isinstance(item, Combined)
        }
        self.parameters = {parameter.name: parameter for parameter in flat(parameters)}
        if any(parameter.writes is not None for parameter in self.parameters.values()):
            self.parameters[FORCE.name] = FORCE
        self.targets = tuple(targets)
        self.examples = tuple(examples)
        self.common = frozenset(common.split())
        self.excludes = excludes or {}
        self.requires = requires or {}
        self.summary = summary
        self.commands = commands or {}
        self.kind = kind
        self.takes_words = takes_words
        self.function: Callable[..., Any]

    def __call__(self, function: Callable[..., Any]) -> Self:
        """Set the function that runs the command."""
        self.function = function
        return self

    @property
    def help(self) -> str:
        """The help above the options."""
        return self.function.__doc__ or ""

    @property
    def options(self) -> list[Parameter]:
        """The options of the help."""
        return [
            parameter
            for parameter in self.parameters.values()
            if not (parameter.is_argument or parameter.hidden)
        ]

    def is_common(self, parameter: Parameter) -> bool:
        """Return whether the short help shows an option."""
        if len(self.options) <= _MANY or parameter.required:
            return True
        if self.common:
            return parameter.name in self.common
        return parameter.group == Group.COMMON or parameter.name in _COMMON

    def check(self, values: Values) -> None:
        """Refuse options that have no effect with, or without, another; see `Values.refuse`."""
        for other, names in self.excludes.items():
            if values.is_given(other):
                values.refuse(names, f"does not work with {values.option(other)}")
        for name, other in self.requires.items():
            if not values.is_given(other):
                values.refuse(name, f"works with {self.parameters[other].option} only")

    def run(self, values: Values) -> Any:
        """Call the function with the values that it names."""
        global _current
        before, _current = _current, values
        names = _parameters_of(self.function)
        try:
            return self.function(
                **{name: values if name == "values" else getattr(values, name) for name in names}
            )
        finally:
            _current = before


class Values:
    """The values of a command's parameters, as attributes.

    Parameters
    ----------
    declared : Command
        The command.
    raw : mapping of str to object
        The value of each parameter by name.
    origins : dict of str to str
        Where each value is from, by name; only for those that are not the default.
    input_files : InputFiles
        The files that the command reads.
    """

    __slots__ = ("_made", "declared", "input_files", "origins", "raw")

    def __init__(
        self,
        declared: Command,
        raw: Mapping[str, Any],
        origins: dict[str, str],
        input_files: InputFiles,
    ) -> None:
        self.declared = declared
        self.raw = dict(raw)
        self.origins = origins
        self.input_files = input_files
        self._made: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        combined = self.declared.combined.get(name)
        if combined is None:
            if name not in self.raw:
                raise AttributeError(name)
            return self.raw[name]
        if name not in self._made:
            words = {parameter.name: self.raw[parameter.name] for parameter in combined.parameters}
            self._made[name] = combined.make(**words)
        return self._made[name]

    def is_given(self, name: str) -> bool:
        """Return whether the value of a parameter is not its default."""
        return name in self.origins

    def option(self, name: str) -> str:
        """Return the option of a parameter; of a switch the one that was given."""
        parameter = self.declared.parameters[name]
        is_off = self.raw[name] is False and "/" in parameter.flags[0]
        return parameter.flags[0].partition("/")[2] if is_off else parameter.option

    def refuse(self, names: str, problem: str, *, hint: str | None = None) -> None:
        """Refuse options of the command line that have no effect.

        Those of the environment and of the project's file get their default instead.
        """
        for name in names.split():
            if self.origins.get(name) == COMMAND_LINE:
                raise ArgumentError(f"{self.option(name)} {problem}", hint=hint)
            if self.origins.pop(name, None) is not None:
                parameter = self.declared.parameters[name]
                is_empty = parameter.repeatable and parameter.default is None
                self.raw[name] = () if is_empty else parameter.default

    def arguments(self, target: str = "", **others: Any) -> dict[str, Any]:
        """Return the arguments of a function of the package that are parameters of the command."""
        names = _parameters_of(load(target or self.declared.targets[0]))
        values = {}
        for parameter in self.declared.parameters.values():
            if parameter.python in names and parameter.python not in others:
                value = getattr(self, parameter.name)
                if value == () and parameter.default is None:
                    value = None
                if parameter.convert is not None and value is not None:
                    value = parameter.convert(value, self)
                values[parameter.python] = value
        return values | others

    def call(self, target: str = "", **others: Any) -> Any:
        """Call a function of the package with `arguments`."""
        return load(target or self.declared.targets[0])(**self.arguments(target, **others))


_current: Values | None = None


def current() -> Values | None:
    """Return the values of the command in progress."""
    return _current


def _parameters_of(function: Any) -> tuple[str, ...]:
    """Return the names of a function's parameters, without what its decorators add."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    # A class has the parameters of its constructor, after itself.
    is_class = isinstance(function, type)
    code = (function.__init__ if is_class else function).__code__
    names: tuple[str, ...] = code.co_varnames[is_class : code.co_argcount + code.co_kwonlyargcount]
    return names

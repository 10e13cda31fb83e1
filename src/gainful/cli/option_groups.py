"""Options that the help of a command lists in groups."""

from __future__ import annotations

from enum import Enum

import click

from gainful.errors import ParameterError
from gainful.numerals import is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeVar

    from click.shell_completion import CompletionItem

    from gainful.cli.written_files import Output
    from gainful.input_files import InputFiles

    Declared = TypeVar("Declared", bound=Callable[..., Any] | click.Command)

__all__ = [
    "INPUTS",
    "Argument",
    "Command",
    "Group",
    "Option",
    "ParentCommand",
    "complete_files",
    "complete_folders",
    "option",
]

#: Where a context has the files that the command reads.
INPUTS = "gainful.inputs"

#: Where a context has the values of parameters that name files to write, and of ``--force``.
_WRITTEN, _FORCE = "gainful.written", "gainful.force"

#: A help with fewer options has no groups.
_FEW = 10

#: The widest option that has its text on the same line.
_COLUMN = 25


class Group(Enum):
    """The groups, in the order of the help, with their titles."""

    COMMON = "Common options"
    STATISTICS = "Statistics"
    CONVENTION = "Convention"
    REQUESTS = "Requests"
    INPUT = "Input formats"
    OUTPUT = "Output"
    OTHER = "Other options"


def complete_files(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let the shell complete a file name."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_folders(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let the shell complete a folder name."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


class _Parameter(click.Parameter):
    """A parameter that may name a file to write."""

    writes: Output | None

    def handle_parse_result(
        self, ctx: click.Context, opts: Any, args: list[str]
    ) -> tuple[Any, list[str]]:
        """Parse the value, and keep it for `Command.invoke` also if the command does not get it."""
        value, rest = super().handle_parse_result(ctx, opts, args)
        if self.writes is not None:
            ctx.meta.setdefault(_WRITTEN, {})[self] = value
        return value, rest


class Option(_Parameter, click.Option):
    """An option in a group, whose help ends with its default.

    Parameters
    ----------
    *names, **attributes
        As for `click.Option`. A help that contains ``Default:`` is left as it is.
    group : Group
        The group of the help that lists it.
    writes : Output, optional
        What the command writes to the file that the option names.
    """

    def __init__(
        self,
        *names: Any,
        group: Group = Group.COMMON,
        writes: Output | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(*names, **attributes)
        self.group = group
        self.writes = writes
        self.completes: Any = attributes.get("shell_complete")
        default = attributes.get("default")
        if self.help and "Default:" not in self.help and default is not None:
            self.help += f" Default: {_format_default(default)}."
        if self.help and self.required:
            self.help += " Required."

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser collect every value, of which only one is allowed."""
        if self.multiple or self.count or self.is_flag:
            super().add_to_parser(parser, ctx)
        else:
            parser.add_option(
                obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs
            )

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Refuse a second value of an option that is not repeatable.

        Raises
        ------
        ParameterError
            If there is one.
        """
        values = opts.get(self.name or "")
        if isinstance(values, list) and not self.multiple:
            if len(values) > 1:
                raise ParameterError(
                    f"{max(self.opts, key=len)} is not repeatable, and has {len(values)} values"
                )
            opts = {**opts, self.name or "": values[0]}
        return super().handle_parse_result(ctx, opts, args)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Convert the value to the type of the option, numbers from ASCII digits only."""
        if isinstance(self.type, (click.types.IntParamType, click.types.FloatParamType)):
            for word in _words(value):
                if not is_plain(word):
                    self.type.fail(f"{word!r} is not a valid {self.type.name}.", self, ctx)
        return super().type_cast_value(ctx, value)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help, without what click adds in brackets."""
        record = super().get_help_record(ctx)
        return record and (record[0], self.help or "")


class Argument(_Parameter, click.Argument):
    """An argument that names a file to write.

    Parameters
    ----------
    *names, **attributes
        As for `click.Argument`.
    writes : Output
        What the command writes to the file.
    """

    def __init__(self, *names: Any, writes: Output, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.writes = writes


class Command(click.Command):
    """A command whose help lists its options in groups, and which checks the files it writes."""

    def __init__(self, *names: Any, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        if any(getattr(param, "writes", None) is not None for param in self.params):
            self.params.append(
                Option(
                    ["--force"],
                    group=Group.OUTPUT,
                    is_flag=True,
                    expose_value=False,
                    callback=lambda ctx, param, value: ctx.meta.update({_FORCE: value}),
                    help="Replace a file also if it contains something else: a run, judgments or"
                    " files that this command did not write. An input is never replaced.",
                )
            )

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, after a check of the files that it will write."""
        written: dict[Any, Any] = ctx.meta.get(_WRITTEN, {})
        outputs = [
            (_name(param), path, param.writes)
            for param, value in written.items()
            for path in map(param.writes.path or str, _words(value))
        ]
        if outputs:
            from gainful.cli.written_files import check_outputs

            check_outputs(outputs, self._inputs(ctx), ctx.params, force=ctx.meta[_FORCE])
        ctx.meta[INPUTS] = self._input_files(ctx)
        return super().invoke(ctx)

    def _input_files(self, ctx: click.Context) -> InputFiles:
        from gainful.cli.written_files import paths_in
        from gainful.input_files import InputFiles

        return InputFiles(path for _, word in self._inputs(ctx) for path in paths_in(word))

    def _inputs(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        """Yield the words that may name files to read: arguments, and options of files."""
        for param in self.params:
            is_read = isinstance(param, click.Argument) or (
                getattr(param, "completes", None) in (complete_files, complete_folders)
            )
            if is_read and getattr(param, "writes", None) is None:
                for word in _words(ctx.params.get(param.name or "")):
                    yield _name(param), word

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        groups: dict[Group, list[tuple[str, str]]] = {group: [] for group in Group}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and not isinstance(param, click.Argument):
                groups[getattr(param, "group", Group.OTHER)].append(record)
        records = [record for members in groups.values() for record in members]
        sections = {group.value: members for group, members in groups.items() if members}
        if len(records) < _FEW:
            sections = {"Options": records}
        # The texts of all groups start in the same column.
        width = max(len(name) for name, _ in records if len(name) <= _COLUMN)
        for title, members in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in members], width)


class ParentCommand(Command):
    """A command with a subcommand, which the first argument calls.

    Parameters
    ----------
    *names, **attributes
        As for `Command`.
    subcommand : str
        The name of the subcommand.
    module : str
        Its module.
    """

    def __init__(self, *names: Any, subcommand: str, module: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self._subcommand = subcommand
        self._module = module

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Make the context of this command, or of the subcommand."""
        if args[:1] != [self._subcommand]:
            return super().make_context(info_name, args, parent, **extra)
        from importlib import import_module

        subcommand: click.Command = import_module(self._module).command
        return subcommand.make_context(f"{info_name} {self._subcommand}", args[1:], parent, **extra)


def option(
    *names: str, group: Group = Group.COMMON, **attributes: Any
) -> Callable[[Declared], Declared]:
    """Declare an option of a command in a group of its help."""
    return click.option(*names, cls=Option, group=group, **attributes)


def _words(value: Any) -> tuple[str, ...]:
    """Return the values of a parameter, which may be repeatable or absent."""
    # Click marks absent values in different ways.
    return (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()


def _name(param: click.Parameter) -> str:
    """Return the name of a parameter in messages."""
    return param.opts[0] if isinstance(param, click.Option) else _plain(param.metavar)


def _plain(metavar: str | None) -> str:
    return (metavar or "the argument").split()[0].strip("[].")


def _format_default(default: object) -> str:
    if isinstance(default, (list, tuple)):
        return ", ".join(map(str, default))
    if isinstance(default, float):
        return f"{default:g}"
    return f"{default:,}" if isinstance(default, int) else str(default)

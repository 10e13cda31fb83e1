"""Options that the help of a command lists in groups."""

from __future__ import annotations

from enum import Enum

import click

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    Declared = TypeVar("Declared", bound=Callable[..., Any] | click.Command)

__all__ = ["Command", "Group", "Option", "option"]

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


class Option(click.Option):
    """An option in a group, whose help ends with its default.

    Parameters
    ----------
    *names, **attributes
        As for `click.Option`. A help that contains ``Default:`` is left as it is.
    group : Group
        The group of the help that lists it.
    """

    def __init__(self, *names: Any, group: Group = Group.COMMON, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.group = group
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

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help, without what click adds in brackets."""
        record = super().get_help_record(ctx)
        return record and (record[0], self.help or "")


class Command(click.Command):
    """A command whose help lists its options in groups, if there are many."""

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


def option(
    *names: str, group: Group = Group.COMMON, **attributes: Any
) -> Callable[[Declared], Declared]:
    """Declare an option of a command in a group of its help."""
    return click.option(*names, cls=Option, group=group, **attributes)


def _format_default(default: object) -> str:
    if isinstance(default, (list, tuple)):
        return ", ".join(map(str, default))
    if isinstance(default, float):
        return f"{default:g}"
    return f"{default:,}" if isinstance(default, int) else str(default)

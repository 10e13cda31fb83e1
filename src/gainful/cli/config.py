"""``gainful config``: the defaults in force, and where they are from."""

from __future__ import annotations

from gainful.cli.arguments import format_option
from gainful.cli.command import Command
from gainful.cli.output import write_list
from gainful.parameters import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.cli.command import Values


@Command(
    Argument("name", str, required=False, metavar="[COMMAND]", complete="commands"),
    format_option(only=("table", "json", "markdown"), help="Format of the list."),
    examples=(
        "gainful config",
        "gainful config compare",
        "GAINFUL_COMPARE_ALPHA=0.01 gainful config compare",
    ),
)
def command(values: Values) -> None:
    """Show the defaults of options, and where they are from.

    An option on the command line has precedence over the variable GAINFUL_COMMAND_OPTION, such as
    GAINFUL_COMPARE_ALPHA, and that over the project's file: gainful.toml, or the table
    [tool.gainful] of pyproject.toml, in the current folder or the nearest one above it. The file
    has options of all commands, and a table for each command.

    Without COMMAND, only what differs from the defaults of Gainful is listed.
    """
    from gainful.formats.table import Column, Table, noted

    rows = list(_settings(values.name))
    notes = [] if rows else ["No option has a default of the environment or of a file."]
    columns = list(map(Column, ("command", "option", "default", "from")))
    cells = [[row[0], row[1], _shown(row[2]), row[3]] for row in rows]
    entries = [
        dict(zip(("command", "option", "value", "origin"), row, strict=True)) for row in rows
    ]
    write_list(values, entries, [Table(columns, cells, notes=noted("config", notes))])


def _settings(name: str | None) -> Iterator[tuple[str, str, object, str]]:
    """Yield the command, option, default and origin of settings."""
    import os

    from gainful.cli.defaults import check_variables, commands, project_file, variable
    from gainful.errors import ParameterError

    known = {word: declared for word, declared in commands() if not declared.kind}
    if name is not None and name not in known:
        raise ParameterError(
            where="COMMAND", found=repr(name), expected=f"one of {', '.join(known)}"
        )
    file = project_file()
    if file is not None and name is None:
        for system, color in file.colors().items():
            yield "report", f"colors.{system}", color, file.path
    for word, declared in known.items():
        if name not in (None, word):
            continue
        check_variables(word, declared)
        values = {} if file is None else file.values(word, declared)
        for parameter in declared.parameters.values():
            if parameter.is_argument or parameter.hidden:
                continue
            setting = variable(word, parameter)
            if os.environ.get(setting):
                yield word, parameter.option, os.environ[setting], setting
            elif file is not None and parameter.name in values:
                yield word, parameter.option, values[parameter.name], file.path
            elif name is not None:
                yield word, parameter.option, parameter.default, "default"


def _shown(value: object) -> str:
    if value is None or value == ():
        return ""
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)

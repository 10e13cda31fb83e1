"""``gainful engines inspect``: what a description accesses."""

from __future__ import annotations

from gainful.cli.arguments import format_option
from gainful.cli.command import Command
from gainful.parameters import Argument


@Command(
    Argument("description", metavar="FILE"),
    format_option(only=("table", "json", "markdown")),
    examples=(
        "gainful engines inspect shop.toml",
        "gainful engines inspect shop.toml --format json",
    ),
)
def command(description: str, style: str, output: str | None) -> None:
    """Show the hosts, environment variables, files and code that a description accesses.

    Nothing is run or connected to. Review a description from someone else before you use it.
    """
    from gainful.cli.output import deliver
    from gainful.systems.inspection import inspect_description, inspection_table

    inspection = inspect_description(description)
    if style == "json":
        from gainful.formats.json import text as json

        deliver([json(inspection._asdict(), indent=2)], output)
    elif style == "markdown":
        from gainful.formats.markup import markdown

        deliver([markdown(inspection_table(inspection))], output)
    else:
        from gainful.formats.text import text

        deliver([f"{text(inspection_table(inspection))}\n"], output)

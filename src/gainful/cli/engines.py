"""``gainful engines``: search engines, starter descriptions, and what a description accesses."""

from __future__ import annotations

from gainful.cli.arguments import format_option
from gainful.cli.command import Command
from gainful.cli.output import write_list
from gainful.cli.written_files import Output
from gainful.parameters import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gainful.cli.command import Values


def _starter(path: str, values: Mapping[str, Any]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the description, and whether an existing one is still as it was written."""
    from gainful.systems.loading import engine_entry

    if values["name"] is None:
        return []
    starter = engine_entry(values["name"]).starter
    return [(path, lambda head: head.decode("utf-8", "replace") == starter)]


@Command(
    Argument("name", str, complete="engines", required=False),
    format_option(
        only=("table", "json", "markdown"),
        help="Format of the list.",
        writes=Output(companions=_starter),
    ),
    commands={"inspect": "gainful.cli.engines:inspect"},
    examples=(
        "gainful engines",
        "gainful engines elasticsearch -o shop.toml",
        "gainful engines inspect shop.toml",
        "gainful search queries.tsv --system shop.toml --dry-run",
    ),
)
def command(values: Values) -> None:
    """List search engines, or print a starter description of NAME.

    A description is a TOML file for the option --system of `gainful search` and `gainful sweep`.
    `gainful engines inspect FILE` shows what a description accesses.
    """
    from gainful.systems.loading import engine_entries, engine_entry, engine_table

    name = values.name
    chosen = engine_entries() if name is None else [engine_entry(name)]
    starter = None if name is None else [chosen[0].starter]
    entries = [entry.to_dict() for entry in chosen]
    write_list(values, entries, [engine_table(chosen)], starter)


@Command(
    Argument("description", metavar="FILE"),
    format_option(only=("table", "json", "markdown")),
    examples=(
        "gainful engines inspect shop.toml",
        "gainful engines inspect shop.toml --format json",
    ),
)
def inspect(values: Values) -> None:
    """Show the hosts, environment variables, files and code that a description accesses.

    Nothing is run or connected to. Review a description from someone else before you use it.
    """
    from gainful.systems.loading import inspect_description, inspection_table

    inspection = inspect_description(values.description)
    write_list(values, inspection._asdict(), [inspection_table(inspection)])

"""``gainful engines``: search engines and starter descriptions."""

from __future__ import annotations

from gainful.cli.arguments import format_option
from gainful.cli.command import Command
from gainful.cli.completions import INSPECT
from gainful.cli.written_files import Output
from gainful.parameters import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gainful.formats.table import Table
    from gainful.systems.inspection import EngineEntry


def _starter(path: str, values: Mapping[str, Any]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the description, and whether an existing one is still as it was written."""
    from gainful.systems.inspection import engine_entry

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
    commands={INSPECT: "gainful.cli.engines_inspect:command"},
    examples=(
        "gainful engines",
        "gainful engines elasticsearch -o shop.toml",
        "gainful engines inspect shop.toml",
        "gainful search queries.tsv --system shop.toml --dry-run",
    ),
)
def command(name: str | None, style: str, output: str | None) -> None:
    """List search engines, or print a starter description of NAME.

    A description is a TOML file for the option --system of `gainful search` and `gainful sweep`.
    `gainful engines inspect FILE` shows what a description accesses.
    """
    from gainful.cli.output import deliver
    from gainful.systems.inspection import engine_entries, engine_entry

    chosen = engine_entries() if name is None else [engine_entry(name)]
    if style == "json":
        from gainful.formats.json import text as json

        deliver([json([entry.to_dict() for entry in chosen], indent=2)], output)
    elif name is not None:
        deliver([chosen[0].starter], output)
    elif style == "markdown":
        from gainful.formats.markup import markdown

        deliver([markdown(_table(chosen))], output)
    else:
        from gainful.formats.text import text

        deliver([f"{text(_table(chosen))}\n"], output)


def _table(entries: list[EngineEntry]) -> Table:
    from gainful.formats.table import Column, Table, noted

    rows = [[entry.name, entry.title, entry.needs, entry.evidence] for entry in entries]
    notes = [
        "evidence: `run` if the tests query this version, `read` if its documentation was read.",
        "`gainful engines NAME` prints a starter description.",
    ]
    columns = map(Column, ("engine", "description", "needs", "evidence"))
    return Table(list(columns), rows, notes=noted("engines", notes))

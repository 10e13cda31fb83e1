"""``gainful datasets``: test collections."""

from __future__ import annotations

from gainful.cli.arguments import format_option
from gainful.cli.command import Command
from gainful.parameters import Argument, Folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.datasets import Dataset
    from gainful.formats.table import Table


@Command(
    Argument("folder", Folder, metavar="[FOLDER]", required=False),
    format_option(only=("table", "json", "markdown"), help="Format of the list."),
    examples=(
        "gainful datasets collections",
        "gainful datasets collections --format json",
        "gainful datasets",
    ),
)
def command(folder: str | None, style: str, output: str | None) -> None:
    """List test collections: the BEIR folders below FOLDER, or those of ir_datasets.

    Nothing is read or downloaded. Python loads one with `gainful.datasets.load_dataset(NAME)`. The
    commands take a BEIR folder as judgments, with --split for the split.
    """
    from gainful.cli.output import deliver
    from gainful.datasets import list_datasets

    found = list_datasets(folder)
    if style == "json":
        from gainful.formats.json import text as json

        deliver([json([dataset.to_dict() for dataset in found], indent=2)], output)
    elif style == "markdown":
        from gainful.formats.markup import markdown

        deliver([markdown(_table(found))], output)
    else:
        from gainful.formats.text import text

        deliver([f"{text(_table(found))}\n"], output)


def _table(found: tuple[Dataset, ...]) -> Table:
    from gainful.formats.table import Column, Table, noted

    rows = [[dataset.name, dataset.source, ", ".join(dataset.parts)] for dataset in found]
    notes = (
        []
        if found
        else ["A BEIR folder has a folder qrels, and queries.jsonl or corpus.jsonl next to it."]
    )
    columns = map(Column, ("dataset", "source", "parts"))
    return Table(list(columns), rows, notes=noted("datasets", notes))

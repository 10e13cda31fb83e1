"""``gainful conventions``: the conventions and their policies."""

from __future__ import annotations

from gainful.cli.arguments import format_option
from gainful.cli.command import Command
from gainful.cli.completions import DIFF
from gainful.parameters import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


@Command(
    Argument("name", str, complete="conventions_or_diff", required=False),
    format_option(only=("table", "json", "markdown"), help="Format of the list."),
    commands={DIFF: "gainful.cli.conventions_diff:command"},
    examples=(
        "gainful conventions",
        "gainful conventions trec_eval",
        "gainful conventions diff trec_eval gainful",
        "gainful evaluate qrels.txt bm25.run --convention trec_eval --policy missing=empty",
    ),
)
def command(name: str | None, style: str, output: str | None) -> None:
    """List the conventions, or describe one.

    A convention defines how a measure is computed: the order of documents with equal scores, the
    grade of unjudged documents, the value of missing queries. A convention named after a tool
    reproduces its numbers.

    `gainful conventions diff A B` lists the policies in which two conventions differ. `gainful
    contrast` computes the effect of each policy on the scores of runs.
    """
    from gainful.cli.output import deliver, on_terminal
    from gainful.conventions import describe, presets

    chosen = presets() if name is None else [describe(name)]
    if style == "json":
        from gainful.conventions.description import to_dict
        from gainful.formats.json import text

        deliver([text([to_dict(preset) for preset in chosen], indent=2)], output)
        return
    if style == "markdown":
        from gainful.conventions.description import preset_table, tables
        from gainful.formats.markup import markdown

        pages = tables(chosen) if name is None else [preset_table(chosen[0])]
        deliver(["\n".join(map(markdown, pages))], output)
    elif name is not None:
        from gainful.conventions.description import describe_preset

        deliver([describe_preset(chosen[0])], output)
    else:
        from gainful.conventions.description import drawn, plain

        colored = output in (None, "-") and on_terminal()
        deliver([drawn(chosen) if colored else plain(chosen)], output, has_colors=colored)

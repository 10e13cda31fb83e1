"""``gainful conventions``: how numbers can be made."""

from __future__ import annotations

import click

from gainful.cli.arguments import complete_conventions, examples, output_option


@click.command(
    epilog=examples(
        "gainful conventions",
        "gainful conventions trec_eval",
        "gainful evaluate qrels.txt bm25.run --convention trec_eval --policy missing=empty",
    )
)
@click.argument("name", required=False, shell_complete=complete_conventions)
@click.option(
    "--format",
    "style",
    type=click.Choice(("table", "json", "markdown")),
    default="table",
    show_default=True,
    help="How to write the answer.",
)
@output_option
def command(name: str | None, style: str, output: str | None) -> None:
    """List the conventions, or tell every policy of one.

    A convention says all about a number that its measure does not: which of two documents with
    equal scores stands first, what an unjudged document is, whether a query that the run lacks
    counts. Those named after a tool give that tool's numbers.
    """
    from gainful.cli.output import deliver, show
    from gainful.conventions import describe, presets

    if style == "json":
        from gainful.report.json import text

        chosen = [describe(name)] if name else presets()
        deliver([text([preset.convention.to_dict() for preset in chosen], indent=2)], output)
    elif name is not None:
        from gainful.report.definitions import of_preset

        deliver([of_preset(describe(name))], output)
    else:
        from gainful.report.listings import conventions_table

        table = conventions_table(presets())
        if style == "markdown":
            from gainful.report.markdown import markdown

            deliver([markdown(table)], output)
        else:
            show(table, output)

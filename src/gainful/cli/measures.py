"""``gainful measures``: what can be measured."""

from __future__ import annotations

import click

from gainful.cli.arguments import complete_measures, examples, output_option


@click.command(
    epilog=examples(
        "gainful measures",
        "gainful measures nDCG",
        "gainful measures mrr",
    )
)
@click.argument("name", required=False, shell_complete=complete_measures)
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
    """List the measures, or tell all about one.

    NAME is a measure in any notation: nDCG, trec_eval's ndcg_cut_10, an everyday name such as MRR.
    Told are its formula, where it comes from, and its parameters with their values.
    """
    from gainful.cli.output import deliver, show
    from gainful.measures import describe, families

    if style == "json":
        from gainful.report.json import text

        chosen = [describe(name)] if name else families()
        deliver([text([family.to_dict() for family in chosen], indent=2)], output)
    elif name is not None:
        from gainful.report.definitions import of_measure

        deliver([of_measure(describe(name))], output)
    else:
        from gainful.report.listings import measures_table

        table = measures_table(families())
        if style == "markdown":
            from gainful.report.markdown import markdown

            deliver([markdown(table)], output)
        else:
            show(table, output)

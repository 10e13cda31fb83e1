"""``gainful trec_eval``: trec_eval's command line."""

from __future__ import annotations

import sys

import click

from gainful.cli.arguments import examples


@click.command(
    name="trec_eval",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=examples(
        "gainful trec_eval qrels.txt bm25.run",
        "gainful trec_eval -q -m ndcg_cut.10 -m map qrels.txt bm25.run",
        "gainful trec_eval --compat 10 -c -m all_trec qrels.txt bm25.run.gz",
    ),
)
@click.argument("words", metavar="ARGS...", nargs=-1, type=click.UNPROCESSED)
def command(words: tuple[str, ...]) -> None:
    """Evaluate with trec_eval's options and output.

    The output is byte for byte that of trec_eval. `gainful trec_eval -h` lists the options.
    """
    from gainful.compat.trec_eval import main

    sys.exit(main(words))

"""``gainful trec_eval``: trec_eval's command line."""

from __future__ import annotations

import sys

from gainful.cli.command import Command
from gainful.parameters import Argument


@Command(
    Argument("words", str, metavar="ARGS...", repeatable=True, required=False),
    takes_words=True,
    examples=(
        "gainful trec_eval qrels.txt bm25.run",
        "gainful trec_eval -q -m ndcg_cut.10 -m map qrels.txt bm25.run",
        "gainful trec_eval --compat 10 -c -m all_trec qrels.txt bm25.run.gz",
    ),
)
def command(words: tuple[str, ...]) -> None:
    """Evaluate with trec_eval's options and output.

    The output is byte for byte that of trec_eval. `gainful trec_eval -h` lists the options.
    """
    from gainful.compat.trec_eval import main

    sys.exit(main(words))

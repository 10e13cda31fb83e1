"""``gainful headroom``: systems between random order, baseline and ideal order."""

from __future__ import annotations

from gainful.cli.arguments import (
    STRICT,
    THREADS,
    convention_options,
    format_option,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.plots import plot_option
from gainful.cli.reading import read_inputs, reading_options
from gainful.parameters import File, Parameter
from gainful.parameters.inputs import QRELS_AND_RUNS
from gainful.vocabulary import FLOORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


@Command(
    QRELS_AND_RUNS,
    measure_option(multiple=True, default="nDCG@10"),
    Parameter(
        "baseline",
        metavar="NAME",
        help="The run that is the baseline. Default: BM25, if --corpus and --queries are given.",
    ),
    Parameter(
        "corpus",
        File,
        help="The searched documents: JSON lines, CSV, TSV, TREC markup, a BEIR folder or a folder"
        " of text files.",
    ),
    Parameter("queries", File, help="The queries, for BM25: TSV, CSV, JSON lines or TREC topics."),
    Parameter("documents", int, help="The number of searched documents, if there is no --corpus."),
    Parameter(
        "floor",
        choices=FLOORS,
        help="The documents in random order: the whole corpus; the pool of judged and retrieved"
        " documents; or only the judged ones. Default: corpus if its size is known, else pool.",
    ),
    convention_options(),
    plot_option("the means of the first measure"),
    format_option(),
    STRICT,
    THREADS,
    reading_options(),
    targets=("gainful.bounds:headroom",),
    examples=(
        "gainful headroom qrels.txt mine.run --corpus corpus.jsonl --queries queries.tsv",
        "gainful headroom qrels.txt mine.run bm25.run --baseline bm25 --documents 8841823",
        "gainful headroom qrels.txt lambdamart.run --floor judged",
    ),
)
def command(values: Values) -> None:
    """Locate systems between random order, baseline and ideal order.

    A mean is hard to read without the range of possible values. The floor is the exact expected
    value of a random order, and the ceiling is the value of the ideal order of the judged
    documents.
    """
    from gainful.cli.output import write

    with read_inputs(values, in_memory=True) as inputs:
        result = values.call(**inputs)
    write(result, values.style, values.output)

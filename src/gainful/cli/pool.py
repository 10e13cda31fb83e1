"""``gainful pool``: the documents of several runs that should be judged."""

from __future__ import annotations

from gainful.cli.arguments import convention_options, measure_of_file
from gainful.cli.command import Command
from gainful.cli.option_values import SCALE, parse_share
from gainful.cli.reading import reading_options
from gainful.cli.written_files import Output
from gainful.parameters import File, Group, Parameter
from gainful.parameters.comparing import SEED
from gainful.parameters.inputs import RUNS
from gainful.vocabulary import POOL_FORMATS, POOLING_STRATEGIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gainful.cli.command import Values


def _ranks_of(path: str, values: Mapping[str, Any]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the file of ranks, and whether an existing one is such a file."""
    from gainful.pooling.result import RANK_COLUMNS, ranks_file

    return [(ranks_file(path), lambda head: head.startswith("\t".join(RANK_COLUMNS).encode()))]


@Command(
    RUNS,
    Parameter(
        "strategy",
        default="depth",
        choices=POOLING_STRATEGIES,
        help="depth: the first documents of each run. rrf: first what several runs rank high. mtf,"
        " maxmean: first from runs that found relevant documents. mtc: first what could change the"
        " order of systems. sample: a random sample for unbiased estimates.",
    ),
    Parameter(
        "depth",
        int,
        metavar="K",
        help="Pool documents down to this rank. Default: 10, or 100 with --budget.",
    ),
    Parameter("budget", int, help="The maximum number of documents to judge. Required by sample."),
    Parameter(
        "queries",
        int,
        help="Draw a random sample of N queries, and record the draw in the pool: --sampled FILE of"
        " evaluate and compare reads it. Default: all queries.",
    ),
    Parameter(
        "judged",
        File,
        metavar="QRELS",
        convert=lambda path, values: values.reading.path_or_table(path, "qrels"),
        help="Judgments that exist: left out, or in a sample included with probability 1. mtf,"
        " maxmean and mtc learn from them.",
    ),
    Parameter(
        "overlap",
        default="0%",
        metavar="SHARE",
        convert=lambda text, values: parse_share(text),
        help="The share of documents that two people should judge, such as 20%.",
    ),
    Parameter(
        "pace",
        float,
        30.0,
        range="(0, inf)",
        metavar="SECONDS",
        help="Seconds per document, for the estimated hours.",
    ),
    measure_of_file(
        Parameter(
            "measure",
            flags=("-m", "--measure"),
            default="nDCG@10",
            metavar="MEASURE",
            help="The measure whose order of the systems mtf, maxmean and mtc should settle.",
        )
    ),
    SCALE.replace(
        help="The possible grades for mtc: 0,1,2,3. Default: 0, 1 and the grades of the judgments.",
    ),
    SEED.replace(
        doc="The random seed of the samples, of the order within each query, and of the overlap."
    ),
    convention_options(),
    Parameter(
        "output",
        flags=("-o", "--output"),
        metavar="FILE",
        group=Group.OUTPUT,
        writes=Output(companions=_ranks_of),
        help="Write the documents to FILE, and their systems and ranks to a second file whose name"
        " ends in .ranks.tsv. Default: only print the plan.",
    ),
    Parameter(
        "style",
        flags=("--format",),
        choices=POOL_FORMATS,
        group=Group.OUTPUT,
        help="JSON lines, a TREC pool, or prels with the probabilities of a sample. Default: by the"
        " suffix .pool or .prels, else JSON lines.",
    ),
    reading_options(),
    targets=("gainful.pooling:pool",),
    common="strategy depth budget queries judged overlap measure convention output style",
    examples=(
        "gainful pool bm25.run dense.run -o pool.jsonl",
        "gainful pool bm25.run dense.run --strategy sample --budget 2000 -o pool.jsonl",
        "gainful pool bm25.run dense.run --queries 40 --seed 1 -o pool.jsonl",
        "gainful pool bm25.run dense.run --strategy mtf --budget 200 --judged qrels.txt"
        " -o more.jsonl",
    ),
)
def command(values: Values) -> None:
    """Choose the documents of several runs to judge.

    Prints the plan: how many documents per query, and how many hours they take. With -o, writes the
    documents in random order within each query.
    """
    from gainful.cli.output import write
    from gainful.cli.reading import parse_runs

    result = values.call(runs=values.reading.paths_or_runs(parse_runs(values.runs)))
    write(result, "table", None, tables=result.tables(values.pace))
    if values.output is not None:
        result.write(values.output, values.style)

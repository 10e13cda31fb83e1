"""``gainful contrast``: the difference between two conventions, policy by policy."""

from __future__ import annotations

from gainful.cli.arguments import THREADS, format_option, measure_option, parse_convention
from gainful.cli.command import Command
from gainful.cli.conventions_diff import SIDE_POLICY, select_changes
from gainful.cli.output import write
from gainful.cli.plots import plot_option
from gainful.cli.reading import Reading, reading_options
from gainful.cli.runs import parse_runs
from gainful.cli.weights import WEIGHTS, read_weights
from gainful.contrasts import contrast
from gainful.evaluation.loaded import agreed_duplicates
from gainful.measures.choosing import choose_measure
from gainful.parameters import Parameter
from gainful.parameters.inputs import QRELS_AND_RUNS
from gainful.progress import Bar


@Command(
    QRELS_AND_RUNS,
    Parameter(
        "a",
        flags=("-a",),
        complete="conventions",
        metavar="CONVENTION",
        required=True,
        help="The first convention.",
    ),
    Parameter(
        "b",
        flags=("-b",),
        complete="conventions",
        metavar="CONVENTION",
        required=True,
        help="The second convention.",
    ),
    measure_option(multiple=False, default="nDCG@10"),
    SIDE_POLICY,
    Parameter(
        "per_query",
        bool,
        help="List every query whose value changes; CSV and JSON contain every step.",
    ),
    WEIGHTS,
    plot_option("the effect of each policy"),
    format_option(),
    THREADS,
    reading_options(),
    examples=(
        "gainful contrast qrels.txt bm25.run -a trec_eval -b gainful",
        "gainful contrast qrels.txt bm25.run dense.run -a trec_eval -b gainful -m nDCG@10",
        "gainful contrast qrels.txt bm25.run -a trec_eval -b trec_eval --policy b:missing=empty",
        "gainful contrast qrels.txt bm25.run -a trec_eval -b gainful --per-query --format csv",
    ),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    a: str,
    b: str,
    measure: str | None,
    changes: tuple[str, ...],
    per_query: bool,
    style: str,
    output: str | None,
    weights: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Attribute the difference between two conventions to single policies.

    The measure is computed under convention A. Then the policies are changed to those of B, one
    after the other. This splits the total difference by policy and by query. With several runs, it
    also reports whether the two conventions rank the systems in the same order.

    `gainful conventions diff` lists the policies without data.
    """
    first, last = (
        parse_convention(name, select_changes(changes, side)) for name, side in ((a, "A"), (b, "B"))
    )
    named = parse_runs(runs)
    shares = read_weights(weights)
    duplicates = agreed_duplicates((first, last))
    chosen = choose_measure(measure, first, last)
    with Bar() as progress:
        judged = reading.load_judgments(qrels, duplicates, [chosen])
        result = contrast(
            judged,
            runs=reading.paths_or_runs(named, judged),
            a=first,
            b=last,
            measure=chosen,
            weights=shares,
            threads=threads,
            progress=progress,
        )
    write(
        result,
        style,
        output,
        records="queries" if per_query else "steps",
        tables=result.tables(queries=None) if per_query else None,
        document=result.to_dict(per_query=per_query) if style == "json" else None,
    )

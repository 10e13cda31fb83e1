"""``gainful contrast``: the difference between two conventions, policy by policy."""

from __future__ import annotations

from gainful.cli.arguments import THREADS, format_option, measure_option
from gainful.cli.command import Command
from gainful.cli.option_values import WEIGHTS
from gainful.cli.plots import plot_option
from gainful.cli.reading import reading_options
from gainful.cli.reference import SIDE_POLICY, parse_sides
from gainful.parameters import Parameter
from gainful.parameters.inputs import QRELS_AND_RUNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


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
    targets=("gainful.contrasts:contrast",),
    examples=(
        "gainful contrast qrels.txt bm25.run -a trec_eval -b gainful",
        "gainful contrast qrels.txt bm25.run dense.run -a trec_eval -b gainful -m nDCG@10",
        "gainful contrast qrels.txt bm25.run -a trec_eval -b trec_eval --policy b:missing=empty",
        "gainful contrast qrels.txt bm25.run -a trec_eval -b gainful --per-query --format csv",
    ),
)
def command(values: Values) -> None:
    """Attribute the difference between two conventions to single policies.

    The measure is computed under convention A. Then the policies are changed to those of B, one
    after the other. This splits the total difference by policy and by query. With several runs, it
    also reports whether the two conventions rank the systems in the same order.

    `gainful conventions diff` lists the policies without data.
    """
    from gainful.cli.output import write
    from gainful.cli.reading import parse_runs
    from gainful.evaluation.call import agreed_duplicates
    from gainful.measures.choosing import choose_measure
    from gainful.progress import Bar

    first, last = parse_sides(values)
    named = parse_runs(values.runs)
    duplicates = agreed_duplicates((first, last))
    chosen = choose_measure(values.measure, first, last)
    with Bar() as progress:
        judged = values.reading.load_judgments(values.qrels, duplicates, [chosen])
        runs = values.reading.paths_or_runs(named, judged)
        result = values.call(
            qrels=judged, runs=runs, a=first, b=last, measure=chosen, progress=progress
        )
    style, per_query = values.style, values.per_query
    write(
        result,
        style,
        values.output,
        records="queries" if per_query else "steps",
        tables=result.tables(queries=None) if per_query else None,
        document=result.to_dict(per_query=per_query) if style == "json" else None,
    )

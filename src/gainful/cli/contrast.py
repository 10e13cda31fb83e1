"""``gainful contrast`` and ``reconcile``: what conventions do to numbers."""

from __future__ import annotations

from gainful.cli.arguments import (
    THREADS,
    format_option,
    measure_of_file,
    measure_option,
    plot_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import WEIGHTS
from gainful.cli.reading import reading_options
from gainful.cli.reference import SIDE_POLICY, parse_sides
from gainful.errors import INCONCLUSIVE, NEGATIVE
from gainful.parameters import File, Parameter
from gainful.parameters.inputs import QRELS, QRELS_AND_RUNS, RUNS

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
def contrast(values: Values) -> None:
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


@Command(
    QRELS,
    RUNS,
    Parameter(
        "reported",
        metavar="NUMBER",
        required=True,
        repeatable=True,
        help="The number as printed: 0.4312, .4312, or 43.12 for a percentage. Repeatable: one for"
        " each RUN, in their order.",
    ),
    measure_of_file(
        Parameter(
            "measure",
            flags=("-m", "--measure"),
            complete="measures",
            metavar="MEASURE",
            help="The measure as reported, such as nDCG@10. Without a cutoff, cutoffs from 1 to"
            " 1000 are searched. Default: all common measures.",
        )
    ),
    Parameter("digits", int, help="Number of significant decimals. Default: those of the number."),
    Parameter(
        "reported_per_query",
        File,
        python="per_query",
        help="Reported values of single queries, which rule out coincidences: lines of a query id"
        " and a number, or of a measure, a query id and a number.",
    ),
    format_option(),
    THREADS,
    reading_options(),
    targets=("gainful.reconciliation:reconcile",),
    examples=(
        "gainful reconcile qrels.txt bm25.run --reported 0.7193 --measure nDCG@10",
        "gainful reconcile qrels.txt bm25.run --reported 43.12",
        "gainful reconcile qrels.txt bm25.run --reported .6 --digits 4 -m 'AP(rel=2)'",
        "gainful reconcile qrels.txt bm25.run dense.run --reported 0.7193 --reported 0.7311",
        "gainful reconcile qrels.txt bm25.run --reported 0.719 --reported-per-query queries.txt",
        "gainful reconcile qrels.txt bm25.run --reported 0.7193 --format json -o found.json",
    ),
)
def reconcile(values: Values) -> int:
    """Find the convention behind a reported number.

    Tries every preset that is verified for the measure, then all combinations of the policies that
    matter on these data: ties, unjudged documents, gain, discount, ideal, cutoff, relevance level
    and others; then presets at other cutoffs, with other relevance levels, and with a mean over a
    few queries more or fewer. Prints the matches, the most plausible first, and how many are
    expected by chance; without a match, the nearest misses. Queries have equal weights.

    Several runs have to give all their numbers under one convention, which rules out coincidences.

    The exit status is 0 if a match explains the number, 4 if there is none, and 3 if there are
    matches, but none more plausible than chance gives to 5% of numbers.
    """
    from gainful.cli.output import write
    from gainful.cli.reading import parse_runs
    from gainful.measures.notation import parse_measure
    from gainful.progress import Bar

    named = parse_runs(values.runs)
    measure = None if values.measure is None else parse_measure(values.measure)
    # Every policy on duplicates is tried, so duplicates are kept.
    reading, measures = values.reading, () if measure is None else (measure,)
    judged = reading.load_judgments(values.qrels, "error", measures)
    with Bar() as progress:
        result = values.call(
            qrels=judged,
            run={name: reading.load_run(path, judged) for name, path in named.items()},
            reported=list(values.reported),
            measure=measure,
            progress=progress,
        )
    write(result, values.style, values.output)
    if not result.explained:
        return INCONCLUSIVE if result.matches else NEGATIVE
    return 0

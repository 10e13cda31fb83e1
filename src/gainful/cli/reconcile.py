"""``gainful reconcile``: the convention behind a reported number."""

from __future__ import annotations

from gainful.cli.arguments import THREADS, format_option, measure_of_file
from gainful.cli.command import Command
from gainful.cli.reading import reading_options
from gainful.exit_statuses import INCONCLUSIVE, NEGATIVE
from gainful.parameters import File, Parameter
from gainful.parameters.inputs import QRELS, RUNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


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
def command(values: Values) -> int:
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

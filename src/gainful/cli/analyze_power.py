"""``gainful analyze-power``: the number of queries that a comparison needs."""

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
from gainful.errors import ArgumentError
from gainful.parameters import Argument, File, Group, Parameter
from gainful.parameters.comparing import ANY_ALPHA
from gainful.parameters.inputs import PREDICTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.agreement import PastEvaluation
    from gainful.cli.command import Values


@Command(
    Argument("qrels", metavar="[QRELS", required=False),
    Argument("runs", metavar="RUN...]", repeatable=True, required=False),
    Parameter(
        "differences",
        float,
        python="difference",
        flags=("--difference",),
        metavar="D",
        repeatable=True,
        help="The smallest difference that matters to you, not an observed one. Repeatable.",
    ),
    Parameter(
        "counts",
        int,
        python="queries",
        flags=("--queries",),
        repeatable=True,
        help="Report the minimum detectable difference with N queries. Repeatable.",
    ),
    Parameter(
        "pasts",
        File,
        flags=("--past",),
        repeatable=True,
        help="Output of `gainful evaluate --per-query` for earlier runs. Repeatable; variances are"
        " pooled.",
    ),
    Parameter(
        "deviation",
        float,
        metavar="S",
        help="Standard deviation of a per-query difference, instead of past evaluations.",
    ),
    measure_option(multiple=True, default="all measures of --past; for runs nDCG@10"),
    Parameter(
        "power",
        float,
        0.8,
        metavar="P",
        group=Group.STATISTICS,
        help="Power: the probability of detecting the difference.",
    ),
    ANY_ALPHA.replace(help="Significance level of the two-sided test."),
    Parameter(
        "comparisons",
        int,
        1,
        group=Group.STATISTICS,
        help="Comparisons that are corrected together: 10 for all pairs of five systems.",
    ),
    PREDICTIONS,
    convention_options(),
    plot_option("the power by number of queries"),
    format_option(),
    STRICT,
    THREADS,
    reading_options(),
    targets=("gainful.agreement:analyze_power",),
    examples=(
        "gainful analyze-power qrels.txt bm25.run dense.run",
        "gainful analyze-power qrels.txt *.run -m nDCG@10 --difference .02 --power .9",
        "gainful analyze-power qrels.txt *.run -m nDCG@10 --queries 80",
        "gainful evaluate qrels.txt *.run -m nDCG@10 --per-query --format tsv -o past.tsv",
        "gainful analyze-power --past past.tsv --past older.tsv --difference .02",
        "gainful analyze-power --deviation .18 --difference .02",
        "gainful analyze-power human.qrels *.run --predicted llm.qrels --sampled random",
    ),
)
def command(values: Values) -> None:
    """Estimate how many queries a comparison needs.

    The variance of per-query differences is estimated from past evaluations: two or more runs with
    QRELS, --past files, or both, pooled. The result lists the number of queries for each difference
    and the minimum detectable difference for each number of queries.

    Choose the smallest difference that would matter to you. Power for a difference that was already
    observed adds nothing to its p-value.

    With --predicted, QRELS is a pilot: the result has the number of human-judged queries with the
    model and without it.
    """
    from gainful.agreement import read_past
    from gainful.cli.output import write

    is_pilot = values.predicted is not None or values.sampled is not None
    if values.deviation is not None and (values.qrels or values.pasts):
        raise ArgumentError("--deviation cannot be combined with past evaluations")
    if values.deviation is not None and values.measures:
        raise ArgumentError("--deviation cannot be combined with --measure")
    if is_pilot and not values.qrels:
        raise ArgumentError("--predicted requires QRELS and runs")
    measures = list(values.measures) or None
    past = [_evaluate_past(values)] if values.qrels else []
    past += [read_past(path, measures) for path in values.pasts]
    if values.deviation is None and not past:
        raise ArgumentError(
            "Missing argument 'QRELS RUN...', or --past or --deviation",
            hint="`gainful analyze-power --help` shows the usage",
        )
    analysis = values.call(past=past or None, measures=measures)
    write(analysis, values.style, values.output)


def _evaluate_past(values: Values) -> PastEvaluation:
    from gainful.agreement import past_evaluation
    from gainful.data.paths import stem

    if not values.runs:
        raise ArgumentError(
            "Missing argument 'RUN...': two or more runs",
            hint="`gainful analyze-power --help` shows the usage",
        )
    with read_inputs(values, in_memory=True) as inputs:
        result = values.call("gainful.evaluation:evaluate", **inputs, queries=None)
    return past_evaluation(result, stem(values.qrels))

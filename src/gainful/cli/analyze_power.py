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
from gainful.cli.reading import reading_options
from gainful.errors import ArgumentError
from gainful.parameters import Argument, File, Group, Parameter
from gainful.parameters.inputs import PREDICTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.agreement import PastEvaluation
    from gainful.cli.reading import Reading
    from gainful.conventions import Convention


@Command(
    Argument("qrels", metavar="[QRELS", required=False),
    Argument("runs", metavar="RUN...]", repeatable=True, required=False),
    Parameter(
        "differences",
        float,
        flags=("--difference",),
        metavar="D",
        repeatable=True,
        help="The smallest difference that matters to you, not an observed one. Repeatable.",
    ),
    Parameter(
        "counts",
        int,
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
    Parameter(
        "alpha",
        float,
        0.05,
        metavar="P",
        group=Group.STATISTICS,
        help="Significance level of the two-sided test.",
    ),
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
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    pasts: tuple[str, ...],
    deviation: float | None,
    measures: tuple[str, ...],
    differences: tuple[float, ...],
    counts: tuple[int, ...],
    power: float,
    alpha: float,
    comparisons: int,
    predicted: str | None,
    sampled: str | None,
    convention: Convention,
    style: str,
    output: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Estimate how many queries a comparison needs.

    The variance of per-query differences is estimated from past evaluations: two or more runs with
    QRELS, --past files, or both, pooled. The result lists the number of queries for each difference
    and the minimum detectable difference for each number of queries.

    Choose the smallest difference that would matter to you. Power for a difference that was already
    observed adds nothing to its p-value.

    With --predicted, QRELS is a pilot: the result has the number of human-judged queries with the
    model and without it.
    """
    from gainful.agreement import analyze_power, read_past
    from gainful.cli.output import write

    if deviation is not None and (qrels or pasts):
        raise ArgumentError("--deviation cannot be combined with past evaluations")
    if deviation is not None and measures:
        raise ArgumentError("--deviation cannot be combined with --measure")
    if (predicted is not None or sampled is not None) and not qrels:
        raise ArgumentError("--predicted requires QRELS and runs")
    past: list[PastEvaluation] = []
    if qrels:
        past.append(
            _evaluated(
                qrels,
                runs,
                measures,
                convention,
                threads,
                reading,
                pasts,
                predicted,
                sampled,
            )
        )
    past += [read_past(path, list(measures) or None) for path in pasts]
    if deviation is None and not past:
        raise ArgumentError(
            "Missing argument 'QRELS RUN...', or --past or --deviation",
            hint="`gainful analyze-power --help` shows the usage",
        )
    analysis = analyze_power(
        past or None,
        list(measures) or None,
        deviation=deviation,
        difference=differences or None,
        queries=counts or None,
        power=power,
        alpha=alpha,
        comparisons=comparisons,
    )
    write(analysis, style, output)


def _evaluated(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    convention: Convention,
    threads: int | None,
    reading: Reading,
    pasts: tuple[str, ...],
    predicted: str | None,
    sampled: str | None,
) -> PastEvaluation:
    from gainful.agreement import past_evaluation
    from gainful.cli.runs import parse_runs
    from gainful.data.paths import stem
    from gainful.evaluation import evaluate
    from gainful.measures.choosing import choose_measures
    from gainful.progress import Bar

    if not runs:
        raise ArgumentError(
            "Missing argument 'RUN...': two or more runs",
            hint="`gainful analyze-power --help` shows the usage",
        )
    named = parse_runs(runs)
    chosen = choose_measures(measures or None, convention)
    with Bar() as progress:
        read, ranked = reading.load_all(qrels, named, convention.duplicates, chosen)
        options: dict[str, Any] = {
            "predicted": reading.path_or_table(predicted, "qrels") if predicted else None,
            "sampled": sampled,
            "threads": threads,
            "progress": progress,
        }
        result = evaluate(read, runs=ranked, measures=chosen, convention=convention, **options)
    return past_evaluation(result, stem(qrels))

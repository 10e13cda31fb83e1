"""``gainful analyze-power``, ``analyze-shards`` and others: what comparisons detect."""

from __future__ import annotations

from gainful.cli.arguments import (
    STRICT,
    THREADS,
    check_records,
    convention_options,
    format_option,
    measure_option,
    plot_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import WEIGHTS
from gainful.cli.reading import read_inputs, reading_options
from gainful.errors import ArgumentError
from gainful.parameters import Argument, File, Group, Parameter
from gainful.parameters.comparing import (
    ANY_ALPHA,
    BASELINE,
    BY,
    CLUSTERS,
    MEASURE_TEST,
    PERSISTENCE,
    RESAMPLES,
    SEED,
)
from gainful.parameters.inputs import PREDICTIONS, QRELS_AND_RUNS
from gainful.vocabulary import EMPTY_SHARDS

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
def analyze_power(values: Values) -> None:
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


@Command(
    QRELS_AND_RUNS,
    measure_option(multiple=False, default="nDCG@10"),
    Parameter(
        "shards",
        default="5",
        metavar="N|FILE",
        complete="files",
        convert=lambda word, values: int(word) if word.isdecimal() else word,
        help="The number of random parts of the corpus, or a file of documents with the part of"
        " each.",
    ),
    BASELINE,
    Parameter(
        "empty",
        default="mean",
        choices=tuple(EMPTY_SHARDS),
        group=Group.STATISTICS,
        help="For a query without relevant documents in a shard: the mean of its other shards, 0,"
        " or skip the query.",
    ),
    ANY_ALPHA,
    SEED,
    convention_options(),
    format_option(),
    STRICT,
    THREADS,
    reading_options(),
    targets=("gainful.shards:analyze_shards",),
    common="measure shards baselines convention output style",
    examples=(
        "gainful analyze-shards qrels.txt bm25.run dense.run --shards 2",
        "gainful analyze-shards qrels.txt *.run --baseline bm25 -m AP --empty skip",
        "gainful analyze-shards qrels.txt *.run --shards sources.tsv",
    ),
)
def analyze_shards(values: Values) -> None:
    """Test whether differences hold for other documents, by parts of the corpus.

    Each part is evaluated as a corpus of its own. A difference is significant if it is large
    compared with its variation over queries and over the parts, both taken as random samples. The
    runs need more documents than the cutoff of the measure times the number of parts.
    """
    from gainful.cli.output import write
    from gainful.cli.reading import parse_runs
    from gainful.measures.choosing import choose_measure
    from gainful.progress import Bar

    measure = choose_measure(values.measure, values.convention)
    with Bar() as progress:
        judged, ranked = values.reading.load_all(
            values.qrels, parse_runs(values.runs), values.convention.duplicates, [measure]
        )
        result = values.call(qrels=judged, runs=ranked, measure=measure, progress=progress)
    write(result, values.style, values.output)


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


#: The contents of TSV and CSV.
PARTS = ("agreement", "power", "ranks", "curve", "slices")


@Command(
    QRELS_AND_RUNS,
    measure_option(multiple=True, default="nDCG@10, AP, RR, P@10 and R@100"),
    BY.replace(doc=""),
    WEIGHTS,
    CLUSTERS.replace(doc=""),
    MEASURE_TEST,
    ANY_ALPHA.replace(help="Significance level of the differences between systems."),
    PERSISTENCE,
    RESAMPLES.replace(doc=""),
    SEED.replace(doc="The random seed. Results do not depend on the number of threads."),
    convention_options(),
    plot_option("the sorted p-values of all pairs"),
    format_option(),
    Parameter(
        "part",
        flags=("--rows",),
        choices=PARTS,
        group=Group.OUTPUT,
        help="Rows of TSV, CSV and Parquet: pairs of measures (agreement), measures (power),"
        " systems (ranks), or pairs of systems for the sorted-p curve (curve). Default:"
        " agreement.",
    ),
    STRICT,
    THREADS,
    reading_options(),
    targets=("gainful.agreement:compare_measures",),
    examples=(
        "gainful compare-measures qrels.txt *.run",
        "gainful compare-measures qrels.txt *.run -m nDCG@10 -m AP -m 'RBP(p=0.8)'",
        "gainful compare-measures qrels.txt *.run -m nDCG@5 -m nDCG@10 -m nDCG@20 --test t",
        "gainful compare-measures qrels.txt *.run --format csv --rows curve -o p-values.csv",
    ),
)
def compare_measures(values: Values) -> None:
    """Compare measures by discriminative power and agreement.

    For each measure, reports how many pairs of systems differ significantly (discriminative power),
    with the sorted p-values. For each two measures, reports how well their rankings of the systems
    agree (Kendall's tau-b, tau-AP, RBO_ext), and their significant differences.

    This shows which measures are redundant and which need more queries. `gainful compare-online`
    shows which agree with online experiments.
    """
    from gainful.agreement.measures import MEASURES
    from gainful.cli.output import write

    if values.part is not None:
        check_records("--rows", values.style)
    with read_inputs(values, MEASURES, in_memory=True) as inputs:
        result = values.call(**inputs)
    write(result, values.style, values.output, records=values.part)


@Command(
    Argument("experiments", metavar="FILE"),
    Parameter(
        "predict",
        float,
        (),
        metavar="D",
        repeatable=True,
        help="Predict the online difference of a change with the offline difference D. Repeatable.",
    ),
    Parameter("minimum", int, 15, help="The number of experiments required for a verdict."),
    Parameter("level", float, 0.95, metavar="P", help="Confidence level of the intervals."),
    plot_option("online over offline differences"),
    format_option(),
    targets=("gainful.agreement:compare_online",),
    examples=(
        "gainful compare-online experiments.csv",
        "gainful compare-online experiments.csv --predict .02",
        "gainful compare-online experiments.tsv --format markdown",
        "gainful compare-online - --format json < experiments.jsonl",
    ),
)
def compare_online(values: Values) -> None:
    """Compare past offline differences with online experiments.

    FILE is a table of experiments: TSV, CSV or JSON lines. The columns offline_difference and
    online_difference are required. Optional columns are their standard errors, offline_se and
    online_se, the names measure and metric if there are several, and experiment, a name.

    Reports how often both differences have the same sign, their rank correlation and the slope,
    each with a confidence interval, and whether online results follow offline ones. --predict adds
    the online difference to expect of a new change, with a prediction interval.
    """
    from gainful.cli.output import write

    write(values.call(), values.style, values.output)

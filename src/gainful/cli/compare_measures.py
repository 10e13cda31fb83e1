"""``gainful compare-measures`` and ``compare-online``: measures, and online experiments."""

from __future__ import annotations

from gainful.cli.arguments import (
    STRICT,
    THREADS,
    check_records,
    convention_options,
    format_option,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import WEIGHTS
from gainful.cli.plots import plot_option
from gainful.cli.reading import read_inputs, reading_options
from gainful.parameters import Argument, Group, Parameter
from gainful.parameters.comparing import (
    ANY_ALPHA,
    BY,
    CLUSTERS,
    MEASURE_TEST,
    PERSISTENCE,
    RESAMPLES,
    SEED,
)
from gainful.parameters.inputs import QRELS_AND_RUNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


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
def command(values: Values) -> None:
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

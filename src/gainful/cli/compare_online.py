"""``gainful compare-online``: offline differences and online experiments."""

from __future__ import annotations

from gainful.cli.arguments import format_option
from gainful.cli.command import Command
from gainful.cli.plots import plot_option
from gainful.parameters import Argument, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


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
def command(values: Values) -> None:
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

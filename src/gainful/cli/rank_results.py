"""``gainful rank-results``: rank systems by the result files of MTEB and BEIR."""

from __future__ import annotations

from gainful.cli.arguments import THREADS, format_option, measure_of_file
from gainful.cli.command import Command
from gainful.cli.plots import plot_option
from gainful.cli.published import PUBLISH
from gainful.parameters import Argument, Parameter
from gainful.parameters.comparing import ALPHA, RESAMPLES, SEED
from gainful.vocabulary import AGGREGATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


@Command(
    Argument("results"),
    measure_of_file(
        Parameter(
            "measure",
            flags=("-m", "--measure"),
            metavar="MEASURE",
            help="The measure to read, such as nDCG@10. Default: the main score of a task, or"
            " nDCG@10.",
        )
    ),
    Parameter("split", metavar="NAME", help="The split of MTEB's tasks. Default: test."),
    Parameter(
        "language",
        metavar="CODE",
        help="Read only the subsets with this language, such as deu or deu-Latn. Default: all.",
    ),
    Parameter(
        "common",
        bool,
        help="Average over the tasks on which all systems have a score. Default: all tasks.",
    ),
    Parameter(
        "over",
        metavar="TASK",
        repeatable=True,
        help="Average over this task only. Repeatable. Default: all tasks.",
    ),
    Parameter(
        "aggregate",
        default="mean",
        choices=AGGREGATES,
        help="Average the scores, or the scores relative to all systems on the same task, by a"
        " normal distribution or by the empirical one. Default: mean.",
    ),
    ALPHA.replace(doc="One minus the confidence level of all intervals."),
    Parameter("bayes", bool, help="Show the posterior probability of rank 1. Needs ten tasks."),
    RESAMPLES.replace(doc=""),
    SEED.replace(doc=""),
    PUBLISH,
    plot_option("the ranks with confidence intervals"),
    format_option(),
    THREADS,
    targets=("gainful.suite:rank_results",),
    excludes={"common": "over"},
    examples=(
        "gainful rank-results results",
        "gainful rank-results results -m nDCG@10 --common --aggregate empirical",
        "gainful rank-results results --language deu --format json",
        "gainful rank-results results -m nDCG@10 --publish scores.json",
        "gainful rank-results scores.json",
    ),
)
def command(values: Values) -> None:
    """Rank systems by MTEB or BEIR result files.

    RESULTS is a folder with what MTEB writes, MODEL/REVISION/TASK.json, or with BEIR's results as
    MODEL/DATASET.json, or a file of published scores, which --publish writes. These have means
    only, so the confidence intervals of ranks treat the tasks as a sample of tasks like these. To
    compare systems query by query, use evaluate-suite.
    """
    from gainful.cli.output import write

    over = "common" if values.common else values.over or "all"
    board = values.call(over=over)
    write(board, values.style, values.output)
    if values.publish is not None:
        from gainful.published import write_published

        write_published(values.publish, board.published())

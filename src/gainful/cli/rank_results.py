"""``gainful rank-results``: rank systems by the result files of MTEB and BEIR."""

from __future__ import annotations

from gainful.cli.arguments import THREADS, format_option
from gainful.cli.command import Command
from gainful.cli.plots import plot_option
from gainful.cli.published import PUBLISH
from gainful.errors import ParameterError
from gainful.parameters import Argument, Parameter
from gainful.parameters.comparing import ALPHA, RESAMPLES, SEED
from gainful.vocabulary import AGGREGATES


@Command(
    Argument("results"),
    Parameter(
        "measure",
        flags=("-m", "--measure"),
        metavar="MEASURE",
        help="The measure to read, such as nDCG@10. Default: the main score of a task, or nDCG@10.",
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
    ALPHA,
    Parameter("bayes", bool, help="Show the posterior probability of rank 1. Needs ten tasks."),
    RESAMPLES,
    SEED,
    PUBLISH,
    plot_option("the ranks with confidence intervals"),
    format_option(),
    THREADS,
    examples=(
        "gainful rank-results results",
        "gainful rank-results results -m nDCG@10 --common --aggregate empirical",
        "gainful rank-results results --language deu --format json",
        "gainful rank-results results -m nDCG@10 --publish scores.json",
        "gainful rank-results scores.json",
    ),
)
def command(
    results: str,
    measure: str | None,
    split: str | None,
    language: str | None,
    common: bool,
    over: tuple[str, ...],
    aggregate: str,
    alpha: float,
    bayes: bool,
    resamples: int,
    seed: int,
    publish: str | None,
    style: str,
    output: str | None,
    threads: int | None,
) -> None:
    """Rank systems by MTEB or BEIR result files.

    RESULTS is a folder with what MTEB writes, MODEL/REVISION/TASK.json, or with BEIR's results as
    MODEL/DATASET.json, or a file of published scores, which --publish writes. These have means
    only, so the confidence intervals of ranks treat the tasks as a sample of tasks like these. To
    compare systems query by query, use evaluate-suite.
    """
    from gainful.cli.output import write
    from gainful.suite import rank_results

    if common and over:
        raise ParameterError("give --common or --over, not both")
    board = rank_results(
        results,
        measure,
        split=split,
        language=language,
        over="common" if common else over or "all",
        aggregate=aggregate,
        alpha=alpha,
        bayes=bayes,
        resamples=resamples,
        seed=seed,
        threads=threads,
    )
    write(board, style, output)
    if publish is not None:
        from gainful.published import write_published

        write_published(publish, board.published())

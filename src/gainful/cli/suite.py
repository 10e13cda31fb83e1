"""``gainful evaluate-suite`` and ``rank-results``: systems on several collections."""

from __future__ import annotations

from gainful.cli.arguments import (
    METHODS,
    PUBLISH,
    PUBLISHED,
    STRICT,
    THREADS,
    check_records,
    convention_options,
    format_option,
    measure_of_file,
    measure_option,
    plot_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import query_groups, read_weights
from gainful.cli.reading import reading_options
from gainful.errors import ParameterError
from gainful.parameters import Argument, Folder, Group, Parameter, comparing
from gainful.parameters.comparing import ALPHA, BASELINE, CORRECTION, MARGINS, RESAMPLES, SEED
from gainful.parameters.inputs import PREDICTED, SAMPLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.cli.command import Values


EVALUATE_SUITE = "gainful.suite.call:evaluate_collections"
COMPARE_SUITE = "gainful.suite.result:Suite.compare"


@Command(
    Argument("folder", Folder),
    measure_option(multiple=True, default="nDCG@10"),
    BASELINE.replace(
        help="Compare every other system with this one, also within each collection. Repeatable."
        " Default: compare all pairs.",
        doc="",
    ),
    MARGINS,
    query_groups(where=" FILE is a name in the folder of each collection."),
    PREDICTED.replace(help=f"{PREDICTED.help} FILE is a name in the folder of each collection."),
    SAMPLED,
    comparing.COMMON,
    comparing.OVER,
    comparing.AGGREGATE,
    Parameter(
        "oracle",
        metavar="NAME",
        help="The run that represents the best achievable value. Default: for each query the best"
        " of the systems.",
    ),
    ALPHA,
    CORRECTION,
    RESAMPLES,
    SEED,
    convention_options(),
    Parameter(
        "pairs",
        bool,
        group=Group.OUTPUT,
        help="In TSV, CSV and Parquet, write one row per pair instead of the means.",
    ),
    PUBLISHED,
    PUBLISH,
    plot_option(
        "the differences with confidence intervals",
        "A file named means draws the means, queries the differences by query, ranks the ranks.",
    ),
    format_option(METHODS),
    STRICT,
    THREADS,
    reading_options(),
    targets=(COMPARE_SUITE,),
    excludes={"common": "over"},
    common="measures baselines margin by common aggregate published convention plot output style",
    examples=(
        "gainful evaluate-suite collections",
        "gainful evaluate-suite collections --baseline bm25 -m nDCG@10 -m R@100",
        "gainful evaluate-suite collections --common --format latex",
        "gainful evaluate-suite collections --predicted llm.qrels --sampled random",
        "gainful evaluate-suite collections --published scores.json --convention beir",
    ),
)
def evaluate_suite(values: Values) -> None:
    """Evaluate and compare systems on several collections.

    Each subfolder of FOLDER is a collection. Its judgments are the file whose name begins with
    qrels. Its runs are the files in the subfolder runs, or the files that end in .run. Runs with
    the same name belong to the same system.

    All collections have equal weight, and a system without a run in one of them has no average.
    Systems are compared by their averages, and with --baseline also within each collection; the
    tests are stratified by collection.
    """
    from gainful.cli.output import write
    from gainful.measures.choosing import choose_measures
    from gainful.published import as_published, write_published

    if values.pairs:
        check_records("--pairs", values.style)
    measures = choose_measures(values.measures or None, values.convention)
    published = as_published(values.published)
    result = suite = _evaluate(values, measures=measures, published=published)
    if len(suite.systems) > 1:
        result = suite.compare(**values.arguments(COMPARE_SUITE))
    elif values.pairs:
        raise ParameterError("--pairs needs two or more systems")
    if values.publish is not None:
        write_published(values.publish, suite.scores())
    write(result, values.style, values.output, records="pairs" if values.pairs else "means")


def _evaluate(values: Values, *, measures: Any, **others: Any) -> Any:
    """Return the suite of the collections in a folder."""
    from gainful.progress import Bar
    from gainful.suite import read_folder
    from gainful.suite.call import find_in_collections

    reading = values.reading
    folder = read_folder(values.folder)

    def files(name: str | None) -> dict[str, str]:
        """Return the paths of a file by collection."""
        if name is None:
            return {}
        return find_in_collections(values.folder, folder.collections, name)

    slices: dict[str, list[str]] = {}
    for name in values.by:
        for collection, path in files(name).items():
            slices.setdefault(collection, []).append(path)
    labels, weights = files(values.predicted), files(values.weights)
    with Bar() as progress:
        collections = {}
        for name, (qrels, runs) in folder.collections.items():
            judged = reading.load_judgments(qrels, values.convention.duplicates, measures)
            ranked = {system: reading.path_or_run(path, judged) for system, path in runs.items()}
            collections[name] = (judged, ranked)
        return values.call(
            EVALUATE_SUITE,
            collections=collections,
            measures=measures,
            over="common" if values.common else values.over or "all",
            weights={name: read_weights(path) for name, path in weights.items()} or None,
            clusters=files(values.clusters) or None,
            by=slices or None,
            predicted={name: reading.path_or_table(path, "qrels") for name, path in labels.items()}
            or None,
            progress=progress,
            left_out=folder.left_out,
            **others,
        )


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
    comparing.COMMON.replace(
        help="Average over the tasks on which all systems have a score. Default: all tasks.",
    ),
    comparing.OVER.replace(
        metavar="TASK",
        help="Average over this task only. Repeatable. Default: all tasks.",
    ),
    comparing.AGGREGATE.replace(help=comparing.AGGREGATE.help.replace("query", "task")),
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
def rank_results(values: Values) -> None:
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

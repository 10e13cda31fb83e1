"""``gainful evaluate-suite``: evaluation and comparison on several collections."""

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
from gainful.cli.plots import plot_option
from gainful.cli.published import PUBLISH, PUBLISHED
from gainful.cli.query_groups import query_group_options
from gainful.cli.reading import reading_options
from gainful.errors import ParameterError
from gainful.parameters import Argument, Folder, Group, Parameter
from gainful.parameters.comparing import ALPHA, CORRECTION, MARGINS, RESAMPLES, SEED
from gainful.parameters.inputs import PREDICTED, SAMPLED
from gainful.vocabulary import AGGREGATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


#: Formats with records, of the suite or of the pairs.
_RECORDS = ("tsv", "csv", "parquet")


EVALUATE_SUITE = "gainful.suite.call:evaluate_collections"
COMPARE_SUITE = "gainful.suite.result:Suite.compare"


@Command(
    Argument("folder", Folder),
    measure_option(multiple=True, default="nDCG@10"),
    Parameter(
        "baselines",
        flags=("--baseline",),
        python="baseline",
        metavar="NAME",
        repeatable=True,
        help="Compare every other system with this one, also within each collection. Repeatable."
        " Default: compare all pairs.",
    ),
    MARGINS,
    query_group_options(where=" FILE is a name in the folder of each collection."),
    PREDICTED.replace(help=f"{PREDICTED.help} FILE is a name in the folder of each collection."),
    SAMPLED,
    Parameter(
        "common",
        bool,
        help="Average over the collections in which all systems have a run. Default: all"
        " collections.",
    ),
    Parameter(
        "over",
        metavar="COLLECTION",
        repeatable=True,
        help="Average over this collection only. Repeatable. Default: all collections.",
    ),
    Parameter(
        "aggregate",
        default="mean",
        choices=AGGREGATES,
        help="Average the scores, or the scores relative to all systems on the same query, by a"
        " normal distribution or by the empirical one. Default: mean.",
    ),
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
    plot_option("the means of the first measure with confidence intervals"),
    format_option(),
    STRICT,
    THREADS,
    reading_options(),
    targets=(COMPARE_SUITE,),
    excludes={"common": "over"},
    examples=(
        "gainful evaluate-suite collections",
        "gainful evaluate-suite collections --baseline bm25 -m nDCG@10 -m R@100",
        "gainful evaluate-suite collections --common --format latex",
        "gainful evaluate-suite collections --predicted llm.qrels --sampled random",
        "gainful evaluate-suite collections --published scores.json --convention beir",
    ),
)
def command(values: Values) -> None:
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
    from gainful.progress import Bar
    from gainful.published import as_published, write_published
    from gainful.suite import read_folder
    from gainful.suite.call import find_in_collections

    convention, reading, style = values.convention, values.reading, values.style
    if values.pairs:
        check_records("--pairs", style)
    chosen = choose_measures(values.measures or None, convention)
    scores = as_published(values.published)
    found = read_folder(values.folder)

    def paths_of(name: str) -> dict[str, str]:
        return find_in_collections(values.folder, found.collections, name)

    groups = values.query_groups.arguments_by_collection(paths_of)
    labels = None
    if values.predicted is not None:
        paths = paths_of(values.predicted)
        labels = {name: reading.path_or_table(path, "qrels") for name, path in paths.items()}
    with Bar() as progress:
        collections = {}
        for name, (qrels, runs) in found.collections.items():
            judged = reading.load_judgments(qrels, convention.duplicates, chosen)
            ranked = {system: reading.path_or_run(path, judged) for system, path in runs.items()}
            collections[name] = (judged, ranked)
        suite = values.call(
            EVALUATE_SUITE,
            collections=collections,
            measures=chosen,
            over="common" if values.common else values.over or "all",
            **{"weights": None, "clusters": None, "by": None} | groups,
            predicted=labels,
            published=scores,
            progress=progress,
            left_out=found.left_out,
        )
    result = None
    if len(suite.systems) > 1:
        result = suite.compare(**values.arguments(COMPARE_SUITE))
    elif values.pairs:
        raise ParameterError("--pairs needs two or more systems")
    if values.publish is not None:
        write_published(values.publish, suite.scores())
    if result is None or (style in _RECORDS and not values.pairs):
        result = suite
    write(result, style, values.output)

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
    from gainful.cli.query_groups import QueryGroupFiles
    from gainful.cli.reading import Reading
    from gainful.conventions import Convention


#: Formats with records, of the suite or of the pairs.
_RECORDS = ("tsv", "csv", "parquet")


@Command(
    Argument("folder", Folder),
    measure_option(multiple=True, default="nDCG@10"),
    Parameter(
        "baselines",
        flags=("--baseline",),
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
    examples=(
        "gainful evaluate-suite collections",
        "gainful evaluate-suite collections --baseline bm25 -m nDCG@10 -m R@100",
        "gainful evaluate-suite collections --common --format latex",
        "gainful evaluate-suite collections --predicted llm.qrels --sampled random",
        "gainful evaluate-suite collections --published scores.json --convention beir",
    ),
)
def command(
    folder: str,
    measures: tuple[str, ...],
    convention: Convention,
    baselines: tuple[str, ...],
    margin: float | None,
    detect: float | None,
    query_groups: QueryGroupFiles,
    predicted: str | None,
    sampled: str | None,
    alpha: float,
    correction: str | None,
    resamples: int,
    seed: int,
    common: bool,
    over: tuple[str, ...],
    aggregate: str,
    oracle: str | None,
    pairs: bool,
    published: tuple[str, ...],
    publish: str | None,
    style: str,
    output: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
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
    from gainful.published.scores import as_published, write_published
    from gainful.suite import read_folder
    from gainful.suite.call import evaluate_collections
    from gainful.suite.folder import find_in_collections

    if common and over:
        raise ParameterError("give --common or --over, not both")
    if pairs:
        check_records("--pairs", style)
    chosen = choose_measures(measures or None, convention)
    scores = as_published(published)
    found = read_folder(folder)
    groups = query_groups.arguments_by_collection(
        lambda name: find_in_collections(folder, found.collections, name)
    )
    labels = None
    if predicted is not None:
        paths = find_in_collections(folder, found.collections, predicted)
        labels = {name: reading.path_or_table(path, "qrels") for name, path in paths.items()}
    with Bar() as progress:
        collections = {}
        for name, (qrels, runs) in found.collections.items():
            read = reading.load_judgments(qrels, convention.duplicates, chosen)
            collections[name] = (
                read,
                {system: reading.path_or_run(path, read) for system, path in runs.items()},
            )
        suite = evaluate_collections(
            collections,
            chosen,
            over="common" if common else over or "all",
            aggregate=aggregate,
            oracle=oracle,
            convention=convention,
            **groups,
            predicted=labels,
            sampled=sampled,
            published=scores,
            threads=threads,
            progress=progress,
            left_out=found.left_out,
        )
    result = None
    if len(suite.systems) > 1:
        result = suite.compare(
            baselines or None,
            margin=margin,
            detect=detect,
            alpha=alpha,
            correction=correction,
            resamples=resamples,
            seed=seed,
            threads=threads,
        )
    elif pairs:
        raise ParameterError("--pairs needs two or more systems")
    if publish is not None:
        write_published(publish, suite.scores())
    if style in _RECORDS and not pairs:
        write(suite, style, output)
    else:
        write(suite if result is None else result, style, output)

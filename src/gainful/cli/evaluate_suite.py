"""``gainful evaluate-suite``: evaluation and comparison on several collections."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    check_records,
    convention_options,
    examples,
    format_option,
    measure_option,
    parse_convention,
    prediction_options,
    strict_option,
    threads_option,
)
from gainful.cli.comparing import (
    alpha_option,
    correction_option,
    margin_options,
    resamples_option,
    seed_option,
)
from gainful.cli.option_groups import Command, Group, complete_folders, option
from gainful.cli.plots import plot_option
from gainful.cli.published import published_options
from gainful.cli.query_groups import query_group_options
from gainful.cli.reading import reading_options
from gainful.errors import ParameterError
from gainful.vocabulary import AGGREGATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.query_groups import QueryGroupFiles
    from gainful.cli.reading import Reading


#: Formats with records, of the suite or of the pairs.
_RECORDS = ("tsv", "csv", "parquet")


@click.command(
    cls=Command,
    epilog=examples(
        "gainful evaluate-suite collections",
        "gainful evaluate-suite collections --baseline bm25 -m nDCG@10 -m R@100",
        "gainful evaluate-suite collections --common --format latex",
        "gainful evaluate-suite collections --predicted llm.qrels --sampled random",
        "gainful evaluate-suite collections --published scores.json --convention beir",
    ),
)
@click.argument("folder", metavar="FOLDER", shell_complete=complete_folders)
@measure_option(multiple=True, default="nDCG@10")
@option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="NAME",
    help="Compare every other system with this one, also within each collection. Repeatable."
    " Default: compare all pairs.",
)
@margin_options
@query_group_options(where=" FILE is a name in the folder of each collection.")
@prediction_options(where=" FILE is a name in the folder of each collection.")
@option(
    "--common",
    is_flag=True,
    help="Average over the collections in which all systems have a run. Default: all collections.",
)
@option(
    "--over",
    multiple=True,
    metavar="COLLECTION",
    help="Average over this collection only. Repeatable. Default: all collections.",
)
@option(
    "--aggregate",
    type=click.Choice(AGGREGATES),
    default="mean",
    help="Average the scores, or the scores relative to all systems on the same query, by a normal"
    " distribution or by the empirical one. Default: mean.",
)
@option(
    "--oracle",
    metavar="NAME",
    help="The run that represents the best achievable value. Default: for each query the best of"
    " the systems.",
)
@alpha_option
@correction_option
@resamples_option
@seed_option
@convention_options()
@option(
    "--pairs",
    group=Group.OUTPUT,
    is_flag=True,
    help="In TSV, CSV and Parquet, write one row per pair instead of the means.",
)
@published_options
@plot_option("the means of the first measure with confidence intervals")
@format_option()
@strict_option
@threads_option
@reading_options()
def command(
    folder: str,
    measures: tuple[str, ...],
    convention: str,
    changes: tuple[str, ...],
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
    policies = parse_convention(convention, changes)
    chosen = choose_measures(measures or None, policies)
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
            read = reading.load_judgments(qrels, policies.duplicates, chosen)
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
            convention=policies,
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

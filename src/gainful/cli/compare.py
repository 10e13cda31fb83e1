"""``gainful compare``: whether one run is better than another."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    complete_files,
    convention_options,
    examples,
    format_option,
    measure_option,
    qrels_and_runs,
    threads_option,
    weights_option,
)
from gainful.cli.comparing import (
    alpha_option,
    baselines_option,
    clusters_option,
    correction_option,
    margin_options,
    resamples_option,
    seed_option,
)
from gainful.cli.reading import reading_options
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading


#: Formats that have every field of a pair.
_WITH_RECORDS = ("tsv", "csv", "json", "parquet")


@click.command(
    epilog=examples(
        "gainful compare qrels.txt old.run new.run",
        "gainful compare qrels.txt a.run b.run c.run -m nDCG@10 -m AP",
        "gainful compare qrels.txt *.run --baseline bm25 --margin 0.01",
        "gainful compare qrels.txt old.run new.run --by queries.tsv:category",
        "gainful compare qrels.txt old.run new.run --clusters queries.tsv:user --weights log.txt",
        "gainful compare qrels.txt old.run new.run --details --test wilcoxon --worst 5",
        "gainful compare qrels.txt *.run -m nDCG@10 -m AP --format latex -o table.tex",
    )
)
@qrels_and_runs
@measure_option(multiple=True, default="nDCG@10")
@baselines_option
@margin_options
@click.option(
    "--by",
    metavar="FILE[:COLUMN]",
    shell_complete=complete_files,
    help="Compare in each slice of the queries, too, by an attribute: TSV, CSV or JSON lines with"
    " the query ids, or lines of a query id and a value.",
)
@clusters_option
@click.option(
    "--test",
    "tests",
    multiple=True,
    type=click.Choice(("wilcoxon", "sign")),
    help="A test to make beside the others, and to show with --details. May be given twice.",
)
@click.option("--details", is_flag=True, help="Show all that is known of each pair.")
@click.option(
    "--risk",
    type=float,
    metavar="A",
    help="Show URisk, TRisk and GeoRisk, with each loss counted 1 + A times.",
)
@click.option(
    "--worst",
    type=int,
    default=0,
    metavar="K",
    help="Show the K queries that each system loses most on.",
)
@alpha_option
@click.option(
    "--family",
    type=click.Choice(("measure", "all")),
    default="measure",
    show_default=True,
    help="Correct for the pairs of each measure, or for those of all measures together.",
)
@correction_option
@click.option(
    "--tie-margin",
    type=float,
    default=0.0,
    metavar="D",
    help="Count differences up to this as ties of a query.",
)
@resamples_option
@seed_option
@convention_options()
@format_option()
@weights_option
@threads_option
@reading_options()
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baselines: tuple[str, ...],
    margin: float | None,
    detect: float | None,
    by: str | None,
    clusters: str | None,
    tests: tuple[str, ...],
    details: bool,
    risk: float | None,
    worst: int,
    alpha: float,
    family: str,
    correction: str | None,
    tie_margin: float,
    resamples: int,
    seed: int,
    convention: str,
    changes: tuple[str, ...],
    style: str,
    output: str | None,
    weights: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Compare runs query by query: which is better, and how sure that is.

    QRELS holds the judgments and each RUN a ranking, as `gainful evaluate` takes them. Each pair
    gets its difference with an interval, a p-value by randomization that is corrected for all
    pairs, and a verdict: better, worse, equivalent (within --margin), identical or inconclusive.
    Where it is inconclusive, it says which difference so many queries would have found.

    Without --baseline all pairs are compared, and systems that share a letter cannot be told apart.
    """
    from gainful.cli.output import deliver, write
    from gainful.cli.progress import Progress
    from gainful.cli.runs import check_standard_input, named_runs
    from gainful.cli.weights import read_weights
    from gainful.comparison import compare
    from gainful.measures.choosing import choose_measures

    if worst < 0:
        raise ParameterError(
            where="--worst", found=str(worst), expected="a whole number of 0 or more"
        )
    named = named_runs(runs)
    check_standard_input(qrels, *named.values(), weights or "", by or "", clusters or "")
    policies = chosen_convention(convention, changes)
    chosen = choose_measures(measures or None, policies)
    shares = read_weights(weights)
    # Whoever asks for a test wants to see it.
    details = details or bool(tests)
    with Progress() as progress:
        read, ranked = reading.all_to_measure(
            qrels,
            named,
            policies.duplicates,
            chosen,
        )
        result = compare(
            read,
            ranked,
            chosen,
            baseline=baselines or None,
            convention=policies,
            weights=shares,
            clusters=clusters,
            by=by,
            margin=margin,
            detect=detect,
            alpha=alpha,
            tie_margin=tie_margin,
            tests=tests,
            family=family,
            correction=correction,
            resamples=resamples,
            # Of the tables only that of details shows it, and it takes the most time.
            **({} if details or style in _WITH_RECORDS else {"bootstrap": 0}),
            seed=seed,
            threads=threads,
            progress=progress,
        )
    if style == "latex":
        deliver([result.to_latex(details=details, risk=risk, worst=worst)], output)
    else:
        tables = result.tables(details=details, risk=risk, worst=worst)
        write(result, style, output, tables=tables)

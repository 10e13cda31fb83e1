"""``gainful compare``: paired significance tests of runs."""

from __future__ import annotations

from gainful.cli.arguments import (
    STRICT,
    THREADS,
    convention_options,
    format_option,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.plots import plot_option
from gainful.cli.query_groups import query_group_options
from gainful.cli.reading import reading_options
from gainful.cli.tables import table_options
from gainful.errors import ArgumentError, ParameterError
from gainful.parameters import File, Group, Parameter
from gainful.parameters.comparing import ALPHA, BASELINE, CORRECTION, MARGINS, RESAMPLES, SEED
from gainful.parameters.inputs import PREDICTIONS, QRELS_AND_RUNS, SELECTION
from gainful.vocabulary import EXTRA_TESTS, PAIR_FAMILIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.cli.query_groups import QueryGroupFiles
    from gainful.cli.reading import Reading
    from gainful.cli.tables import Layout
    from gainful.conventions import Convention


#: Formats that contain all fields of a pair.
_WITH_RECORDS = ("tsv", "csv", "json", "parquet")


@Command(
    QRELS_AND_RUNS,
    measure_option(multiple=True, default="nDCG@10"),
    BASELINE,
    MARGINS,
    query_group_options(),
    SELECTION,
    Parameter(
        "pool",
        File,
        help="The file of `gainful pool` that was judged: also report p under the labels of"
        " unjudged documents that are least favorable to each difference.",
    ),
    Parameter("details", bool, help="Show all statistics of each pair."),
    Parameter(
        "worst", int, 0, metavar="K", help="Show the K queries on which each system loses most."
    ),
    ALPHA,
    CORRECTION,
    Parameter(
        "family",
        default="measure",
        choices=PAIR_FAMILIES,
        group=Group.STATISTICS,
        help="Correct over the pairs of each measure, or over those of all measures.",
    ),
    Parameter(
        "tests",
        flags=("--test",),
        choices=EXTRA_TESTS,
        group=Group.STATISTICS,
        repeatable=True,
        help="Add a Wilcoxon signed-rank test or a sign test to the details. Repeatable.",
    ),
    Parameter(
        "bayes",
        bool,
        group=Group.STATISTICS,
        help="Show posterior probabilities of each mean difference: better, within --margin,"
        " worse.",
    ),
    Parameter(
        "risk",
        float,
        metavar="A",
        group=Group.STATISTICS,
        help="Show URisk, TRisk and GeoRisk; losses have the weight 1 + A.",
    ),
    Parameter(
        "tie_margin",
        float,
        0.0,
        metavar="D",
        group=Group.STATISTICS,
        help="Count differences of a query up to D as ties.",
    ),
    RESAMPLES,
    SEED,
    PREDICTIONS,
    convention_options(),
    plot_option("the differences with confidence intervals"),
    format_option(),
    table_options(
        "For Markdown and LaTeX, one table of systems × measures with the best mean in bold and"
        " significance marks, or a table per measure. Default: --wide for LaTeX."
    ),
    STRICT,
    THREADS,
    reading_options(),
    examples=(
        "gainful compare qrels.txt old.run new.run",
        "gainful compare qrels.txt a.run b.run c.run -m nDCG@10 -m AP",
        "gainful compare qrels.txt *.run --baseline bm25 --margin 0.01",
        "gainful compare qrels.txt old.run new.run --by queries.tsv:category",
        "gainful compare qrels.txt old.run new.run --clusters queries.tsv:user",
        "gainful compare qrels.txt old.run new.run --only q1,q7 --exclude duplicates.tsv",
        "gainful compare qrels.txt old.run new.run --details --test wilcoxon --worst 5",
        "gainful compare human.qrels *.run --predicted llm.qrels --sampled random",
        "gainful compare qrels.txt *.run -m nDCG@10 -m AP --format latex -o table.tex",
    ),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baselines: tuple[str, ...],
    margin: float | None,
    detect: float | None,
    query_groups: QueryGroupFiles,
    queries: str | None,
    exclude: str | None,
    pool: str | None,
    tests: tuple[str, ...],
    bayes: bool,
    details: bool,
    risk: float | None,
    worst: int,
    alpha: float,
    family: str,
    correction: str | None,
    tie_margin: float,
    resamples: int,
    seed: int,
    predicted: str | None,
    sampled: str | None,
    convention: Convention,
    style: str,
    output: str | None,
    layout: Layout,
    threads: int | None,
    reading: Reading,
) -> None:
    """Compare runs with paired significance tests.

    QRELS contains the judgments and each RUN a ranking, as for `gainful evaluate`. For each pair of
    runs, the table shows the mean difference with its confidence interval, the p-value of a
    randomization test, corrected for multiple comparisons, and a verdict: better, worse, equivalent
    (within --margin), identical or inconclusive.

    When all pairs are compared, systems that share a letter do not differ significantly.
    """
    from gainful.cli.output import write
    from gainful.cli.runs import check_standard_input, parse_runs
    from gainful.comparison import compare
    from gainful.measures.choosing import choose_measures
    from gainful.progress import Bar

    if worst < 0:
        raise ParameterError(
            where="--worst", found=str(worst), expected="a whole number of 0 or more"
        )
    wide = style == "latex" and pool is None if layout.wide is None else layout.wide
    if layout.given not in (None, "--long") and not (wide and style in ("markdown", "latex")):
        raise ArgumentError(
            f"{layout.given} works with --format latex, and --wide --format markdown"
        )
    named = parse_runs(runs)
    check_standard_input(
        *(qrels, *named.values()),
        *(*query_groups.paths, predicted or "", queries or "", exclude or ""),
    )
    selection: dict[str, Any] = {"queries": queries, "exclude": exclude}
    if pool is not None and any(selection.values()):
        raise ArgumentError("--pool works without --only and --exclude")
    chosen = choose_measures(measures or None, convention)
    groups = query_groups.arguments()
    # Only the details show further tests.
    details = details or bool(tests)
    with Bar() as progress:
        read, ranked = reading.load_all_to_measure(
            qrels,
            named,
            convention.duplicates,
            chosen,
            in_memory=any(selection.values()),
        )
        result = compare(
            read,
            ranked,
            chosen,
            baseline=baselines or None,
            convention=convention,
            **groups,
            **selection,
            margin=margin,
            detect=detect,
            alpha=alpha,
            tie_margin=tie_margin,
            tests=tests,
            bayes=bayes,
            family=family,
            correction=correction,
            resamples=resamples,
            # The bootstrap takes the most time, and only the details show it.
            bootstrap=9_999 if details or style in _WITH_RECORDS else 0,
            seed=seed,
            predicted=reading.path_or_table(predicted, "qrels") if predicted else None,
            sampled=sampled,
            threads=threads,
            progress=progress,
        )
    parts: dict[str, Any] = {"details": details, "risk": risk, "worst": worst}
    if wide:
        from gainful.comparison.matrix import matrix_tables
        from gainful.formats.look import Look

        look = layout.look
        shown = Look(look["digits"], look["sort"], look["percent"])
        tables = matrix_tables(result, shown, **parts)
    else:
        tables = result.tables(**parts)
    if pool is None:
        write(result, style, output, tables=tables)
        return
    from gainful.pooling import bound_comparison

    pooled = bound_comparison(result, read, ranked, pool)
    write(pooled, style, output, tables=pooled.tables(comparison=tables))

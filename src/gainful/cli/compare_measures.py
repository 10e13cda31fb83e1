"""``gainful compare-measures``: discriminative power and agreement of measures."""

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
from gainful.cli.query_groups import query_group_options
from gainful.cli.reading import reading_options
from gainful.parameters import Group, Parameter
from gainful.parameters.comparing import RESAMPLES, SEED
from gainful.parameters.inputs import QRELS_AND_RUNS
from gainful.vocabulary import MEASURE_TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.query_groups import QueryGroupFiles
    from gainful.cli.reading import Reading
    from gainful.conventions import Convention


#: The contents of TSV and CSV.
PARTS = ("agreement", "power", "ranks", "curve", "slices")


@Command(
    QRELS_AND_RUNS,
    measure_option(multiple=True, default="nDCG@10, AP, RR, P@10 and R@100"),
    query_group_options(),
    Parameter(
        "test",
        default="max-t",
        choices=MEASURE_TESTS,
        group=Group.STATISTICS,
        help="max-t and tukey (randomized Tukey HSD) correct for all pairs of a measure; t (paired"
        " t test) and randomization (sign flips) test each pair alone.",
    ),
    Parameter(
        "alpha",
        float,
        0.05,
        metavar="P",
        group=Group.STATISTICS,
        help="Significance level of the differences between systems.",
    ),
    Parameter(
        "persistence",
        float,
        0.9,
        metavar="P",
        group=Group.STATISTICS,
        help="Persistence p of rank-biased overlap.",
    ),
    RESAMPLES,
    SEED,
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
    examples=(
        "gainful compare-measures qrels.txt *.run",
        "gainful compare-measures qrels.txt *.run -m nDCG@10 -m AP -m 'RBP(p=0.8)'",
        "gainful compare-measures qrels.txt *.run -m nDCG@5 -m nDCG@10 -m nDCG@20 --test t",
        "gainful compare-measures qrels.txt *.run --format csv --rows curve -o p-values.csv",
    ),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    alpha: float,
    test: str,
    persistence: float,
    resamples: int,
    seed: int,
    convention: Convention,
    style: str,
    part: str | None,
    output: str | None,
    query_groups: QueryGroupFiles,
    threads: int | None,
    reading: Reading,
) -> None:
    """Compare measures by discriminative power and agreement.

    For each measure, reports how many pairs of systems differ significantly (discriminative power),
    with the sorted p-values. For each two measures, reports how well their rankings of the systems
    agree (Kendall's tau-b, tau-AP, RBO_ext), and their significant differences.

    This shows which measures are redundant and which need more queries. `gainful compare-online`
    shows which agree with online experiments.
    """
    from gainful.agreement import compare_measures
    from gainful.agreement.measures import MEASURES
    from gainful.cli.output import write
    from gainful.cli.runs import parse_runs
    from gainful.measures.choosing import choose_measures
    from gainful.progress import Bar

    if part is not None:
        check_records("--rows", style)
    named = parse_runs(runs)
    groups = query_groups.arguments()
    chosen = choose_measures(measures or None, convention, usual=MEASURES)
    with Bar() as progress:
        read, ranked = reading.load_all(qrels, named, convention.duplicates, chosen)
        found = compare_measures(
            read,
            ranked,
            chosen,
            convention=convention,
            **groups,
            alpha=alpha,
            test=test,
            persistence=persistence,
            resamples=resamples,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    write(found, style, output, records=part)

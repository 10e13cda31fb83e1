"""``gainful compare-measures``: what measures decide about the same systems."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    check_records,
    chosen_convention,
    convention_options,
    examples,
    format_option,
    measure_option,
    qrels_and_runs,
    threads_option,
    weights_option,
)
from gainful.cli.reading import reading_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading


#: What rows of TSV and CSV are about.
PARTS = ("agreement", "power", "ranks", "curve")


@click.command(
    epilog=examples(
        "gainful compare-measures qrels.txt *.run",
        "gainful compare-measures qrels.txt *.run -m nDCG@10 -m AP -m 'RBP(p=0.8)'",
        "gainful compare-measures qrels.txt *.run -m nDCG@5 -m nDCG@10 -m nDCG@20 --test t",
        "gainful compare-measures qrels.txt *.run --format csv --rows curve -o p-values.csv",
    )
)
@qrels_and_runs
@measure_option(multiple=True, default="nDCG@10, AP, RR, P@10 and R@100")
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="The level at which two systems are told apart.",
)
@click.option(
    "--test",
    type=click.Choice(("max-t", "tukey", "t", "randomization")),
    default="max-t",
    show_default=True,
    help="max-t and tukey (randomized Tukey HSD) correct for all pairs of a measure; t (paired t"
    " test) and randomization (sign flips) test each pair alone.",
)
@click.option(
    "--persistence",
    type=float,
    default=0.9,
    show_default=True,
    metavar="P",
    help="Of rank-biased overlap: the chance to look one rank further.",
)
@click.option(
    "--resamples", type=int, default=100_000, show_default=True, help="Of the randomization."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the randomization.")
@convention_options()
@format_option()
@click.option(
    "--rows",
    "part",
    type=click.Choice(PARTS),
    help="What a row of TSV, CSV and Parquet is: two measures (the default), a measure, a system"
    " under a measure, or two systems under a measure, which is the sorted-p curve.",
)
@weights_option
@threads_option
@reading_options()
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    alpha: float,
    test: str,
    persistence: float,
    resamples: int,
    seed: int,
    convention: str,
    changes: tuple[str, ...],
    style: str,
    part: str | None,
    output: str | None,
    weights: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Compare measures by what they decide about the same systems.

    Prints how many pairs of systems each measure tells apart (discriminative power) and how sure it
    is (the sorted p-values); how far the measures agree on the ranking of the systems (Kendall's
    tau-b, tau-AP, RBO_ext) and on the pairs that they tell apart; and the ranks.

    That tells which measures say the same and which need more queries for it. Which of them is
    closest to users is another question: `gainful compare-online` is about it.
    """
    from gainful.agreement import compare_measures
    from gainful.agreement.measures import MEASURES
    from gainful.cli.output import write
    from gainful.cli.progress import Progress
    from gainful.cli.runs import check_standard_input, named_runs
    from gainful.cli.weights import read_weights
    from gainful.measures.choosing import choose_measures

    if part is not None:
        check_records("--rows", style)
    named = named_runs(runs)
    check_standard_input(qrels, *named.values(), weights or "")
    policies = chosen_convention(convention, changes)
    shares = read_weights(weights)
    chosen = choose_measures(measures or None, policies, usual=MEASURES)
    with Progress() as progress:
        read, ranked = reading.all(qrels, named, policies.duplicates, chosen)
        found = compare_measures(
            read,
            ranked,
            chosen,
            convention=policies,
            weights=shares,
            alpha=alpha,
            test=test,
            persistence=persistence,
            resamples=resamples,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    write(found, style, output, records=part)

"""``gainful report``: everything about some runs on one page."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    complete_files,
    convention_options,
    examples,
    measure_option,
    qrels_and_runs,
    texts_options,
    threads_option,
    weights_option,
    writable_output,
)
from gainful.cli.comparing import (
    alpha_option,
    baselines_option,
    clusters_option,
    correction_option,
    margin_options,
    seed_option,
)
from gainful.cli.reading import reading_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading


@click.command(
    epilog=examples(
        "gainful report qrels.txt old.run new.run -o report.html",
        "gainful report qrels.txt *.run -m nDCG@10 -m AP --baseline bm25 -o report.html",
        "gainful report qrels.txt old.run new.run --docs docs.jsonl --queries queries.jsonl",
    )
)
@qrels_and_runs
@click.option(
    "-o",
    "--output",
    callback=writable_output,
    metavar="FILE",
    default="report.html",
    show_default=True,
    shell_complete=complete_files,
    help="Write to this file, whole or not at all.",
)
@measure_option(multiple=True, default="nDCG@10, AP and RR")
@texts_options
@click.option("--title", metavar="TEXT", default="Ranking report", help="What the page is called.")
@click.option(
    "--depth",
    type=int,
    metavar="N",
    help="Ranks to show of each ranking, 20 at most; without it those down to the first measure's"
    " cutoff.",
)
@baselines_option
@margin_options
@clusters_option
@alpha_option
@correction_option
@click.option(
    "--resamples",
    type=int,
    metavar="N",
    help="Sign flips and permutations; without it 100,000, or 10,000 where systems and queries are"
    " many.",
)
@seed_option
@convention_options()
@weights_option
@threads_option
@reading_options()
def command(
    qrels: str,
    runs: tuple[str, ...],
    output: str,
    measures: tuple[str, ...],
    docs: str | None,
    queries: str | None,
    title: str,
    depth: int | None,
    baselines: tuple[str, ...],
    margin: float | None,
    detect: float | None,
    clusters: str | None,
    alpha: float,
    correction: str | None,
    resamples: int | None,
    seed: int,
    convention: str,
    changes: tuple[str, ...],
    weights: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Put all that is known of some runs on one HTML page.

    QRELS holds the judgments and each RUN a ranking, as `gainful evaluate` takes them. The page is
    one HTML file that needs no network: a leaderboard with differences and verdicts, two systems
    query by query, curves, and the rankings of every query side by side, to be searched. With
    --docs and --queries it shows titles and words beside the ids.

    It needs the extra `report`: pip install 'gainful[report]'.
    """
    from gainful.cli.output import deliver
    from gainful.cli.progress import Progress
    from gainful.cli.runs import check_standard_input, named_runs
    from gainful.cli.weights import read_weights
    from gainful.measures.choosing import choose_measures
    from gainful.report import MEASURES, make_report
    from gainful.report.chart_specs import check_installed

    check_installed()
    named = named_runs(runs)
    check_standard_input(
        qrels, *named.values(), weights or "", docs or "", queries or "", clusters or ""
    )
    policies = chosen_convention(convention, changes)
    chosen = choose_measures(measures or None, policies, usual=MEASURES)
    shares = read_weights(weights)
    with Progress() as progress:
        read, ranked = reading.all(qrels, named, policies.duplicates, chosen)
        result = make_report(
            read,
            ranked,
            chosen,
            baseline=baselines or None,
            convention=policies,
            weights=shares,
            clusters=clusters,
            docs=docs,
            queries=queries,
            margin=margin,
            detect=detect,
            alpha=alpha,
            correction=correction,
            resamples=resamples,
            seed=seed,
            depth=depth,
            title=title,
            command=_command_line(),
            threads=threads,
            progress=progress,
        )
    deliver([result.html()], output)


def _command_line() -> str:
    """Return what was typed, as a shell would read it."""
    import sys
    from shlex import join

    from gainful.data.addresses import without_credentials

    # A report is passed around, and addresses in it may have passwords.
    return join(["gainful", *(without_credentials(word) for word in sys.argv[1:])])

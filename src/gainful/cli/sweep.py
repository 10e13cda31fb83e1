"""``gainful sweep``: one system with many settings."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    complete_files,
    complete_folders,
    convention_options,
    examples,
    format_option,
    measure_option,
    threads_option,
    weights_option,
)
from gainful.cli.comparing import (
    alpha_option,
    clusters_option,
    margin_options,
    resamples_option,
)
from gainful.cli.fetching import (
    depth_option,
    fetching_options,
    journal_option,
    named_values,
    recording_options,
    vectors_option,
    version_option,
)
from gainful.cli.output import say, write
from gainful.cli.reading import reading_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.cli.reading import Reading


@click.command(
    epilog=examples(
        "gainful sweep qrels.txt queries.tsv --system shop.toml --set boost.title=1,2,4",
        "gainful sweep qrels.txt queries.tsv --system shop.toml --set k1=0.6,0.9,1.2 --set b=0.4,1",
        "gainful sweep qrels.txt queries.tsv --system shop.toml --set boost.title=0.5..16:log"
        " --sample 20",
        "gainful sweep qrels.txt queries.tsv --system shop.toml --set operator=and,or"
        " --baseline current",
    )
)
@click.argument("qrels", metavar="QRELS", shell_complete=complete_files)
@click.argument("queries", metavar="QUERIES", shell_complete=complete_files)
@click.option(
    "--system",
    "place",
    required=True,
    metavar="SYSTEM",
    shell_complete=complete_files,
    help="What is asked: a description in TOML, or a Python class or function that makes a system"
    " of the settings, as module:object or file.py:object.",
)
@version_option
@click.option(
    "--set",
    "sets",
    multiple=True,
    required=True,
    metavar="NAME=VALUES",
    help="A setting and its values: boost.title=1,2,4. A range is drawn from, with --sample:"
    " boost.title=1..8, or 0.1..10:log. May be given several times: all combinations are tried.",
)
@click.option(
    "--sample", type=int, metavar="N", help="Draw so many points at random; else all are tried."
)
@depth_option
@vectors_option
@measure_option(multiple=True, default="nDCG@10")
@click.option(
    "--baseline",
    metavar="POINT",
    help="The point that the others are compared with, such as boost.title=2; or current, the"
    " description with the settings that it has. Without it every pair is compared.",
)
@journal_option("SYSTEM.sweep.journal")
@fetching_options
@recording_options
@click.option(
    "--incomplete", is_flag=True, help="Count queries that failed as missing from the run."
)
@click.option(
    "--runs",
    "folder",
    metavar="FOLDER",
    shell_complete=complete_folders,
    help="Write the run of each point into this folder, too.",
)
@margin_options
@clusters_option
@alpha_option
@click.option(
    "--correction",
    type=click.Choice(("max-t", "tukey", "holm")),
    default="max-t",
    show_default=True,
    help="How to correct for all that is compared.",
)
@resamples_option
@click.option(
    "--folds",
    type=int,
    default=10,
    show_default=True,
    metavar="N",
    help="Parts of the queries for the estimate of what the best point is worth on others.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Of the random numbers, those of --sample too.",
)
@convention_options()
@format_option()
@weights_option
@threads_option
@reading_options(["qrels"])
def command(
    qrels: str,
    queries: str,
    place: str,
    version: str | None,
    sets: tuple[str, ...],
    sample: int | None,
    depth: int,
    vectors: str | None,
    measures: tuple[str, ...],
    baseline: str | None,
    journal: str | None,
    restart: bool,
    mended: bool,
    workers: int,
    batch: int | None,
    rate: float | None,
    retries: int,
    timeout: float,
    record: str | None,
    replay: str | None,
    incomplete: bool,
    folder: str | None,
    margin: float | None,
    detect: float | None,
    clusters: str | None,
    alpha: float,
    correction: str,
    resamples: int,
    folds: int,
    seed: int,
    convention: str,
    changes: tuple[str, ...],
    style: str,
    output: str | None,
    weights: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Grid-search the settings of a live system, with a cross-validated estimate of the gain.

    Each combination of the settings is a point. At each point the system of --system is asked all
    QUERIES that have judgments in QRELS. Points are compared as `gainful compare` compares runs,
    corrected for all that was tried. The best of many is partly luck, so what it is worth on other
    queries is estimated by cross-validation.
    """
    from gainful.cli.runs import check_standard_input
    from gainful.cli.search_output import check_places
    from gainful.cli.systems import file_of, with_bar
    from gainful.cli.weights import read_weights
    from gainful.measures.choosing import choose_measures
    from gainful.sweeps import sweep
    from gainful.systems.queries import Queries

    check_standard_input(qrels, queries, weights or "", clusters or "")
    policies = chosen_convention(convention, changes)
    chosen = choose_measures(measures or None, policies)
    judged = reading.judgments(qrels, policies.duplicates, chosen)
    kept = journal or _journal_of(place)
    check_places(
        {"-o": output, "--journal": kept, "--record": record},
        {
            "QUERIES": queries,
            "QRELS": qrels,
            "--system": file_of(place),
            "--vectors": vectors,
            "--replay": replay,
            "--weights": weights,
        },
    )
    result = with_bar(
        sweep,
        _system_of(place),
        Queries.of(queries, vectors=vectors),
        judged,
        _grid(sets),
        chosen,
        k=depth,
        sample=sample,
        seed=seed,
        baseline=baseline,
        journal=kept,
        restart=restart,
        mended=mended,
        workers=workers,
        batch=batch,
        rate=rate,
        retries=retries,
        timeout=timeout,
        version=version,
        record=record,
        replay=replay,
        as_complete=incomplete,
        convention=policies,
        weights=read_weights(weights),
        clusters=clusters,
        margin=margin,
        detect=detect,
        alpha=alpha,
        correction=correction,
        resamples=resamples,
        folds=folds,
        threads=threads,
    )
    if folder is not None:
        result.write_runs(folder)
    write(result, style, output)
    say(result.account_line(kept))


def _system_of(place: str) -> Any:
    """Return what `gainful.sweep` takes: the path of a description, or what makes a system."""
    from os.path import exists

    from gainful.systems.python.named_objects import load_object, names_object

    if exists(place) or not names_object(place):
        return place
    return lambda **settings: load_object(place, settings)


def _journal_of(place: str) -> str:
    """Return the name of the journal that a sweep keeps where none is named."""
    from os.path import basename, splitext

    name = basename(place).replace(":", ".")
    return f"{splitext(name)[0] if name.endswith('.toml') else name}.sweep.journal"


def _grid(sets: tuple[str, ...]) -> dict[str, Any]:
    """Return the grid that ``--set`` names."""
    from gainful.sweeps.written import values_of

    pairs = named_values(
        sets,
        "NAME=VALUES, as in boost.title=1,2,4",
        once=lambda name: f"all of its values at once, as in --set {name}=1,2,4",
    )
    return {name: values_of(name, text) for name, text in pairs}

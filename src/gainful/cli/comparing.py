"""Options of the commands that compare runs."""

from __future__ import annotations

import click

from gainful.cli.arguments import complete_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Command = TypeVar("Command", bound=Callable[..., Any])


def baselines_option(command: Command) -> Command:
    """Add ``--baseline``, which may be repeated."""
    return click.option(
        "--baseline",
        "baselines",
        multiple=True,
        metavar="NAME",
        help="The run that the others are compared with; without it every pair is compared. May be"
        " given several times.",
    )(command)


def margin_options(command: Command) -> Command:
    """Add ``--margin`` and ``--detect``."""
    margin = click.option(
        "--margin",
        type=float,
        metavar="D",
        help="A difference that does not matter. With it, systems can be found equivalent.",
    )
    detect = click.option(
        "--detect",
        type=float,
        metavar="D",
        help="Say how many queries it takes to find this difference; without it, the margin.",
    )
    return margin(detect(command))


def clusters_option(command: Command) -> Command:
    """Add ``--clusters``."""
    return click.option(
        "--clusters",
        metavar="FILE[:COLUMN]",
        shell_complete=complete_files,
        help="Which queries belong together, as those of one user do: they are resampled as one.",
    )(command)


def alpha_option(command: Command) -> Command:
    """Add ``--alpha``."""
    return click.option(
        "--alpha", type=float, default=0.05, show_default=True, help="Intervals hold at 1 - alpha."
    )(command)


def correction_option(command: Command) -> Command:
    """Add ``--correction``."""
    return click.option(
        "--correction",
        type=click.Choice(("max-t", "tukey", "holm")),
        help="Correction for multiple comparisons. Default: max-t for all pairs, holm for"
        " comparisons with baselines. tukey is randomized Tukey HSD, for all pairs.",
    )(command)


def resamples_option(command: Command) -> Command:
    """Add ``--resamples``."""
    return click.option(
        "--resamples",
        type=int,
        default=100_000,
        show_default=True,
        metavar="N",
        help="Sign flips and permutations.",
    )(command)


def seed_option(command: Command) -> Command:
    """Add ``--seed``."""
    return click.option(
        "--seed", type=int, default=0, show_default=True, help="Of the random numbers."
    )(command)

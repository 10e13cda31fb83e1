"""Options of the commands that compare runs."""

from __future__ import annotations

import click

from gainful.cli.option_groups import Group, complete_files, option
from gainful.vocabulary import CORRECTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Command = TypeVar("Command", bound=Callable[..., Any])


def baselines_option(command: Command) -> Command:
    """Add ``--baseline``, which is repeatable."""
    return option(
        "--baseline",
        "baselines",
        multiple=True,
        metavar="NAME",
        help="Compare every other run with this one. Repeatable. Default: compare all pairs.",
    )(command)


def margin_options(command: Command) -> Command:
    """Add ``--margin`` and ``--detect``."""
    margin = option(
        "--margin",
        type=float,
        metavar="D",
        help="Equivalence margin: the largest difference that does not matter. With it, the verdict"
        " can be `equivalent`.",
    )
    detect = option(
        "--detect",
        group=Group.STATISTICS,
        type=float,
        metavar="D",
        help="Report how many queries are needed to detect this difference. Default: the margin.",
    )
    return margin(detect(command))


def clusters_option(command: Command) -> Command:
    """Add ``--clusters``."""
    return option(
        "--clusters",
        group=Group.STATISTICS,
        metavar="FILE[:COLUMN]",
        shell_complete=complete_files,
        help="Resample related queries together, such as those of one user: a file of query ids"
        " and cluster labels.",
    )(command)


def alpha_option(command: Command) -> Command:
    """Add ``--alpha``."""
    return option(
        "--alpha",
        group=Group.STATISTICS,
        type=float,
        default=0.05,
        metavar="P",
        help="Significance level. The confidence level is 1 - P.",
    )(command)


def correction_option(command: Command) -> Command:
    """Add ``--correction``."""
    return option(
        "--correction",
        group=Group.STATISTICS,
        type=click.Choice(tuple(CORRECTIONS)),
        help="Correction for multiple comparisons. tukey is randomized Tukey HSD, for all pairs."
        " Default: max-t for all pairs, holm for comparisons with baselines.",
    )(command)


def resamples_option(command: Command) -> Command:
    """Add ``--resamples``."""
    return option(
        "--resamples",
        group=Group.STATISTICS,
        type=int,
        default=100_000,
        metavar="N",
        help="Number of random sign flips or permutations.",
    )(command)


def seed_option(command: Command) -> Command:
    """Add ``--seed``."""
    return option(
        "--seed",
        group=Group.STATISTICS,
        type=int,
        default=0,
        metavar="N",
        help="Random seed.",
    )(command)

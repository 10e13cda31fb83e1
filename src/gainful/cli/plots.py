"""The option ``--plot`` of commands whose result has a picture."""

from __future__ import annotations

import click

from gainful.cli.option_groups import Group, complete_files, option
from gainful.cli.output import PLOT
from gainful.cli.written_files import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["plot_option"]


def plot_option(content: str) -> Callable[[Any], Any]:
    """Make ``--plot``, which `gainful.cli.output.write` follows.

    Parameters
    ----------
    content : str
        What the first picture of the result shows.
    """
    return option(
        "--plot",
        group=Group.OUTPUT,
        metavar="FILE",
        expose_value=False,
        callback=_store,
        writes=Output(),
        shell_complete=complete_files,
        help=f"Also draw {content} to this file: .pdf, .svg, .png, .html or .json.",
    )


def _store(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    from gainful.plots.plot import check_suffix
    from gainful.plots.style import altair

    # A wrong suffix or a missing package is an error before the work begins.
    check_suffix(value, "--plot")
    altair()
    ctx.meta[PLOT] = value
    return value

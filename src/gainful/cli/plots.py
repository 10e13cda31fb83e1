"""The option ``--plot`` of commands whose result has a picture."""

from __future__ import annotations

from gainful.cli.written_files import Output
from gainful.parameters import File, Group, Parameter

__all__ = ["plot_option"]


def plot_option(content: str, further: str = "") -> Parameter:
    """Declare ``--plot``, which `gainful.cli.output.write` follows.

    Parameters
    ----------
    content : str
        What the first picture of the result shows.
    further : str
        Which names of files draw other pictures.
    """
    return Parameter(
        "plot",
        File,
        group=Group.OUTPUT,
        writes=Output(),
        validate=_check_picture,
        help=f"Also draw {content} to this file: .pdf, .svg, .png, .html or .json."
        f"{further and f' {further}'}",
    )


def _check_picture(path: str) -> None:
    """Refuse a wrong suffix or a missing package before the work begins."""
    from gainful.plots.plot import altair, check_suffix

    check_suffix(path, "--plot")
    altair()

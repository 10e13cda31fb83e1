"""What all charts have in common: their colours, and Altair itself.

The colours are of middling lightness, so that each has a contrast of 3 to 1 and more both on white
and on the dark page of the report (WCAG 2.2, criterion 1.4.11).
"""

from __future__ import annotations

from gainful.extras import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Chart = Any
    #: Dictionaries, or the name of a data set that the page brings.
    Rows = list[dict[str, Any]] | str

__all__ = [
    "LOSS",
    "PALETTE",
    "TIE",
    "WIN",
    "altair",
    "colour",
    "data_of",
    "legend",
    "signs",
    "systems_colour",
]

#: One a system; told apart by people with the common colour blindnesses when side by side.
PALETTE = (
    "#2b7bd1",
    "#d2660f",
    "#1f9468",
    "#b653b0",
    "#7d6fe0",
    "#c2456a",
    "#8a7a12",
    "#12909c",
)
WIN, LOSS, TIE = "#2b7bd1", "#d2660f", "#7a8594"


def altair() -> Any:
    """Return the package, imported when the first chart is drawn.

    Raises
    ------
    GainfulError
        Where it is not installed.
    """
    return load_package("altair", where="charts", extra="report")


def data_of(rows: Rows) -> Any:
    """Return rows, or the name of a data set, as Altair takes them."""
    alt = altair()
    return alt.NamedData(rows) if isinstance(rows, str) else alt.Data(values=rows)


def legend() -> Any:
    """Return the legend of systems or of lines, above the chart."""
    return altair().Legend(title=None, orient="top", columns=4, labelLimit=260)


def colour(win: str) -> Any:
    """Return the channel that gives wins one colour and losses another.

    Parameters
    ----------
    win : str
        The field that says whether a row is a win.
    """
    alt = altair()
    scale = alt.Scale(domain=[True, False], range=[WIN, LOSS])
    return alt.Color(f"{win}:N", scale=scale, legend=None)


def signs() -> dict[str, Any]:
    """Return the options of an axis of differences: their signs, and none for 0."""
    return {"labelExpr": "datum.value == 0 ? '0' : format(datum.value, '+.2~f')"}


def systems_colour(own: bool) -> dict[str, Any]:
    """Return the channels that tell systems apart: colour, and on points the shape, too.

    Parameters
    ----------
    own : bool
        Whether the rows say their colour and shape themselves, as those of the report do, which
        has its own legend.
    """
    alt = altair()
    if own:
        return {
            "color": alt.Color("colour:N", scale=None),
            "shape": alt.Shape("shape:N", scale=None),
        }
    return {
        "color": alt.Color("system:N", scale=alt.Scale(range=list(PALETTE)), legend=legend()),
        "shape": alt.Shape("system:N", legend=legend()),
    }

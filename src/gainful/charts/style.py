"""Colors, legends and axes that all charts share.

Every color has a contrast of at least 3 to 1 both on white and on the report's dark page (WCAG 2.2,
criterion 1.4.11).
"""

from __future__ import annotations

from gainful.extras import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Chart = Any
    #: Rows, or the name of a data set that the page provides.
    Rows = list[dict[str, Any]] | str

__all__ = [
    "LOSS",
    "PALETTE",
    "TIE",
    "WIN",
    "altair",
    "legend",
    "signed_axis",
    "system_channels",
    "to_data",
    "win_color",
]

#: One color per system; neighbors remain distinct with the common forms of color blindness.
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
    """Import and return Altair.

    Raises
    ------
    GainfulError
        If it is not installed.
    """
    return load_package("altair", where="charts", extra="report")


def to_data(rows: Rows) -> Any:
    """Convert rows, or the name of a data set, to Altair data."""
    alt = altair()
    return alt.NamedData(rows) if isinstance(rows, str) else alt.Data(values=rows)


def legend() -> Any:
    """Return a legend above the chart."""
    return altair().Legend(title=None, orient="top", columns=4, labelLimit=260)


def win_color(win: str) -> Any:
    """Return the color channel of wins and losses.

    Parameters
    ----------
    win : str
        The field that says whether a row is a win.
    """
    alt = altair()
    scale = alt.Scale(domain=[True, False], range=[WIN, LOSS])
    return alt.Color(f"{win}:N", scale=scale, legend=None)


def signed_axis() -> dict[str, Any]:
    """Return axis options that label differences with their sign."""
    return {"labelExpr": "datum.value == 0 ? '0' : format(datum.value, '+.2~f')"}


def system_channels(styled: bool) -> dict[str, Any]:
    """Return the color and shape channels that distinguish systems.

    Parameters
    ----------
    styled : bool
        Whether the rows have the fields ``color`` and ``shape``, as in the HTML report, which has
        its own legend.
    """
    alt = altair()
    if styled:
        return {
            "color": alt.Color("color:N", scale=None),
            "shape": alt.Shape("shape:N", scale=None),
        }
    return {
        "color": alt.Color("system:N", scale=alt.Scale(range=list(PALETTE)), legend=legend()),
        "shape": alt.Shape("system:N", legend=legend()),
    }

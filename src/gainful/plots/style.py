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
    "LONGEST_NAME",
    "LOSS",
    "PALETTE",
    "TIE",
    "WIN",
    "altair",
    "categories",
    "color_and_shape",
    "legend",
    "legend_columns",
    "name_axis",
    "number_axis",
    "shortened",
    "shortened_labels",
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

#: The most letters of a name on an axis, and in a legend.
LONGEST_NAME, _LONGEST_ENTRY = 52, 32


def altair() -> Any:
    """Import and return Altair.

    Raises
    ------
    GainfulError
        If it is not installed.
    """
    return load_package("altair", where="plots", extra="report")


def to_data(rows: Rows) -> Any:
    """Convert rows, or the name of a data set, to Altair data."""
    alt = altair()
    return alt.NamedData(rows) if isinstance(rows, str) else alt.Data(values=rows)


def shortened(text: str, longest: int = 40) -> str:
    """Return a text without its middle if it is long; names often differ at their ends.

    Examples
    --------
    >>> shortened("bm25"), shortened("organization/a-long-name-v2", 15)
    ('bm25', 'organiz…name-v2')
    """
    if len(text) <= longest:
        return text
    start = (longest - 1) // 2
    return f"{text[:start]}…{text[start + 1 - longest :]}"


def shortened_labels(longest: int) -> str:
    """Return the expression of labels that are shortened like texts."""
    start = (longest - 1) // 2
    name = "datum.label"
    short = f"slice({name}, 0, {start}) + '…' + slice({name}, {start + 1 - longest})"
    return f"length({name}) > {longest} ? {short} : {name}"


def name_axis() -> Any:
    """Return an axis of names."""
    return altair().Axis(labelLimit=0, labelExpr=shortened_labels(LONGEST_NAME))


def legend(names: list[str]) -> Any:
    """Return a legend above the chart, whose columns fit its labels."""
    return altair().Legend(
        title=None,
        orient="top",
        columns=legend_columns(names),
        # Space for viewers whose font is wider.
        columnPadding=10 + 0.6 * _longest_entry(names),
        labelLimit=0,
        labelExpr=shortened_labels(_LONGEST_ENTRY),
    )


def legend_columns(names: list[str], width: float = 480) -> int:
    """Return the number of columns of a legend that fit into a width in pixels.

    Examples
    --------
    >>> legend_columns(["bm25", "dense"]), legend_columns(["bm25", "dense"], 100)
    (4, 1)
    """
    # The symbol, the space between columns, and 6 pixels per letter.
    return max(1, min(4, int(width // (6.6 * _longest_entry(names) + 30))))


def _longest_entry(names: list[str]) -> int:
    return min(max(map(len, names), default=0), _LONGEST_ENTRY)


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


def number_axis(**options: Any) -> Any:
    """Return an axis of numbers with few labels, which do not overlap."""
    axis = {"tickCount": 6, "labelOverlap": "greedy", "labelSeparation": 8, "labelFlush": False}
    return altair().Axis(**{**axis, **options})


def count_axis(**options: Any) -> Any:
    """Return an axis that labels whole numbers only."""
    return number_axis(
        tickMinStep=1, labelExpr="datum.value % 1 ? '' : format(datum.value, ',')", **options
    )


def signed_axis(**options: Any) -> Any:
    """Return an axis that labels differences with their sign."""
    label = "datum.value == 0 ? '0' : format(datum.value, '+.3~r')"
    return number_axis(labelExpr=label, **options)


def categories(rows: list[dict[str, Any]], field: str) -> list[str]:
    """Return the values of a field in order of appearance."""
    return list(dict.fromkeys(row[field] for row in rows))


def color_and_shape(field: str, names: list[str]) -> dict[str, Any]:
    """Return the color and shape channels of named lines or points; a single one has no legend."""
    alt = altair()
    colors = [PALETTE[at % len(PALETTE)] for at in range(len(names))]
    shown = legend(names) if len(names) > 1 else None
    return {
        "color": alt.Color(f"{field}:N", scale=alt.Scale(domain=names, range=colors), legend=shown),
        "shape": alt.Shape(f"{field}:N", scale=alt.Scale(domain=names), legend=shown),
    }


def system_channels(rows: Rows, styled: bool) -> dict[str, Any]:
    """Return the color and shape channels that distinguish systems.

    Parameters
    ----------
    rows : list of dict, or str
        With ``system``.
    styled : bool
        Whether the rows have the fields ``color`` and ``shape``, as in the HTML report, which has
        its own legend.
    """
    if styled or isinstance(rows, str):
        alt = altair()
        return {
            "color": alt.Color("color:N", scale=None),
            "shape": alt.Shape("shape:N", scale=None),
        }
    return color_and_shape("system", categories(rows, "system"))

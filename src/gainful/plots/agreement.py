"""Agreement of measures or of raters, as a matrix."""

from __future__ import annotations

from gainful.plots.plot import picture
from gainful.plots.style import altair, categories, to_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.plots.style import Chart

__all__ = ["agreement"]


@picture
def agreement(rows: list[dict[str, Any]], title: str) -> Chart:
    """Draw the agreement of each two measures or raters as a matrix of colored cells.

    Parameters
    ----------
    rows : list of dict, or a result
        With the names ``one`` and ``other``, and a ``value`` from -1 to 1 (can be None).
    title : str
        The name of the values.

    Examples
    --------
    >>> rows = [{"one": "nDCG@10", "other": "AP", "value": 0.8}]
    >>> agreement(rows, "Kendall's tau-b").to_dict()["title"]
    "Kendall's tau-b"
    """
    alt = altair()
    names = list(dict.fromkeys([*categories(rows, "one"), *categories(rows, "other")]))
    known = {(row["one"], row["other"]): row["value"] for row in rows}
    cells = [
        {
            "one": one,
            "other": other,
            "value": 1.0 if one == other else known.get((one, other), known.get((other, one))),
        }
        for one in names
        for other in names
    ]
    plain = {"labelLimit": 240, "domain": False, "ticks": False}
    upright = alt.Axis(labelAngle=-40, labelAlign="right", **plain)
    base = alt.Chart(to_data(cells)).encode(
        x=alt.X("other:N", sort=names, title=None, axis=upright),
        y=alt.Y("one:N", sort=names, title=None, axis=alt.Axis(**plain)),
    )
    # White at 0, so that disagreement has another color than agreement.
    color = alt.Color(
        "value:Q",
        scale=alt.Scale(domain=[-1, 0, 1], range=["#d2660f", "#ffffff", "#2b7bd1"]),
        legend=None,
    )
    text = alt.condition("abs(datum.value) > 0.75", alt.value("#ffffff"), alt.value("#17202b"))
    return alt.layer(
        base.mark_rect().encode(
            color=color,
            tooltip=["one:N", "other:N", alt.Tooltip("value:Q", format=".4f")],
        ),
        base.transform_filter("isValid(datum.value)")
        .mark_text(fontSize=11)
        .encode(text=alt.Text("value:Q", format=".2f"), color=text),
    ).properties(title=title, width=alt.Step(52), height=alt.Step(36))

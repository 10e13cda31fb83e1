"""Explanations: the gain of each rank, and the effect of each policy."""

from __future__ import annotations

from gainful.plots.plot import picture
from gainful.plots.style import (
    TIE,
    altair,
    categories,
    color_and_shape,
    name_axis,
    number_axis,
    signed_axis,
    to_data,
    win_color,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.plots.style import Chart

__all__ = ["effects", "gains"]


@picture
def gains(rows: list[dict[str, Any]], title: str) -> Chart:
    """Draw the discounted gain of each rank, in the ranking and in the ideal ranking.

    Parameters
    ----------
    rows : list of dict, or Explanation
        With ``rank``, the name of the ``ranking``, its ``gain``, and the ``document``.
    title : str
        The title.

    Examples
    --------
    >>> rows = [{"rank": 1, "ranking": "ideal", "gain": 3.0, "document": "d1"}]
    >>> gains(rows, "nDCG@10 of q1").to_dict()["encoding"]["x"]["title"]
    'rank'
    """
    alt = altair()
    names = categories(rows, "ranking")
    return (
        alt.Chart(to_data(rows))
        .mark_bar()
        .encode(
            x=alt.X("rank:O", title="rank", axis=alt.Axis(labelAngle=0, labelOverlap="greedy")),
            xOffset=alt.XOffset("ranking:N", sort=names),
            y=alt.Y("gain:Q", title="discounted gain", axis=number_axis()),
            color=color_and_shape("ranking", names)["color"],
            tooltip=["rank:O", "ranking:N", "document:N", alt.Tooltip("gain:Q", format=".4f")],
        )
        .properties(title=title, width=480, height=220)
    )


@picture
def effects(rows: list[dict[str, Any]], measure: str) -> Chart:
    """Draw the effect of each policy on the mean of each system.

    Parameters
    ----------
    rows : list of dict, or Contrast
        With ``system``, the name of the ``step`` and its ``effect``.
    measure : str
        The name of the measure.

    Examples
    --------
    >>> rows = [{"system": "bm25", "step": "gain", "effect": -0.02}]
    >>> effects(rows, "nDCG@10").to_dict()["layer"][0]["encoding"]["x"]["title"]
    'change of nDCG@10'
    """
    alt = altair()
    systems = categories(rows, "system")
    several = len(systems) > 1
    base = alt.Chart(to_data(rows)).transform_calculate(win="datum.effect > 0")
    color = color_and_shape("system", systems)["color"] if several else win_color("win")
    y = alt.Y("step:N", sort=categories(rows, "step"), title=None, axis=name_axis())
    channels = {"yOffset": alt.YOffset("system:N", sort=systems)} if several else {}
    bars = base.mark_bar().encode(
        x=alt.X("effect:Q", title=f"change of {measure}", axis=signed_axis()),
        y=y,
        color=color,
        tooltip=["system:N", "step:N", alt.Tooltip("effect:Q", format="+.4f")],
        **channels,
    )
    zero = alt.Chart(to_data([{"at": 0}])).mark_rule(color=TIE).encode(x="at:Q")
    return alt.layer(bars, zero).properties(width=480, height=alt.Step(14 if several else 24))

"""Curves by system: a measure by cutoff, precision by recall, judged share by depth."""

from __future__ import annotations

from gainful.plots.plot import picture
from gainful.plots.style import altair, number_axis, system_channels, to_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.plots.style import Chart, Rows

__all__ = ["budgets", "coverage", "cutoffs", "precision_recall"]


@picture
def cutoffs(
    rows: Rows, measure: str, *, ticks: list[Any] | None = None, styled: bool = False
) -> Chart:
    """Draw the mean of a measure by cutoff, with one line per system.

    Parameters
    ----------
    rows : list of dict, or Curves
        With ``system``, the cutoff ``at`` and ``value``.
    measure : str
        The measure without its cutoff.
    ticks : list of int, optional
        The labeled cutoffs. Default: all.
    styled : bool
        Whether the rows have the fields ``color`` and ``shape``, as in the HTML report.

    Examples
    --------
    >>> rows = [{"system": "bm25", "at": at, "value": 1 / at} for at in (1, 5)]
    >>> cutoffs(rows, "P").to_dict()["encoding"]["x"]["axis"]["values"]
    [1, 5]
    """
    return _curve(rows, "cutoff k", f"mean {measure}@k", ticks, styled, scale="log")


@picture
def precision_recall(rows: Rows, *, ticks: list[Any] | None = None, styled: bool = False) -> Chart:
    """Draw the mean interpolated precision by recall, with one line per system.

    Parameters
    ----------
    rows : list of dict, or Curves
        With ``system``, the level of recall ``at`` and ``value``.
    ticks, styled
        As for `cutoffs`.

    Examples
    --------
    >>> rows = [{"system": "bm25", "at": at, "value": 1 - at} for at in (0, 1)]
    >>> precision_recall(rows).to_dict()["encoding"]["x"]["title"]
    'recall'
    """
    return _curve(rows, "recall", "mean interpolated precision", ticks, styled)


@picture
def coverage(rows: Rows, *, ticks: list[Any] | None = None, styled: bool = False) -> Chart:
    """Draw the judged share of the top k by cutoff, with one line per system.

    Parameters
    ----------
    rows : list of dict, or Curves
        With ``system``, the cutoff ``at`` and the share as ``value``.
    ticks, styled
        As for `cutoffs`.

    Examples
    --------
    >>> rows = [{"system": "bm25", "at": at, "value": 0.5} for at in (1, 10)]
    >>> coverage(rows).to_dict()["encoding"]["y"]["title"]
    'judged share of the top k'
    """
    title = "judged share of the top k"
    return _curve(rows, "cutoff k", title, ticks, styled, scale="log", share=True)


@picture
def budgets(rows: Rows, *, ticks: list[Any] | None = None, styled: bool = False) -> Chart:
    """Draw coverage of the relevant text by budget, with one line and band per system.

    Parameters
    ----------
    rows : list of dict
        With ``system``, the budget ``at``, the mean coverage as ``value``, and its interval as
        ``low`` and ``high``.
    ticks, styled
        As for `cutoffs`.

    Examples
    --------
    >>> rows = [
    ...     {"system": "small", "at": at, "value": 0.5, "low": 0.4, "high": 0.6} for at in (1, 10)
    ... ]
    >>> budgets(rows).to_dict()["layer"][1]["encoding"]["y"]["title"]
    'coverage of the relevant text'
    """
    alt = altair()
    title = "coverage of the relevant text"
    lines = _curve(rows, "units read", title, ticks, styled, scale="log")
    bands = (
        alt.Chart(to_data(rows))
        .mark_area(opacity=0.15)
        .encode(
            x=alt.X("at:Q"),
            y=alt.Y("low:Q", title=title),
            y2="high:Q",
            detail="system:N",
            # An area with shapes would get points.
            color=system_channels(rows, styled)["color"],
        )
    )
    return alt.layer(bands, lines).properties(width=480, height=260)


def _curve(
    rows: Rows,
    x: str,
    y: str,
    ticks: list[Any] | None,
    styled: bool,
    *,
    scale: str = "linear",
    share: bool = False,
) -> Chart:
    alt = altair()
    if not isinstance(rows, str) and ticks is None:
        ticks = sorted({row["at"] for row in rows})
    percent = "format(datum.value * 100, 'd') + '%'"
    return (
        alt.Chart(to_data(rows))
        .mark_line(strokeWidth=2, point={"filled": True, "size": 42})
        .encode(
            x=alt.X(
                "at:Q",
                title=x,
                scale=alt.Scale(type=scale, nice=False),
                axis=alt.Axis(values=ticks, grid=False, format="~g", labelOverlap="greedy"),
            ),
            y=alt.Y(
                "value:Q",
                title=y,
                scale=alt.Scale(domain=[0, 1]) if share else alt.Undefined,
                axis=number_axis(labelExpr=percent) if share else number_axis(),
            ),
            detail="system:N",
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("at:Q", title=x),
                alt.Tooltip("value:Q", title=y, format=".0%" if share else ".4f"),
            ],
            **system_channels(rows, styled),
        )
        .properties(width=480, height=260)
    )

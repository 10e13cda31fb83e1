"""Curves by system: a measure by cutoff, precision by recall, judged share by depth."""

from __future__ import annotations

from gainful.charts.style import altair, system_channels, to_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.charts.style import Chart, Rows

__all__ = ["curve"]


def curve(
    rows: Rows,
    x: str,
    y: str,
    *,
    ticks: list[Any] | None = None,
    scale: str = "linear",
    share: bool = False,
    styled: bool = False,
) -> Chart:
    """Draw a line for each system.

    Parameters
    ----------
    rows : list of dict, or str
        With ``system``, ``at`` and ``value``.
    x, y : str
        The axis titles.
    ticks : list of number, optional
        The ticks of the x axis. Default: one per point.
    scale : {"linear", "log"}
        The scale of the x axis.
    share : bool
        Whether the values are shares, which are formatted as percentages.
    styled : bool
        As in `gainful.charts.style.system_channels`.

    Examples
    --------
    >>> rows = [{"system": "bm25", "at": at, "value": 1 / at} for at in (1, 5)]
    >>> curve(rows, "k", "mean P@k", scale="log").to_dict()["encoding"]["x"]["axis"]["values"]
    [1, 5]
    """
    alt = altair()
    if not isinstance(rows, str) and ticks is None:
        ticks = sorted({row["at"] for row in rows})
    shown = ".0%" if share else ".4f"
    domain = alt.Scale(domain=[0, 1]) if share else alt.Undefined
    return (
        alt.Chart(to_data(rows))
        .mark_line(strokeWidth=2, point={"filled": True, "size": 42})
        .encode(
            x=alt.X(
                "at:Q",
                title=x,
                scale=alt.Scale(type=scale, nice=False),
                axis=alt.Axis(values=ticks, grid=False, format="~g"),
            ),
            y=alt.Y(
                "value:Q",
                title=y,
                scale=domain,
                axis=alt.Axis(labelExpr="format(datum.value * 100, 'd') + '%'")
                if share
                else alt.Undefined,
            ),
            detail="system:N",
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("at:Q", title=x),
                alt.Tooltip("value:Q", title=y, format=shown),
            ],
            **system_channels(styled),
        )
        .properties(width=480, height=260)
    )

"""Charts of statistical power, sorted p-values, and offline vs. online differences."""

from __future__ import annotations

from gainful.plots.plot import picture
from gainful.plots.style import TIE, altair, categories, color_and_shape, number_axis, to_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.plots.style import Chart

__all__ = ["offline_online", "power", "sorted_p"]


@picture
def power(rows: list[dict[str, Any]], target: float) -> Chart:
    """Draw statistical power by the number of queries.

    Parameters
    ----------
    rows : list of dict
        With the name of the ``curve``, ``queries`` and ``power``.
    target : float
        The requested power, drawn as a dashed line.

    Examples
    --------
    >>> chart = power([{"curve": "0.02", "queries": 100, "power": 0.5}], 0.8)
    >>> [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]
    ['line', 'point', 'rule']
    """
    alt = altair()
    base = alt.Chart(to_data(rows)).encode(
        x=alt.X(
            "queries:Q",
            title="queries",
            scale=alt.Scale(type="log", nice=False),
            axis=number_axis(format=",d"),
        ),
        y=alt.Y(
            "power:Q",
            title="power",
            scale=alt.Scale(domain=[0, 1]),
            axis=number_axis(format=".0%"),
        ),
        tooltip=[
            alt.Tooltip("curve:N", title="difference"),
            alt.Tooltip("queries:Q", format=","),
            alt.Tooltip("power:Q", format=".1%"),
        ],
    )
    return _lined(base, "curve", rows, target)


@picture
def sorted_p(rows: list[dict[str, Any]], alpha: float) -> Chart:
    """Draw the sorted p-values of all pairs of systems for each measure.

    The lower a curve, the more powerful the measure. Pairs below alpha differ significantly.

    Parameters
    ----------
    rows : list of dict
        With ``measure``, ``at`` from 1, the name of the ``pair`` and its ``p``.
    alpha : float
        The significance level, drawn as a dashed line.

    Examples
    --------
    >>> chart = sorted_p([{"measure": "AP", "at": 1, "pair": "dense and bm25", "p": 0.5}], 0.05)
    >>> [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]
    ['line', 'point', 'rule']
    """
    alt = altair()
    base = alt.Chart(to_data(rows)).encode(
        x=alt.X(
            "at:Q",
            title="pairs of systems, by descending p",
            axis=number_axis(grid=False, format="d", tickMinStep=1),
        ),
        y=alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1])),
        tooltip=[
            alt.Tooltip("measure:N"),
            alt.Tooltip("pair:N"),
            alt.Tooltip("p:Q", format=".4f"),
        ],
    )
    return _lined(base, "measure", rows, alpha)


@picture
def offline_online(rows: list[dict[str, Any]]) -> Chart:
    """Draw the offline and online difference of each experiment with standard errors.

    Parameters
    ----------
    rows : list of dict
        With ``experiment``, ``series``, ``offline``, ``offline_low``, ``offline_high``, and the
        same for ``online``.

    Examples
    --------
    >>> row = {"experiment": "a", "series": "clicks", "offline": 0.02, "online": 1.5}
    >>> [layer["mark"]["type"] for layer in offline_online([row]).to_dict()["layer"]]
    ['point', 'rule', 'rule', 'rule', 'rule']
    """
    alt = altair()
    channels = color_and_shape("series", categories(rows, "series"))
    base = alt.Chart(to_data(rows)).encode(
        x=alt.X("offline:Q", title="offline difference", axis=number_axis()),
        y=alt.Y("online:Q", title="online difference", axis=number_axis()),
        tooltip=[alt.Tooltip(f"{name}:N") for name in ("experiment", "series")]
        + [alt.Tooltip(f"{name}:Q", format="+.4g") for name in ("offline", "online")],
        color=channels["color"],
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(shape=channels["shape"])
    across = base.mark_rule(opacity=0.5).encode(x="offline_low:Q", x2="offline_high:Q")
    upright = base.mark_rule(opacity=0.5).encode(y="online_low:Q", y2="online_high:Q")
    zero = alt.Chart(to_data([{"at": 0}])).mark_rule(color=TIE, strokeDash=[4, 4])
    layers = points + across + upright + zero.encode(x="at:Q") + zero.encode(y="at:Q")
    return layers.properties(width=480, height=360)


def _lined(base: Chart, field: str, rows: list[dict[str, Any]], level: float) -> Chart:
    """Return lines with points, and a dashed line at a level."""
    alt = altair()
    channels = color_and_shape(field, categories(rows, field))
    lines = base.mark_line(strokeWidth=2).encode(color=channels["color"])
    points = base.mark_point(filled=True, size=42, opacity=1).encode(**channels)
    rule = alt.Chart(to_data([{"level": level}])).mark_rule(color=TIE, strokeDash=[4, 4])
    # An empty title keeps that of the lines.
    across = rule.encode(y=alt.Y("level:Q", title=""))
    return (lines + points + across).properties(width=480, height=260)

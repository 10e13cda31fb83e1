"""Charts of statistical power, sorted p-values, and offline vs. online differences."""

from __future__ import annotations

from gainful.charts.style import PALETTE, TIE, altair, legend, to_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.charts.style import Chart

__all__ = ["offline_online", "power", "sorted_p"]


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
        x=alt.X("queries:Q", title="queries", scale=alt.Scale(type="log", nice=False)),
        y=alt.Y(
            "power:Q",
            title="power",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format=".0%"),
        ),
        tooltip=[
            alt.Tooltip("curve:N", title="difference"),
            alt.Tooltip("queries:Q", format=","),
            alt.Tooltip("power:Q", format=".1%"),
        ],
    )
    return _lined(base, "curve", rows, target)


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
            axis=alt.Axis(grid=False, format="d", tickMinStep=1),
        ),
        y=alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1])),
        tooltip=[
            alt.Tooltip("measure:N"),
            alt.Tooltip("pair:N"),
            alt.Tooltip("p:Q", format=".4f"),
        ],
    )
    return _lined(base, "measure", rows, alpha)


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
    names = _names("series", rows)
    base = alt.Chart(to_data(rows)).encode(
        x=alt.X("offline:Q", title="offline difference"),
        y=alt.Y("online:Q", title="online difference"),
        tooltip=[alt.Tooltip(f"{name}:N") for name in ("experiment", "series")]
        + [alt.Tooltip(f"{name}:Q", format="+.4g") for name in ("offline", "online")],
        color=_color("series", names),
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(shape=_shape("series", names))
    across = base.mark_rule(opacity=0.5).encode(x="offline_low:Q", x2="offline_high:Q")
    upright = base.mark_rule(opacity=0.5).encode(y="online_low:Q", y2="online_high:Q")
    zero = alt.Chart(to_data([{"at": 0}])).mark_rule(color=TIE, strokeDash=[4, 4])
    layers = points + across + upright + zero.encode(x="at:Q") + zero.encode(y="at:Q")
    return layers.properties(width=480, height=360)


def _lined(base: Chart, field: str, rows: list[dict[str, Any]], level: float) -> Chart:
    """Return lines with points, and a dashed line at a level."""
    alt = altair()
    names = _names(field, rows)
    lines = base.mark_line(strokeWidth=2).encode(color=_color(field, names))
    points = base.mark_point(filled=True, size=42, opacity=1).encode(
        color=_color(field, names), shape=_shape(field, names)
    )
    rule = alt.Chart(to_data([{"level": level}])).mark_rule(color=TIE, strokeDash=[4, 4])
    # An empty title keeps that of the lines.
    across = rule.encode(y=alt.Y("level:Q", title=""))
    return (lines + points + across).properties(width=480, height=260)


def _names(field: str, rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row[field] for row in rows))


def _color(field: str, names: list[str]) -> Any:
    alt = altair()
    colors = [PALETTE[at % len(PALETTE)] for at in range(len(names))]
    return alt.Color(
        f"{field}:N", scale=alt.Scale(domain=names, range=colors), legend=_legend(names)
    )


def _shape(field: str, names: list[str]) -> Any:
    alt = altair()
    return alt.Shape(f"{field}:N", scale=alt.Scale(domain=names), legend=_legend(names))


def _legend(names: list[str]) -> Any:
    # A single line needs no legend.
    return legend() if len(names) > 1 else None

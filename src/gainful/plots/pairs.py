"""Plots of compared pairs, of power, and of the terms of a score."""

from __future__ import annotations

from gainful.plots.plot import (
    LOSS,
    TIE,
    WIN,
    altair,
    categories,
    color_and_shape,
    count_axis,
    name_axis,
    number_axis,
    picture,
    shortened,
    signed_axis,
    to_data,
    win_color,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.plots.plot import Chart, Rows

__all__ = [
    "distribution",
    "effects",
    "gains",
    "offline_online",
    "power",
    "scatter",
    "sorted_p",
    "waterfall",
]


@picture
def distribution(rows: Rows, *, title: Any = None) -> Chart:
    """Draw a histogram of differences with a bin edge at 0.

    The width of the bins is 1, 2 or 5 times a power of ten, with at most 20 on each side.

    Parameters
    ----------
    rows : list of dict, or Evaluation
        With ``difference``. Differences of 0 are left out.
    title : str or dict, optional
        The title, or Altair's parameters of one.

    Examples
    --------
    >>> chart = distribution([{"difference": 0.1}, {"difference": -0.2}])
    >>> [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]
    ['bar', 'rule', 'rule']
    """
    alt = altair()
    data = to_data(rows)
    bars = (
        alt.Chart(data)
        .transform_filter("datum.difference != 0")
        .transform_calculate(size="abs(datum.difference)")
        .transform_joinaggregate(largest="max(size)")
        .transform_calculate(power="pow(10, floor(log(datum.largest / 20) / LN10))")
        .transform_calculate(wide="datum.largest / 20 / datum.power - 1e-9")
        .transform_calculate(
            step="datum.power * (datum.wide <= 1 ? 1 : datum.wide <= 2 ? 2 :"
            " datum.wide <= 5 ? 5 : 10)"
        )
        .transform_calculate(
            # The largest differences are in the last bins, not at the start of others.
            low="datum.step * min(floor(datum.difference / datum.step + 1e-9),"
            " ceil(datum.largest / datum.step - 1e-9) - 1)",
            win="datum.difference > 0",
        )
        .transform_calculate(high="datum.low + datum.step")
        .transform_aggregate(queries="count()", groupby=["low", "high", "win"])
        .mark_bar(x2Offset=-1)
        .encode(
            x=alt.X("low:Q", title="difference", axis=signed_axis(tickCount=10, grid=False)),
            x2="high:Q",
            y=alt.Y("queries:Q", title="queries", axis=count_axis()),
            y2=alt.datum(0),
            color=win_color("win"),
            tooltip=[
                alt.Tooltip("low:Q", title="from", format="+.3~r"),
                alt.Tooltip("high:Q", title="to", format="+.3~r"),
                alt.Tooltip("queries:Q"),
            ],
        )
    )
    zero = alt.Chart(data).mark_rule(color=TIE).encode(x=alt.datum(0))
    mean = (
        alt.Chart(data)
        .mark_rule(strokeDash=[5, 3], strokeWidth=2, color=TIE)
        .encode(
            x="mean(difference):Q",
            tooltip=alt.Tooltip("mean(difference):Q", title="mean", format="+.4f"),
        )
    )
    return _titled(alt.layer(bars, zero, mean, data=data), title).properties(width=480, height=220)


@picture
def waterfall(rows: Rows, *, title: Any = None) -> Chart:
    """Draw one bar per query, from the largest win to the largest loss.

    Parameters
    ----------
    rows : list of dict, or Evaluation
        With the bar's ``start``, ``end`` and height ``difference``, and with ``query``, ``text``,
        ``value`` and ``baseline``.
    title
        As for `distribution`.

    Examples
    --------
    >>> chart = waterfall([{"start": 0, "end": 1, "difference": 0.1}])
    >>> [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]
    ['rect', 'rule']
    """
    alt = altair()
    data = to_data(rows)
    base = alt.Chart(data).transform_calculate(win="datum.difference > 0")
    bars = base.mark_rect(clip=True).encode(
        x=alt.X(
            "start:Q",
            title="queries, from the largest win to the largest loss",
            axis=count_axis(tickCount=10, grid=False),
            scale=alt.Scale(nice=False, zero=False),
        ),
        x2="end:Q",
        y=alt.Y("difference:Q", title="difference", axis=signed_axis()),
        y2=alt.datum(0),
        color=win_color("win"),
        tooltip=[
            alt.Tooltip("query:N"),
            alt.Tooltip("text:N", title="query text"),
            alt.Tooltip("value:Q", title="system", format=".4f"),
            alt.Tooltip("baseline:Q", format=".4f"),
            alt.Tooltip("difference:Q", format="+.4f"),
        ],
    )
    zero = alt.Chart(data).mark_rule(color=TIE).encode(y=alt.datum(0))
    return _titled(alt.layer(bars, zero, data=data), title).properties(width=640, height=220)


@picture
def scatter(rows: list[dict[str, Any]], system: str, baseline: str, measure: str) -> Chart:
    """Draw one point per query, with the scores of two systems as its coordinates.

    Points above the diagonal are wins of the system.

    Parameters
    ----------
    rows : list of dict, or Evaluation
        With ``query``, ``text``, ``value`` and ``baseline``.
    system, baseline, measure : str
        The names of the systems and of the scores.

    Examples
    --------
    >>> rows = [{"query": "q1", "text": "", "value": 0.5, "baseline": 0.25}]
    >>> scatter(rows, "dense", "bm25", "nDCG@10").to_dict()["layer"][1]["encoding"]["y"]["title"]
    'nDCG@10 of dense'
    """
    alt = altair()
    values = [row[name] for row in rows for name in ("value", "baseline")]
    low, high = min([0.0, *values]), max([*values, 1.0 if max(values, default=0) <= 1 else 0.0])
    scale = alt.Scale(domain=[low, high], nice=False)
    ends = alt.Chart(to_data([{"at": low}, {"at": high}]))
    kinds = {"win": WIN, "loss": LOSS, "tie": TIE}
    counts = dict.fromkeys(kinds, 0)
    for row in rows:
        counts[_kind(row)] += 1
    # Each entry of the legend counts its queries.
    names = {
        kind: f"{count:,} {_PLURALS[kind] if count != 1 else kind}"
        for kind, count in counts.items()
    }
    shown = [kind for kind in kinds if counts[kind]]
    points = (
        alt.Chart(to_data([{**row, "kind": names[_kind(row)]} for row in rows]))
        .mark_point(filled=True, size=36, opacity=0.6)
        .encode(
            x=alt.X(
                "baseline:Q",
                title=f"{measure} of {shortened(baseline)}",
                scale=scale,
                axis=number_axis(),
            ),
            y=alt.Y(
                "value:Q",
                title=f"{measure} of {shortened(system)}",
                scale=scale,
                axis=number_axis(),
            ),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(
                    domain=[names[kind] for kind in shown], range=[kinds[kind] for kind in shown]
                ),
                legend=alt.Legend(title=None, orient="top"),
            ),
            tooltip=[
                alt.Tooltip("query:N"),
                alt.Tooltip("text:N", title="query text"),
                alt.Tooltip("value:Q", title=system, format=".4f"),
                alt.Tooltip("baseline:Q", title=baseline, format=".4f"),
            ],
        )
    )
    diagonal = ends.mark_line(color=TIE, strokeDash=[4, 4]).encode(x="at:Q", y="at:Q")
    return alt.layer(diagonal, points).properties(width=340, height=340)


_PLURALS = {"win": "wins", "loss": "losses", "tie": "ties"}


def _kind(row: dict[str, Any]) -> str:
    difference = row["value"] - row["baseline"]
    return "win" if difference > 0 else "loss" if difference < 0 else "tie"


def _titled(chart: Chart, title: Any) -> Chart:
    return chart if title is None else chart.properties(title=title)


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

"""Plots of systems, their queries, releases, curves and agreement."""

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
    system_channels,
    to_data,
    win_color,
)
from gainful.project_file import color_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gainful.plots.plot import Chart, Rows

    SystemRows = list[dict[str, Any]]

__all__ = [
    "GROUPS",
    "MOST_POINTS",
    "agreement",
    "budgets",
    "coverage",
    "cutoffs",
    "differences",
    "difficulty",
    "history",
    "means",
    "precision_recall",
    "queries",
    "ranks",
]

#: Color and shape of each verdict, which also differ in print without colors.
_VERDICTS = {
    "better": (WIN, "triangle-right"),
    "pass": ("#1f9468", "triangle-right"),
    "worse": (LOSS, "triangle-left"),
    "fail": (LOSS, "triangle-left"),
    "equivalent": ("#1f9468", "diamond"),
    "identical": ("#b653b0", "square"),
    "inconclusive": (TIE, "circle"),
    "not comparable": (TIE, "cross"),
}


@picture
def means(rows: SystemRows, measure: str) -> Chart:
    """Draw the mean and confidence interval of each system, best first.

    Overlapping intervals do not show whether two systems differ, since both ran on the same
    queries. `differences` shows the paired comparison.

    Parameters
    ----------
    rows : list of dict, or a result
        With ``system``, ``mean``, ``low`` and ``high`` (can be None), and ``queries``. With
        ``series``, each system has a point for each series, such as a collection.
    measure : str
        The name of the measure.

    Examples
    --------
    >>> rows = [{"system": "bm25", "mean": 0.5, "low": 0.4, "high": 0.6, "queries": 50}]
    >>> means(rows, "nDCG@10").to_dict()["layer"][0]["encoding"]["x"]["title"]
    'nDCG@10'
    """
    alt = altair()
    several = any("series" in row for row in rows)
    channels: dict[str, Any] = {"color": alt.value(WIN)}
    shape: dict[str, Any] = {}
    if several:
        names = categories(rows, "series")
        channels = color_and_shape("series", names)
        shape = {"shape": channels.pop("shape")}
        channels["yOffset"] = alt.YOffset("series:N", sort=names)
    elif any(color_of(name) for name in categories(rows, "system")):
        names = categories(rows, "system")
        colors = alt.Scale(domain=names, range=[color_of(name) or WIN for name in names])
        channels["color"] = alt.Color("system:N", scale=colors, legend=None)
    base = alt.Chart(to_data(rows)).encode(y=_systems(rows, "mean"), **channels)
    x = alt.X("low:Q", title=measure, scale=alt.Scale(zero=False), axis=number_axis())
    details = (["series:N"] if several else []) + _formatted("mean", "low", "high")
    return alt.layer(
        base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x="mean:Q", tooltip=["system:N", *details, "queries:Q"], **shape
        ),
    ).properties(width=480, height=alt.Step(16 if several else 24))


@picture
def differences(rows: SystemRows, title: str, *, margins: Sequence[float] = ()) -> Chart:
    """Draw the difference of each system from a baseline, with interval and verdict.

    Parameters
    ----------
    rows : list of dict, or a result
        With ``system``, ``difference``, ``low``, ``high`` and ``verdict``, as in a `Pair`.
    title : str
        The axis title.
    margins : sequence of float
        Differences to mark: the ends of an equivalence margin, or a non-inferiority margin.

    Examples
    --------
    >>> row = {"system": "dense", "difference": 0.2, "low": 0.1, "high": 0.3, "verdict": "better"}
    >>> differences([row], "difference from bm25").to_dict()["layer"][1]["encoding"]["x"]["title"]
    'difference from bm25'
    """
    alt = altair()
    verdicts = set(categories(rows, "verdict"))
    shown = [verdict for verdict in _VERDICTS if verdict in verdicts]
    colors, shapes = ([_VERDICTS[verdict][end] for verdict in shown] for end in (0, 1))
    legend = alt.Legend(title=None, orient="top")
    y = _systems(rows, "difference")
    color = alt.Color("verdict:N", scale=alt.Scale(domain=shown, range=colors), legend=legend)
    shape = alt.Shape("verdict:N", scale=alt.Scale(domain=shown, range=shapes), legend=legend)
    base = alt.Chart(to_data(rows)).encode(y=y, color=color)
    x = alt.X("low:Q", title=title, axis=signed_axis())
    layers = [
        alt.Chart(to_data([{"at": 0}])).mark_rule(color=TIE).encode(x="at:Q"),
        base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x="difference:Q",
            shape=shape,
            tooltip=["system:N", *_formatted("difference", "low", "high"), "verdict:N"],
        ),
    ]
    if margins:
        ends = alt.Chart(to_data([{"at": margin} for margin in margins]))
        layers.insert(0, ends.mark_rule(color=TIE, strokeDash=[4, 4]).encode(x="at:Q"))
    return alt.layer(*layers).properties(width=480, height=alt.Step(24))


@picture
def ranks(rows: SystemRows, measure: str) -> Chart:
    """Draw the rank of each system with its simultaneous confidence interval, best first.

    Parameters
    ----------
    rows : list of dict, or a result
        With ``system``, ``rank``, ``low``, ``high`` and ``mean``.
    measure : str
        The name of the measure.

    Examples
    --------
    >>> rows = [{"system": "bm25", "rank": 1, "low": 1, "high": 2, "mean": 0.5}]
    >>> ranks(rows, "nDCG@10").to_dict()["layer"][0]["encoding"]["x"]["title"]
    'rank by nDCG@10'
    """
    alt = altair()
    base = alt.Chart(to_data(rows)).encode(y=_systems(rows, "rank", rising=True))
    last = max(row["high"] for row in rows)
    x = alt.X(
        "low:Q",
        title=f"rank by {measure}",
        scale=alt.Scale(domain=[0.5, last + 0.5], nice=False, zero=False),
        axis=number_axis(values=list(range(1, last + 1)), format="d", grid=False),
    )
    return alt.layer(
        base.mark_rule(strokeWidth=2, color=WIN).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=70, opacity=1, color=WIN).encode(
            x="rank:Q", tooltip=["system:N", "rank:Q", "low:Q", "high:Q", *_formatted("mean")]
        ),
    ).properties(width=480, height=alt.Step(24))


def _systems(rows: SystemRows, field: str, *, rising: bool = False) -> Any:
    """Return the axis of systems, sorted by their first row's value."""
    alt = altair()
    first: dict[str, Any] = {}
    for row in rows:
        first.setdefault(row["system"], row[field])
    order = sorted(first, key=lambda name: first[name] if rising else -first[name])
    return alt.Y("system:N", sort=order, title=None, axis=name_axis())


def _formatted(*names: str) -> list[Any]:
    alt = altair()
    return [alt.Tooltip(f"{name}:Q", format=".4f") for name in names]


#: The most queries that are drawn as points; more are averaged in groups. The script of the HTML
#: report groups its rows in the same way.
MOST_POINTS = 400

GROUPS = 50

#: The queries at each end whose ids are drawn, the letters of an id, and the height of a line.
_NAMED, _LETTERS, _LINE = 3, 16, 12

_WIDTH, _HEIGHT = 640, 220


@picture
def difficulty(rows: Rows, measure: str, queries: int, *, styled: bool = False) -> Chart:
    """Draw one point per query and system.

    With more than 400 queries, draw one line per system through the means of 50 groups of
    neighboring queries.

    Parameters
    ----------
    rows : list of dict, or Evaluation
        With ``system``, ``query``, its ``text``, its ``position`` from 1 and the ``score``. A named
        data set of more than 400 queries has the groups: ``group``, ``first``, ``last``, ``score``.
    measure : str
        The name of the scores.
    queries : int
        The number of queries.
    styled : bool
        As for `cutoffs`.

    Examples
    --------
    >>> rows = [{"system": "bm25", "query": "q1", "text": "", "position": 1, "score": 0.5}]
    >>> difficulty(rows, "nDCG@10", 1).to_dict()["mark"]["type"]
    'point'
    >>> difficulty(rows, "nDCG@10", 1000).to_dict()["mark"]["type"]
    'line'
    """
    alt = altair()
    data = to_data(rows)
    if queries <= MOST_POINTS:
        return (
            alt.Chart(data)
            .mark_point(filled=True, size=42, opacity=0.8)
            .encode(
                x=alt.X(
                    "position:Q",
                    title="queries, hardest first",
                    axis=count_axis(tickCount=10, grid=False),
                    scale=alt.Scale(nice=False),
                ),
                y=alt.Y("score:Q", title=measure, axis=number_axis()),
                tooltip=[
                    alt.Tooltip("query:N"),
                    alt.Tooltip("text:N", title="query text"),
                    alt.Tooltip("system:N"),
                    alt.Tooltip("score:Q", format=".4f"),
                ],
                **system_channels(rows, styled),
            )
            .properties(width=640, height=240)
        )
    channels = system_channels(rows, styled)
    del channels["shape"]
    return (
        alt.Chart(data if isinstance(rows, str) else to_data(_grouped(rows, queries)))
        .mark_line(interpolate="monotone", strokeWidth=2, point=False)
        .encode(
            x=alt.X(
                "group:Q",
                title="queries, hardest first",
                axis=count_axis(tickCount=10, grid=False),
                scale=alt.Scale(nice=False),
            ),
            y=alt.Y("score:Q", title=f"mean {measure} of neighboring queries", axis=number_axis()),
            detail="system:N",
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("first:Q", title="from query"),
                alt.Tooltip("last:Q", title="to query"),
                alt.Tooltip("score:Q", format=".4f", title="mean"),
            ],
            **channels,
        )
        .properties(width=640, height=240)
    )


@picture
def queries(rows: list[dict[str, Any]], measure: str, baseline: str) -> Chart:
    """Draw the difference from a baseline for each query, one panel per system.

    The queries with the largest wins and losses are named.

    Parameters
    ----------
    rows : list of dict, or Comparison
        With ``system``, ``query`` and ``difference``.
    measure, baseline : str
        The names of the scores and of the baseline.

    Examples
    --------
    >>> rows = [{"system": "dense", "query": f"q{n}", "difference": n - 4} for n in range(9)]
    >>> chart = queries(rows, "nDCG@10", "bm25").to_dict()
    >>> names = chart["layer"][2:]
    >>> [query["query"] for name in names for query in name["data"]["values"]]
    ['q8', 'q7', 'q6', 'q0', 'q1', 'q2']
    """
    alt = altair()
    panels: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        panels.setdefault(row["system"], []).append(row)
    charts = [
        _panel(sorted(system_rows, key=lambda row: -row["difference"]), system, measure, baseline)
        for system, system_rows in panels.items()
    ]
    # Equal differences have equal heights in all panels.
    return charts[0] if len(charts) == 1 else alt.vconcat(*charts).resolve_scale(y="shared")


def _panel(rows: list[dict[str, Any]], system: str, measure: str, baseline: str) -> Chart:
    alt = altair()
    bars = [{**row, "start": start, "end": start + 1} for start, row in enumerate(rows)]
    wins = [row for row in bars if row["difference"] > 0][:_NAMED]
    losses = [row for row in reversed(bars) if row["difference"] < 0][:_NAMED]
    texts = [
        _name(row, (row if is_wide else side[0])["start"] + 0.5, 0 if is_wide else number, sign)
        for side, sign in ((wins, 1), (losses, -1))
        for is_wide in [len(bars) * 2 * _LINE < _WIDTH]
        for number, row in enumerate(side)
    ]
    low, high = (pick(0.0, *(row["difference"] for row in rows)) for pick in (min, max))
    longest = max((len(row["query"]) for row in (*wins, *losses)), default=0)
    share = (7 * min(longest, _LETTERS) + 8) / _HEIGHT
    # Both ends have this share of the height for ids.
    room = ((high - low) or 1.0) * share / (1 - 2 * min(share, 0.4))
    scale = alt.Scale(domain=[low - room * bool(losses), high + room * bool(wins)], nice=False)
    x_scale = alt.Scale(domain=[0, len(bars)], nice=False)
    names = f"{shortened(system, 32)} − {shortened(baseline, 32)}"
    base = alt.Chart(to_data(bars)).transform_calculate(win="datum.difference > 0")
    drawn = base.mark_rect().encode(
        x=alt.X(
            "start:Q",
            title=f"{len(bars):,} topics (queries), largest win first",
            axis=count_axis(tickCount=10, grid=False),
            scale=x_scale,
        ),
        x2="end:Q",
        y=alt.Y("difference:Q", title=f"difference in {measure}", axis=signed_axis(), scale=scale),
        y2=alt.datum(0),
        color=win_color("win"),
        tooltip=[alt.Tooltip("query:N"), alt.Tooltip("difference:Q", format="+.4f")],
    )
    zero = alt.Chart(to_data(bars[:1])).mark_rule(color=TIE).encode(y=alt.datum(0))
    layers = alt.layer(drawn, zero, *texts)
    return layers.properties(title=names, width=_WIDTH, height=_HEIGHT)


def _name(row: dict[str, Any], place: float, lines: int, sign: int) -> Chart:
    """Write the id of a query above its bar, or below it, some lines from a place on the axis."""
    alt = altair()
    values = [{"at": place, "difference": row["difference"], "query": row["query"]}]
    values[0]["label"] = shortened(row["query"], _LETTERS)
    # The text is turned, so its lines are columns.
    mark = alt.Chart(to_data(values)).mark_text(
        angle=270,
        align="left" if sign > 0 else "right",
        baseline="middle",
        dx=4 * sign,
        dy=_LINE * lines * sign,
        fontSize=11,
        color=TIE,
    )
    return mark.encode(x="at:Q", y="difference:Q", text="label:N")


def _grouped(rows: list[dict[str, Any]], queries: int) -> list[dict[str, Any]]:
    """Return the mean of each system over groups of neighboring queries."""
    size = queries / GROUPS
    groups: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((int((row["position"] - 1) / size), row["system"]), []).append(row)
    return [
        {
            "system": system,
            "group": (group + 0.5) * size,
            "score": sum(row["score"] for row in values) / len(values),
            "first": min(row["position"] for row in values),
            "last": max(row["position"] for row in values),
        }
        for (group, system), values in groups.items()
    ]


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


@picture
def history(rows: Rows, measure: str) -> Chart:
    """Draw the mean of a measure by release, with its confidence interval.

    Intervals of releases that ran on the same queries do not show whether two releases differ;
    `gainful.trend` tests it.

    Parameters
    ----------
    rows : list of dict, or a trend
        With ``release`` in order, ``mean``, ``low``, ``high`` and ``queries``.
    measure : str
        The name of the measure.

    Examples
    --------
    >>> rows = [{"release": "may", "mean": 0.5, "low": 0.4, "high": 0.6, "queries": 50}]
    >>> history(rows, "nDCG@10").to_dict()["layer"][1]["encoding"]["y"]["title"]
    'nDCG@10'
    """
    alt = altair()
    x = alt.X("release:N", title=None, sort=None, axis=alt.Axis(labelAngle=-30, labelLimit=140))
    base = alt.Chart(to_data(rows))
    intervals = base.mark_rule(strokeWidth=2, opacity=0.45, color="#2b7bd1").encode(
        x=x, y=alt.Y("low:Q", title=measure, scale=alt.Scale(zero=False)), y2="high:Q"
    )
    line = base.mark_line(color="#2b7bd1", point={"filled": True, "size": 50}).encode(
        x=x,
        y=alt.Y("mean:Q", title=measure, axis=number_axis(), scale=alt.Scale(zero=False)),
        tooltip=[
            alt.Tooltip("release:N"),
            alt.Tooltip("mean:Q", format=".4f"),
            alt.Tooltip("low:Q", title="95% CI from", format=".4f"),
            alt.Tooltip("high:Q", title="to", format=".4f"),
            alt.Tooltip("queries:Q"),
        ],
    )
    return alt.layer(intervals, line).properties(width=480, height=260)

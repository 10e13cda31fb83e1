"""Scores of each system by query, hardest queries first."""

from __future__ import annotations

from gainful.plots.plot import picture
from gainful.plots.style import (
    TIE,
    altair,
    count_axis,
    number_axis,
    shortened,
    signed_axis,
    system_channels,
    to_data,
    win_color,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.plots.style import Chart, Rows

__all__ = ["GROUPS", "MOST_POINTS", "difficulty", "queries"]

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
        _panel(sorted(own, key=lambda row: -row["difference"]), system, measure, baseline)
        for system, own in panels.items()
    ]
    # Equal differences have equal heights in all panels.
    return charts[0] if len(charts) == 1 else alt.vconcat(*charts).resolve_scale(y="shared")


def _panel(rows: list[dict[str, Any]], system: str, measure: str, baseline: str) -> Chart:
    alt = altair()
    bars = [{**row, "start": at, "end": at + 1} for at, row in enumerate(rows)]
    wins = [row for row in bars if row["difference"] > 0][:_NAMED]
    losses = [row for row in reversed(bars) if row["difference"] < 0][:_NAMED]
    texts = [
        _name(row, (row if is_wide else own[0])["start"] + 0.5, 0 if is_wide else number, sign)
        for own, sign in ((wins, 1), (losses, -1))
        for is_wide in [len(bars) * 2 * _LINE < _WIDTH]
        for number, row in enumerate(own)
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
            "score": sum(row["score"] for row in own) / len(own),
            "first": min(row["position"] for row in own),
            "last": max(row["position"] for row in own),
        }
        for (group, system), own in groups.items()
    ]

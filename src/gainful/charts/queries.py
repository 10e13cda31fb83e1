"""Scores by query: the hardest on the left, and how each system does on them."""

from __future__ import annotations

from gainful.charts.look import altair, data_of, systems_colour

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.charts.look import Chart, Rows

__all__ = ["MOST_POINTS", "difficulty"]

#: Queries that can still be told apart as points; more are averaged in groups.
MOST_POINTS = 400
GROUPS = 50


def difficulty(rows: Rows, measure: str, queries: int, *, own: bool = False) -> Chart:
    """Draw a point for each query and system.

    Beyond 400 queries it is a line for each system, through the means of 50 groups of neighbouring
    queries.

    Parameters
    ----------
    rows : list of dict, or str
        With ``system``, ``query``, its ``text``, its ``position`` from 1 and the ``score``.
    measure : str
        What the scores are called.
    queries : int
        How many there are.
    own : bool
        As for `gainful.charts.look.systems_colour`.

    Examples
    --------
    >>> rows = [{"system": "bm25", "query": "q1", "text": "", "position": 1, "score": 0.5}]
    >>> difficulty(rows, "nDCG@10", 1).to_dict()["mark"]["type"]
    'point'
    >>> difficulty(rows, "nDCG@10", 1000).to_dict()["mark"]["type"]
    'line'
    """
    alt = altair()
    data = data_of(rows)
    if queries <= MOST_POINTS:
        return (
            alt.Chart(data)
            .mark_point(filled=True, size=42, opacity=0.8)
            .encode(
                x=alt.X(
                    "position:Q",
                    title="queries, the hardest first",
                    axis=alt.Axis(tickMinStep=1, grid=False),
                    scale=alt.Scale(nice=False),
                ),
                y=alt.Y("score:Q", title=measure),
                tooltip=[
                    alt.Tooltip("query:N"),
                    alt.Tooltip("text:N", title="searched for"),
                    alt.Tooltip("system:N"),
                    alt.Tooltip("score:Q", format=".4f"),
                ],
                **systems_colour(own),
            )
            .properties(width=640, height=240)
        )
    size = queries / GROUPS
    channels = systems_colour(own)
    del channels["shape"]
    detail = ["colour:N", "system:N"] if own else ["system:N"]
    return (
        alt.Chart(data)
        .transform_calculate(group=f"(floor((datum.position - 1) / {size!r}) + 0.5) * {size!r}")
        .transform_aggregate(
            score="mean(score)",
            first="min(position)",
            last="max(position)",
            groupby=["group", *(name.partition(":")[0] for name in detail)],
        )
        .mark_line(interpolate="monotone", strokeWidth=2, point=False)
        .encode(
            x=alt.X(
                "group:Q",
                title="queries, the hardest first",
                axis=alt.Axis(grid=False, tickMinStep=1, labelOverlap="greedy", labelSeparation=8),
                scale=alt.Scale(nice=False),
            ),
            y=alt.Y("score:Q", title=f"mean {measure} of neighbouring queries"),
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

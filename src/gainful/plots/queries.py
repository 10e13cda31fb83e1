"""Scores of each system by query, hardest queries first."""

from __future__ import annotations

from gainful.plots.plot import picture
from gainful.plots.style import altair, number_axis, system_channels, to_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.plots.style import Chart, Rows

__all__ = ["MOST_POINTS", "difficulty"]

#: The most queries that are drawn as points; more are averaged in groups.
MOST_POINTS = 400
GROUPS = 50


@picture
def difficulty(rows: Rows, measure: str, queries: int, *, styled: bool = False) -> Chart:
    """Draw one point per query and system.

    With more than 400 queries, draw one line per system through the means of 50 groups of
    neighboring queries.

    Parameters
    ----------
    rows : list of dict, or Evaluation
        With ``system``, ``query``, its ``text``, its ``position`` from 1 and the ``score``.
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
                    axis=number_axis(tickCount=10, tickMinStep=1, grid=False),
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
    size = queries / GROUPS
    channels = system_channels(rows, styled)
    del channels["shape"]
    detail = ["color:N", "system:N"] if styled else ["system:N"]
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
                title="queries, hardest first",
                axis=number_axis(tickCount=10, tickMinStep=1, grid=False),
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

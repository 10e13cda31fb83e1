"""Scores of each system by query, hardest queries first."""

from __future__ import annotations

from gainful.plots.plot import picture
from gainful.plots.style import altair, count_axis, number_axis, system_channels, to_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.plots.style import Chart, Rows

__all__ = ["GROUPS", "MOST_POINTS", "difficulty"]

#: The most queries that are drawn as points; more are averaged in groups. The script of the HTML
#: report groups its rows in the same way.
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

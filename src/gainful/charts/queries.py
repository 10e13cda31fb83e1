"""Scores by query: the hardest on the left, and how each system does on them."""

from __future__ import annotations

from gainful.charts.look import altair, systems_colour

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.evaluation import Evaluation
    from gainful.measures import Measure

    Chart = Any

__all__ = ["difficulty", "drawn_difficulty"]

#: Queries that can still be told apart as points; more are averaged in groups.
MOST_POINTS = 400
GROUPS = 50


def difficulty(
    evaluation: Evaluation,
    measure: Measure | str | None = None,
    systems: list[str] | None = None,
) -> Chart:
    """Draw scores by query, the queries sorted by their mean over all systems.

    Parameters
    ----------
    evaluation : Evaluation
        What to draw.
    measure : Measure or str, optional
        One of the evaluation's; the first without it.
    systems : list of str, optional
        Those to draw; the first eight without it. What is difficult is said by all of them.

    Returns
    -------
    altair.Chart
        A point a query and system; beyond 400 queries a line through the means of 50 groups of
        neighbouring queries.

    Examples
    --------
    >>> import gainful
    >>> from gainful import charts
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> result = gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@10")
    >>> chart = charts.difficulty(result, systems=["dense"])
    >>> [row["query"] for row in chart.to_dict()["data"]["values"]]
    ['q6', 'q5', 'q4', 'q2', 'q1', 'q3']
    """
    alt = altair()
    chosen = evaluation.measures[0] if measure is None else measure
    values = {system: evaluation._values(chosen, system) for system in evaluation.systems}
    queries = {query: None for each in values.values() for query in each}
    means: dict[str, float] = {}
    for query in queries:
        own = [each[query] for each in values.values() if query in each]
        means[query] = sum(own) / len(own)
    rows = [
        {"system": system, "query": query, "text": "", "position": place, "score": score}
        for place, query in enumerate(sorted(queries, key=lambda query: (means[query], query)), 1)
        for system in systems or evaluation.systems[:8]
        if (score := values[system].get(query)) is not None
    ]
    many = len(queries) > MOST_POINTS
    size = len(queries) / GROUPS if many else None
    return drawn_difficulty(alt.Data(values=rows), str(chosen), size=size).properties(
        width=640, height=240
    )


def drawn_difficulty(
    data: Any, measure: str, *, size: float | None = None, own: bool = False
) -> Chart:
    """Draw rows with ``position``, ``score`` and ``system``.

    Parameters
    ----------
    data : altair.Data
        The rows.
    measure : str
        What the scores are called.
    size : float, optional
        How many queries are averaged; without it each is a point.
    own : bool
        As for `gainful.charts.look.systems_colour`.
    """
    alt = altair()
    if size is None:
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
        )
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
    )

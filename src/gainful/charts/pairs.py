"""Two systems query by query: how their differences are distributed, who wins where."""

from __future__ import annotations

from gainful.charts.look import TIE, altair, colour, signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.evaluation import Evaluation
    from gainful.measures import Measure

    Chart = Any
    Row = dict[str, Any]

__all__ = ["distribution", "drawn_distribution", "drawn_waterfall", "waterfall"]


def distribution(
    evaluation: Evaluation, system: str, baseline: str, measure: Measure | str | None = None
) -> Chart:
    """Draw how the differences between two systems are distributed over the queries.

    Parameters
    ----------
    evaluation : Evaluation
        Of both.
    system, baseline : str
        Their names; a difference is the system's value less the baseline's.
    measure : Measure or str, optional
        One of the evaluation's; the first without it.

    Returns
    -------
    altair.LayerChart
        A histogram. Queries on which both are equal are left out of the bars, and counted in the
        subtitle.

    Examples
    --------
    >>> import gainful
    >>> from gainful import charts
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> result = gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@10")
    >>> charts.distribution(result, "dense", "bm25").to_dict()["title"]["subtitle"]
    '1 of 6 queries are tied'
    """
    alt = altair()
    rows = differences_of(evaluation, system, baseline, measure)
    ties = sum(not row["difference"] for row in rows)
    title = alt.Title(
        f"{system} less {baseline}",
        subtitle=f"{ties} of {len(rows)} queries are tied" if ties else [],
    )
    return drawn_distribution(alt.Data(values=rows)).properties(title=title, width=480, height=220)


def waterfall(
    evaluation: Evaluation, system: str, baseline: str, measure: Measure | str | None = None
) -> Chart:
    """Draw each query's difference between two systems, from the largest win to the largest loss.

    Parameters
    ----------
    evaluation, system, baseline, measure
        As for `distribution`.

    Returns
    -------
    altair.LayerChart
        A bar a query.

    Examples
    --------
    >>> import gainful
    >>> from gainful import charts
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> result = gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@10")
    >>> chart = charts.waterfall(result, "dense", "bm25")
    >>> [row["query"] for row in chart.to_dict()["data"]["values"]]
    ['q5', 'q3', 'q1', 'q2', 'q6', 'q4']
    """
    alt = altair()
    rows = differences_of(evaluation, system, baseline, measure)
    rows.sort(key=lambda row: -row["difference"])
    for place, row in enumerate(rows):
        row.update(start=place, end=place + 1)
    return drawn_waterfall(alt.Data(values=rows)).properties(
        title=f"{system} less {baseline}, query by query", width=640, height=220
    )


def drawn_distribution(data: Any) -> Chart:
    """Draw the histogram of rows with a ``difference``; the bins meet at 0."""
    alt = altair()
    bars = (
        alt.Chart(data)
        .transform_filter("datum.difference != 0")
        .transform_calculate(win="datum.difference > 0")
        .mark_bar()
        .encode(
            x=alt.X(
                "difference:Q",
                bin=alt.Bin(maxbins=40),
                title="difference",
                axis=alt.Axis(labelOverlap="greedy", labelSeparation=8, **signs()),
            ),
            y=alt.Y("count():Q", title="queries", axis=alt.Axis(tickMinStep=1)),
            color=colour("win"),
            tooltip=[
                alt.Tooltip("difference:Q", bin=alt.Bin(maxbins=40), title="difference"),
                alt.Tooltip("count():Q", title="queries"),
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
    return alt.layer(bars, zero, mean, data=data)


def drawn_waterfall(data: Any) -> Chart:
    """Draw a bar for each row from its ``start`` to its ``end``, as high as its ``difference``."""
    alt = altair()
    base = alt.Chart(data).transform_calculate(win="datum.difference > 0")
    bars = base.mark_rect(clip=True).encode(
        x=alt.X(
            "start:Q",
            title="queries, from the largest win to the largest loss",
            axis=alt.Axis(tickMinStep=1, grid=False),
            scale=alt.Scale(nice=False, zero=False),
        ),
        x2="end:Q",
        y=alt.Y("difference:Q", title="difference", axis=alt.Axis(**signs())),
        y2=alt.datum(0),
        color=colour("win"),
        tooltip=[
            alt.Tooltip("query:N"),
            alt.Tooltip("text:N", title="searched for"),
            alt.Tooltip("value:Q", title="system", format=".4f"),
            alt.Tooltip("baseline:Q", format=".4f"),
            alt.Tooltip("difference:Q", format="+.4f"),
        ],
    )
    zero = alt.Chart(data).mark_rule(color=TIE).encode(y=alt.datum(0))
    return alt.layer(bars, zero, data=data)


def differences_of(
    evaluation: Evaluation, system: str, baseline: str, measure: Measure | str | None
) -> list[Row]:
    """Return one row a query that both systems have a value for."""
    chosen = evaluation.measures[0] if measure is None else measure
    values = evaluation._values(chosen, system)
    others = evaluation._values(chosen, baseline)
    return [
        {
            "query": query,
            "text": "",
            "value": value,
            "baseline": others[query],
            "difference": value - others[query],
        }
        for query, value in values.items()
        if query in others
    ]

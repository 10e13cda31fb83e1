"""Two systems, query by query: a scatter plot, a histogram and a waterfall chart."""

from __future__ import annotations

from gainful.plots.plot import picture
from gainful.plots.style import (
    LOSS,
    TIE,
    WIN,
    altair,
    count_axis,
    number_axis,
    shortened,
    signed_axis,
    to_data,
    win_color,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.plots.style import Chart, Rows

__all__ = ["distribution", "scatter", "waterfall"]


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

"""Per-query differences of two systems: a histogram and a waterfall chart."""

from __future__ import annotations

from gainful.charts.style import TIE, altair, signed_axis, to_data, win_color

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.charts.style import Chart, Rows

__all__ = ["distribution", "waterfall"]


def distribution(rows: Rows) -> Chart:
    """Draw a histogram of differences with a bin edge at 0.

    Parameters
    ----------
    rows : list of dict, or str
        With ``difference``. Differences of 0 are left out.

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
        .transform_calculate(win="datum.difference > 0")
        .mark_bar()
        .encode(
            x=alt.X(
                "difference:Q",
                bin=alt.Bin(maxbins=40),
                title="difference",
                axis=alt.Axis(labelOverlap="greedy", labelSeparation=8, **signed_axis()),
            ),
            y=alt.Y("count():Q", title="queries", axis=alt.Axis(tickMinStep=1)),
            color=win_color("win"),
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
    return alt.layer(bars, zero, mean, data=data).properties(width=480, height=220)


def waterfall(rows: Rows) -> Chart:
    """Draw one bar per query, from the largest win to the largest loss.

    Parameters
    ----------
    rows : list of dict, or str
        With the bar's ``start``, ``end`` and height ``difference``, and with ``query``, ``text``,
        ``value`` and ``baseline``.

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
            axis=alt.Axis(tickMinStep=1, grid=False),
            scale=alt.Scale(nice=False, zero=False),
        ),
        x2="end:Q",
        y=alt.Y("difference:Q", title="difference", axis=alt.Axis(**signed_axis())),
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
    return alt.layer(bars, zero, data=data).properties(width=640, height=220)

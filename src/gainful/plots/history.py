"""A measure over releases."""

from __future__ import annotations

from gainful.plots.plot import altair, number_axis, picture, to_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.plots.plot import Chart, Rows

__all__ = ["history"]


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

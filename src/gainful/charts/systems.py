"""Means of systems, and differences from a baseline, with confidence intervals."""

from __future__ import annotations

from gainful.charts.style import LOSS, TIE, WIN, altair, signed_axis, to_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.charts.style import Chart, Rows

__all__ = ["differences", "means"]


def means(rows: Rows, measure: str) -> Chart:
    """Draw the mean and confidence interval of each system, best first.

    Overlapping intervals do not show whether two systems differ, since both ran on the same
    queries. `differences` shows the paired comparison.

    Parameters
    ----------
    rows : list of dict, or str
        With ``system``, ``mean``, ``low`` and ``high`` (can be None), and ``queries``.
    measure : str
        The name of the measure.

    Examples
    --------
    >>> rows = [{"system": "bm25", "mean": 0.5, "low": 0.4, "high": 0.6, "queries": 50}]
    >>> means(rows, "nDCG@10").to_dict()["layer"][0]["encoding"]["x"]["title"]
    'nDCG@10'
    """
    alt = altair()
    order = alt.EncodingSortField("mean", order="descending")
    y = alt.Y("system:N", sort=order, title=None, axis=alt.Axis(labelLimit=240))
    data = to_data(rows)
    base = alt.Chart(data)
    return alt.layer(
        base.mark_rule(strokeWidth=2, color=WIN).encode(
            x=alt.X("low:Q", title=measure, scale=alt.Scale(zero=False)), x2="high:Q", y=y
        ),
        base.mark_point(filled=True, size=70, opacity=1, color=WIN).encode(
            x="mean:Q",
            y=y,
            tooltip=["system:N", *_formatted("mean", "low", "high"), "queries:Q"],
        ),
        data=data,
    ).properties(width=480, height=alt.Step(24))


def differences(rows: Rows, title: str) -> Chart:
    """Draw the difference of each system from a baseline, with interval and verdict.

    Parameters
    ----------
    rows : list of dict, or str
        With ``system``, ``difference``, ``low``, ``high`` and ``verdict``, as in a `Pair`.
    title : str
        The axis title.

    Examples
    --------
    >>> row = {"system": "dense", "difference": 0.2, "low": 0.1, "high": 0.3, "verdict": "better"}
    >>> differences([row], "difference from bm25").to_dict()["layer"][1]["encoding"]["x"]["title"]
    'difference from bm25'
    """
    alt = altair()
    order = alt.EncodingSortField("difference", order="descending")
    y = alt.Y("system:N", sort=order, title=None, axis=alt.Axis(labelLimit=240))
    verdict = alt.Color(
        "verdict:N",
        scale=alt.Scale(
            domain=["better", "worse", "inconclusive", "equivalent", "identical"],
            range=[WIN, LOSS, TIE, "#1f9468", TIE],
        ),
        legend=alt.Legend(title=None, orient="top"),
    )
    x = alt.X("low:Q", title=title, axis=alt.Axis(**signed_axis()))
    data = to_data(rows)
    base = alt.Chart(data)
    return alt.layer(
        base.mark_rule(color=TIE).encode(x=alt.datum(0)),
        base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q", y=y, color=verdict),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x="difference:Q",
            y=y,
            color=verdict,
            tooltip=["system:N", *_formatted("difference", "low", "high"), "verdict:N"],
        ),
        data=data,
    ).properties(width=480, height=alt.Step(24))


def _formatted(*names: str) -> list[Any]:
    alt = altair()
    return [alt.Tooltip(f"{name}:Q", format=".4f") for name in names]

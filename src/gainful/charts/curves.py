"""Curves: a measure by its cutoff, precision by recall, the share that is judged by depth."""

from __future__ import annotations

from gainful.charts.look import altair, systems_colour

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.evaluation.curves import Curves

    Chart = Any

__all__ = ["coverage", "cutoffs", "drawn_curve", "precision_recall"]


def cutoffs(curves: Curves) -> Chart:
    """Draw a measure's mean by its cutoff.

    Parameters
    ----------
    curves : Curves
        What `gainful.evaluation.curves.curves` returns.

    Examples
    --------
    >>> from gainful import charts
    >>> from gainful.evaluation.curves import curves
    >>> found = curves("qrels.txt", {"bm25": "bm25.run", "dense": "dense.run"}, "nDCG@10")
    >>> charts.cutoffs(found).to_dict()["data"]["values"][0]
    {'system': 'bm25', 'at': 1, 'value': 0.8333333333333334}
    """
    return _drawn(curves.cutoffs, "k", f"mean {curves.family}@k", "log")


def precision_recall(curves: Curves) -> Chart:
    """Draw interpolated precision at the eleven levels of recall.

    Parameters
    ----------
    curves : Curves
        What `gainful.evaluation.curves.curves` returns.

    Examples
    --------
    >>> from gainful import charts
    >>> from gainful.evaluation.curves import curves
    >>> found = curves("qrels.txt", {"bm25": "bm25.run", "dense": "dense.run"}, "nDCG@10")
    >>> len(charts.precision_recall(found).to_dict()["data"]["values"])
    22
    """
    return _drawn(curves.precision_recall, "recall", "mean interpolated precision", "linear")


def coverage(curves: Curves) -> Chart:
    """Draw the share of the first k documents that is judged.

    Parameters
    ----------
    curves : Curves
        What `gainful.evaluation.curves.curves` returns.

    Examples
    --------
    >>> from gainful import charts
    >>> from gainful.evaluation.curves import curves
    >>> found = curves("qrels.txt", {"bm25": "bm25.run", "dense": "dense.run"}, "nDCG@10")
    >>> charts.coverage(found).to_dict()["data"]["values"][0]
    {'system': 'bm25', 'at': 1, 'value': 1.0}
    """
    return _drawn(curves.judged, "k", "judged share of the first k", "log", share=True)


def _drawn(
    curve: dict[str, dict[float, float]], x: str, y: str, scale: str, *, share: bool = False
) -> Chart:
    alt = altair()
    rows = [
        {"system": system, "at": at, "value": value}
        for system, points in curve.items()
        for at, value in points.items()
    ]
    ticks = sorted({at for points in curve.values() for at in points})
    chart = drawn_curve(alt.Data(values=rows), x, y, ticks=ticks, scale=scale, share=share)
    return chart.properties(width=480, height=260)


def drawn_curve(
    data: Any,
    x: str,
    y: str,
    *,
    ticks: list[Any],
    scale: str = "linear",
    share: bool = False,
    own: bool = False,
) -> Chart:
    """Draw rows with ``system``, ``at`` and ``value``.

    Parameters
    ----------
    data : altair.Data
        The rows.
    x, y : str
        Titles of the axes.
    ticks : list of number
        Where the axis has ticks.
    scale : {"linear", "log"}
        Of x.
    share : bool
        Whether the values are shares, shown in percent from 0 to 100.
    own : bool
        As for `gainful.charts.look.systems_colour`.
    """
    alt = altair()
    shown = ".0%" if share else ".4f"
    domain = alt.Scale(domain=[0, 1]) if share else alt.Undefined
    return (
        alt.Chart(data)
        .mark_line(strokeWidth=2, point={"filled": True, "size": 42})
        .encode(
            x=alt.X(
                "at:Q",
                title=x,
                scale=alt.Scale(type=scale, nice=False),
                axis=alt.Axis(values=ticks, grid=False, format="~g"),
            ),
            y=alt.Y(
                "value:Q",
                title=y,
                scale=domain,
                axis=alt.Axis(labelExpr="format(datum.value * 100, 'd') + ' %'")
                if share
                else alt.Undefined,
            ),
            detail="system:N",
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("at:Q", title=x),
                alt.Tooltip("value:Q", title=y, format=shown),
            ],
            **systems_colour(own),
        )
    )

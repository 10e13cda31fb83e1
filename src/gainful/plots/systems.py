"""Means of systems, differences from a baseline, and ranks, with confidence intervals."""

from __future__ import annotations

from gainful.plots.plot import picture
from gainful.plots.style import (
    LOSS,
    TIE,
    WIN,
    altair,
    categories,
    color_and_shape,
    name_axis,
    number_axis,
    signed_axis,
    to_data,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gainful.plots.style import Chart

    Rows = list[dict[str, Any]]

__all__ = ["differences", "means", "ranks"]

#: Color and shape of each verdict, which also differ in print without colors.
_VERDICTS = {
    "better": (WIN, "triangle-right"),
    "pass": ("#1f9468", "triangle-right"),
    "worse": (LOSS, "triangle-left"),
    "fail": (LOSS, "triangle-left"),
    "equivalent": ("#1f9468", "diamond"),
    "identical": ("#b653b0", "square"),
    "inconclusive": (TIE, "circle"),
    "not comparable": (TIE, "cross"),
}


@picture
def means(rows: Rows, measure: str) -> Chart:
    """Draw the mean and confidence interval of each system, best first.

    Overlapping intervals do not show whether two systems differ, since both ran on the same
    queries. `differences` shows the paired comparison.

    Parameters
    ----------
    rows : list of dict, or a result
        With ``system``, ``mean``, ``low`` and ``high`` (can be None), and ``queries``. With
        ``series``, each system has a point for each series, such as a collection.
    measure : str
        The name of the measure.

    Examples
    --------
    >>> rows = [{"system": "bm25", "mean": 0.5, "low": 0.4, "high": 0.6, "queries": 50}]
    >>> means(rows, "nDCG@10").to_dict()["layer"][0]["encoding"]["x"]["title"]
    'nDCG@10'
    """
    alt = altair()
    several = any("series" in row for row in rows)
    channels: dict[str, Any] = {"color": alt.value(WIN)}
    shape: dict[str, Any] = {}
    if several:
        names = categories(rows, "series")
        channels = color_and_shape("series", names)
        shape = {"shape": channels.pop("shape")}
        channels["yOffset"] = alt.YOffset("series:N", sort=names)
    base = alt.Chart(to_data(rows)).encode(y=_systems(rows, "mean"), **channels)
    x = alt.X("low:Q", title=measure, scale=alt.Scale(zero=False), axis=number_axis())
    details = (["series:N"] if several else []) + _formatted("mean", "low", "high")
    return alt.layer(
        base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x="mean:Q", tooltip=["system:N", *details, "queries:Q"], **shape
        ),
    ).properties(width=480, height=alt.Step(16 if several else 24))


@picture
def differences(rows: Rows, title: str, *, margins: Sequence[float] = ()) -> Chart:
    """Draw the difference of each system from a baseline, with interval and verdict.

    Parameters
    ----------
    rows : list of dict, or a result
        With ``system``, ``difference``, ``low``, ``high`` and ``verdict``, as in a `Pair`.
    title : str
        The axis title.
    margins : sequence of float
        Differences to mark: the ends of an equivalence margin, or a non-inferiority margin.

    Examples
    --------
    >>> row = {"system": "dense", "difference": 0.2, "low": 0.1, "high": 0.3, "verdict": "better"}
    >>> differences([row], "difference from bm25").to_dict()["layer"][1]["encoding"]["x"]["title"]
    'difference from bm25'
    """
    alt = altair()
    found = set(categories(rows, "verdict"))
    shown = [verdict for verdict in _VERDICTS if verdict in found]
    colors, shapes = ([_VERDICTS[verdict][at] for verdict in shown] for at in (0, 1))
    legend = alt.Legend(title=None, orient="top")
    y = _systems(rows, "difference")
    color = alt.Color("verdict:N", scale=alt.Scale(domain=shown, range=colors), legend=legend)
    shape = alt.Shape("verdict:N", scale=alt.Scale(domain=shown, range=shapes), legend=legend)
    base = alt.Chart(to_data(rows)).encode(y=y, color=color)
    x = alt.X("low:Q", title=title, axis=signed_axis())
    layers = [
        alt.Chart(to_data([{"at": 0}])).mark_rule(color=TIE).encode(x="at:Q"),
        base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x="difference:Q",
            shape=shape,
            tooltip=["system:N", *_formatted("difference", "low", "high"), "verdict:N"],
        ),
    ]
    if margins:
        ends = alt.Chart(to_data([{"at": each} for each in margins]))
        layers.insert(0, ends.mark_rule(color=TIE, strokeDash=[4, 4]).encode(x="at:Q"))
    return alt.layer(*layers).properties(width=480, height=alt.Step(24))


@picture
def ranks(rows: Rows, measure: str) -> Chart:
    """Draw the rank of each system with its simultaneous confidence interval, best first.

    Parameters
    ----------
    rows : list of dict, or a result
        With ``system``, ``rank``, ``low``, ``high`` and ``mean``.
    measure : str
        The name of the measure.

    Examples
    --------
    >>> rows = [{"system": "bm25", "rank": 1, "low": 1, "high": 2, "mean": 0.5}]
    >>> ranks(rows, "nDCG@10").to_dict()["layer"][0]["encoding"]["x"]["title"]
    'rank by nDCG@10'
    """
    alt = altair()
    base = alt.Chart(to_data(rows)).encode(y=_systems(rows, "rank", rising=True))
    last = max(row["high"] for row in rows)
    x = alt.X(
        "low:Q",
        title=f"rank by {measure}",
        scale=alt.Scale(domain=[0.5, last + 0.5], nice=False, zero=False),
        axis=number_axis(values=list(range(1, last + 1)), format="d", grid=False),
    )
    return alt.layer(
        base.mark_rule(strokeWidth=2, color=WIN).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=70, opacity=1, color=WIN).encode(
            x="rank:Q", tooltip=["system:N", "rank:Q", "low:Q", "high:Q", *_formatted("mean")]
        ),
    ).properties(width=480, height=alt.Step(24))


def _systems(rows: Rows, field: str, *, rising: bool = False) -> Any:
    """Return the axis of systems, sorted by their first row's value."""
    alt = altair()
    first: dict[str, Any] = {}
    for row in rows:
        first.setdefault(row["system"], row[field])
    order = sorted(first, key=lambda name: first[name] if rising else -first[name])
    return alt.Y("system:N", sort=order, title=None, axis=name_axis())


def _formatted(*names: str) -> list[Any]:
    alt = altair()
    return [alt.Tooltip(f"{name}:Q", format=".4f") for name in names]

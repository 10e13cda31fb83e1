"""Power by the number of queries, the sorted p-values of measures, and offline beside online."""

from __future__ import annotations

from gainful.charts.look import PALETTE, TIE, altair, legend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.agreement.measures_result import MeasureAgreement
    from gainful.agreement.online_result import OnlineAgreement
    from gainful.agreement.power_result import PowerAnalysis

    Chart = Any

__all__ = ["offline_online", "power", "sorted_p"]


def power(analysis: PowerAnalysis) -> Chart:
    """Draw the chance to find each difference asked about by the number of queries.

    Examples
    --------
    >>> import gainful
    >>> from gainful import charts
    >>> analysis = gainful.analyze_power(deviation=0.2, difference=[0.02, 0.05])
    >>> rows = charts.power(analysis).to_dict()["data"]["values"]
    >>> {row["curve"] for row in rows} == {"0.02", "0.05"}
    True
    """
    alt = altair()
    rows = [
        {
            "curve": " of ".join(filter(None, (f"{difference:g}", measure.measure))),
            "queries": queries,
            "power": chance,
        }
        for measure, difference, points in analysis.curves()
        for queries, chance in points
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("queries:Q", title="queries", scale=alt.Scale(type="log", nice=False)),
        y=alt.Y(
            "power:Q",
            title="chance to find the difference",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format=".0%"),
        ),
        tooltip=[
            alt.Tooltip("curve:N", title="difference"),
            alt.Tooltip("queries:Q", format=","),
            alt.Tooltip("power:Q", format=".1%"),
        ],
    )
    return _lined(base, "curve", rows, analysis.power)


def sorted_p(agreement: MeasureAgreement) -> Chart:
    """Draw the p-values of all pairs of systems under each measure, from the largest down.

    The lower a curve, the surer is the measure; where it runs below alpha, pairs are told apart.

    Examples
    --------
    >>> import gainful
    >>> from gainful import charts
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> found = gainful.compare_measures("qrels.txt", runs, ["AP", "RR"], test="t")
    >>> rows = charts.sorted_p(found).to_dict()["data"]["values"]
    >>> [(row["measure"], row["at"], row["pair"]) for row in rows]
    [('AP', 1, 'dense and bm25'), ('RR', 1, 'bm25 and dense')]
    """
    alt = altair()
    rows = [
        {
            "measure": each.measure,
            "at": at,
            "p": pair.p,
            "pair": f"{pair.system} and {pair.other}",
        }
        for each in agreement.measures
        for at, pair in enumerate(reversed(each.pairs), 1)
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "at:Q",
            title="pairs of systems, the least certain first",
            axis=alt.Axis(grid=False, format="d", tickMinStep=1),
        ),
        y=alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1])),
        tooltip=[
            alt.Tooltip("measure:N"),
            alt.Tooltip("pair:N"),
            alt.Tooltip("p:Q", format=".4f"),
        ],
    )
    return _lined(base, "measure", rows, agreement.alpha)


def offline_online(agreement: OnlineAgreement) -> Chart:
    """Draw each experiment by its offline and its online difference, with their standard errors.

    Examples
    --------
    >>> import gainful
    >>> from gainful import charts
    >>> found = gainful.compare_online([{"offline": 0.02, "online": 1.5, "online_se": 0.5}])
    >>> [layer["mark"]["type"] for layer in charts.offline_online(found).to_dict()["layer"]]
    ['point', 'rule', 'rule', 'rule', 'rule']
    """
    alt = altair()
    rows = [
        {
            "experiment": each.experiment,
            "series": " and ".join(filter(None, (each.measure, each.metric))) or "experiments",
            "offline": each.offline_difference,
            "offline_low": each.offline_difference - (each.offline_se or 0.0),
            "offline_high": each.offline_difference + (each.offline_se or 0.0),
            "online": each.online_difference,
            "online_low": each.online_difference - (each.online_se or 0.0),
            "online_high": each.online_difference + (each.online_se or 0.0),
        }
        for each in agreement.experiments
    ]
    names = _names("series", rows)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("offline:Q", title="offline difference"),
        y=alt.Y("online:Q", title="online difference"),
        tooltip=[alt.Tooltip(f"{name}:N") for name in ("experiment", "series")]
        + [alt.Tooltip(f"{name}:Q", format="+.4g") for name in ("offline", "online")],
        color=_colour("series", names),
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(shape=_shape("series", names))
    across = base.mark_rule(opacity=0.5).encode(x="offline_low:Q", x2="offline_high:Q")
    upright = base.mark_rule(opacity=0.5).encode(y="online_low:Q", y2="online_high:Q")
    zero = alt.Chart(alt.Data(values=[{"at": 0}])).mark_rule(color=TIE, strokeDash=[4, 4])
    layers = points + across + upright + zero.encode(x="at:Q") + zero.encode(y="at:Q")
    return layers.properties(width=480, height=360)


def _lined(base: Chart, field: str, rows: list[dict[str, Any]], level: float) -> Chart:
    """Return lines and their points, and across them the line of what is asked for."""
    alt = altair()
    names = _names(field, rows)
    lines = base.mark_line(strokeWidth=2).encode(color=_colour(field, names))
    points = base.mark_point(filled=True, size=42, opacity=1).encode(
        color=_colour(field, names), shape=_shape(field, names)
    )
    asked = alt.Chart(alt.Data(values=[{"level": level}])).mark_rule(color=TIE, strokeDash=[4, 4])
    # A rule names no axis of its own.
    across = asked.encode(y=alt.Y("level:Q", title=""))
    return (lines + points + across).properties(width=480, height=260)


def _names(field: str, rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row[field] for row in rows))


def _colour(field: str, names: list[str]) -> Any:
    alt = altair()
    colours = [PALETTE[at % len(PALETTE)] for at in range(len(names))]
    return alt.Color(
        f"{field}:N", scale=alt.Scale(domain=names, range=colours), legend=_legend(names)
    )


def _shape(field: str, names: list[str]) -> Any:
    alt = altair()
    return alt.Shape(f"{field}:N", scale=alt.Scale(domain=names), legend=_legend(names))


def _legend(names: list[str]) -> Any:
    # Of one there is nothing to tell apart.
    return legend() if len(names) > 1 else None

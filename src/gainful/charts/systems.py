"""Systems beside one another: their means with intervals, and their differences to a baseline."""

from __future__ import annotations

from gainful.charts.look import LOSS, TIE, WIN, altair, signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.comparison import Comparison
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure

    Chart = Any

__all__ = ["differences", "means"]


def means(evaluation: Evaluation, measure: Measure | str | None = None) -> Chart:
    """Draw each system's mean with its 95 % interval, the best on top.

    The intervals are for the mean over queries like these. Whether two systems differ is not to be
    read from them, since they meet the same queries: `differences` shows that.

    Parameters
    ----------
    evaluation : Evaluation
        What to draw.
    measure : Measure or str, optional
        One of the evaluation's; the first without it.

    Examples
    --------
    >>> import gainful
    >>> from gainful import charts
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> result = gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@10")
    >>> [row["system"] for row in charts.means(result).to_dict()["data"]["values"]]
    ['bm25', 'dense']
    """
    alt = altair()
    chosen = evaluation.measures[0] if measure is None else measure
    rows = []
    for system in evaluation.systems:
        summary = evaluation.summary(chosen, system)
        rows.append(
            {
                "system": system,
                "mean": summary.value,
                "low": summary.low if summary.aggregate != "sum" else None,
                "high": summary.high if summary.aggregate != "sum" else None,
                "queries": summary.n,
            }
        )
    order = alt.EncodingSortField("mean", order="descending")
    y = alt.Y("system:N", sort=order, title=None, axis=alt.Axis(labelLimit=240))
    base = alt.Chart(alt.Data(values=rows))
    return alt.layer(
        base.mark_rule(strokeWidth=2, color=WIN).encode(
            x=alt.X("low:Q", title=str(chosen), scale=alt.Scale(zero=False)), x2="high:Q", y=y
        ),
        base.mark_point(filled=True, size=70, opacity=1, color=WIN).encode(
            x="mean:Q",
            y=y,
            tooltip=["system:N", *_formatted("mean", "low", "high"), "queries:Q"],
        ),
        data=alt.Data(values=rows),
    ).properties(width=480, height=alt.Step(24))


def differences(
    comparison: Comparison, measure: Measure | str | None = None, baseline: str | None = None
) -> Chart:
    """Draw each system's difference to a baseline, with the interval that agrees with its verdict.

    Parameters
    ----------
    comparison : Comparison
        What to draw.
    measure : Measure or str, optional
        One of the comparison's; the first without it.
    baseline : str, optional
        Beside which system. Without it the comparison's first baseline, and where all pairs were
        compared the system with the highest mean.

    Examples
    --------
    >>> from gainful.comparison import compare
    >>> from gainful import charts
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> result = compare("qrels.txt", runs, "nDCG@10")
    >>> charts.differences(result).to_dict()["data"]["values"][0]["system"]
    'bm25'
    """
    alt = altair()
    name = repr(comparison.measures[comparison._measure(measure)])
    beside = baseline or (comparison.baselines or (comparison.leaderboard(name)[0].system,))[0]
    pairs = [
        comparison.pair(system, beside, name) for system in comparison.systems if system != beside
    ]
    rows = [
        {
            "system": pair.system,
            "difference": pair.difference,
            "low": pair.low,
            "high": pair.high,
            "verdict": pair.verdict,
        }
        for pair in pairs
    ]
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
    title = f"difference in {name} to {beside}"
    x = alt.X("low:Q", title=title, axis=alt.Axis(**signs()))
    base = alt.Chart(alt.Data(values=rows))
    return alt.layer(
        base.mark_rule(color=TIE).encode(x=alt.datum(0)),
        base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q", y=y, color=verdict),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x="difference:Q",
            y=y,
            color=verdict,
            tooltip=["system:N", *_formatted("difference", "low", "high"), "verdict:N"],
        ),
        data=alt.Data(values=rows),
    ).properties(width=480, height=alt.Step(24))


def _formatted(*names: str) -> list[Any]:
    alt = altair()
    return [alt.Tooltip(f"{name}:Q", format=".4f") for name in names]

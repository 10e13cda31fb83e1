"""Altair charts for notebooks, papers (`chart.save("chart.svg")`) and HTML reports.

Each function takes rows as dictionaries and returns an Altair chart; the extra ``report`` is
required. `plot` of a result calls them with its rows. An HTML report draws the same charts, with
the name of a data set in place of the rows.
"""

from __future__ import annotations

from gainful.charts.curves import curve
from gainful.charts.pairs import distribution, waterfall
from gainful.charts.planning import offline_online, power, sorted_p
from gainful.charts.queries import difficulty
from gainful.charts.systems import differences, means

__all__ = [
    "curve",
    "differences",
    "difficulty",
    "distribution",
    "means",
    "offline_online",
    "power",
    "sorted_p",
    "waterfall",
]

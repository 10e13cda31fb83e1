"""Charts as Altair objects: for notebooks, for papers (`chart.save("chart.svg")`), for the report.

Each takes rows, a dictionary each, and returns an Altair chart, which needs the extra ``report``.
The rows of a result are drawn by its `plot`. The page that ``gainful report`` writes draws the same
charts: it gives the name of a data set for the rows.
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

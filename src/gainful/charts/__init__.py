"""Charts as Altair objects: for notebooks, for papers (`chart.save("chart.svg")`), for the report.

Each takes a result and returns an Altair chart, which needs the extra ``report``. The page that
``gainful report`` writes draws the same charts.
"""

from __future__ import annotations

from gainful.charts.curves import coverage, cutoffs, precision_recall
from gainful.charts.pairs import distribution, waterfall
from gainful.charts.planning import offline_online, power, sorted_p
from gainful.charts.queries import difficulty
from gainful.charts.systems import differences, means

__all__ = [
    "coverage",
    "cutoffs",
    "differences",
    "difficulty",
    "distribution",
    "means",
    "offline_online",
    "power",
    "precision_recall",
    "sorted_p",
    "waterfall",
]

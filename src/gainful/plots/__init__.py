"""Pictures for notebooks, papers, slides and HTML reports.

Each function draws a result that has a picture of its name, with the options of the picture
(``gainful.plots.means(evaluation, measure="AP")``, which is ``evaluation.plot("means",
measure="AP")``), or your own rows as dictionaries. It returns a `Plot`, which notebooks show and
``plot.save("figure.pdf")`` writes to a file. The extra ``report`` is required. An HTML report draws
the same pictures, with the name of a data set in place of the rows.
"""

from __future__ import annotations

from gainful.plots.pairs import (
    distribution,
    effects,
    gains,
    offline_online,
    power,
    scatter,
    sorted_p,
    waterfall,
)
from gainful.plots.plot import Plot
from gainful.plots.systems import (
    agreement,
    budgets,
    coverage,
    cutoffs,
    differences,
    difficulty,
    history,
    means,
    precision_recall,
    queries,
    ranks,
)
from gainful.project_file import set_colors

__all__ = [
    "Plot",
    "agreement",
    "budgets",
    "coverage",
    "cutoffs",
    "differences",
    "difficulty",
    "distribution",
    "effects",
    "gains",
    "history",
    "means",
    "offline_online",
    "power",
    "precision_recall",
    "queries",
    "ranks",
    "scatter",
    "set_colors",
    "sorted_p",
    "waterfall",
]

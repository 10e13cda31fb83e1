"""The Vega-Lite charts of a page."""

from __future__ import annotations

from gainful import plots
from gainful.comparison.rendering import is_over_budgets
from gainful.extras import load_package
from gainful.measures.budgets import budget_of
from gainful.report.library import load_vl_convert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.report.report import Report

__all__ = ["build_chart_specs", "check_installed"]


def check_installed() -> None:
    """Raise an error if a package that draws charts is missing.

    Raises
    ------
    GainfulError
        If the extra ``report`` is not installed.
    """
    load_package("altair", where="HTML reports", extra="report")
    load_vl_convert()


def build_chart_specs(report: Report, queries: int) -> dict[str, object]:
    """Return the Vega-Lite specifications by name; the page's JavaScript adds the data."""
    specs = {
        "distribution": plots.distribution("rows"),
        "waterfall": plots.waterfall("rows"),
        "difficulty": plots.difficulty("rows", "score", queries, styled=True),
    }
    curves, measures = report.curves, report.evaluation.measures
    if is_over_budgets(measures):
        budgets = [budget_of(measure) for measure in measures]
        specs["budgets"] = plots.budgets("rows", ticks=budgets, styled=True)
    for name in curves.PICTURES if "budgets" not in specs else ():
        ticks = curves.ticks(name)
        if len(ticks) < 2:
            continue
        if name == "cutoffs":
            specs[name] = plots.cutoffs("rows", curves.family, ticks=ticks, styled=True)
        else:
            draw = plots.precision_recall if name == "precision_recall" else plots.coverage
            specs[name] = draw("rows", ticks=ticks, styled=True)
    if report.history is not None:
        specs["history"] = plots.history("rows", repr(report.history.measure))
    return {name: _to_spec(plot) for name, plot in specs.items()}


def _to_spec(plot: plots.Plot) -> object:
    spec: dict[str, object] = plot.chart.properties(width="container", height=240).to_dict()
    # Axes and labels get their colors from the style sheet, for all themes and for print.
    spec["background"] = "transparent"
    del spec["config"]
    return spec

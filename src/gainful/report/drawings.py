"""The charts of a page: Altair's, drawn by the libraries of Vega that the page carries."""

from __future__ import annotations

from functools import cache

from gainful import charts
from gainful.charts.look import altair
from gainful.extras import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.report.report import Report

__all__ = ["check_installed", "drawings", "library"]


def check_installed() -> None:
    """Refuse to go on where the packages that draw charts are missing.

    Raises
    ------
    GainfulError
        Where the extra ``report`` is not installed.
    """
    altair()
    _vl_convert()


def drawings(report: Report, queries: int) -> dict[str, object]:
    """Return the charts by name, as Vega-Lite has them; the page's programs give them rows."""
    found = {
        "distribution": charts.distribution("rows"),
        "waterfall": charts.waterfall("rows"),
        "difficulty": charts.difficulty("rows", "score", queries, own=True),
    }
    curves = report.curves
    for name, x, y, scale in (
        ("cutoffs", "k, the cutoff", f"mean {curves.family}@k", "log"),
        ("precision_recall", "recall", "interpolated precision", "linear"),
        ("coverage", "k, the cutoff", "judged share of the first k", "log"),
    ):
        ticks, share = curves.ticks(name), name == "coverage"
        if len(ticks) > 1:
            found[name] = charts.curve(
                "rows", x, y, ticks=ticks, scale=scale, share=share, own=True
            )
    return {name: _described(chart) for name, chart in found.items()}


def _described(chart: Any) -> object:
    spec: dict[str, object] = chart.properties(width="container", height=240).to_dict()
    # The page's style sheet colours what is around the marks, in light, dark and print.
    spec["background"] = "transparent"
    return spec


@cache
def library() -> str:
    """Return Vega-Embed, Vega-Lite and Vega, which draw the charts, as one program."""
    bundle: str = _vl_convert().javascript_bundle(snippet="window.vegaEmbed = vegaEmbed;")
    # Within a function, so that its names are its own.
    return f"(() => {{{bundle}}})();".replace("</script", "<\\/script")


def _vl_convert() -> Any:
    return load_package("vl_convert", where="charts", package="vl-convert-python", extra="report")

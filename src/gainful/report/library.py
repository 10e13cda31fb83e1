"""The Vega-Lite charts of a page, and the cached script that draws them."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from gainful import plots
from gainful.comparison.rendering import is_over_budgets
from gainful.errors import SourceError
from gainful.formats.packing import to_letters
from gainful.measures.budgets import budget_of
from gainful.packages import load_package
from gainful.writing import compressed, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.report.collecting import ReportData

__all__ = ["build_chart_specs", "check_installed", "pack_library", "read_library"]

#: The function of the bundle that the page's scripts call.
_SNIPPET = "window.vegaEmbed = vegaEmbed;"


def _load_vl_convert() -> Any:
    """Import vl-convert."""
    return load_package(
        "vl_convert", where="HTML reports", package="vl-convert-python", extra="report"
    )


def read_library() -> bytes:
    """Return Vega, Vega-Lite and Vega-Embed as one script."""
    return _load()[0]


def pack_library() -> str:
    """Return the script as the text of a block of the page."""
    return to_letters(_load()[1])


@cache
def _load() -> tuple[bytes, bytes]:
    """Return the script, and the same compressed.

    vl-convert takes over a second to bundle it, so it is stored.
    """
    file = _cache_file()
    if file is not None:
        try:
            packed = file.read_bytes()
            # The checksum of gzip detects damage, but gzip accepts an empty file.
            if content := gzip.decompress(packed):
                return content, packed
        except (OSError, EOFError, zlib.error):
            pass
    bundle: str = _load_vl_convert().javascript_bundle(snippet=_SNIPPET)
    # The function keeps the names of the bundle out of the global scope.
    script = f"(() => {{{bundle}}})();".encode()
    packed = b"".join(compressed(script, "gz"))
    if file is not None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(str(file), [packed])
        except (OSError, SourceError):
            pass  # The report does not need the copy.
    return script, packed


def _cache_file() -> Path | None:
    folder = _cache_folder()
    if folder is None:
        return None
    package = _load_vl_convert()
    versions = (
        package.__version__,
        package.get_vega_version(),
        package.get_vegalite_versions()[-1],
        package.get_vega_embed_version(),
        _SNIPPET,
    )
    key = sha256(repr(versions).encode()).hexdigest()
    return folder / f"charts-{key[:16]}.js.gz"


def _cache_folder() -> Path | None:
    """Return the folder of stored scripts, or None for none."""
    setting = os.environ.get("GAINFUL_CACHE")
    if setting:
        return None if setting == "0" else Path(setting)
    try:
        if sys.platform == "win32":
            usual, base = Path.home() / "AppData" / "Local", os.environ.get("LOCALAPPDATA")
        elif sys.platform == "darwin":
            usual, base = Path.home() / "Library" / "Caches", None
        else:
            usual, base = Path.home() / ".cache", os.environ.get("XDG_CACHE_HOME")
    except RuntimeError:
        return None  # The user has no home.
    # The specification of XDG ignores relative paths.
    return (Path(base) if base and os.path.isabs(base) else usual) / "gainful"


def check_installed() -> None:
    """Raise an error if a package that draws charts is missing."""
    _load_altair()
    _load_vl_convert()


def _load_altair() -> None:
    load_package("altair", where="HTML reports", extra="report")


def build_chart_specs(report: ReportData, queries: int) -> dict[str, object]:
    """Return the Vega-Lite specifications by name; the page's JavaScript adds the data."""
    _load_altair()
    specs = {
        "distribution": _spec("distribution"),
        "waterfall": _spec("waterfall"),
        "difficulty": _spec("difficulty", "score", queries, styled=True),
    }
    curves, measures = report.curves, report.evaluation.measures
    if is_over_budgets(measures):
        budgets = tuple(map(budget_of, measures))
        specs["budgets"] = _spec("budgets", ticks=budgets, styled=True)
    for name in curves.PICTURES if "budgets" not in specs else ():
        ticks = tuple(curves.ticks(name))
        if len(ticks) >= 2:
            words = (curves.family,) if name == "cutoffs" else ()
            specs[name] = _spec(name, *words, ticks=ticks, styled=True)
    if report.history is not None:
        specs["history"] = _spec("history", repr(report.history.measure))
    return specs


@lru_cache(maxsize=32)
def _spec(picture: str, *words: object, **options: object) -> object:
    """Return the specification of a picture of the rows that the page has."""
    plot = getattr(plots, picture)("rows", *words, **options)
    # Checking it against the schema of Vega-Lite would take longer than all else.
    chart = plot.chart.properties(width="container", height=240)
    spec: dict[str, object] = chart.to_dict(validate=False)
    # Axes and labels get their colors from the style sheet, for all themes and for print.
    spec["background"] = "transparent"
    del spec["config"]
    return spec

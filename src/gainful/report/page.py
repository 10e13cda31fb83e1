"""The HTML page: head, sections, data and JavaScript in one document."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape

from gainful.comparison.rendering import coverage_rows
from gainful.plots.plot import PALETTE
from gainful.plots.systems import GROUPS, MOST_POINTS
from gainful.project_file import color_of
from gainful.quoting import show_direction_marks
from gainful.report.leaderboard import Board, shorten_names
from gainful.report.library import build_chart_specs, pack_library, read_library
from gainful.report.payload import block_size, json_text, list_queries, pack_blocks
from gainful.report.sections import render_navigation, render_sections, render_summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.report.report import Report

__all__ = ["render_page"]

#: The page's scripts, in order.
SCRIPTS = (
    "data.js",
    "figures.js",
    "theme.js",
    "charts.js",
    "tables.js",
    "folds.js",
    "notes.js",
    "systems.js",
    "pair.js",
    "curves.js",
    "query.js",
    "references.js",
    "queries.js",
    "start.js",
)
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)


def render_page(report: Report) -> str:
    """Return the HTML page of a report."""
    queries = list_queries(report.evaluation)
    boards = [Board(report, measure) for measure in range(len(report.evaluation.measures))]
    charts = build_chart_specs(report, len(queries))
    curves = [name for name in ("budgets", *report.curves.PICTURES) if name in charts]
    facts = json_text(_facts(report, boards, charts, len(queries)))
    blocks = "\n".join(
        f'<script type="text/plain" id="block-{name}">{text}</script>'
        for name, text in pack_blocks(report)
    )
    scripts = "\n".join(_asset(name) for name in SCRIPTS)
    script = f'(() => {{\n"use strict";\n{scripts}\n}})();'
    page = "\n".join(
        [
            _HEAD.format(
                policy=_security_policy(script.encode(), read_library()),
                title=escape(report.title),
                style=_asset("page.css"),
                navigation=render_navigation(report, curves),
            ),
            f'<main id="top">\n{render_summary(report, boards)}',
            f"{render_sections(report, boards, len(queries), curves)}</main>",
            _FOOT,
            f'<script type="application/json" id="facts">{facts}</script>',
            blocks,
            f'<script type="text/plain" id="block-library">{pack_library()}</script>',
            f"<script>{script}</script>",
            "</body>\n</html>\n",
        ]
    )
    # Ids that are not valid UTF-8 are escaped.
    return show_direction_marks(page.encode("utf-8", "backslashreplace").decode())


def _security_policy(*scripts: bytes) -> str:
    """Return a policy by which browsers run only these scripts, and load nothing."""
    hashes = (b64encode(sha256(script).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    # Vega compiles the expressions of charts.
    return (
        f"default-src 'none'; script-src {allowed} 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _facts(
    report: Report, boards: list[Board], charts: dict[str, object], queries: int
) -> dict[str, object]:
    evaluation, comparison, listing = report.evaluation, report.comparison, report.listing
    names = [repr(measure) for measure in evaluation.measures]
    return {
        "inputs": report.inputs,
        # Later reports can read the values: these say what they mean.
        "convention": evaluation.convention.to_dict(),
        "judgments": evaluation.judgments_digest,
        "measures": names,
        "sums": [measure.aggregate == "sum" for measure in evaluation.measures],
        "systems": list(evaluation.systems),
        "names": list(shorten_names(evaluation.systems).values()),
        "orders": [
            [evaluation.systems.index(line.system) for line in board.lines] for board in boards
        ],
        "baselines": list(comparison.baselines) if comparison is not None else None,
        "margin": comparison.margin if comparison is not None else None,
        "detect": comparison.choices.detect if comparison is not None else None,
        "listing": listing
        and {
            "measure": repr(listing.measure),
            "sums": listing.sums,
            "depth": listing.depth,
            "block": block_size(report),
            "highest": report.highest_grade,
        },
        # The number of groups of neighboring queries in the chart of difficulty; 0 for points.
        "groups": GROUPS if queries > MOST_POINTS else 0,
        "palette": PALETTE,
        "colors": [color_of(system) for system in evaluation.systems],
        "shapes": SHAPES,
        "charts": charts,
        "curves": report.curves.to_dict(),
        "budgets": coverage_rows([evaluation]) if "budgets" in charts else None,
        "history": report.history and report.history.points(),
        # The notes of readers are kept for the same data.
        "key": sha256(repr([source.digest for source in report.sources]).encode()).hexdigest()[:16],
    }


def _asset(name: str) -> str:
    from importlib.resources import files

    return files("gainful.report").joinpath("assets", name).read_text(encoding="utf-8")


_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Gainful">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<a class="skip" href="#top">Skip to the results</a>
<header class="bar"><a class="brand" href="#top">Gainful</a>{navigation}
<button type="button" id="theme">Theme: auto</button></header>
<noscript><p class="noscript">Charts and rankings need JavaScript. Without it this page shows the
leaderboard, the convention and the reproduction command.</p></noscript>"""

_FOOT = (
    "<footer>Generated by Gainful. This file is self-contained and makes no network"
    " requests.</footer>"
)

"""The page itself: head, sections, data and programs, put together in one document."""

from __future__ import annotations

from html import escape

from gainful.charts.look import PALETTE
from gainful.report.drawings import drawings, library
from gainful.report.leaderboard import Board
from gainful.report.payload import block_size, json_text, payload, queries_of
from gainful.report.sections import navigation, opened, sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.report.report import Report

__all__ = ["document"]

#: The page's programs, in the order in which they stand.
PROGRAMS = (
    "data.js",
    "figures.js",
    "theme.js",
    "charts.js",
    "tables.js",
    "systems.js",
    "pair.js",
    "curves.js",
    "query.js",
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


def document(report: Report) -> str:
    """Return the page."""
    queries = queries_of(report.evaluation)
    boards = [Board(report, measure) for measure in range(len(report.evaluation.measures))]
    drawn = drawings(report, len(queries))
    curves = [name for name in report.curves.PICTURES if name in drawn]
    facts = json_text(_facts(report, boards, drawn))
    blocks = "\n".join(
        f'<script type="text/plain" id="block-{name}">{text}</script>'
        for name, text in payload(report)
    )
    programs = "\n".join(_asset(name) for name in PROGRAMS)
    page = "\n".join(
        [
            _HEAD.format(
                title=escape(report.title),
                style=_asset("page.css"),
                navigation=navigation(report, bool(curves)),
            ),
            f'<main id="top">\n{opened(report, boards)}',
            f"{sections(report, boards, len(queries), curves)}</main>",
            _FOOT,
            f'<script type="application/json" id="facts">{facts}</script>',
            blocks,
            f"<script>{library()}</script>",
            f'<script>(() => {{\n"use strict";\n{programs}\n}})();</script>',
            "</body>\n</html>\n",
        ]
    )
    # Ids that are no valid UTF-8 cannot stand in a page.
    return page.encode("utf-8", "backslashreplace").decode()


def _facts(report: Report, boards: list[Board], drawn: dict[str, object]) -> dict[str, object]:
    evaluation, comparison, listing = report.evaluation, report.comparison, report.listing
    names = [repr(measure) for measure in evaluation.measures]
    return {
        "measures": names,
        "sums": [measure.aggregate == "sum" for measure in evaluation.measures],
        "systems": list(evaluation.systems),
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
        "palette": PALETTE,
        "shapes": SHAPES,
        "charts": drawn,
        "curves": report.curves.to_dict(),
    }


def _asset(name: str) -> str:
    from importlib.resources import files

    return files("gainful.report").joinpath("assets", name).read_text(encoding="utf-8")


_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
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
<noscript><p class="noscript">Without JavaScript this page shows the leaderboard, the convention
and how to make it again; charts and rankings need it.</p></noscript>"""

_FOOT = "<footer>Made by Gainful. This file is complete: it loads nothing from elsewhere.</footer>"

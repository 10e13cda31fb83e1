"""The page itself: head, sections, data and programs, put together in one document."""

from __future__ import annotations

from html import escape

from gainful.report.charts.look import PALETTE
from gainful.report.page import opening, particulars
from gainful.report.page.drawings import drawings, library
from gainful.report.page.leaderboard import Board, leaderboard
from gainful.report.page.payload import block_size, json_text, payload, queries_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.report.page.report import Report

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
    evaluation = report.evaluation
    queries = queries_of(evaluation)
    several = len(evaluation.systems) > 1
    boards = [Board(report, measure) for measure in range(len(evaluation.measures))]
    sections = [
        _section("leaderboard", "Leaderboard" if several else "Scores", _boards(boards)),
    ]
    if several:
        sections.append(_section("pair", "Two systems, query by query", _PAIR))
    sections.append(_section("difficulty", "Which queries are hard?", _chart_difficulty(len(queries))))
    drawn = drawings(report, len(queries))
    curves = [name for name in ("cutoffs", "recall", "coverage") if name in drawn]
    if curves:
        sections.append(_section("curves", "Curves", _curves(report, curves)))
    sections += [
        _section("queries", "Queries", _queries(report, several)),
        _section("met", "What was met", particulars.met(report)),
        _section("convention", "Convention", particulars.convention(report)),
        _section("reproduce", "Make it again", particulars.reproduce(report)),
    ]
    head = _HEAD.format(
        title=escape(report.title), style=_asset("page.css"), navigation=_navigation(report, several, bool(curves))
    )
    blocks = "\n".join(
        f'<script type="text/plain" id="block-{name}">{text}</script>'
        for name, text in payload(report)
    )
    programs = "\n".join(_asset(name) for name in PROGRAMS)
    page = (
        f"{head}\n<main id=\"top\">\n{_opening(report, boards)}\n{''.join(sections)}</main>\n{_FOOT}\n"
        f'<script type="application/json" id="facts">{json_text(_facts(report, boards, drawn))}</script>\n'
        f"{blocks}\n<script>{library()}</script>\n"
        f'<script>(() => {{\n"use strict";\n{programs}\n}})();</script>\n</body>\n</html>\n'
    )
    # Ids that are no valid UTF-8 cannot stand in a page.
    return page.encode("utf-8", "backslashreplace").decode()


def _facts(report: Report, boards: list[Board], drawn: dict[str, object]) -> dict[str, object]:
    evaluation, comparison, listing = report.evaluation, report.comparison, report.listing
    names = [repr(measure) for measure in evaluation.measures]
    curves = report.curves
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
        "alpha": comparison.alpha if comparison is not None else None,
        "listing": listing
        and {
            "measure": repr(listing.measure),
            "sums": listing.sums,
            "depth": listing.depth,
            "block": block_size(report),
            "highest": report.highest_grade,
            "texts": report.documents is not None,
        },
        "palette": PALETTE,
        "shapes": SHAPES,
        "charts": drawn,
        "curves": {
            "cutoffs": _curve(curves.cutoffs),
            "recall": _curve(curves.precision_recall),
            "coverage": _curve(curves.judged),
        },
    }


def _curve(curve: dict[str, dict[int, float]] | dict[str, dict[float, float]]) -> dict[str, object]:
    return {system: list(map(list, points.items())) for system, points in curve.items()}


def _section(name: str, heading: str, content: str) -> str:
    return (
        f'<section id="{name}" class="card" aria-labelledby="{name}-heading">'
        f'<h2 id="{name}-heading">{heading}</h2>\n{content}\n</section>\n'
    )


def _opening(report: Report, boards: list[Board]) -> str:
    lines = "".join(
        f'<p class="headline" data-measure="{board.measure}"{" hidden" if board.measure else ""}>'
        f"{opening.headline(board)}</p>"
        for board in boards
    )
    return (
        f'<div class="opening"><h1>{escape(report.title)}</h1>{lines}'
        f'<dl class="tiles">{opening.tiles(report)}</dl></div>'
    )


def _boards(boards: list[Board]) -> str:
    report = boards[0].report
    tables = "".join(
        f'<div class="wide" tabindex="0" role="region" data-measure="{board.measure}"'
        f'{" hidden" if board.measure else ""} aria-label="Systems by {escape(board.name)}">'
        f"{leaderboard(board)}</div>"
        for board in boards
    )
    if report.comparison is None:
        return tables
    hint = (
        '<p class="aside screen">A tick shows a system in the charts and rankings below, eight at'
        " most. Headings sort.</p>"
    )
    notes = "".join(
        f'<div class="aside notes" data-measure="{board.measure}"{" hidden" if board.measure else ""}>'
        f"{particulars.testing(report, board.measure)}</div>"
        for board in boards
    )
    return tables + hint + notes


def _navigation(report: Report, several: bool, curves: bool) -> str:
    links = [("leaderboard", "Leaderboard" if several else "Scores")]
    links += [("pair", "Two systems")] if several else []
    links += [("difficulty", "Difficulty")]
    links += [("curves", "Curves")] if curves else []
    links += [("queries", "Queries"), ("convention", "Convention"), ("reproduce", "Make it again")]
    anchors = "".join(f'<a href="#{name}">{label}</a>' for name, label in links)
    measures = report.evaluation.measures
    options = "".join(
        f'<option value="{at}">{escape(repr(measure))}</option>'
        for at, measure in enumerate(measures)
    )
    chooser = f'<label class="choose">measure <select id="measure">{options}</select></label>'
    return f'<nav aria-label="Sections">{anchors}</nav>{chooser if len(measures) > 1 else ""}'


def _chart_difficulty(queries: int) -> str:
    return (
        '<div class="shown" data-legend></div>'
        + _figure(
            "difficulty",
            "<span data-named></span> by query. The queries are sorted by their mean over all systems, the hardest on"
            " the left. A point opens its query."
            if queries <= 400
            else "<span data-named></span> by query, averaged over groups of neighbouring queries. The queries are"
            " sorted by their mean over all systems, the hardest on the left.",
        )
    )


def _curves(report: Report, names: list[str]) -> str:
    told = {
        "cutoffs": f"The mean of {escape(report.curves.family)} down to rank k.",
        "recall": "Precision by recall: at each of the eleven levels the greatest precision from"
        " there on, averaged over queries.",
        "coverage": "How many of the first k documents have a judgment. What has none counts as the"
        " convention says.",
    }
    figures = "".join(_figure(name, told[name]) for name in names)
    return f'<div class="shown" data-legend></div><div class="grid">{figures}</div>'


def _figure(name: str, caption: str) -> str:
    return (
        f'<figure id="figure-{name}"><div class="chart" id="chart-{name}" role="img"'
        f' aria-label="{escape(_spoken(caption))}"></div><figcaption>{caption}</figcaption>'
        f'<details data-behind="{name}"><summary>The numbers as a table</summary>'
        f'<div class="wide" tabindex="0" role="region" aria-label="The numbers of this chart">'
        f"</div></details></figure>"
    )


def _spoken(caption: str) -> str:
    return caption.replace("<span data-named></span>", "Scores")


_PAIR = (
    '<p class="choices"><label>System <select id="pair-system"></select></label>'
    ' <button type="button" id="pair-swap" aria-label="Exchange the two systems">⇄</button>'
    ' <label>beside <select id="pair-baseline"></select></label></p>'
    '<p id="pair-words" class="words" aria-live="polite"></p><dl id="pair-facts" class="facts"></dl>'
    '<div class="grid">'
    + _figure(
        "waterfall",
        "The difference of every query, from the largest win to the largest loss. A bar opens its"
        " query.",
    )
    + _figure(
        "distribution",
        "How the differences are distributed; the dashed line is their mean. Tied queries are left"
        " out.",
    )
    + "</div>"
)


def _queries(report: Report, several: bool) -> str:
    listing = report.listing
    pair = (
        '<option value="better">won by the system</option><option value="worse">lost by the'
        ' system</option><option value="tied">tied</option>'
        if several
        else ""
    )
    unjudged = '<option value="unjudged">with unjudged documents</option>'
    sorts = '<option value="difficulty">hardest first</option><option value="easy">easiest first</option>'
    if several:
        sorts += (
            '<option value="losses">largest loss first</option>'
            '<option value="wins">largest win first</option>'
            '<option value="spread">systems furthest apart</option>'
        )
    documents = (
        '<label class="tick"><input type="checkbox" id="query-documents"> also in documents</label>'
        if listing
        else ""
    )
    note = ""
    if listing is None:
        note = "<p>No rank adds to these measures, so there are no rankings to show.</p>"
    return (
        '<div class="shown" data-legend></div>'
        '<div class="tools" role="search"><label class="search">Search <input type="search"'
        ' id="query-search" placeholder="words or an id" autocomplete="off" spellcheck="false"></label>'
        f'{documents}<label>Show <select id="query-filter"><option value="all">all</option>{pair}'
        '<option value="zero">0 for all systems</option><option value="nothing">nothing relevant'
        f"</option>{unjudged}</select></label>"
        f'<label>Sort <select id="query-sort">{sorts}<option value="id">by id</option></select></label>'
        f'</div>{note}<p id="query-count" class="aside" role="status"></p>'
        '<div class="wide" tabindex="0" role="region" aria-label="Queries">'
        '<table id="query-table" class="plain"></table></div>'
        '<p class="more"><button type="button" id="query-more">Show more</button></p>'
    )


def _asset(name: str) -> str:
    from importlib.resources import files

    return files("gainful.report.page").joinpath("assets", name).read_text(encoding="utf-8")


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
<noscript><p class="noscript">Without JavaScript this page shows the leaderboards, the convention and
how to make it again; charts and rankings need it.</p></noscript>"""

_FOOT = '<footer>Made by Gainful. This file is complete: it loads nothing from elsewhere.</footer>'

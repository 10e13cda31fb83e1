"""What stands in each section of a page; the page's programs fill in what is chosen there."""

from __future__ import annotations

from html import escape

from gainful.charts.queries import MOST_POINTS
from gainful.report import opening, particulars
from gainful.report.leaderboard import Board, leaderboard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.report.report import Report

__all__ = ["navigation", "opened", "sections"]


def sections(report: Report, boards: list[Board], queries: int, curves: Sequence[str]) -> str:
    """Return all sections, one after the other.

    Parameters
    ----------
    report : Report
        What they are about.
    boards : list of Board
        A leaderboard a measure.
    queries : int
        How many there are.
    curves : sequence of str
        The curves that are drawn: ``cutoffs``, ``precision_recall``, ``coverage``.
    """
    several = len(report.evaluation.systems) > 1
    parts = [("leaderboard", "Leaderboard" if several else "Scores", _boards(boards))]
    if several:
        parts.append(("pair", "Two systems, query by query", _pair()))
    parts.append(("difficulty", "Which queries are hard?", _difficulty(queries)))
    if curves:
        parts.append(("curves", "Curves", _curves(report, curves)))
    parts += [
        ("queries", "Queries", _queries(report)),
        ("met", "What was met", particulars.met(report)),
        ("convention", "Convention", particulars.convention(report)),
        ("reproduce", "Make it again", particulars.reproduce(report)),
    ]
    return "".join(
        f'<section id="{name}" class="card" aria-labelledby="{name}-heading">'
        f'<h2 id="{name}-heading">{heading}</h2>\n{content}\n</section>\n'
        for name, heading, content in parts
    )


def opened(report: Report, boards: list[Board]) -> str:
    """Return the head of the page: its title, what came out, and a few figures."""
    lines = "".join(
        f'<p class="headline"{_of_measure(board)}>{opening.headline(board)}</p>' for board in boards
    )
    return (
        f'<div class="opening"><h1>{escape(report.title)}</h1>{lines}'
        f'<dl class="tiles">{opening.tiles(report)}</dl></div>'
    )


def navigation(report: Report, curves: bool) -> str:
    """Return the links to the sections, and the choice of a measure."""
    several = len(report.evaluation.systems) > 1
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


def _of_measure(board: Board) -> str:
    """Return the attributes of what is shown while a measure is chosen; first the first."""
    return f' data-measure="{board.measure}"{" hidden" if board.measure else ""}'


def _boards(boards: list[Board]) -> str:
    report = boards[0].report
    tables = "".join(
        f'<div class="wide" tabindex="0" role="region"{_of_measure(board)}'
        f' aria-label="Systems by {escape(board.name)}">{leaderboard(board)}</div>'
        for board in boards
    )
    if report.comparison is None:
        return tables
    hint = (
        '<p class="aside screen">A tick shows a system in the charts and rankings below, eight at'
        " most. Headings sort.</p>"
    )
    notes = "".join(
        f'<div class="aside notes"{_of_measure(board)}>'
        f"{particulars.testing(report, board.measure)}</div>"
        for board in boards
    )
    return tables + hint + notes


def _difficulty(queries: int) -> str:
    sorted_ = "The queries are sorted by their mean over all systems, the hardest on the left."
    if queries > MOST_POINTS:
        caption = f"{_NAMED} by query, averaged over groups of neighbouring queries. {sorted_}"
    else:
        caption = f"{_NAMED} by query. {sorted_} A point opens its query."
    return _LEGEND + _figure("difficulty", caption)


def _curves(report: Report, names: Sequence[str]) -> str:
    told = {
        "cutoffs": f"The mean of {escape(report.curves.family)} down to rank k.",
        "precision_recall": "Precision by recall: at each of the eleven levels the greatest"
        " precision from there on, averaged over queries.",
        "coverage": "How many of the first k documents have a judgment. What has none counts as the"
        " convention says.",
    }
    figures = "".join(_figure(name, told[name]) for name in names)
    return f'{_LEGEND}<div class="grid">{figures}</div>'


def _figure(name: str, caption: str) -> str:
    spoken = escape(caption.replace(_NAMED, "Scores"))
    return (
        f'<figure id="figure-{name}"><div class="chart" role="img" aria-label="{spoken}">'
        f'<div id="chart-{name}" aria-hidden="true"></div></div><figcaption>{caption}</figcaption>'
        f'<details data-behind="{name}"><summary>The numbers as a table</summary>'
        f'<div class="wide" tabindex="0" role="region" aria-label="{name} in numbers">'
        "</div></details></figure>"
    )


def _pair() -> str:
    waterfall = (
        "The difference of every query, from the largest win to the largest loss. A bar opens its"
        " query."
    )
    distribution = (
        "How the differences are distributed; the dashed line is their mean. Tied queries are left"
        " out."
    )
    return (
        '<p class="choices"><label>System <select id="pair-system"></select></label>'
        ' <button type="button" id="pair-swap" aria-label="Exchange the two systems">⇄</button>'
        ' <label>beside <select id="pair-baseline"></select></label></p>'
        '<p id="pair-words" class="words" aria-live="polite"></p>'
        '<dl id="pair-facts" class="facts"></dl>'
        f'<div class="grid">{_figure("waterfall", waterfall)}'
        f"{_figure('distribution', distribution)}</div>"
    )


def _queries(report: Report) -> str:
    several = len(report.evaluation.systems) > 1
    filters = [("all", "all")]
    sorts = [("difficulty", "hardest first"), ("easy", "easiest first")]
    if several:
        filters += [
            ("better", "won by the system"),
            ("worse", "lost by the system"),
            ("tied", "tied"),
        ]
        sorts += [
            ("losses", "largest loss first"),
            ("wins", "largest win first"),
            ("spread", "systems furthest apart"),
        ]
    filters += [
        ("zero", "0 for all systems"),
        ("nothing", "nothing relevant"),
        ("unjudged", "with unjudged documents"),
    ]
    documents = note = ""
    if report.listing is None:
        note = "<p>No rank adds to these measures, so there are no rankings to show.</p>"
    else:
        documents = (
            '<label class="tick"><input type="checkbox" id="query-documents"> also in'
            " documents</label>"
        )
    return (
        f'{_LEGEND}<div class="tools" role="search"><label class="search">Search'
        ' <input type="search" id="query-search" placeholder="words or an id" autocomplete="off"'
        f' spellcheck="false"></label>{documents}<label>Show {_select("query-filter", filters)}'
        f"</label><label>Sort {_select('query-sort', [*sorts, ('id', 'by id')])}</label></div>"
        f'{note}<p id="query-count" class="aside" role="status"></p>'
        '<div class="wide" tabindex="0" role="region" aria-label="List of queries">'
        '<table id="query-table" class="plain"></table></div>'
        '<p class="more"><button type="button" id="query-more">Show more</button></p>'
    )


def _select(name: str, options: list[tuple[str, str]]) -> str:
    told = "".join(f'<option value="{value}">{label}</option>' for value, label in options)
    return f'<select id="{name}">{told}</select>'


_LEGEND = '<div class="shown" data-legend></div>'
#: Where the name of the measure stands that is chosen.
_NAMED = "<span data-named></span>"

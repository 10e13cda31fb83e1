"""The sections of a page; its JavaScript fills in charts, pairs and queries."""

from __future__ import annotations

from html import escape

from gainful.plots.systems import MOST_POINTS
from gainful.published import select_published
from gainful.report.appendix import (
    render_checks,
    render_convention,
    render_reproduction,
    render_test_notes,
)
from gainful.report.audit import render_audit
from gainful.report.leaderboard import Board, render_leaderboard
from gainful.report.predicted import render_predicted
from gainful.report.slices import describe_slices, render_slices
from gainful.report.summary import render_headline, render_tiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.report.report import Report

__all__ = ["render_navigation", "render_sections", "render_summary"]


def render_sections(
    report: Report, boards: list[Board], queries: int, curves: Sequence[str]
) -> str:
    """Return all sections in order.

    Parameters
    ----------
    report : Report
        The report.
    boards : list of Board
        One leaderboard per measure.
    queries : int
        The number of queries.
    curves : sequence of str
        The available curves out of ``cutoffs``, ``precision_recall`` and ``coverage``.
    """
    several = len(report.evaluation.systems) > 1
    parts = [("leaderboard", "Leaderboard" if several else "Scores", _boards(boards))]
    if several:
        if has_slices(report):
            parts.append(("slices", "Slices", _slices(boards)))
        parts.append(("pair", "Compare two systems", _pair()))
    if report.predicted is not None:
        parts.append(("people-model", "People and model", render_predicted(report.predicted)))
    parts.append(("difficulty", "Query difficulty", _difficulty(queries)))
    if curves:
        parts.append(("curves", "Curves", _curves(report, curves)))
    if report.audit is not None:
        parts.append(("judges", "Language models as judges", render_audit(report.audit)))
    parts += [
        ("queries", "Queries", _queries(report)),
        ("checks", "Data checks", render_checks(report)),
        ("convention", "Convention", render_convention(report)),
        ("reproduce", "Reproduce", render_reproduction(report)),
    ]
    return "".join(
        f'<section id="{name}" class="card" aria-labelledby="{name}-heading">'
        f'<h2 id="{name}-heading">{heading}</h2>\n{content}\n</section>\n'
        for name, heading, content in parts
    )


def render_summary(report: Report, boards: list[Board]) -> str:
    """Return the top of the page: title, headline and key figures."""
    lines = "".join(
        f'<p class="headline"{_measure_attributes(board)}>{render_headline(board)}</p>'
        for board in boards
    )
    return (
        f'<div class="summary"><h1>{escape(report.title)}</h1>{lines}'
        f'<dl class="tiles">{render_tiles(report)}</dl></div>'
    )


def render_navigation(report: Report, curves: bool) -> str:
    """Return the links to the sections and the selection of the measure."""
    several = len(report.evaluation.systems) > 1
    links = [("leaderboard", "Leaderboard" if several else "Scores")]
    links += [("slices", "Slices")] if has_slices(report) else []
    links += [("pair", "Two systems")] if several else []
    links += [("people-model", "Model")] if report.predicted is not None else []
    links += [("difficulty", "Difficulty")]
    links += [("curves", "Curves")] if curves else []
    links += [("judges", "Judges")] if report.audit is not None else []
    links += [("queries", "Queries"), ("checks", "Data checks"), ("convention", "Convention")]
    links += [("reproduce", "Reproduce")]
    anchors = "".join(f'<a href="#{name}">{label}</a>' for name, label in links)
    measures = report.evaluation.measures
    options = "".join(
        f'<option value="{at}">{escape(repr(measure))}</option>'
        for at, measure in enumerate(measures)
    )
    chooser = f'<label class="choose">measure <select id="measure">{options}</select></label>'
    return f'<nav aria-label="Sections">{anchors}</nav>{chooser if len(measures) > 1 else ""}'


def _measure_attributes(board: Board) -> str:
    """Return the attributes of an element that is shown only for its measure."""
    return f' data-measure="{board.measure}"{" hidden" if board.measure else ""}'


def _boards(boards: list[Board]) -> str:
    report = boards[0].report
    tables = "".join(
        f'<div class="wide" tabindex="0" role="region"{_measure_attributes(board)}'
        f' aria-label="Systems by {escape(board.name)}">{render_leaderboard(board)}</div>'
        for board in boards
    )
    if report.published:
        tables += f'<p class="aside">{_describe_published(boards)}</p>'
    if report.comparison is None:
        return tables
    hint = (
        '<p class="aside screen">Tick up to eight systems to plot them.'
        ' <span class="sorting">Click a heading to sort.</span></p>'
    )
    notes = "".join(
        f'<div class="aside notes"{_measure_attributes(board)}>'
        f"{render_test_notes(report, board.measure)}</div>"
        for board in boards
    )
    return tables + hint + notes


def _describe_published(boards: list[Board]) -> str:
    report = boards[0].report
    measures = report.evaluation.measures
    if not any(next(select_published(report.published, each), None) for each in measures):
        return "No published score is of these measures."
    return (
        "Published scores are shown with their convention. They have no values by query, so they"
        " are not tested."
    )


def has_slices(report: Report) -> bool:
    """Return whether the systems were compared within slices of the queries."""
    return report.comparison is not None and bool(report.comparison.segments)


def _slices(boards: list[Board]) -> str:
    comparison = boards[0].report.comparison
    assert comparison is not None
    by = escape(comparison.attribute or "slice")
    tables = "".join(
        f'<div class="wide scrolls" tabindex="0" role="region"{_measure_attributes(board)}'
        f' aria-label="{escape(board.name)} by {by}">{render_slices(board)}</div>'
        for board in boards
    )
    notes = "".join(
        f'<div class="aside notes"{_measure_attributes(board)}>{describe_slices(board)}</div>'
        for board in boards
    )
    return tables + notes


def _difficulty(queries: int) -> str:
    order = "The hardest query, with the lowest mean over all systems, is on the left."
    if queries > MOST_POINTS:
        caption = f"{_MEASURE} by query, averaged over groups of neighboring queries. {order}"
    else:
        caption = f"{_MEASURE} by query. {order} Click a point to open its query."
    return _LEGEND + _figure("difficulty", caption)


def _curves(report: Report, names: Sequence[str]) -> str:
    captions = {
        "cutoffs": f"Mean {escape(report.curves.family)} by cutoff k.",
        "precision_recall": "Interpolated precision at eleven recall levels, averaged over"
        " queries.",
        "coverage": "Share of the top k documents that have a judgment.",
    }
    figures = "".join(_figure(name, captions[name]) for name in names)
    return f'{_LEGEND}<div class="grid">{figures}</div>'


def _figure(name: str, caption: str) -> str:
    label = escape(caption.replace(_MEASURE, "Scores"))
    return (
        f'<figure id="figure-{name}"><div class="chart" role="img" aria-label="{label}">'
        f'<div id="chart-{name}" aria-hidden="true"></div></div><figcaption>{caption}</figcaption>'
        f'<details data-table="{name}"><summary>Data table</summary>'
        f'<div class="wide" tabindex="0" role="region" aria-label="Data of {name}">'
        "</div></details></figure>"
    )


def _pair() -> str:
    waterfall = (
        "Per-query differences, from the largest win to the largest loss. Click a bar to open its"
        " query."
    )
    distribution = "Histogram of the differences without ties. The dashed line is the mean."
    return (
        '<p class="choices"><label>System <select id="pair-system"></select></label>'
        ' <button type="button" id="pair-swap" aria-label="Swap the two systems">⇄</button>'
        ' <label>vs. <select id="pair-baseline"></select></label></p>'
        '<p id="pair-finding" class="finding" aria-live="polite"></p>'
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
            ("better", "wins in the pair above"),
            ("worse", "losses in the pair above"),
            ("tied", "ties in the pair above"),
        ]
        sorts += [
            ("losses", "largest loss first"),
            ("wins", "largest win first"),
            ("spread", "largest spread first"),
        ]
    filters += [
        ("zero", "0 for all systems"),
        ("no_relevant", "no relevant documents"),
        ("unjudged", "with unjudged documents"),
    ]
    documents = note = ""
    if report.listing is None:
        note = "<p>Rankings are not available for these measures.</p>"
    else:
        documents = (
            '<label class="tick"><input type="checkbox" id="query-documents"> search documents'
            " too</label>"
        )
    return (
        f'{_LEGEND}<div class="tools" role="search"><label class="search">Search'
        ' <input type="search" id="query-search" placeholder="words or ID" autocomplete="off"'
        f' spellcheck="false"></label>{documents}<label>Show {_select("query-filter", filters)}'
        f"</label><label>Sort {_select('query-sort', [*sorts, ('id', 'by ID')])}</label></div>"
        f'{note}<p id="query-count" class="aside" role="status"></p>'
        '<div class="wide" tabindex="0" role="region" aria-label="List of queries">'
        '<table id="query-table" class="plain"></table></div>'
        '<p class="more"><button type="button" id="query-more">Show more queries</button></p>'
    )


def _select(name: str, options: list[tuple[str, str]]) -> str:
    listed = "".join(f'<option value="{value}">{label}</option>' for value, label in options)
    return f'<select id="{name}">{listed}</select>'


_LEGEND = '<div class="shown" data-legend></div>'
#: A placeholder for the name of the selected measure.
_MEASURE = "<span data-measure-name></span>"

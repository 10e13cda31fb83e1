"""The sections of a page; its JavaScript fills in charts, pairs and queries."""

from __future__ import annotations

from html import escape

from gainful.comparison.rendering import is_over_budgets
from gainful.plots.systems import MOST_POINTS
from gainful.report.appendix import render_checks, render_convention, render_reproduction
from gainful.report.audit import render_audit
from gainful.report.history import describe_history, render_history
from gainful.report.leaderboard import Board, render_leaderboard
from gainful.report.predicted import render_predicted
from gainful.report.significance import render_notes, render_tests
from gainful.report.slices import describe_slices, render_slices
from gainful.report.summary import render_budgets, render_data_line, render_headline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from gainful.report.report import Report

    T = TypeVar("T")

__all__ = ["render_navigation", "render_sections", "render_summary"]


def render_sections(
    report: Report, boards: list[Board], queries: int, curves: Sequence[str]
) -> str:
    """Return all sections in order; those below the leaderboard are folded.

    Parameters
    ----------
    report : Report
        The report.
    boards : list of Board
        One leaderboard per measure.
    queries : int
        The number of queries.
    curves : sequence of str
        The available curves out of ``budgets`` and `Curves.PICTURES`.
    """
    content: dict[str, Callable[[], str]] = {
        "budgets": lambda: _LEGEND + _figure("budgets", _BUDGETS),
        "leaderboard": lambda: _boards(boards),
        "slices": lambda: _slices(boards),
        "queries": lambda: _queries(report),
        "pair": _pair,
        "difficulty": lambda: _difficulty(queries),
        "curves": lambda: _curves(report, [name for name in curves if name != "budgets"]),
        "people-model": lambda: render_predicted(_known(report.predicted)),
        "judges": lambda: render_audit(_known(report.audit)),
        "history": lambda: (
            _figure("history", "Mean by release, with 95% confidence intervals.")
            + render_history(_known(report.history))
        ),
        "checks": lambda: render_checks(report),
        "method": lambda: render_tests(boards) + render_convention(report),
        "reproduce": lambda: render_reproduction(report),
    }
    return "".join(
        _section(name, heading, about, content[name]())
        for name, heading, _, about in _list_sections(report, curves)
    )


def _known(part: T | None) -> T:
    assert part is not None, "the section is listed for reports with this part only"
    return part


def _section(name: str, heading: str, about: str, content: str) -> str:
    if not about:
        return (
            f'<section id="{name}" class="card" aria-labelledby="{name}-heading">'
            f'<h2 id="{name}-heading">{heading}</h2>\n{content}\n</section>\n'
        )
    return (
        f'<details id="{name}" class="card"><summary><h2>{heading}</h2>'
        f'<span class="about">{about}</span></summary>\n{content}\n</details>\n'
    )


def _list_sections(report: Report, curves: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
    """Yield id, heading, label in the navigation and a description, empty if not folded."""
    several = len(report.evaluation.systems) > 1
    if "budgets" in curves:
        yield "budgets", "Coverage over budgets", "Budgets", ""
    board = "Leaderboard" if several else "Scores"
    yield "leaderboard", board, board, ""
    if report.history is not None:
        yield "history", "History", "History", describe_history(report.history)
    if has_slices(report):
        yield "slices", "Slices", "Slices", "means and differences in parts of the queries"
    rankings = "scores, rankings side by side, notes" if report.listing else "scores, notes"
    yield "queries", "Queries", "Queries", rankings
    if several:
        about = "the differences query by query"
        yield "pair", "Compare two systems", "Two systems", about
    yield "difficulty", "Query difficulty", "Difficulty", "scores by query, hardest first"
    if set(curves) - {"budgets"}:
        yield "curves", "Curves", "Curves", "by cutoff, by recall, and the judged share"
    if report.predicted is not None:
        about = "means by people, by the model, and combined"
        yield "people-model", "People and model", "Model", about
    if report.audit is not None:
        about = "the audit of their labels"
        yield "judges", "Language models as judges", "Judges", about
    about = "missing queries, duplicates, ties, unjudged documents"
    yield "checks", "Data checks", "Data checks", about
    yield "method", "Method", "Method", "significance tests, measures, convention"
    yield "reproduce", "Reproduce", "Reproduce", "command, digests, versions"


def render_summary(report: Report, boards: list[Board]) -> str:
    """Return the top of the page: title, main result and counts."""
    if is_over_budgets(report.evaluation.measures):
        lines = f'<p class="headline">{render_budgets(report)}</p>'
    else:
        lines = "".join(
            f'<p class="headline"{_measure_attributes(board)}>{render_headline(board)}</p>'
            for board in boards
        )
    title = escape(report.title)
    return (
        f'<div class="summary"><h1 title="{title}">{title}</h1>{lines}'
        f'<ul class="counts" aria-label="Data">{render_data_line(report)}</ul></div>'
    )


def render_navigation(report: Report, curves: Sequence[str]) -> str:
    """Return the links to the sections and the selection of the measure."""
    anchors = "".join(
        f'<a href="#{name}">{label}</a>' for name, _, label, _ in _list_sections(report, curves)
    )
    measures = report.evaluation.measures
    options = "".join(
        f'<option value="{index}">{escape(repr(measure))}</option>'
        for index, measure in enumerate(measures)
    )
    chooser = f'<label class="choose">measure <select id="measure">{options}</select></label>'
    return f'<nav aria-label="Sections">{anchors}</nav>{chooser if len(measures) > 1 else ""}'


def _measure_attributes(board: Board) -> str:
    """Return the attributes of an element that is shown only for its measure."""
    return f' data-measure="{board.measure}"{" hidden" if board.measure else ""}'


def _boards(boards: list[Board]) -> str:
    report = boards[0].report
    systems = len(report.evaluation.systems)
    tables = "".join(
        f'<div class="wide" tabindex="0" role="region"{_measure_attributes(board)}'
        f' aria-label="Systems by {escape(board.name)}">{render_leaderboard(board)}</div>'
        for board in boards
    )
    tools = _SYSTEM_TOOLS if systems >= MANY else ""
    if systems < 2:
        return tables
    hint = (
        '<p class="aside screen">Tick up to eight systems to plot them.'
        ' <span class="sorting">Click a heading to sort.</span></p>'
    )
    notes = "".join(
        f'<div class="aside notes"{_measure_attributes(board)}>{render_notes(board)}</div>'
        for board in boards
    )
    return tools + tables + hint + notes


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
        f"<div{_measure_attributes(board)}>{describe_slices(board)}</div>" for board in boards
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
    filters.append(("noted", "with your notes"))
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
        f"</label><label>Sort {_select('query-sort', [*sorts, ('id', 'by ID')])}</label>"
        '<button type="button" id="query-notes" hidden>Export notes</button></div>'
        f'{note}<p id="query-count" class="aside" role="status"></p>'
        '<div class="wide" tabindex="0" role="region" aria-label="List of queries">'
        '<table id="query-table" class="plain"></table></div>'
        '<p class="more"><button type="button" id="query-more">Show more queries</button></p>'
    )


def _select(name: str, options: list[tuple[str, str]]) -> str:
    listed = "".join(f'<option value="{value}">{label}</option>' for value, label in options)
    return f'<select id="{name}">{listed}</select>'


#: From so many systems on, they can be searched and hidden.
MANY = 20

_SYSTEM_TOOLS = (
    '<div class="tools" role="search"><label class="search">Search systems <input type="search"'
    ' id="system-search" autocomplete="off" spellcheck="false"></label><label class="tick">'
    '<input type="checkbox" id="system-ticked"> ticked systems only</label>'
    '<button type="button" id="system-all" aria-expanded="false">Show all</button></div>'
)

_BUDGETS = "Mean coverage of the relevant text by budget, with 95% confidence intervals."

_LEGEND = '<div class="shown" data-legend></div>'
#: A placeholder for the name of the selected measure.
_MEASURE = "<span data-measure-name></span>"

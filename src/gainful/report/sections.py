"""The sections of a page; its JavaScript fills in charts, pairs and queries."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from gainful.comparison.families import describe_families
from gainful.comparison.notes import notes
from gainful.comparison.pair import mirrored
from gainful.comparison.rendering import (
    describe_segment_family,
    describe_slice_differences,
    is_over_budgets,
)
from gainful.errors import ParameterError
from gainful.formats.numbers import digits, span
from gainful.judging import Ratings, Source, assess_judgments
from gainful.judging.audit import PEOPLE
from gainful.judging.result import audit_tables
from gainful.plots.systems import MOST_POINTS
from gainful.published import select_published
from gainful.report.appendix import (
    MOST_NOTES,
    render_checks,
    render_convention,
    render_notes,
    render_reproduction,
    render_titled_table,
)
from gainful.report.leaderboard import (
    Board,
    render_budgets,
    render_data_line,
    render_headline,
    render_leaderboard,
    render_name,
    signed,
)
from gainful.trends.call import compare_releases, describe_total, name_releases, read_releases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Any, TypeVar

    from gainful.comparison import Comparison, Pair
    from gainful.comparison.choices import CompareOptions
    from gainful.data import Qrels
    from gainful.evaluation import Evaluation
    from gainful.evaluation.predicted import PredictedEvaluation
    from gainful.formats.table import Note
    from gainful.judging import JudgmentQuality
    from gainful.measures import Measure
    from gainful.report.collecting import ReportData
    from gainful.trends import Trend
    from gainful.trends.call import Releases

    T = TypeVar("T")

__all__ = [
    "audit_judges",
    "follow_history",
    "render_navigation",
    "render_sections",
    "render_summary",
]


def audit_judges(
    people: Qrels, judges: Mapping[str, str | PathLike[str]], **options: Any
) -> JudgmentQuality:
    """Audit labels by models against the judgments of a report."""
    if PEOPLE in judges:
        raise ParameterError(where="judges", found=PEOPLE, expected="the name of a model")
    ratings = Ratings({PEOPLE: people, **judges})
    # Files of other tools do not say that their labels are those of a model.
    kinds = {
        rater.name: Source("model", rater.source.model, rater.source.version)
        for rater in ratings.raters
        if rater.name != PEOPLE
    }
    if any(rater.source.kind != "model" for rater in ratings.raters if rater.name != PEOPLE):
        ratings = Ratings({PEOPLE: people, **judges}, sources=kinds)
    quality = assess_judgments(ratings, **options)
    if not quality.audits:
        raise ParameterError(
            "no judged document has a label of a model", where="judges", found=", ".join(judges)
        )
    return quality


def _render_audit(quality: JudgmentQuality) -> str:
    """Return the tables of an audit."""
    return "".join(map(render_titled_table, audit_tables(quality)))


#: The name of this release if an earlier one is called like its system.
_NOW = "this report"


def follow_history(evaluation: Evaluation, history: Releases, choices: CompareOptions) -> Trend:
    """Return the first measure over the releases of a history and this evaluation.

    It follows the system called like that of the last release, or else the one with the best mean.
    """
    measure = evaluation.measures[0]
    best = max(
        evaluation.systems, key=lambda system: measure.direction * evaluation.mean(measure, system)
    )
    releases = name_releases(history)
    earlier = read_releases(releases, measure, best)
    system = earlier[-1].system if earlier[-1].system in evaluation.systems else best
    name = _NOW if system in releases else system
    return compare_releases(
        [*earlier, *read_releases({name: evaluation}, measure, system)], choices
    )


def _describe_history(trend: Trend) -> str:
    """Return the main result as HTML."""
    return escape(describe_total(trend))


def _render_history(trend: Trend) -> str:
    """Return the tables of a trend."""
    # Another section of the page shows the convention.
    tables = "".join(
        render_titled_table(
            table.replace(notes=[note for note in table.notes if note.key != "convention"])
        )
        for table in trend.tables()
    )
    for query in (drift.query_id for drift in trend.drifted):
        cell = f'<th scope="row">{escape(query)}</th>'
        link = f'<a href="#query={quote(query)}">{escape(query)}</a>'
        tables = tables.replace(cell, f'<th scope="row">{link}</th>')
    return tables


_ABOUT = (
    "Means, differences and verdicts of the leaderboard combine the judgments of people with those"
    " of a model. The values by query, curves and data checks are those of people."
)


def _render_predicted(found: PredictedEvaluation) -> str:
    """Return the means of people, of the model, and combined."""
    # Another section of the page shows the convention.
    [table] = found.tables()
    notes = [note for note in table.notes if note.key != "convention"]
    return f"<p>{escape(_ABOUT)}</p>{render_titled_table(table.replace(notes=notes))}"


#: The notes that can be below it, the most urgent first.
_URGENT = (
    "random",
    "few_errors",
    "few_values",
    "worth",
    "few",
    "unreliable",
    "scale",
    "correction",
    "margin",
    "group",
    "power",
)

#: Other sections of the page show these.
_ELSEWHERE = ("counts", "convention", "family", "judgments")


def _render_test_notes(board: Board) -> str:
    """Return the notes below a leaderboard as paragraphs."""
    urgent: list[str] = [note for note in _notes(board) if note.key in _URGENT]
    urgent.sort(key=lambda note: _URGENT.index(note.key))  # type: ignore[attr-defined]
    published = board.report.published
    measure = board.report.evaluation.measures[board.measure]
    if published and next(select_published(published, measure), None) is None:
        urgent.insert(0, f"No published score is of {board.name}.")
    elif published:
        urgent.insert(0, "Published scores have no values by query, so they are not tested.")
    return "".join(f"<p>{escape(note)}</p>" for note in urgent[:MOST_NOTES])


def _render_tests(boards: list[Board]) -> str:
    """Return how the differences were tested, by measure."""
    report = boards[0].report
    if report.comparison is None:
        return ""
    # Reports have no parameter for it.
    remedy = "gainful compare --family all"
    shared = describe_families(report.comparison.choices, len(boards), remedy)
    by_measure: dict[str, list[str]] = {}
    for board in boards:
        text = "".join(f"<p>{escape(note)}</p>" for note in _notes(board))
        by_measure.setdefault(text, []).append(board.name)
    several = len(by_measure) > 1
    return (
        "<h3>Significance tests</h3>"
        + "".join(
            f"<p><b>{escape(', '.join(names))}</b></p>{text}" if several else text
            for text, names in by_measure.items()
        )
        + "".join(f"<p>{escape(line)}</p>" for line in shared)
    )


def _notes(board: Board) -> list[Note]:
    comparison = board.report.comparison
    if comparison is None:
        return []
    pairs = [pair for pair in comparison.pairs if pair.measure == board.name]
    return [note for note in notes(comparison, pairs) if note.key not in _ELSEWHERE]


#: With more compared systems, intervals are shown only when the pointer is on a cell.
_WITH_INTERVALS = 3


def _render_slices(board: Board) -> str:
    """Return the table of one measure as HTML; the system compared with comes first."""
    comparison = board.report.comparison
    assert comparison is not None
    measure = board.report.evaluation.measures[board.measure]
    order = [line.system for line in board.lines]
    order.sort(key=lambda system: system != board.reference)
    by = escape(comparison.attribute or "slice")
    head = _heading(by, "text", "slice") + _heading("queries", "number", "count")
    for system in order:
        more = "" if system != board.reference else "mean"
        name = render_name(comparison.systems, system)
        head += _heading(name, "number", "value", more or "mean, difference")
    rows = "\n".join(
        _row(comparison, measure, name, order, board.reference) for name in comparison.segments
    )
    return (
        f'<table class="slices sortable"><caption class="hidden">{escape(board.name)} by {by}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    )


def _describe_slices(board: Board) -> str:
    """Return the notes below the table of one measure as HTML."""
    comparison = board.report.comparison
    assert comparison is not None
    measure = repr(board.report.evaluation.measures[board.measure])
    tests = [test for test in comparison.slice_differences if test.measure == measure]
    return render_notes(
        [
            *describe_slice_differences(tests, comparison.alpha),
            f"Differences are from {board.reference}, with a verdict if they are statistically"
            " significant. Sorting by a system sorts by its difference.",
            *describe_segment_family(comparison),
        ]
    )


def _heading(label: str, kind: str, name: str, more: str = "") -> str:
    return (
        f'<th scope="col" class="{name}"><button type="button" data-sort="{kind}">'
        f"<span>{label}</span>{more and f'<small>{more}</small>'}</button></th>"
    )


def _row(
    comparison: Comparison, measure: Measure, name: str, order: list[str], reference: str | None
) -> str:
    standings = {standing.system: standing for standing in comparison.leaderboard(measure, name)}
    count = max((standing.n for standing in standings.values()), default=0)
    cells = [
        f'<th scope="row" class="slice" data-value="{escape(name)}"><span>'
        f"{escape(name)}</span></th>",
        f'<td class="count" data-value="{count}">{count:,}</td>',
    ]
    pairs = {
        (pair.system, pair.baseline): pair
        for pair in comparison.segments[name]
        if pair.measure == repr(measure)
    }
    for system in order:
        standing = standings.get(system)
        if standing is None:
            cells.append('<td class="value" data-value="-Infinity">–</td>')
        elif system == reference:
            mean = standing.mean
            cells.append(f'<td class="value" data-value="{mean!r}"><b>{digits(mean)}</b></td>')
        else:
            pair = pairs.get((system, str(reference)))
            if pair is None and (other := pairs.get((str(reference), system))) is not None:
                pair = mirrored(other)
            cells.append(_cell(comparison, standing.mean, pair, len(order) - 1))
    return f"<tr>{''.join(cells)}</tr>"


def _cell(comparison: Comparison, mean: float, pair: Pair | None, compared: int) -> str:
    if pair is None:
        return f'<td class="value" data-value="-Infinity"><b>{digits(mean)}</b></td>'
    interval = ""
    if pair.interval is not None:
        interval = span(*pair.interval, signed)
    title = f"{100 * (1 - comparison.alpha):g}% CI {interval}" if interval else ""
    shown = ""
    if interval and compared <= _WITH_INTERVALS:
        shown, title = f"<small>{interval}</small>", ""
    verdict = ""
    if pair.verdict != "inconclusive":
        verdict = f' <span class="verdict-{pair.verdict}">{escape(pair.verdict_text)}</span>'
    hover = f' title="{title}"' if title else ""
    return (
        f'<td class="value" data-value="{pair.difference!r}"{hover}>'
        f"<b>{digits(mean)}</b><small>{signed(pair.difference)}{verdict}</small>{shown}</td>"
    )


def render_sections(
    report: ReportData, boards: list[Board], queries: int, curves: Sequence[str]
) -> str:
    """Return all sections in order; those below the leaderboard are folded."""
    content: dict[str, Callable[[], str]] = {
        "budgets": lambda: _LEGEND + _figure("budgets", _BUDGETS),
        "leaderboard": lambda: _boards(boards),
        "slices": lambda: _slices(boards),
        "queries": lambda: _queries(report),
        "pair": _pair,
        "difficulty": lambda: _difficulty(queries),
        "curves": lambda: _curves(report, [name for name in curves if name != "budgets"]),
        "people-model": lambda: _render_predicted(_known(report.predicted)),
        "judges": lambda: _render_audit(_known(report.audit)),
        "history": lambda: (
            _figure("history", "Mean by release, with 95% confidence intervals.")
            + _render_history(_known(report.history))
        ),
        "checks": lambda: render_checks(report),
        "method": lambda: _render_tests(boards) + render_convention(report),
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


def _list_sections(
    report: ReportData, curves: Sequence[str]
) -> Iterator[tuple[str, str, str, str]]:
    """Yield id, heading, label in the navigation and a description, empty if not folded."""
    several = len(report.evaluation.systems) > 1
    if "budgets" in curves:
        yield "budgets", "Coverage over budgets", "Budgets", ""
    board = "Leaderboard" if several else "Scores"
    yield "leaderboard", board, board, ""
    if report.history is not None:
        yield "history", "History", "History", _describe_history(report.history)
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


def render_summary(report: ReportData, boards: list[Board]) -> str:
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


def render_navigation(report: ReportData, curves: Sequence[str]) -> str:
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
        f'<div class="aside notes"{_measure_attributes(board)}>{_render_test_notes(board)}</div>'
        for board in boards
    )
    return tools + tables + hint + notes


def has_slices(report: ReportData) -> bool:
    """Return whether the systems were compared within slices of the queries."""
    return report.comparison is not None and bool(report.comparison.segments)


def _slices(boards: list[Board]) -> str:
    comparison = boards[0].report.comparison
    assert comparison is not None
    by = escape(comparison.attribute or "slice")
    tables = "".join(
        f'<div class="wide scrolls" tabindex="0" role="region"{_measure_attributes(board)}'
        f' aria-label="{escape(board.name)} by {by}">{_render_slices(board)}</div>'
        for board in boards
    )
    notes = "".join(
        f"<div{_measure_attributes(board)}>{_describe_slices(board)}</div>" for board in boards
    )
    return tables + notes


def _difficulty(queries: int) -> str:
    order = "The hardest query, with the lowest mean over all systems, is on the left."
    if queries > MOST_POINTS:
        caption = f"{_MEASURE} by query, averaged over groups of neighboring queries. {order}"
    else:
        caption = f"{_MEASURE} by query. {order} Click a point to open its query."
    return _LEGEND + _figure("difficulty", caption)


def _curves(report: ReportData, names: Sequence[str]) -> str:
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


def _queries(report: ReportData) -> str:
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

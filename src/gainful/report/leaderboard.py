"""The summary and the leaderboard of a page: static tables, which need no JavaScript."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from gainful.comparison.headlines import describe_significance, describe_unranked, highest_of
from gainful.comparison.pair import mirrored, places_of
from gainful.comparison.tables import show_rank_interval
from gainful.evaluation.values import cutoffs_of
from gainful.formats.numbers import digits, span
from gainful.formats.table import cut
from gainful.measures.budgets import budget_of
from gainful.published import select_published
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.comparison import Comparison, Pair, Rank
    from gainful.comparison.paired_result import Standing
    from gainful.evaluation import Evaluation, Summary
    from gainful.published import PublishedScore
    from gainful.report.collecting import ReportData

__all__ = [
    "MOST",
    "Board",
    "render_budgets",
    "render_data_line",
    "render_headline",
    "render_leaderboard",
    "render_name",
    "shorten_names",
    "signed",
]

#: The characters of a name that is not shortened.
MOST = 26

#: The characters that are kept of the start and of the end of a name.
LEAST = 4


@lru_cache(maxsize=8)
def shorten_names(names: tuple[str, ...]) -> dict[str, str]:
    """Return names without a part of their middle, by full name.

    Names that would become equal are cut elsewhere, and stay longer if that does not help.

    Examples
    --------
    >>> shorten_names(("bm25", "org/multilingual-embeddings-large-v1"))
    {'bm25': 'bm25', 'org/multilingual-embeddings-large-v1': 'org/multiling…ngs-large-v1'}
    >>> shorten_names(("org/gte-large-v1-tuned-msmarco", "org/gte-large-v2-tuned-msmarco")).values()
    dict_values(['org/gte-la…1-tuned-msmarco', 'org/gte-la…2-tuned-msmarco'])
    """
    short = {name: cut(name, MOST, middle=True) for name in names}
    most = MOST
    while alike := _alike(short):
        # The places nearest to the middle come first.
        for end in sorted(range(LEAST, most - LEAST), key=lambda end: abs(2 * end + 1 - most)):
            tried = short | {name: cut(name, most, end=end) for name in alike}
            if not _alike(tried):
                return tried
        most += 4
        if most >= max(map(len, alike)):
            return short | {name: name for name in alike}
    return short


def _alike(short: dict[str, str]) -> list[str]:
    """Return the names whose short form is that of another name."""
    counts = Counter(short.values())
    return [name for name, form in short.items() if counts[form] > 1]


def render_name(names: tuple[str, ...], name: str) -> str:
    """Return the short form of a name as HTML, with the whole name as its tooltip."""
    short = shorten_names(names).get(name, name)
    if short == name:
        return escape(name)
    return f'<span title="{escape(name)}">{escape(short)}</span>'


#: The maximum number of letters to show in one column each.
_MOST_LETTERS = 12

#: Longer names are not in headings.
_SHORT_NAME = 24


@dataclass(frozen=True)
class Line:
    """One system of a leaderboard.

    Attributes
    ----------
    place : int
        The rank, counted from 1.
    system : str
        The name of the system.
    summary : Summary
        The mean of the system, with its interval.
    letters : str
        The letters of the compact letter display: systems that share a letter do not differ
        significantly. Empty if not all pairs were compared.
    ranks : Rank or None
        The rank with its simultaneous confidence interval; None if not all pairs were compared.
    pair : Pair or None
        The comparison with the board's reference; None for the reference itself.
    people : Summary or None
        With the judgments of a model, the mean by people only.
    """

    place: int
    system: str
    summary: Summary
    letters: str = ""
    ranks: Rank | None = None
    pair: Pair | None = None
    people: Summary | None = None


class Board:
    """The systems by descending mean of one measure.

    They are compared with the first baseline or, if there is none, with the system that has the
    highest mean.

    Attributes
    ----------
    report : ReportData
        The report.
    measure : int
        The index of the measure in the report.
    name : str
        The measure as it was requested.
    reference : str or None
        The system that the others are compared with; None for a single system.
    lines : list of Line
        One line per system, the best first.
    """

    def __init__(self, report: ReportData, measure: int) -> None:
        evaluation, comparison = report.evaluation, report.comparison
        self.report, self.measure = report, measure
        requested = evaluation.measures[measure]
        self.name = repr(requested)
        self.reference: str | None = None
        if comparison is None:
            self.lines = [
                Line(1, system, report.summary(requested, system), people=self._people(system))
                for system in evaluation.systems
            ]
            return
        standings = comparison.leaderboard(requested)
        reference = comparison.baselines[0] if comparison.baselines else standings[0].system
        self.reference = reference
        self.lines = [self._line(comparison, standing, reference) for standing in standings]

    def _people(self, system: str) -> Summary | None:
        if self.report.predicted is None:
            return None
        evaluation = self.report.evaluation
        return evaluation.summary(evaluation.measures[self.measure], system)

    def _line(self, comparison: Comparison, standing: Standing, reference: str) -> Line:
        name = self.report.evaluation.measures[self.measure]
        pair = standing.vs_top
        if comparison.baselines:
            same = standing.system == reference
            pair = None if same else comparison.pair(standing.system, reference, measure=name)
        summary = self.report.summary(name, standing.system)
        if standing.ranks is not None and standing.n < summary.n and summary.mean == summary.mean:
            # The rank is by the mean over the queries with a value of every system.
            summary = summary.replace(mean=standing.mean, interval=standing.interval)
        return Line(
            standing.place,
            standing.system,
            summary,
            standing.letters,
            standing.ranks,
            pair,
            self._people(standing.system),
        )


def render_leaderboard(board: Board) -> str:
    """Return the table of one measure as HTML."""
    report, measure, reference, lines = board.report, board.measure, board.reference, board.lines
    evaluation, comparison = report.evaluation, report.comparison
    name = escape(board.name)
    letters = "".join(sorted({letter for line in lines for letter in line.letters}))
    shares = {system: _judged_share(evaluation, measure, system) for system in evaluation.systems}
    judged = any(share is not None for share in shares.values())
    scale = Scale([line.pair for line in lines if line.pair is not None])
    places = places_of([line.pair for line in lines if line.pair is not None])
    ranked = any(line.ranks is not None for line in lines)
    level = "" if comparison is None else f"{100 * (1 - comparison.alpha):g}% CI"
    headers = [
        ("rank" if ranked else "#", level if ranked else "", "place", "number"),
        ("system", "", "system", "text"),
    ]
    if letters:
        headers.append(("group", "", "letters", "text"))
    combined = report.predicted is not None
    headers.append((name, "people and model, 95% CI" if combined else "95% CI", "mean", "number"))
    if combined:
        queries = (
            f"{len(report.predicted.sample.judged):,} queries, 95% CI" if report.predicted else ""
        )
        headers.append(("people only", queries, "people", "number"))
    if comparison is not None:
        compared_with = render_name(evaluation.systems, str(reference))
        if len(str(reference)) > _SHORT_NAME:
            compared_with = "baseline" if comparison.baselines else "rank 1"
        headers += [
            (f"vs. {compared_with}", f"difference, {level}", "difference", "number"),
            ("", "", "forest", ""),
            ("verdict", "", "verdict", "text"),
            ("queries", "wins / ties / losses", "wins", "number"),
        ]
    if judged:
        headers.append(
            (f"top {_cutoff(evaluation, measure)} judged", "of all queries", "judged", "number")
        )
    head = "".join(_header(*header, scale=scale) for header in headers)
    shown = shares if judged else None
    rows = [
        (line.summary.value, _row(report, line, reference, letters, scale, shown, places))
        for line in lines
    ]
    rows += [
        (score.mean, _published_row(score, headers))
        for score in select_published(report.published, evaluation.measures[measure])
    ]
    # The sort is stable: the systems keep their order, and NaN is last.
    rows.sort(key=lambda row: -row[0] if row[0] == row[0] else float("inf"))
    body = "\n".join(row for _, row in rows)
    return (
        f'<table class="board sortable"><caption class="hidden">Systems by {name}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"
    )


def _header(label: str, more: str, name: str, kind: str, *, scale: Scale) -> str:
    if name == "forest":
        return (
            '<th scope="col" class="forest"><span class="hidden">difference (chart)</span>'
            f'<span class="scale" aria-hidden="true">{scale.ends()}</span></th>'
        )
    order = ' aria-sort="ascending"' if name == "place" else ""
    return (
        f'<th scope="col" class="{name}"{order}>'
        f'<button type="button" data-sort="{kind}"><span>{label}</span>'
        f"{more and f'<small>{more}</small>'}</button></th>"
    )


def _row(
    report: ReportData,
    line: Line,
    reference: str | None,
    letters: str,
    scale: Scale,
    shares: dict[str, float | None] | None,
    places: int,
) -> str:
    index = report.evaluation.systems.index(line.system)
    summary, pair = line.summary, line.pair
    name = render_name(report.evaluation.systems, line.system)
    cells = [
        f'<td class="place" data-value="{line.place}">{line.place}{_rank_interval(line)}</td>',
        f'<th scope="row" class="system" data-value="{escape(line.system)}">'
        f'<label><input type="checkbox" data-toggles="{index}"><span class="swatch"'
        f' aria-hidden="true"></span><span>{name}</span></label></th>',
    ]
    if letters:
        cells.append(_letters(line.letters, letters))
    cells.append(_mean_cell(summary, "mean", places))
    if line.people is not None:
        cells.append(_mean_cell(line.people, "people", places))
    if reference is not None:
        cells += _reference_cells(scale) if pair is None else _pair_cells(pair, scale, places)
    if shares is not None:
        share = shares[line.system]
        text = "–" if share is None else f"{share:.1%}"
        cells.append(
            f'<td class="judged" data-value="{share if share is not None else -1}">{text}</td>'
        )
    is_reference = ' class="reference"' if line.system == reference else ""
    return f"<tr{is_reference}>{''.join(cells)}</tr>"


def _mean_cell(summary: Summary, name: str, places: int) -> str:
    interval = ""
    if summary.interval is not None and summary.aggregate != "sum":
        interval = f"<small>{span(*summary.interval)}</small>"
    mean = digits(summary.value, 0 if summary.aggregate == "sum" else places)
    return f'<td class="{name}" data-value="{summary.value!r}"><b>{mean}</b>{interval}</td>'


def _published_row(score: PublishedScore, headers: Sequence[tuple[str, str, str, str]]) -> str:
    """Return the row of a published score: its mean and its convention, without tests."""
    interval = ""
    if score.low is not None and score.high is not None:
        interval = f"<small>{digits(score.low)} to {digits(score.high)}</small>"
    source = "" if score.source is None else f' title="{escape(score.source)}"'
    name, about = escape(score.system), escape(score.convention or "unknown convention")
    cells = {
        "system": f'<th scope="row" class="system" data-value="{name}"{source}>{name}'
        f"<small>published, {about}</small></th>",
        "mean": f'<td class="mean" data-value="{score.mean!r}"><b>{digits(score.mean)}</b>'
        f"{interval}</td>",
        "place": '<td class="place" data-value="Infinity">–</td>',
    }
    # Where it has no value, it is sorted last.
    row = "".join(
        cells.get(
            key, f'<td class="{key}" data-value="{"" if kind == "text" else "-Infinity"}"></td>'
        )
        for _, _, key, kind in headers
    )
    return f'<tr class="published">{row}</tr>'


def _reference_cells(scale: Scale) -> list[str]:
    return [
        '<td class="difference" data-value="0">–</td>',
        f'<td class="forest">{_draw_interval(None, scale)}</td>',
        '<td class="verdict" data-value=""></td>',
        '<td class="wins" data-value="-1"></td>',
    ]


def _pair_cells(pair: Pair, scale: Scale, places: int) -> list[str]:
    interval = ""
    if pair.interval is not None:
        interval = f"<small>{span(*pair.interval, signed)}</small>"
    difference = signed(pair.difference, places)
    verdict, reason = escape(pair.verdict_text), ""
    if pair.withheld is not None:
        verdict, reason = escape(pair.verdict), f"<small>{escape(pair.withheld)}</small>"
    return [
        f'<td class="difference" data-value="{pair.difference!r}"><b>{difference}</b>'
        f"{interval}</td>",
        f'<td class="forest">{_draw_interval(pair, scale)}</td>',
        f'<td class="verdict" data-value="{escape(pair.verdict_text)}">'
        f'<span class="verdict-{_class_of(pair)}">{verdict}</span>{reason}</td>',
        f'<td class="wins" data-value="{pair.wins}">{_draw_counts(pair)}</td>',
    ]


def _class_of(pair: Pair) -> str:
    """Return the verdict as part of a class of the style sheet."""
    return pair.verdict.replace(" ", "-")


def _rank_interval(line: Line) -> str:
    if line.ranks is None:
        return ""
    return f"<small>{show_rank_interval((line.ranks.low, line.ranks.high))}</small>"


def _letters(shared: str, letters: str) -> str:
    if len(letters) > _MOST_LETTERS:
        return f'<td class="letters" data-value="{shared}">{shared}</td>'
    # One column per letter makes each group a vertical line.
    cells = "".join(f"<b>{letter}</b>" if letter in shared else "<i></i>" for letter in letters)
    return (
        f'<td class="letters" data-value="{shared}"><span class="hidden">{" ".join(shared)}</span>'
        f'<span class="stack" aria-hidden="true">{cells}</span></td>'
    )


class Scale:
    """The horizontal scale of the drawn intervals, which includes 0."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        ends = [
            end
            for pair in pairs
            for end in (pair.difference, *(pair.interval or ()))
            if end - end == 0
        ]
        self.low, self.high = min([0.0, *ends]), max([0.0, *ends])
        if self.low == self.high:
            self.low, self.high = -1.0, 1.0

    def at(self, value: float) -> str:
        """Return the horizontal position of a difference as a percentage of the width."""
        return f"{14 + 72 * (value - self.low) / (self.high - self.low):.2f}%"

    def ends(self) -> str:
        """Return the labels of 0 and of the ends as HTML."""
        # A label close to that of 0 would overlap it.
        near = 0.3 * (self.high - self.low)
        ends = [(end, signed(end, 2)) for end in (self.low, self.high) if abs(end) > near]
        marks = [*ends, (0.0, "0")]
        return "".join(f'<span style="left:{self.at(end)}">{text}</span>' for end, text in marks)


def _draw_zero(scale: Scale) -> str:
    return f'<line class="zero" x1="{scale.at(0)}" x2="{scale.at(0)}" y1="0" y2="20"/>'


def _draw_interval(pair: Pair | None, scale: Scale) -> str:
    drawn, kind = _draw_zero(scale), "top"
    if pair is not None:
        kind = _class_of(pair)
        if pair.interval is not None:
            ends = f'x1="{scale.at(pair.interval.low)}" x2="{scale.at(pair.interval.high)}"'
            drawn += f'<line class="interval" {ends} y1="10" y2="10"/>'
        drawn += f'<circle cx="{scale.at(pair.difference)}" cy="10" r="4.5"/>'
    return f'<svg class="verdict-{kind}" width="100%" height="20" aria-hidden="true">{drawn}</svg>'


def _draw_counts(pair: Pair) -> str:
    n = max(pair.n, 1)
    drawn, start = "", 0.0
    for name, count in (("win", pair.wins), ("tie", pair.ties), ("loss", pair.losses)):
        wide = 100 * count / n
        drawn += f'<rect class="{name}" x="{start:.2f}%" width="{wide:.2f}%" height="6"/>'
        start += wide
    return (
        f"<span>{pair.wins} / {pair.ties} / {pair.losses}</span>"
        f'<svg width="100%" height="6" aria-hidden="true">{drawn}</svg>'
    )


def _cutoff(evaluation: Evaluation, measure: int) -> int | None:
    cutoff = evaluation.resolved[measure].cutoff
    cutoffs = cutoffs_of(evaluation.resolved)
    return cutoff if cutoff is not None else (cutoffs[0] if cutoffs else None)


def _judged_share(evaluation: Evaluation, measure: int, system: str) -> float | None:
    cutoff = _cutoff(evaluation, measure)
    if cutoff is None:
        return None
    shares = evaluation.counts(system)["judged_at_cutoff"]
    assert isinstance(shares, dict)
    share = shares.get(str(cutoff))
    return share if isinstance(share, float) else None


def signed(value: float | None, places: int = 4) -> str:
    """Format a difference with its sign.

    >>> signed(0.0388), signed(-0.5), signed(0.0), signed(None)
    ('+.0388', '−.5000', '.0000', '–')
    """
    if value is None:
        return "–"
    text = digits(value, places)
    if text.startswith("-"):
        return "−" + text[1:]
    return f"+{text}" if value else text


#: The most leads that a headline names.
_MOST_LEADS = 3


def render_headline(board: Board) -> str:
    """Return the main result for one measure as HTML.

    At most three systems are named; the others are counted.
    """
    comparison, (top, *others) = board.report.comparison, board.lines
    highest = highest_of(board.report.evaluation.measures[board.measure])
    measure, value = f"<b>{escape(board.name)}</b>", _format_value(top)
    if comparison is None:
        summary, interval = top.summary, ""
        if summary.interval is not None and summary.aggregate != "sum":
            interval = f" (95% CI {span(*summary.interval)})"
        aggregate = {"sum": "total", "geometric": "geometric mean"}.get(summary.aggregate, "mean")
        alone = " One query proves nothing: add queries." if summary.n == 1 else ""
        return (
            f"The {aggregate} {measure} of {_format_name(board, top)} is {value}{interval}.{alone}"
        )
    if top.summary.value != top.summary.value:
        # Under some conventions a query can have the value NaN, which makes the mean NaN.
        undefined = [line for line in board.lines if line.summary.value != line.summary.value]
        systems = _format_name(board, top) if len(undefined) == 1 else f"{len(undefined)} systems"
        return f"The mean {measure} of {systems} is not defined (NaN)."
    unranked = describe_unranked(comparison, board.name)
    if unranked:
        return escape(unranked)
    compared = [line for line in others if line.system != board.reference]
    first = top if top.pair is not None else compared[0]
    rest = [line for line in compared if line is not first]
    assert first.pair is not None
    lead = first.pair if first is top else mirrored(first.pair)
    is_baseline = top.system == board.reference and bool(comparison.baselines)
    subject = f"{'The baseline ' * is_baseline}{_format_name(board, top)}"
    baseline = render_name(board.report.evaluation.systems, lead.baseline)
    over = f"{'the baseline ' * (lead.baseline == board.reference)}<b>{baseline}</b>"
    effect, interval = _effect(comparison, lead, top)
    if lead.verdict == "identical":
        opening = f"{subject} and {over} have the {highest} {measure} ({value})."
        last = "Their scores are the same on every query."
    elif lead.withheld is not None:
        opening = f"{subject} has the {highest} {measure} ({value})."
        last = f"It is not comparable with {over}: {escape(lead.withheld)}."
    else:
        opening = f"{subject} has the {highest} {measure} ({value})."
        shown = f"{effect}, {interval}" if interval else effect
        last = f"Its lead over {over} ({shown}) {describe_significance(comparison, lead)}."
    if not rest:
        return f"{opening} {last}"
    lines = [first, *rest]
    lead_alone = f"Its lead over {over} is {effect}{f' ({interval})' if interval else ''}."
    if not any(_is_significant(line) for line in lines):
        if lead.withheld is not None:
            return f"{opening} {last}"
        if lead.verdict == "inconclusive":
            last = lead_alone
        return f"{opening} {last} {_no_difference(board, comparison)}"
    if comparison.baselines:
        return f"{opening} {last} {_versus_baseline(board, rest)}"
    if all(_is_significant(line) for line in lines):
        return f"{opening} It is significantly better than every other system. {lead_alone}"
    if lead.verdict == "identical":
        return f"{opening} {last} They are {_better_than(board, rest)}."
    return f"{opening} It is {_better_than(board, lines)}. {last}"


def _no_difference(board: Board, comparison: Comparison) -> str:
    if comparison.baselines:
        return "No difference from the baseline is statistically significant."
    pairs = [pair for pair in comparison.pairs if pair.measure == board.name]
    if any(pair.verdict in SIGNIFICANT for pair in pairs):
        return "No lead over any other system is statistically significant."
    return "No difference is statistically significant."


def _better_than(board: Board, lines: Sequence[Line]) -> str:
    worse = [line for line in lines if _is_significant(line)]
    if len(worse) == len(lines):
        than = "every other system"
    elif len(worse) == 1:
        than = _format_name(board, worse[0])
    else:
        than = f"{len(worse)} of the {len(lines)} other systems"
    return f"significantly better than {than}"


def _versus_baseline(board: Board, rest: Sequence[Line]) -> str:
    verdicts = [line.pair.verdict for line in rest if line.pair is not None]
    kinds = [
        (verdicts.count("better"), "significantly better"),
        (verdicts.count("worse"), "significantly worse"),
        (sum(verdict not in SIGNIFICANT for verdict in verdicts), "not significantly different"),
    ]
    counts = [(count, text) for count, text in kinds if count]
    if len(rest) == 1:
        than = "from" if verdicts[0] not in SIGNIFICANT else "than"
        return f"{_format_name(board, rest[0])} is {counts[0][1]} {than} the baseline."
    if len(counts) == 1:
        return f"Compared with the baseline, all {len(rest)} other systems are {counts[0][1]}."
    parts = [f"{count} {'is' if count == 1 else 'are'} {text}" for count, text in counts]
    parts[0] = f"{counts[0][0]} of the {len(rest)} other systems {parts[0].partition(' ')[2]}"
    return f"Compared with the baseline, {_join(parts)}."


def _is_significant(line: Line) -> bool:
    return line.pair is not None and line.pair.verdict in SIGNIFICANT


def _effect(comparison: Comparison, pair: Pair, line: Line) -> tuple[str, str]:
    """Return a difference and its interval: ``+.055`` and ``95% CI −.007 to +.118``."""
    unit = " per query" if line.summary.aggregate == "sum" else ""
    effect = f"{_format_difference(pair.difference)}{unit}"
    if pair.interval is None:
        return effect, ""
    level = f"{100 * (1 - comparison.alpha):g}%"
    return effect, f"{level} CI {span(*pair.interval, _format_difference)}"


def _format_difference(value: float) -> str:
    # Show three digits, or four if three would show a difference as 0.
    return signed(value, 3 if abs(value) >= 0.0005 or not value else 4)


def _format_value(line: Line) -> str:
    return digits(line.summary.value, 0 if line.summary.aggregate == "sum" else 4)


def _format_name(board: Board, line: Line) -> str:
    return f"<b>{render_name(board.report.evaluation.systems, line.system)}</b>"


def _join(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _format_range(ends: Iterable[str]) -> str:
    return " to ".join(dict.fromkeys(ends))


def render_budgets(report: ReportData) -> str:
    """Return which system covers most at which budgets, and where the winner changes, as HTML."""
    evaluation = report.evaluation
    names = evaluation.systems
    unit = str(evaluation.measures[0].params.get("unit") or "units")
    if report.comparison is None:
        first, last = (
            f"{digits(evaluation.mean(measure, names[0]))} in {budget_of(measure):,} {unit}"
            for measure in (evaluation.measures[0], evaluation.measures[-1])
        )
        return f"<b>{render_name(names, names[0])}</b> covers {first} and {last}."
    parts: list[tuple[str, list[int]]] = []
    for measure in evaluation.measures:
        top = report.comparison.leaderboard(measure)[0].system
        if not parts or parts[-1][0] != top:
            parts.append((top, []))
        parts[-1][1].append(budget_of(measure) or 0)
    if len(parts) == 1:
        covers = f"<b>{render_name(names, parts[0][0])}</b> covers most at every budget"
    else:
        covers = _join(
            [
                f"<b>{render_name(names, system)}</b>{' covers most' * (not place)}"
                f" at {_format_range(f'{end:,}' for end in (budgets[0], budgets[-1]))}"
                for place, (system, budgets) in enumerate(parts)
            ]
        )
    return f"{covers}{f' {unit}' if len(parts) > 1 else ''}. {_significant_leads(report)}"


def _significant_leads(report: ReportData) -> str:
    """Return at which budgets the winner is significantly better than which systems."""
    assert report.comparison is not None
    names, leads = report.evaluation.systems, dict[tuple[str, str], list[str]]()
    for measure in report.evaluation.measures:
        top, *others = report.comparison.leaderboard(measure)
        for other in others:
            if other.vs_top is not None and other.vs_top.verdict in SIGNIFICANT:
                budget = f"{budget_of(measure):,}"
                leads.setdefault((top.system, other.system), []).append(budget)
    if not leads:
        return "No lead is statistically significant."
    described = [
        f"{render_name(names, top)} over {render_name(names, other)} at {_join(budgets)}"
        for (top, other), budgets in list(leads.items())[:_MOST_LEADS]
    ]
    more = f"; and {len(leads) - _MOST_LEADS:,} more" if len(leads) > _MOST_LEADS else ""
    return f"Statistically significant: {'; '.join(described)}{more}."


def render_data_line(report: ReportData) -> str:
    """Return the counts of the data, and what does not count, as one line of HTML."""
    evaluation, measure = report.evaluation, report.evaluation.measures[0]
    counts = [evaluation.counts(system) for system in evaluation.systems]
    parts = [
        _count(int(counts[0]["queries"]), "query", "queries"),
        _count(len(evaluation.systems), "system"),
    ]
    if report.predicted is not None:
        parts[0] = f"{report.predicted.sample.counts} queries by people"
    # Values that were computed elsewhere have no judgments.
    parts += [_count(source.rows, "judgment") for source in report.sources[:1]]
    shares: dict[str, list[float]] = {}
    for one in counts:
        for cutoff, share in one["judged_at_cutoff"].items():
            if share is not None:
                shares.setdefault(cutoff, []).append(share)
    for cutoff, values in list(shares.items())[:1]:
        ends = _format_range(f"{100 * end:.0f}%" for end in (min(values), max(values)))
        parts.append(f"{ends} of the top {cutoff} judged")
    empty = counts[0]["no_relevant"].get(repr(measure))
    if empty:
        parts.append(f"{_count(empty, 'query', 'queries')} without relevant documents")
    missing = max(int(one["missing"]) for one in counts)
    if missing:
        parts.append(f"{'up to ' * (len(counts) > 1)}{missing:,} without results")
    if report.comparison is not None and report.comparison.scores.ranked:
        left_out = report.comparison.scores.left_out(0)
        if left_out:
            parts.append(f"{left_out:,} left out (a system has no value)")
    return "".join(f"<li>{escape(part)}</li>" for part in parts)


def _count(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"

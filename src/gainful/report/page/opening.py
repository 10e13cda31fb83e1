"""The head of a page: what came out, in a sentence, and a few figures."""

from __future__ import annotations

from html import escape

from gainful.report.page.leaderboard import Board, Line
from gainful.table import digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.report.page.report import Report

__all__ = ["headline", "tiles"]

#: Names that a sentence can hold; more are counted.
_MOST_NAMES = 4


def headline(board: Board) -> str:
    """Return what came out on a measure, as HTML."""
    report, lines = board.report, board.lines
    name = f"<b>{escape(board.name)}</b>"
    top = lines[0]
    places = 0 if top.summary.aggregate == "sum" else 4
    value = digits(top.summary.value, places)
    if report.comparison is None:
        within = ""
        if top.summary.low is not None and not places == 0:
            within = f" (95 % interval {digits(top.summary.low)} to {digits(top.summary.high)})"
        return f"<b>{escape(top.system)}</b> comes to {name} {value}{within}."
    if report.comparison.baselines:
        return f"Beside <b>{escape(str(board.beside))}</b>, in {name}: {_verdicts(lines)}."
    return f"<b>{escape(top.system)}</b> has the highest {name}, {value}; {_verdicts(lines)}."


def _verdicts(lines: list[Line]) -> str:
    kinds = {
        "better": "better",
        "worse": "worse",
        "equivalent": "equivalent",
        "identical": "identical",
        "inconclusive": "not told apart from it",
    }
    told = []
    for verdict, words in kinds.items():
        names = [each.system for each in lines if each.pair and each.pair.verdict == verdict]
        if names:
            told.append(f"{_names(names)} {'is' if len(names) == 1 else 'are'} {words}")
    return "; ".join(told)


def _names(names: list[str]) -> str:
    marked = [f"<b>{escape(name)}</b>" for name in names]
    if len(marked) > _MOST_NAMES:
        return f"{len(marked)} systems"
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}"


def tiles(report: Report) -> str:
    """Return figures with what they are."""
    evaluation = report.evaluation
    first = evaluation.systems[0]
    counts = evaluation.counts(first)
    told = [
        (f"{counts['queries']:,}", "queries"),
        (f"{len(evaluation.systems):,}", "systems" if len(evaluation.systems) > 1 else "system"),
        (f"{report.sources[0].rows:,}", "judgments"),
    ]
    shares = counts["judged_at_cutoff"]
    assert isinstance(shares, dict)
    for cutoff in list(shares)[:1]:
        every = [evaluation.counts(system)["judged_at_cutoff"][cutoff] for system in evaluation.systems]  # type: ignore[index]
        known = [share for share in every if share is not None]
        if known:
            low, high = (f"{100 * end:.0f}" for end in (min(known), max(known)))
            span = low if low == high else f"{low}–{high}"
            told.append((f"{span} %", f"judged@{cutoff}"))
    if report.comparison is not None:
        name = repr(evaluation.measures[0])
        found = [p.detectable for p in report.comparison.pairs if p.measure == name and p.detectable]
        if found:
            middle = sorted(found)[len(found) // 2]
            told.append((digits(middle, 3), f"smallest difference in {name} found with power .8"))
    return "".join(f"<div><dd>{value}</dd><dt>{escape(words)}</dt></div>" for value, words in told)

"""The head of a page: what came out, in a sentence, and a few figures."""

from __future__ import annotations

from html import escape

from gainful.formats.numbers import digits
from gainful.report.leaderboard import Board, Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.report.report import Report

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
        if top.summary.low is not None and places != 0:
            within = f" (95% CI {digits(top.summary.low)} to {digits(top.summary.high)})"
        return f"<b>{escape(top.system)}</b> comes to {name} {value}{within}."
    if report.comparison.baselines:
        return f"Beside <b>{escape(str(board.beside))}</b>, in {name}: {_verdicts(lines)}."
    if top.summary.value != top.summary.value:
        # A convention may make NaN of a query, and so of a mean: then nothing is the highest.
        return f"Beside <b>{escape(top.system)}</b>, in {name}: {_verdicts(lines)}."
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
        (f"{counts['queries']:,}", "queries" if counts["queries"] != 1 else "query"),
        (f"{len(evaluation.systems):,}", "systems" if len(evaluation.systems) > 1 else "system"),
        (f"{report.sources[0].rows:,}", "judgments" if report.sources[0].rows != 1 else "judgment"),
    ]
    known: dict[str, list[float]] = {}
    for system in evaluation.systems:
        shares = evaluation.counts(system)["judged_at_cutoff"]
        assert isinstance(shares, dict)
        for cutoff, share in shares.items():
            if share is not None:
                known.setdefault(cutoff, []).append(share)
    for cutoff, every in list(known.items())[:1]:
        low, high = (f"{100 * end:.0f}" for end in (min(every), max(every)))
        told.append((f"{low if low == high else f'{low}–{high}'}%", f"judged@{cutoff}"))
    if report.comparison is not None:
        name = repr(evaluation.measures[0])
        found = [
            p.detectable for p in report.comparison.pairs if p.measure == name and p.detectable
        ]
        if found:
            least, most = digits(min(found)), digits(max(found))
            span = least if least == most else f"{least}–{most}"
            told.append((span, f"differences in {name} found with power .8, by pair"))
    return "".join(f"<div><dd>{value}</dd><dt>{escape(words)}</dt></div>" for value, words in told)

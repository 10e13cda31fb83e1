"""Systems beside each other on several collections, and how the verdicts were reached."""

from __future__ import annotations

from gainful.comparison.rendering import MOST_PAIRS
from gainful.comparison.result import mirrored
from gainful.comparison.tables import (
    CORRECTIONS,
    NAMES,
    difference,
    places_of,
    probability,
)
from gainful.formats.differences import changed, signed
from gainful.formats.grid import Grid, drawn_width, laid_out
from gainful.formats.table import TextTable, digits, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.comparison import Pair
    from gainful.measures import Measure
    from gainful.suite.comparison import SuiteComparison

__all__ = ["comparison_notes", "gap_tables", "pair_tables"]


def pair_tables(
    comparison: SuiteComparison, measure: Measure, columns: int = 100
) -> list[TextTable]:
    """Return the pairs over the collections together: a table a baseline, or one of all pairs."""
    own = [pair for pair in comparison.pairs if pair.measure == repr(measure)]
    if not comparison.baselines:
        # The better system first, and the largest difference.
        facing = [pair if pair.difference >= 0 else mirrored(pair) for pair in own]
        shown = sorted(facing, key=lambda pair: -pair.difference)
        few = 0 < len(own) <= MOST_PAIRS
        return [_pair_table(comparison, shown, measure, columns)] if few else []
    found = []
    for name in comparison.baselines:
        beside = [pair for pair in own if pair.baseline == name]
        if beside:
            ordered = sorted(beside, key=lambda pair: -pair.difference)
            found.append(_pair_table(comparison, ordered, measure, columns))
    return found


def _pair_table(
    comparison: SuiteComparison, pairs: Sequence[Pair], measure: Measure, width: int
) -> TextTable:
    number = len(comparison.suite.over)
    where = f"{number} collections" if number > 1 else comparison.suite.over[0]
    places = places_of(pairs)
    starts: list[tuple[str, str, list[str]]] = [("system", "l", [pair.system for pair in pairs])]
    title = f"{measure!r} over {where}"
    if comparison.baselines:
        title += f", beside {pairs[0].baseline} ({digits(pairs[0].baseline_mean, places)})"
    else:
        starts.append(("beside", "l", [pair.baseline for pair in pairs]))
    level = f"{100 * (1 - comparison.choices.alpha):g} % interval"
    columns = [
        *starts,
        ("macro", "r", [digits(pair.mean, places) for pair in pairs]),
        ("difference", "r", [difference(pair, places) for pair in pairs]),
        (level, "r", [_interval(pair, places) for pair in pairs]),
        (CORRECTIONS[pairs[0].correction], "r", [probability(p.p_adjusted) for p in pairs]),
        ("ahead in", "r", [_ahead(comparison, pair) for pair in pairs]),
        ("verdict", "l", [pair.words for pair in pairs]),
    ]
    table = _table(columns, title)
    # What stands in the first table, too, is left out of one that is too wide.
    for name in ("macro", "ahead in"):
        if drawn_width(table) > width:
            columns = [column for column in columns if column[0] != name]
            table = _table(columns, title)
    return table


def _table(columns: Sequence[tuple[str, str, list[str]]], title: str) -> TextTable:
    headers, sides, cells = zip(*columns, strict=True)
    return TextTable(headers, list(zip(*cells, strict=True)), align="".join(sides), title=title)


def gap_tables(
    comparison: SuiteComparison, measure: Measure, order: Sequence[str], columns: int
) -> list[TextTable]:
    """Return the differences to each baseline in each collection, with a mark where it is told."""
    suite = comparison.suite
    found = []
    for baseline in comparison.baselines:
        grid = Grid("system", "collection", suite.collections)
        for system in order:
            if system != baseline:
                pairs = [
                    comparison.pair(system, baseline, measure, name) for name in suite.collections
                ]
                if any(pairs):
                    grid.add(system, [_marked(pair) for pair in pairs])
        if grid.starts:
            found += laid_out(grid, f"{measure!r}, difference to {baseline}", columns)
    return found


def comparison_notes(comparison: SuiteComparison) -> list[str]:
    """Return how the verdicts were reached, and what they do not say."""
    return [
        *_verdict(comparison),
        *_cells(comparison),
        *_power(comparison),
        *_margin(comparison),
        *_not_compared(comparison),
    ]


def _verdict(comparison: SuiteComparison) -> Iterator[str]:
    if not comparison.pairs:
        return
    pairs, choices = comparison.pairs, comparison.choices
    family = len(pairs)
    if choices.family != "all":
        family = sum(pair.measure == pairs[0].measure for pair in pairs)
    many = f"{choices.resamples:,}"
    what = " of macro-averages" if len(comparison.suite.over) > 1 else ""
    if pairs[0].correction == "tukey":
        test = (
            f"randomized Tukey HSD{what} over all pairs of {len(comparison.systems)} systems, with"
            f" {many} permutations"
        )
    else:
        flips = "all sign flips" if all(pair.exact for pair in pairs) else f"{many} sign flips"
        named = NAMES.get(pairs[0].correction)
        corrected = f", corrected by {named} over {family} pairs" if named is not None else ""
        test = f"the randomisation test{what}, with {flips}{corrected}"
    line = f"Verdict by {test}."
    if family > 1:
        level = f"{100 * (1 - choices.alpha):g} %"
        line += f" The intervals hold all at once at {level}, and agree with the verdicts."
    yield line
    yield "ahead in: collections in which the system's mean is higher."


def _cells(comparison: SuiteComparison) -> Iterator[str]:
    pairs = [pair for own in comparison.gaps.values() for pair in own]
    if not pairs:
        return
    cells = len(pairs)
    if comparison.choices.family != "all":
        cells = sum(pair.measure == pairs[0].measure for pair in pairs)
    holm = f", corrected by Holm over {cells} cells" if cells > 1 else ""
    yield (
        f"* better or worse in that collection at alpha {short(comparison.choices.alpha)}, by the"
        f" randomisation test{holm}. No mark does not mean equal."
    )


def _power(comparison: SuiteComparison) -> Iterator[str]:
    open_ones = [pair for pair in comparison.pairs if pair.verdict == "inconclusive"]
    sizes = [pair.detectable for pair in open_ones if pair.detectable is not None]
    if not sizes:
        return
    told = digits(sizes[0]) if len(sizes) == 1 else f"{digits(min(sizes))} to {digits(max(sizes))}"
    line = (
        "Inconclusive does not mean equal: so many queries of these collections find differences of"
        f" {told} with power .8"
    )
    needed = [pair.needed for pair in open_ones if pair.needed is not None]
    sought = comparison.choices.sought
    if needed and sought is not None:
        least, most = f"{min(needed):,}", f"{max(needed):,}"
        number = least if least == most else f"{least} to {most}"
        line += f", and one of {short(sought)} takes {number}, shared among the collections as here"
    yield f"{line}."


def _margin(comparison: SuiteComparison) -> Iterator[str]:
    choices = comparison.choices
    if choices.margin is not None:
        yield (
            f"Equivalent: two one-sided t tests at alpha {short(choices.alpha)}, corrected by Holm,"
            f" rule out differences beyond the margin of {short(choices.margin)}."
        )


def _not_compared(comparison: SuiteComparison) -> Iterator[str]:
    suite = comparison.suite
    lacking = [name for name in comparison.baselines if name not in suite.complete]
    for name in lacking:
        where = ", ".join(each for system, each in suite.missing if system == name)
        yield f"{name} has no run in {where}: over the collections together nothing is beside it."
    if not comparison.baselines and len(suite.complete) < 2:
        yield "Fewer than two systems have a run in each collection, so none are compared."
    left_out = sum(pair.left_out for pair in comparison.pairs)
    if left_out:
        yield (
            "Queries that only one of two systems has a value for are left out: up to"
            f" {max(pair.left_out for pair in comparison.pairs)}."
        )
    if suite.weighted:
        yield "Queries are weighted within their collections, in means and tests."


def _ahead(comparison: SuiteComparison, pair: Pair) -> str:
    suite = comparison.suite
    ahead = 0
    for name in suite.over:
        own = suite.value(pair.system, name, pair.measure)
        other = suite.value(pair.baseline, name, pair.measure)
        ahead += own is not None and other is not None and own > other
    return f"{ahead} of {len(suite.over)}"


def _marked(pair: Pair | None) -> str:
    """Return a difference as printed, after a mark where it is told."""
    if pair is None:
        return "–"
    mark = "* " if pair.verdict in ("better", "worse") else ""
    return mark + difference(pair, 4)


def _interval(pair: Pair, places: int) -> str:
    if pair.low is None or pair.high is None:
        return "–"
    low, high = (signed(changed(0.0, end, places), places) for end in (pair.low, pair.high))
    return f"{low} to {high}"

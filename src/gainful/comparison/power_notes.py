"""The note on inconclusive pairs: which differences their queries could have detected."""

from __future__ import annotations

from gainful.formats.numbers import digits, short
from gainful.formats.table import Note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from gainful.comparison.pair import Pair
    from gainful.comparison.paired_result import PairedResult

__all__ = [
    "cannot_be_significant",
    "power_notes",
    "smallest_p",
]

#: The first sentence of the note.
_INCONCLUSIVE = "Inconclusive is not the same as equal."

#: The most pairs that the note names one by one.
_NAMED = 3


def power_notes(comparison: PairedResult, pairs: Sequence[Pair], where: str = "") -> Iterator[Note]:
    """Yield a note on the power of the pairs that are inconclusive.

    `where` says how further queries are distributed.
    """
    open_ones = [
        pair
        for pair in pairs
        if pair.verdict == "inconclusive" and not cannot_be_significant(comparison, pair)
    ]
    detectable = [pair.detectable for pair in open_ones if pair.detectable is not None]
    if not detectable:
        return
    scores = comparison.scores
    if min(detectable) > max(scores.limits(index)[1] for index in range(len(scores.measures))):
        text = f"{_INCONCLUSIVE} These queries are too few to detect any difference (80% power)."
        yield Note("power", text, explains=True)
        return
    counts = {pair.n for pair in open_ones}
    queries = f"{counts.pop()} queries" if len(counts) == 1 else "these queries"
    line = f"{_INCONCLUSIVE} With {queries} {_minimum_detectable(open_ones, pairs)}."
    sought = comparison.choices.sought
    needed = [(pair, pair.needed) for pair in open_ones if pair.needed is not None]
    if sought is None or not needed:
        yield Note("power", line, explains=True)
        return
    if len(needed) <= _NAMED:
        # With several baselines, the system's name alone does not identify the pair.
        several = len({pair.baseline for pair, _ in needed}) > 1
        counted = ", ".join(
            f"{number:,}"
            + f" ({pair.system}{f' vs. {pair.baseline}' * several})" * (len(needed) > 1)
            for pair, number in needed
        )
    else:
        numbers = [number for _, number in needed]
        counted = f"{min(numbers):,} to {max(numbers):,}"
    yield Note(
        "power", f"{line} A difference of {short(sought)} requires {counted} queries{where}."
    )


def _minimum_detectable(inconclusive: Sequence[Pair], pairs: Sequence[Pair]) -> str:
    """Return a clause with the minimum detectable difference of each inconclusive pair.

    Parameters
    ----------
    inconclusive : sequence of Pair
        The pairs that the clause is about.
    pairs : sequence of Pair
        All pairs that the reader sees.
    """
    known = [pair for pair in inconclusive if pair.detectable is not None]
    sizes = [digits(pair.detectable) for pair in known if pair.detectable is not None]
    start = "the minimum detectable difference is"
    if len(pairs) == 1:
        return f"{start} {sizes[0]} (80% power)"
    if len(known) > _NAMED:
        ends = sorted(pair.detectable for pair in known if pair.detectable is not None)
        return f"{start} {digits(ends[0])} to {digits(ends[-1])}, by pair (80% power)"
    several = len({pair.measure for pair in pairs}) > 1
    baselines = {pair.baseline for pair in pairs}
    named = [
        f"{size} for {_name_pair(pair, baselines)}" + f" in {pair.measure}" * several
        for size, pair in zip(sizes, known, strict=True)
    ]
    *first, last = named
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"{start} {listed} (80% power)"


def _name_pair(pair: Pair, baselines: Collection[str]) -> str:
    """Return the name of a pair: the system if there is one baseline, else the better one first."""
    if len(baselines) == 1:
        return pair.system
    names = (pair.system, pair.baseline)
    return " vs. ".join(names if pair.difference >= 0 else names[::-1])


def cannot_be_significant(comparison: PairedResult, pair: Pair) -> bool:
    """Return whether no p-value of a pair can reach alpha."""
    if pair.verdict == "identical":
        return False
    # Permutations of three systems can give a lower p, but it is raised to the p of the pair alone.
    return pair.exact and smallest_p(comparison, pair) > comparison.alpha


def smallest_p(comparison: PairedResult, pair: Pair) -> float:
    """Return the smallest p-value that sign flips of these queries can give."""
    scores = comparison.scores
    differences = comparison.differences(pair)
    moved = {
        index if scores.clusters is None else scores.clusters[index]
        for index, query in enumerate(scores.queries)
        if differences.get(query) and (scores.weights is None or scores.weights[index])
    }
    return float(2.0 ** (1 - len(moved))) if moved else 1.0

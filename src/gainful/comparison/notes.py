"""Notes below a comparison: how the verdicts were reached, and their limits."""

from __future__ import annotations

from math import inf

from gainful.comparison.tables import NAMES
from gainful.evaluation.joined import KnownJudgments
from gainful.evaluation.notes import describe_convention, describe_counts
from gainful.formats.numbers import digits, short
from gainful.formats.table import Note, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.comparison.pair import Pair
    from gainful.comparison.result import Comparison

__all__ = ["notes", "verdict_notes"]

#: The most pairs that a note names one by one.
_NAMED = 3

#: If the differences of one pair spread this many times as far as those of another, some systems
#: are variants of one another.
_UNLIKE = 4.0


def notes(comparison: Comparison, pairs: Sequence[Pair]) -> list[Note]:
    """Return the notes below the tables of some pairs.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10")
    >>> print(notes(found, found.pairs)[0])
    Verdict by the randomisation test, with all 32 sign flips.
    """
    return [
        *verdict_notes(comparison, pairs),
        *noted("judgments", _judgments(comparison)),
        *(
            note
            for each in comparison.evaluations
            for note in noted("counts", describe_counts(each))
        ),
        Note("convention", describe_convention(comparison.evaluations[0])),
    ]


def verdict_notes(comparison: Comparison, pairs: Sequence[Pair]) -> list[Note]:
    """Return the notes about pairs, without those about the evaluations."""
    return [
        Note("verdict", _verdict(comparison, pairs)),
        *_intervals(comparison, pairs),
        *noted("correction", _unlike(pairs)),
        *noted("power", _power(comparison, pairs)),
        *noted("margin", _margin(comparison, pairs)),
        *noted("few", _few(comparison, pairs)),
        *noted("queries", _counting(comparison, pairs)),
    ]


def _judgments(comparison: Comparison) -> Iterator[str]:
    """Yield a note if the judgments of some evaluations are unknown."""
    if len(comparison.evaluations) < 2:
        return
    # Computing the digest of judgments takes time, so skip those that are present.
    apart = [
        each
        for each in comparison.evaluations
        if each._judgments is None or isinstance(each._judgments, KnownJudgments)
    ]
    unknown = [each for each in apart if each.judgments_digest is None]
    if unknown:
        named = [system for each in unknown for system in each.systems]
        measured = "was" if len(named) == 1 else "were"
        yield (
            f"Which judgments {', '.join(named)} {measured} measured with is not known, as of an"
            " evaluation that was put together from parts; that they are those of the other systems"
            " was not checked."
        )


def _verdict(comparison: Comparison, pairs: Sequence[Pair]) -> str:
    many = f"{comparison.choices.resamples:,}"
    correction = pairs[0].correction
    if all(pair.verdict == "identical" for pair in pairs):
        return "Verdict without a test: there is no query on which the systems differ."
    if correction == "tukey":
        systems = len(comparison.systems)
        return (
            f"Verdict by randomized Tukey HSD over all pairs of {systems} systems"
            f"{_among(comparison, pairs)}, with {many} permutations."
        )
    exact = all(pair.exact for pair in pairs)
    if exact and len(pairs) == 1:
        number = round(2 / _least(comparison, pairs[0]))
        flips = f"all {number:,} sign flips" if number > 2 else "both sign flips"
    else:
        flips = "all sign flips" if exact else f"{many} sign flips"
        if not exact and any(pair.exact for pair in pairs):
            flips = f"{many} sign flips, or all where that is fewer"
    size = _family(comparison, pairs)
    named = NAMES.get(correction)
    corrected = f", corrected by {named} over {size} pairs" if named else ""
    return f"Verdict by the randomisation test, with {flips}{corrected}."


def _among(comparison: Comparison, pairs: Sequence[Pair]) -> str:
    measures = len({pair.measure for pair in pairs})
    return (
        f" and {measures} measures" if comparison.choices.family == "all" and measures > 1 else ""
    )


def _family(comparison: Comparison, pairs: Sequence[Pair]) -> int:
    """Return how many pairs were corrected together."""
    if comparison.choices.family == "all":
        return len(pairs)
    return sum(pair.measure == pairs[0].measure for pair in pairs)


def _intervals(comparison: Comparison, pairs: Sequence[Pair]) -> Iterator[Note]:
    if not comparison.baselines and len(comparison.systems) > 2:
        yield Note("groups", "Groups: systems that share a letter are not told apart.")
    if len(pairs) > 1 and _family(comparison, pairs) > 1:
        level = f"{100 * (1 - comparison.alpha):g}%"
        yield Note(
            "intervals",
            f"The intervals of a family hold all at once at {level}, and agree with the verdicts.",
        )
    if any(0.0 in (p.low, p.high) and p.difference for p in pairs):
        yield Note(
            "ends",
            "An end of .0000 was moved there: the test, going step by step, and the interval,"
            " which does not, part by a little.",
        )


def _unlike(pairs: Sequence[Pair]) -> Iterator[str]:
    spreads = [pair.deviation for pair in pairs if pair.deviation]
    if pairs[0].correction == "tukey" and spreads and max(spreads) > _UNLIKE * min(spreads):
        yield (
            "Some systems are much more alike than others, where randomized Tukey HSD finds more"
            " differences than there are. --correction max-t is the more robust test."
        )


def _power(comparison: Comparison, pairs: Sequence[Pair]) -> Iterator[str]:
    open_ones = [
        pair for pair in pairs if pair.verdict == "inconclusive" and not _hopeless(comparison, pair)
    ]
    found = [pair.detectable for pair in open_ones if pair.detectable is not None]
    if not found:
        return
    sizes = digits(found[0]) if len(found) == 1 else f"{digits(min(found))} to {digits(max(found))}"
    counts = {pair.n for pair in open_ones}
    if min(found) > _widest(comparison):
        yield "Inconclusive does not mean equal: with power .8, so few queries find no difference."
        return
    queries = f"these {counts.pop()} queries find" if len(counts) == 1 else "these queries find"
    line = f"Inconclusive does not mean equal: {queries} differences of {sizes} with power .8"
    sought = comparison.choices.sought
    needed = [(pair, pair.needed) for pair in open_ones if pair.needed is not None]
    if sought is None or not needed:
        yield f"{line}."
        return
    if len(needed) <= _NAMED:
        # With several baselines, the system's name alone does not identify the pair.
        several = len({pair.baseline for pair, _ in needed}) > 1
        counted = ", ".join(
            f"{number:,}"
            + f" ({pair.system}{f' beside {pair.baseline}' * several})" * (len(needed) > 1)
            for pair, number in needed
        )
    else:
        numbers = [number for _, number in needed]
        counted = f"{min(numbers):,} to {max(numbers):,}"
    yield f"{line}, and one of {short(sought)} takes {counted} queries."


def _widest(comparison: Comparison) -> float:
    """Return the largest possible difference of the measures."""
    ranges = [measure.range(comparison.convention) for measure in comparison.measures]
    return max(inf if low is None or high is None else high - low for low, high in ranges)


def _margin(comparison: Comparison, pairs: Sequence[Pair]) -> Iterator[str]:
    if comparison.margin is not None and any(pair.within_margin for pair in pairs):
        holm = ", corrected by Holm," if len(comparison.pairs) > 1 else ""
        yield (
            f"The margin: two one-sided t tests at alpha {short(comparison.alpha)}{holm} rule out"
            f" differences beyond the margin of {short(comparison.margin)}. The intervals shown are"
            " wider than what these tests take, and may reach beyond it."
        )
    if comparison.choices.tie_margin:
        yield f"Tied: queries with a difference of up to {short(comparison.choices.tie_margin)}."


def _few(comparison: Comparison, pairs: Sequence[Pair]) -> Iterator[str]:
    """Warn if too few queries differ for any difference to be significant."""
    size = _family(comparison, pairs)
    least = size / (comparison.choices.resamples + 1)
    if least > comparison.alpha and any(p.correction == "holm" and not p.exact for p in pairs):
        yield (
            f"So few resamples can tell nothing of {size:,} pairs: p cannot be below"
            f" {digits(min(least, 1.0))}."
        )
    few = [pair for pair in pairs if _hopeless(comparison, pair)]
    if few:
        some = dict.fromkeys(pair.system for pair in few) if len(few) < len(pairs) else ()
        # A long list of names says less than their number.
        many = len(some) > _NAMED
        named = f"{len(few):,} of {len(pairs):,} pairs" if many else ", ".join(some)
        yield (
            f"{f'{named}: t' if named else 'T'}oo few queries differ to tell which is better: p"
            f" cannot be below {digits(min(_least(comparison, pair) for pair in few))}."
        )


def _hopeless(comparison: Comparison, pair: Pair) -> bool:
    """Return whether no p-value of a pair can reach alpha."""
    if pair.verdict == "identical":
        return False
    # Permutations of three systems reach lower, but no p is below that of the pair alone.
    return pair.exact and _least(comparison, pair) > comparison.alpha


def _least(comparison: Comparison, pair: Pair) -> float:
    """Return the smallest p-value that sign flips of these queries can give."""
    scores = comparison.scores
    differences = comparison.differences(pair)
    moved = {
        at if scores.clusters is None else scores.clusters[at]
        for at, query in enumerate(scores.queries)
        if differences.get(query) and (scores.weights is None or scores.weights[at])
    }
    return float(2.0 ** (1 - len(moved))) if moved else 1.0


def _counting(comparison: Comparison, pairs: Sequence[Pair]) -> Iterator[str]:
    scores = comparison.scores
    if scores.weights is not None:
        yield "Queries are weighted, in means and tests; won, tied and lost counts them."
    if scores.clusters is not None:
        number = len(set(scores.clusters))
        alone = number == 1
        yield (
            f"{number:,} cluster{'' if alone else 's'} of {len(scores.clusters):,} queries"
            f" ({comparison.cluster}) stand{'s' if alone else ''} or fall{'s' if alone else ''}"
            " together."
        )
    left = {pair.system + " beside " + pair.baseline: pair.left_out for pair in pairs}
    left = {name: number for name, number in left.items() if number}
    if left:
        counted = ", ".join(f"{number} ({name})" for name, number in list(left.items())[:_NAMED])
        more = ", and so on" if len(left) > _NAMED else ""
        yield f"Queries that only one of two has a value for are left out: {counted}{more}."

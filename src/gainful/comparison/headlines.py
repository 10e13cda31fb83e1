"""The main result of a comparison in words."""

from __future__ import annotations

from gainful.comparison.pair import mirrored
from gainful.formats.numbers import digits, short, span, with_sign
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.comparison.data import ComparisonData
    from gainful.comparison.pair import Pair
    from gainful.measures import Measure

__all__ = ["describe_significance", "describe_unranked", "headlines", "highest_of"]


#: The most measures with a sentence.
_SENTENCES = 3


def headlines(comparison: ComparisonData) -> list[str]:
    """Return one text per measure: the best mean, its lead and whether it is significant.

    Examples
    --------
    >>> import gainful
    >>> comparison = gainful.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10")
    >>> headlines(comparison)
    ['dense has the highest nDCG@10 (.7581). Its lead over bm25 (+.0388, 95% CI ...']
    """
    return [_headline(comparison, measure) for measure in comparison.measures[:_SENTENCES]]


def highest_of(measure: Measure) -> str:
    """Return the word for the best mean of a measure."""
    return "highest" if measure.higher_is_better else "lowest"


def describe_unranked(comparison: ComparisonData, measure: str) -> str:
    """Return why systems cannot be ranked by their means; empty if they can."""
    pairs = [pair for pair in comparison.pairs if pair.measure == measure]
    baselines = ", ".join(comparison.baselines)
    if baselines and any(pair.left_out for pair in pairs):
        return (
            f"The systems have {measure} for different queries, so their means do not rank them."
            f" Each is compared with {baselines} on common queries."
        )
    if all(pair.n == 1 for pair in pairs):
        return (
            f"One query proves nothing: the systems differ in {measure}, but no test can be"
            " significant. Add queries."
            if any(pair.difference for pair in pairs)
            else f"One query proves nothing: the systems have the same {measure}. Add queries."
        )
    if all(pair.mean == pair.baseline_mean == 0 == pair.wins + pair.losses for pair in pairs):
        return f"There is no winner: {measure} is 0 for every system and query."
    return ""


def _headline(comparison: ComparisonData, measure: Measure) -> str:
    unranked = describe_unranked(comparison, repr(measure))
    if unranked:
        return unranked
    means = comparison.means(measure)
    systems = sorted(means, key=lambda system: -measure.direction * means[system])
    top, value = systems[0], means[systems[0]]
    if value != value:
        return f"The mean {measure!r} of {top} is not defined (NaN)."
    # A comparison with baselines has no pairs of other systems.
    known = [system for system in systems[1:] if not _is_apart(comparison, top, system)]
    pair = comparison.pair(top, known[0], measure=measure)
    if pair.system != top:
        pair = mirrored(pair)
    baseline = "The baseline " if top in comparison.baselines else ""
    other = f"{'the baseline ' * (pair.baseline in comparison.baselines)}{pair.baseline}"
    highest = highest_of(measure)
    opening = f"{baseline}{top} has the {highest} {measure!r} ({digits(value)})."
    if pair.verdict == "identical":
        return f"{opening} {pair.baseline} has the same score on every query."
    if pair.withheld is not None:
        return f"{opening} It is not comparable with {pair.baseline}: {pair.withheld}."
    interval = ""
    if pair.interval is not None:
        level = f"{100 * (1 - comparison.alpha):g}% CI"
        interval = f", {level} {span(*pair.interval, with_sign)}"
    lead = f"Its lead over {other} ({with_sign(pair.difference)}{interval})"
    rest = [comparison.pair(top, system, measure=measure) for system in known[1:]]
    return f"{opening} {lead} {describe_significance(comparison, pair)}.{_others(rest)}"


def _is_apart(comparison: ComparisonData, one: str, other: str) -> bool:
    """Return whether two systems were not compared."""
    baselines = comparison.baselines
    return bool(baselines) and one not in baselines and other not in baselines


def _others(pairs: Sequence[Pair]) -> str:
    """Return a sentence on the systems after the second."""
    if not pairs:
        return ""
    count = sum(pair.verdict in SIGNIFICANT for pair in pairs)
    which = f"the {len(pairs)} other systems" if len(pairs) > 1 else "the other system"
    if len(pairs) == 1:
        return f" Its lead over {which} is {'' if count else 'not '}significant."
    number = "all" if count == len(pairs) else str(count) if count else "none"
    return f" Its lead is significant over {number} of {which}."


def describe_significance(comparison: ComparisonData, pair: Pair) -> str:
    """Return whether a difference is significant, and smaller than the margin."""
    if comparison.margin is None or not pair.within_margin:
        is_not = "" if pair.verdict in SIGNIFICANT else "not "
        return f"is {is_not}statistically significant"
    margin = f"the margin of {short(comparison.margin)}"
    if pair.verdict in SIGNIFICANT:
        return f"is statistically significant, but smaller than {margin}"
    return f"is not statistically significant, and smaller than {margin}: the two are equivalent"

"""What a family of tests leaves out: the selection of its baseline, and other measures."""

from __future__ import annotations

from math import comb

import numpy as np

from gainful.comparison.arguments import list_couples
from gainful.comparison.families import compare_family, corrects_jointly
from gainful.formats.numbers import short
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gainful.comparison.choices import Choices
    from gainful.comparison.pair import Pair
    from gainful.comparison.scores import Scores

__all__ = ["add_p_of_all_pairs", "describe_extreme_baselines", "describe_families"]

#: The number of resampled differences of all pairs, which takes seconds. With more than about 200
#: systems, fewer resamples are drawn, but at least so many.
_DIFFERENCES = 2_000_000_000
_FEWEST_RESAMPLES = 2_000
#: The most baselines that a note names one by one.
_NAMED = 3


def add_p_of_all_pairs(
    scores: Scores, measures: Sequence[int], pairs: Sequence[Pair], choices: Choices
) -> list[Pair]:
    """Return a family of pairs, those with an extreme baseline with `p_all_pairs`.

    A baseline is extreme if its mean is the highest or the lowest of at least three systems. It may
    have been chosen for that, so its p-values are also corrected over all pairs of systems.

    Parameters
    ----------
    scores : Scores
        The values of all systems.
    measures : sequence of int
        The measures of the family, as indices.
    pairs : sequence of Pair
        The pairs of systems and baselines under these measures, on all queries.
    choices : Choices
        The options of the comparison.
    """
    extremes = {
        repr(scores.measures[measure]): _find_extremes(scores, measure) for measure in measures
    }
    baselines = {pair.baseline for pair in pairs if pair.baseline in extremes[pair.measure]}
    if not baselines:
        return list(pairs)
    # The other statistics of a pair are known already.
    count = len(measures) * comb(len(scores.systems), 2)
    resamples = min(choices.resamples, max(_DIFFERENCES // count, _FEWEST_RESAMPLES))
    plain = choices.replace(bootstrap=0, margin=None, detect=None, tests=(), resamples=resamples)
    blocks = [(measure, None) for measure in measures]
    needed = tuple(baselines) if corrects_jointly(scores, blocks, plain) else ()
    couples = list_couples(scores.systems, needed)
    every = compare_family(scores, blocks, couples, plain, every=True)
    p_values = {
        (pair.measure, frozenset((pair.system, pair.baseline))): pair.p_adjusted for pair in every
    }
    return [
        pair.replace(p_all_pairs=p_values[pair.measure, frozenset((pair.system, pair.baseline))])
        if pair.baseline in extremes[pair.measure]
        else pair
        for pair in pairs
    ]


def _find_extremes(scores: Scores, measure: int) -> set[str]:
    """Return the systems with the highest and the lowest mean, of at least three."""
    there = scores.has_values(measure)
    means = {
        system: scores.mean(measure, index, there[:, index])
        for index, system in enumerate(scores.systems)
        if scores.has_weight(there[:, index])
    }
    if len(means) < 3:
        return set()
    ends = np.min(list(means.values())), np.max(list(means.values()))
    return {system for system, mean in means.items() if mean in ends}


def describe_extreme_baselines(pairs: Iterable[Pair], alpha: float) -> Iterator[str]:
    """Yield a note if baselines are the best or the worst system."""
    selected = [pair for pair in pairs if pair.p_all_pairs is not None]
    if not selected:
        return
    baselines = list(dict.fromkeys(pair.baseline for pair in selected))
    named = ", ".join(baselines[:_NAMED]) + ", ..." * (len(baselines) > _NAMED)
    lost = sum(
        pair.p_adjusted <= alpha < pair.p_all_pairs
        for pair in selected
        if pair.p_all_pairs is not None
    )
    one = len(baselines) == 1
    yield (
        f"The baseline{'s' * (not one)} {named} {'has' if one else 'have'} the highest or lowest"
        f" mean. If {'it was' if one else 'they were'} chosen for that, use p (all pairs)"
        + (f", by which {lost} fewer differ{'s' * (lost == 1)} significantly." if lost else ".")
    )


def describe_families(choices: Choices, measures: int, remedy: str = "") -> Iterator[str]:
    """Yield a note if each of several measures is tested at alpha, with what corrects for all.

    Examples
    --------
    >>> from gainful.comparison.choices import Choices
    >>> list(describe_families(Choices(), 5))
    ["5 measures, each tested at .05; family='all' corrects for all."]
    """
    if measures > 1 and choices.family != "all":
        level = f"each tested at {short(choices.alpha)}"
        every = remedy or refer("family", "'all'")
        yield f"{measures} measures, {level}; {every} corrects for all."

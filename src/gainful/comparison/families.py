"""Correct a family of pairs together, and name what the correction leaves out."""

from __future__ import annotations

from itertools import groupby, islice, repeat
from math import comb, inf

import numpy as np

from gainful.comparison.choices import list_couples
from gainful.comparison.pair import OPPOSITES, Pair
from gainful.comparison.pair_statistics import Couple, Drawn, compute_statistics, find_couples
from gainful.comparison.predictions import add_intervals_of_people, predicted_fields
from gainful.errors import ParameterError
from gainful.formats.numbers import short
from gainful.inference import benjamini_hochberg, holm, joint_tukey, max_t, max_t_pairs
from gainful.inference.bootstrap import SharedDraws
from gainful.inference.power import COSTS
from gainful.progress import report_steps
from gainful.records import Interval
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from gainful.comparison.choices import CompareOptions
    from gainful.comparison.predictions import Combining
    from gainful.comparison.scores import Scores
    from gainful.measures import Measure

    Block = tuple[int, str | None]

__all__ = [
    "add_p_of_all_pairs",
    "compare_family",
    "decide_verdict",
    "describe_extreme_baselines",
    "describe_families",
]

#: The number of pairs whose differences are copied at a time.
_BLOCK = 250


def compare_family(
    scores: Scores,
    blocks: Iterable[Block],
    couples: Sequence[tuple[int, int]],
    choices: CompareOptions,
    *,
    every: bool,
    predictions: Combining | None = None,
) -> list[Pair]:
    """Compare systems on several measures or segments, as one family of tests."""
    named = list(blocks)
    couples_of_family = [
        couple
        for measure, segment in named
        for couple in find_couples(scores, measure, segment, couples)
    ]
    if not couples_of_family:
        return []
    if predictions is not None:
        couples_of_family = [predictions.combine(couple) for couple in couples_of_family]
    alpha = choices.alpha / len(couples_of_family)
    correction = _choose_correction(scores, choices, every=every)
    cost = COSTS[correction] if len(couples_of_family) > 1 else 0.0
    # Predictions have a different rate for each pair, so that pairs do not share systems.
    whole = predictions is None and every and _share_systems(scores, named)
    drawn: Iterator[Drawn | None]
    drawn = _share_draws(scores, couples_of_family, choices) if whole else repeat(None)
    known: list[dict[str, Any]] = []
    for block in report_steps(_split(couples_of_family)):
        drawn_block = list(islice(drawn, len(block)))
        known += compute_statistics(scores, block, choices, alpha, cost, drawn_block)
    if predictions is not None:
        for couple, statistics in zip(couples_of_family, known, strict=True):
            statistics |= predicted_fields(
                scores,
                couple,
                predictions,
                needed=statistics.get("needed"),
                tie_margin=choices.tie_margin,
            )
    alone = [fields["p_adjusted"] for fields in known]
    if whole and correction != "holm":
        _correct_all_pairs(scores, couples_of_family, known, choices, correction)
    else:
        _correct_columns(scores, couples_of_family, known, choices, correction)
    if predictions is not None:
        add_intervals_of_people(scores, couples_of_family, known, _options(choices))
    _add_further_p_values(known, alone)
    return [
        Pair(**_oriented(_conclude(couple, fields, choices), scores.measures[couple.measure]))
        for couple, fields in zip(couples_of_family, known, strict=True)
    ]


def _choose_correction(scores: Scores, choices: CompareOptions, *, every: bool) -> str:
    """Return the requested correction, or the default for these pairs."""
    if choices.correction is not None:
        return choices.correction
    return "max-t" if every and len(scores.systems) > 2 else "holm"


def _corrects_jointly(scores: Scores, blocks: Iterable[Block], choices: CompareOptions) -> bool:
    """Return whether all pairs are corrected without the p-values of the others."""
    correction = _choose_correction(scores, choices, every=True)
    return correction != "holm" and _share_systems(scores, blocks)


def _share_systems(scores: Scores, blocks: Iterable[Block]) -> bool:
    """Return whether all pairs are computed from the values of each system."""
    return len(scores.systems) > 2 and all(_is_complete(scores, *block) for block in blocks)


def _is_complete(scores: Scores, measure: int, segment: str | None) -> bool:
    """Return whether all systems have values for the same queries."""
    valued = scores.has_values(measure, segment)
    return bool((valued == valued[:, :1]).all())


def _split(couples: Sequence[Couple]) -> list[list[Couple]]:
    """Return couples with the same queries and measure together, some at a time."""
    blocks: list[list[Couple]] = []
    for _, group in groupby(
        couples, lambda couple: (couple.measure, couple.segment, id(couple.design))
    ):
        same = list(group)
        blocks += (same[index : index + _BLOCK] for index in range(0, len(same), _BLOCK))
    return blocks


def _share_draws(
    scores: Scores, couples: Sequence[Couple], choices: CompareOptions
) -> Iterator[Drawn]:
    """Yield the tests and intervals of couples by resampling each system of a block once."""
    for _, block in groupby(couples, lambda couple: (couple.measure, couple.segment)):
        couples_of_block = list(block)
        pairs = [(couple.system, couple.baseline) for couple in couples_of_block]
        draws = SharedDraws(
            scores.scaled(couples_of_block[0].measure)[couples_of_block[0].rows],
            couples_of_block[0].design,
            pairs,
            resamples=choices.resamples,
            bootstrap=choices.bootstrap,
            seed=choices.seed,
            threads=choices.threads,
        )
        tests = draws.randomization_tests()
        intervals = draws.bca_intervals(1 - choices.alpha) if choices.bootstrap else {}
        for pair in pairs:
            yield Drawn(*tests[pair], intervals.get(pair))


def _correct_all_pairs(
    scores: Scores,
    couples: Sequence[Couple],
    known: Sequence[dict[str, Any]],
    choices: CompareOptions,
    correction: str,
) -> None:
    """Correct all pairs of all blocks by max-T or by randomized Tukey HSD."""
    rows = {(couple.measure, couple.segment): couple.rows for couple in couples}
    counted = np.any(list(rows.values()), axis=0)
    tables = [
        np.where(row[:, None], scores.scaled(measure), np.nan)[counted]
        for (measure, _), row in rows.items()
    ]
    design, options = scores.design(counted), _options(choices)
    if correction == "max-t":
        limits = [scores.limits(measure) for measure, _ in rows]
        joint = max_t_pairs(tables, design, limits=limits, **options)
        maxima = dict(zip(rows, joint, strict=True))
        for couple, statistics in zip(couples, known, strict=True):
            maximum = maxima[couple.measure, couple.segment]
            pair = couple.system, couple.baseline
            # The p of one pair may enumerate all signs while the family's draws them.
            statistics["p_adjusted"] = max(float(maximum.p[pair]), statistics["p_adjusted"])
            statistics["interval"] = _finite_interval(
                float(maximum.low[pair]), float(maximum.high[pair])
            )
            statistics["correction"] = "max-t"
        return
    ranges = dict(zip(rows, joint_tukey(tables, design, **options), strict=True))
    for couple, statistics in zip(couples, known, strict=True):
        test = ranges[couple.measure, couple.segment]
        half = float(test.half_width)
        # If a pair varies more than the others, Tukey's p can be below the p of the pair alone.
        statistics["p_adjusted"] = max(
            float(test.p[couple.system, couple.baseline]), statistics["p_adjusted"]
        )
        if 2.0 ** (1 - couple.design.units) > choices.alpha and not couple.identical:
            # With so few units no p-value reaches alpha, so no difference can be excluded.
            half = inf
        lowest, highest = scores.limits(couple.measure)
        statistics["interval"] = _finite_interval(
            max(statistics["difference"] - half, lowest),
            min(statistics["difference"] + half, highest),
        )
        statistics["correction"] = "tukey"


def _correct_columns(
    scores: Scores,
    couples: Sequence[Couple],
    known: Sequence[dict[str, Any]],
    choices: CompareOptions,
    correction: str,
) -> None:
    """Correct by Holm or max-T, with intervals from the studentized maximum."""
    if correction == "tukey" and len(scores.systems) > 2:
        raise ParameterError(
            where="correction",
            found="tukey with systems that have no value in a slice",
            expected="holm or max-t",
        )

    differences = np.full((len(scores.queries), len(couples)), np.nan)
    for index, couple in enumerate(couples):
        differences[couple.rows, index] = couple.differences
    counted = ~np.isnan(differences).all(axis=1)
    limits = np.array([scores.limits(couple.measure) for couple in couples]).T
    options = _options(choices)
    joint = max_t(differences[counted], scores.design(counted), limits=limits, **options)
    by_maximum = correction == "max-t"
    adjusted = joint.p if by_maximum else holm([statistics["p_adjusted"] for statistics in known])
    for index, fields in enumerate(known):
        fields["p_adjusted"] = float(adjusted[index])
        # The variance of differences cannot be estimated from a single query or cluster.
        alone = couples[index].design.df < 1 and not couples[index].identical
        fields["interval"] = (
            None if alone else _finite_interval(float(joint.low[index]), float(joint.high[index]))
        )
        named = "max-t" if by_maximum else "holm"
        fields["correction"] = named if len(known) > 1 else "none"


def _options(choices: CompareOptions) -> dict[str, Any]:
    return {
        "level": 1 - choices.alpha,
        "resamples": choices.resamples,
        "seed": choices.seed,
        "threads": choices.threads,
    }


def _finite_interval(low: float, high: float) -> Interval | None:
    """Return an interval; None unless both ends are finite."""
    return Interval(low, high) if low - low == 0 and high - high == 0 else None


def _add_further_p_values(known: Sequence[dict[str, Any]], alone: Sequence[float]) -> None:
    """Add the false discovery rate and the equivalence test, corrected by Holm."""
    for statistics, p in zip(known, benjamini_hochberg(alone), strict=True):
        statistics["p_bh"] = float(p)
    tested = [fields for fields in known if fields.get("p_equivalence") is not None]
    for statistics, p in zip(
        tested, holm([fields["p_equivalence"] for fields in tested]), strict=True
    ):
        statistics["p_equivalence_adjusted"] = float(p)


def _conclude(couple: Couple, known: dict[str, Any], choices: CompareOptions) -> dict[str, Any]:
    """Return the fields of a pair with a verdict and an interval that agree."""
    equivalence = known.get("p_equivalence_adjusted")
    within = equivalence is not None and equivalence <= choices.alpha
    verdict = decide_verdict(
        known["difference"],
        known["p_adjusted"],
        choices.alpha,
        identical=couple.identical,
        equivalent=within,
    )
    fields = {**known, "verdict": verdict, "within_margin": within}
    if known["interval"] is not None:
        low, high = known["interval"]
        fields["interval"] = Interval(*_align_interval(low, high, verdict))
    return fields


def _oriented(fields: dict[str, Any], measure: Measure) -> dict[str, Any]:
    """Return the fields of a pair with the words for a measure whose lower values are better."""
    if measure.higher_is_better:
        return fields
    fields["verdict"] = OPPOSITES.get(fields["verdict"], fields["verdict"])
    fields["dominance"] = -fields["dominance"]
    exchanged = [("wins", "losses")]
    exchanged += [(f"{key}_better", f"{key}_worse") for key in ("probability", "skeptical")]
    for one, two in exchanged:
        if one in fields:
            fields[one], fields[two] = fields[two], fields[one]
    return fields


def decide_verdict(
    difference: float, p: float, alpha: float, *, identical: bool, equivalent: bool
) -> str:
    """Return the verdict of a pair on a measure whose higher values are better.

    Examples
    --------
    >>> decide_verdict(0.02, 0.01, 0.05, identical=False, equivalent=True)
    'better'
    >>> decide_verdict(0.001, 0.4, 0.05, identical=False, equivalent=True)
    'equivalent'
    """
    if identical:
        return "identical"
    if p <= alpha and difference != 0:
        return "better" if difference > 0 else "worse"
    return "equivalent" if equivalent else "inconclusive"


def _align_interval(low: float, high: float, verdict: str) -> tuple[float, float]:
    """Return the interval, adjusted to include 0 exactly if the verdict does.

    They can disagree in two cases. The p of max-T or Tukey may have been raised to the p of the
    pair alone. Holm's stepwise test can reject more than the maximum statistic, from which the
    interval comes. The end next to 0 is then moved to 0.
    """
    if verdict == "better":
        return max(low, 0.0), high
    if verdict == "worse":
        return low, min(high, 0.0)
    if low > 0:
        return 0.0, high
    if high < 0:
        return low, 0.0
    return low, high


#: The number of resampled differences of all pairs, which takes seconds. With more than about 200
#: systems, fewer resamples are drawn, but at least so many.
_DIFFERENCES = 2_000_000_000

_FEWEST_RESAMPLES = 2_000

#: The most baselines that a note names one by one.
_NAMED = 3


def add_p_of_all_pairs(
    scores: Scores, measures: Sequence[int], pairs: Sequence[Pair], choices: CompareOptions
) -> list[Pair]:
    """Return a family of pairs, those with an extreme baseline with `p_all_pairs`.

    A baseline is extreme if its mean is the highest or the lowest of at least three systems. It may
    have been chosen for that, so its p-values are also corrected over all pairs of systems.
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
    needed = tuple(baselines) if _corrects_jointly(scores, blocks, plain) else ()
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


def describe_families(choices: CompareOptions, measures: int, remedy: str = "") -> Iterator[str]:
    """Yield a note if each of several measures is tested at alpha, with what corrects for all.

    Examples
    --------
    >>> from gainful.comparison.choices import CompareOptions
    >>> list(describe_families(CompareOptions(), 5))
    ["5 measures, each tested at .05; family='all' corrects for all."]
    """
    if measures > 1 and choices.family != "all":
        level = f"each tested at {short(choices.alpha)}"
        every = remedy or refer("family", "'all'")
        yield f"{measures} measures, {level}; {every} corrects for all."

"""Statistics of pairs and their equivalence test, before correction for their family."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log2
from typing import NamedTuple

import numpy as np

from gainful.comparison.choices import POWER, CompareOptions
from gainful.errors import ParameterError
from gainful.formats.numbers import short
from gainful.inference import (
    bca_interval,
    detectable_difference,
    mean_posterior,
    queries_needed,
    sign_test,
    wilcoxon_test,
)
from gainful.inference.design import flip_sums
from gainful.inference.effects import dominances, standardized, standardized_interval
from gainful.inference.interval import quantile
from gainful.inference.paired import count_differing, has_few_differences, t_test, tost
from gainful.inference.posterior import SKEPTICAL_QUERIES
from gainful.inference.randomization import corrected_test
from gainful.progress import report_steps
from gainful.records import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from gainful.comparison.pair import Pair
    from gainful.comparison.scores import Floats, Mask, Scores
    from gainful.inference.design import Design
    from gainful.inference.prediction_powered import PredictedMean
    from gainful.inference.randomization import RandomizationTest

__all__ = ["Couple", "Drawn", "compute_statistics", "describe_equivalence", "find_couples"]


def _compute_equivalence(couple: Couple, choices: CompareOptions) -> dict[str, Any]:
    """Return the fields of a `Pair` about the equivalence margin, before correction."""
    if choices.margin is None or couple.identical:
        return {}
    p = tost(couple.differences, choices.margin, couple.design)
    # The variance of a stratum with one unit is unknown, so nothing can be equivalent.
    return {"p_equivalence": float(p)} if p == p else {}


def describe_equivalence(choices: CompareOptions, pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield the equivalence test of some pairs."""
    if choices.margin is None:
        return
    holm = ", corrected by Holm" if len(pairs) > 1 else ""
    yield (
        f"Equivalence test: two one-sided tests (TOST), corrected for skewness, margin"
        f" {short(choices.margin)}, alpha {short(choices.alpha)}{holm}."
    )


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Couple:
    """Two systems on their common queries.

    Attributes
    ----------
    measure, system, baseline : int
        Their indices.
    segment : str or None
        The slice of the queries.
    rows : ndarray of shape (queries,)
        Which queries are common to both.
    left_out : int
        Number of queries with a value for one of them, or both, that are not among the rows.
    differences : ndarray of shape (n,)
        The system's values minus the baseline's.
    design : Design
        The weights and clusters of these n queries.
    predicted : PredictedMean or None
        The estimate that combines people and a model, if there are predictions. The differences
        then have its mean and standard error.
    """

    measure: int
    system: int
    baseline: int
    segment: str | None
    rows: Mask
    left_out: int
    differences: Floats
    design: Design = field(repr=False)
    predicted: PredictedMean | None = None

    @property
    def identical(self) -> bool:
        """Whether the systems have equal values on all queries."""
        return not self.differences.any()


class Estimates(NamedTuple):
    """The mean difference, the standard deviation and error, and the degrees of freedom."""

    mean: float
    deviation: float
    error: float
    df: float


class Drawn(NamedTuple):
    """The results of a couple by resampling, if many couples share the resamples."""

    test: RandomizationTest
    corrected: float
    interval: tuple[float, float] | None


def find_couples(
    scores: Scores, measure: int, segment: str | None, couples: Iterable[tuple[int, int]]
) -> Iterator[Couple]:
    """Yield pairs of systems, as indices, on their common queries; those without any are left out.

    Couples with the same common queries have the same rows and design.
    """
    # A contiguous row for each system.
    values = np.ascontiguousarray(scores.scaled(measure).T)
    have = np.ascontiguousarray(scores.has_values(measure, segment).T)
    valued = scores.rows(segment) & ~np.isnan(values)
    known: dict[bytes, tuple[Mask, Design] | None] = {}
    for system, baseline in couples:
        one, two = have[system], have[baseline]
        rows = one & two
        key = rows.tobytes()
        if key not in known:
            known[key] = (rows, scores.design(rows)) if scores.has_weight(rows) else None
        common = known[key]
        if common is None:
            continue
        rows, design = common
        yield Couple(
            measure=measure,
            system=system,
            baseline=baseline,
            segment=segment,
            rows=rows,
            left_out=int(np.count_nonzero((valued[system] | valued[baseline]) & ~rows)),
            differences=values[system][rows] - values[baseline][rows],
            design=design,
        )


def compute_statistics(
    scores: Scores,
    couples: Sequence[Couple],
    choices: CompareOptions,
    alpha: float,
    cost: float,
    drawn: Sequence[Drawn | None],
) -> list[dict[str, Any]]:
    """Return the fields of `Pair`s that do not depend on other pairs."""
    measure, design = couples[0].measure, couples[0].design
    # Contiguous columns, so that sums have the same order as for a single couple.
    columns = np.array([couple.differences for couple in couples]).T
    estimates = map(
        Estimates,
        design.mean(columns).tolist(),
        design.deviation(columns).tolist(),
        design.standard_error(columns).tolist(),
        [design.degrees_of_freedom(couple.differences) for couple in couples],
    )
    systems = {system for couple in couples for system in (couple.system, couple.baseline)}
    means = {system: scores.mean(measure, system, couples[0].rows) for system in systems}
    common = {
        "measure": repr(scores.measures[measure]),
        "scale": "log" if scores.measures[measure].aggregate == "geometric" else "linear",
        "segment": couples[0].segment,
        "n": design.queries,
        "effective": design.effective if design.unequal else None,
    }
    known = []
    for couple, differences, estimate, differing, counts in zip(
        report_steps(couples),
        drawn,
        estimates,
        count_differing(columns, design).tolist(),
        dominances(columns, choices.tie_margin),
        strict=True,
    ):
        test, corrected = differences[:2] if differences else _test_by_sign_flips(couple, choices)
        ends = standardized_interval(*estimate, level=1 - choices.alpha)
        fields: dict[str, Any] = {
            **common,
            "system": scores.systems[couple.system],
            "baseline": scores.systems[couple.baseline],
            "left_out": couple.left_out,
            "mean": means[couple.system],
            "baseline_mean": means[couple.baseline],
            "difference": estimate.mean,
            "p": float(test.p),
            "p_adjusted": corrected,
            "few_differences": has_few_differences(differing, design.units),
            "exact": bool(test.exact),
            "effect": standardized(estimate.mean, estimate.deviation, design.df),
            "effect_interval": None if ends is None else Interval(*ends),
            **counts._asdict(),
        }
        fields |= _run_requested_tests(couple.differences, choices)
        if choices.bayes:
            fields |= _compute_probabilities(couple, choices)
        fields |= _compute_equivalence(couple, choices)
        if design.df >= 1:
            fields |= _compute_t_statistics(couple, estimate, choices, differences)
            fields |= _compute_power(couple, estimate, choices, alpha, cost)
        known.append(fields)
    return known


def _run_requested_tests(differences: Floats, choices: CompareOptions) -> dict[str, Any]:
    tests: dict[str, Any] = {}
    if "wilcoxon" in choices.tests:
        tests["p_wilcoxon"] = float(wilcoxon_test(differences).p)
    if "sign" in choices.tests:
        tests["p_sign"] = float(sign_test(differences, margin=choices.tie_margin))
    return tests


def _compute_probabilities(couple: Couple, choices: CompareOptions) -> dict[str, Any]:
    """Return the posterior probabilities under both priors; none if too few queries differ."""
    probabilities: dict[str, Any] = {}
    for prior, queries in (("probability", 0.0), ("skeptical", SKEPTICAL_QUERIES)):
        posterior = mean_posterior(couple.differences, couple.design, prior_queries=queries)
        if posterior is not None:
            better, within, worse = posterior.probabilities(choices.margin or 0.0)
            probabilities |= {f"{prior}_better": better, f"{prior}_worse": worse}
            if choices.margin is not None:
                probabilities[f"{prior}_within"] = within
    return probabilities


def _test_by_sign_flips(couple: Couple, choices: CompareOptions) -> tuple[RandomizationTest, float]:
    """Return the test, and its p corrected for skewness."""

    def draw(moved: Floats) -> Floats:
        return flip_sums(
            moved, resamples=choices.resamples, seed=choices.seed, threads=choices.threads
        )

    return corrected_test(couple.differences, couple.design, draw=draw)


def _bootstrap_interval(couple: Couple, choices: CompareOptions) -> tuple[float, float] | None:
    return bca_interval(
        couple.differences,
        couple.design,
        level=1 - choices.alpha,
        resamples=choices.bootstrap,
        seed=choices.seed,
        threads=choices.threads,
    )


def _compute_t_statistics(
    couple: Couple, estimate: Estimates, choices: CompareOptions, drawn: Drawn | None
) -> dict[str, Any]:
    """Compute Student's t and the bootstrap if the differences vary."""
    t_statistics: dict[str, Any] = {"deviation": estimate.deviation}
    if not estimate.error > 0:
        return t_statistics
    test = t_test(estimate.mean, estimate.error, estimate.df)
    half = -quantile(choices.alpha / 2, test.df) * estimate.error
    t_statistics |= {
        "t_statistic": test.statistic,
        "df": test.df,
        "p_t": test.p,
        "t_interval": Interval(estimate.mean - half, estimate.mean + half),
    }
    if choices.bootstrap:
        ends = drawn.interval if drawn else _bootstrap_interval(couple, choices)
        if ends is not None:
            t_statistics["bca_interval"] = Interval(float(ends[0]), float(ends[1]))
    return t_statistics


def _compute_power(
    couple: Couple, estimate: Estimates, choices: CompareOptions, alpha: float, cost: float
) -> dict[str, Any]:
    """Return the minimum detectable difference and the required number of queries.

    Only the variance of the differences is taken from the data, never their mean.
    """
    # Power depends on the number of units and their variance. For strata, use the number of units
    # of a single stratum with the same degrees of freedom.
    units = int(estimate.df) + 1
    deviation = estimate.error * units**0.5
    if not deviation > 0 or alpha >= POWER:
        return {}
    test = {"power": POWER, "alpha": alpha, "cost": cost}
    power: dict[str, Any] = {"detectable": float(detectable_difference(units, deviation, **test))}
    if choices.sought is not None:
        try:
            needed = queries_needed(choices.sought, deviation, **test)
        except ParameterError:  # The required number is absurdly large.
            return power
        # With fewer queries the randomization test cannot reach alpha.
        needed = max(needed, 1 + ceil(-log2(alpha)))
        power["needed"] = ceil(needed * len(couple.differences) / units)
    return power

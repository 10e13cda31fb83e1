"""Simulate the power of the verdict at the difference that a plan calls detectable."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, compared_systems
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import Design, detectable_difference, holm, max_t_pairs
from gainful.inference.design import flip_sums
from gainful.inference.power import COSTS
from gainful.inference.randomization import corrected_test

ALPHA, POWER = 0.05, 0.8
RESAMPLES = 999
SIZES = (12, 25, 50, 100)
SLICES = 5
SEED = 20_031_131
#: The limits of the achieved power.
LEAST, MOST = 0.77, 0.83


def study(simulations: int) -> Table:
    """Return the achieved power of comparisons for which a power of 80% is planned."""
    headings = ("systems", "comparison", *(f"n = {n}" for n in SIZES))
    rows, failures = [], []
    for systems in compared_systems():
        centered = systems.scores - systems.scores.mean(axis=0)
        for count, slices in ((2, 1), (2, SLICES), (3, 1), (centered.shape[1], 1)):
            what = f"all pairs of {count} systems" if count > 2 else "two systems"
            what += f" in {slices} slices" * (slices > 1)
            powers = [_power(centered, count, slices, n, simulations) for n in SIZES]
            rows.append([systems.origin, what, *map(percent, powers)])
            error = monte_carlo_error(POWER, simulations)
            failures += [
                f"{systems.origin}, {what}, {n} queries: {percent(power)}"
                for n, power in zip(SIZES, powers, strict=True)
                if not LEAST - error <= power <= MOST + error
            ]
    return Table(headings, rows, failures)


def _power(scores: Floats, count: int, slices: int, n: int, simulations: int) -> float:
    """Return how often the verdict on one pair is significant; all other systems are equal."""
    random = np.random.default_rng(SEED)
    comparisons = count * (count - 1) // 2 * slices
    correction = "max-t" if count > 2 else "holm"
    cost = COSTS[correction] if comparisons > 1 else 0.0
    significant = 0
    for _ in range(simulations):
        chosen = scores[:, random.permutation(scores.shape[1])[:count]]
        deviation = float((chosen[:, 0] - chosen[:, 1]).std())
        effect = detectable_difference(
            n, deviation, power=POWER, alpha=ALPHA / comparisons, cost=cost
        )
        samples = chosen[random.integers(0, len(chosen), (slices, n))]
        samples[0, :, 0] += random.choice([-1, 1]) * effect
        seed = int(random.integers(1 << 62))
        if count > 2:
            p = max_t_pairs([samples[0]], resamples=RESAMPLES, seed=seed)[0].p[0, 1]
        else:
            p = holm([_p(sample[:, 0] - sample[:, 1], seed) for sample in samples])[0]
        significant += p <= ALPHA
    return significant / simulations


def _p(differences: Floats, seed: int) -> float:
    design = Design(len(differences))
    return corrected_test(
        differences, design, draw=lambda moved: flip_sums(moved, resamples=RESAMPLES, seed=seed)
    )[1]

"""All pairs of real systems: how often max-T and randomized Tukey are wrong, and what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from simulated_queries import Floats, Systems

from gainful import inference as inf

ALPHA = 0.05
RESAMPLES = 999
SIZES = (25, 50, 100)
SEED = 20_031_123

Test = Callable[[Floats, int], Floats]


@dataclass(frozen=True)
class Comparison:
    """Of so many queries, by test: samples with a false finding, and true differences found."""

    systems: str
    queries: int
    errors: dict[str, float]
    found: dict[str, float]


def studies(every: list[Systems], simulations: int) -> Iterator[Comparison]:
    """Yield what the tests do, systems by systems and size by size.

    Errors are counted on scores that are centered, so that all systems have the same mean; what is
    found, on the scores as they are. All tests see the same samples.
    """
    for systems in every:
        # Numbers of its own, so that systems may come and go without a change to the others.
        random = np.random.default_rng(SEED)
        equal = systems.scores - systems.scores.mean(axis=0)
        means = systems.scores.mean(axis=0)
        for queries in SIZES:
            errors = dict.fromkeys(TESTS, 0)
            found = dict.fromkeys(TESTS, 0)
            for _ in range(simulations):
                drawn = random.integers(0, len(equal), queries)
                seed = int(random.integers(1 << 62))
                for name, test in TESTS.items():
                    errors[name] += bool((test(equal[drawn], seed) <= ALPHA).any())
                    found[name] += _found(test, systems.scores[drawn], means, seed)
            pairs = len(means) * (len(means) - 1) // 2
            yield Comparison(
                systems.origin,
                queries,
                {name: count / simulations for name, count in errors.items()},
                {name: count / simulations / pairs for name, count in found.items()},
            )


def _found(test: Test, scores: Floats, means: Floats, seed: int) -> int:
    """Return how many pairs are found to differ, in the direction in which they do."""
    p = test(scores, seed)
    own = scores.mean(axis=0)
    right = np.sign(own[:, None] - own) == np.sign(means[:, None] - means)
    return int(np.triu((p <= ALPHA) & right, 1).sum())


def _max_t(scores: Floats, seed: int) -> Floats:
    return inf.max_t_pairs([scores], resamples=RESAMPLES, seed=seed)[0].p


def _tukey(scores: Floats, seed: int) -> Floats:
    """Return the p-values as a comparison has them: none less than that of the pair alone."""
    p = inf.randomised_tukey(scores, resamples=RESAMPLES, seed=seed).p.copy()
    for one, two in combinations(range(len(p)), 2):
        if p[one, two] <= ALPHA:
            differences = scores[:, one] - scores[:, two]
            alone = inf.randomisation_test(differences, resamples=RESAMPLES, seed=seed)
            p[one, two] = p[two, one] = max(p[one, two], alone.p)
    return p


TESTS: dict[str, Test] = {"max-T": _max_t, "Tukey": _tukey}

"""Simulate gates that are used repeatedly: on the same queries, or as queries are added."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from evidence.queries import Floats, pair_differences, real_queries, scores_by_measure
from evidence.tables import Table, monte_carlo_error, percent
from gainful.gates import look_alpha
from gainful.gates.gated_measure import bounds_of
from gainful.inference import Design, always_valid_alpha
from gainful.inference.proportions import bets_win

ALPHA = 0.05
QUERIES = 80
LOOKS = 100
SEED = 20_031_124

#: Options of `look_alpha` for each correction.
CORRECTIONS: dict[str, dict[str, int | bool]] = {
    "none": {},
    "--budget 100": {"budget": LOOKS},
    "--spending": {"spending": True},
}


class Changes:
    """Draws differences of a new run: those of real systems, with mean 0 and a given deviation."""

    def __init__(self, seed: int) -> None:
        differences = real_queries().differences()
        centered = differences - differences.mean(axis=0)
        self.pool: Floats = centered / centered.std(axis=0)
        self.random = np.random.default_rng(seed)

    def draw(self, queries: int, deviation: float) -> Floats:
        """Return the differences on a sample of queries, of random sign and pair of systems."""
        pair = self.pool[:, self.random.integers(self.pool.shape[1])]
        sign = self.random.choice([-1.0, 1.0])
        drawn = pair[self.random.integers(0, len(pair), queries)]
        return np.asarray(sign * deviation * drawn)


def passes(differences: Floats, margin: float, alpha: float) -> bool:
    """Return whether a gate passes these differences."""
    return bounds_of(differences, Design(len(differences)), alpha, alpha).low > -margin


def looks_study(simulations: int) -> Table:
    """Return the wrong passes of 100 runs that are all worse by exactly the margin."""
    margin, deviation = 0.03, 0.1
    rows, failures = [], []
    for correlation in (0.0, 0.5, 0.9):
        changes = Changes(SEED)
        wrong = {name: np.zeros(simulations) for name in CORRECTIONS}
        for number in range(simulations):
            shared = changes.draw(QUERIES, deviation)
            for look in range(1, LOOKS + 1):
                own = changes.draw(QUERIES, deviation)
                run = sqrt(correlation) * shared + sqrt(1.0 - correlation) * own - margin
                # Without a pass at alpha, there is none at a lower rate.
                if not passes(run, margin, ALPHA):
                    continue
                for name, options in CORRECTIONS.items():
                    rate = look_alpha(ALPHA, look, **options)  # type: ignore[arg-type]
                    wrong[name][number] += rate == ALPHA or passes(run, margin, rate)
        for name, counts in wrong.items():
            options = CORRECTIONS[name]
            rates = [look_alpha(ALPHA, look, **options) for look in range(1, LOOKS + 1)]  # type: ignore[arg-type]
            some, error = float((counts > 0).mean()), monte_carlo_error(ALPHA, simulations)
            expected = f"{sum(rates):.2g}"
            rows.append([f"{correlation:g}", name, expected, f"{counts.mean():.2f}", percent(some)])
            where = f"correlation {correlation:g}, {name}"
            # Bounds of Student's t are approximate for skewed differences.
            if counts.mean() > 1.2 * sum(rates) + 4 * counts.std() / sqrt(simulations) + error:
                failures.append(f"{where}: {counts.mean():.2f} wrong passes")
            if options and some > 1.2 * ALPHA + error:
                failures.append(f"{where}: a wrong pass in {percent(some)}")
    headings = ("correlation of runs", "correction", "expected wrong passes, printed")
    return Table((*headings, "wrong passes", "samples with any"), rows, failures)


#: The numbers of queries after which a growing set is checked.
GROWTH = range(10, 301, 10)


def growing_study(simulations: int) -> Table:
    """Return how often a run that is worse by the margin passes, and when equal ones do."""
    rows, failures = [], []
    for name, pool in _populations():
        random = np.random.default_rng(SEED)
        wrong, needed = np.zeros(3), []
        for _ in range(simulations):
            pair = pool[:, random.integers(pool.shape[1])]
            centered = np.clip(pair - pair.mean(), -1.0, 1.0)
            values = centered[random.integers(0, len(pair), GROWTH[-1])]
            # Without a pass at alpha, there is none at a lower rate.
            once = [n for n in GROWTH if passes(values[:n], 0.0, ALPHA)]
            reduced = any(
                passes(values[:n], 0.0, always_valid_alpha(n, 2 * ALPHA) / 2) for n in once
            )
            wrong += bool(once), reduced, any(_passes_growing(values[:n], 0.0) for n in GROWTH)
            margin = pair.std() / 3
            needed.append(next((n for n in GROWTH if _passes_growing(values[:n], margin)), np.inf))
        rates = wrong / simulations
        most = np.sort(needed)[int(0.8 * simulations)]
        rows.append([name, *map(percent, rates), "more" if np.isinf(most) else f"{most:.0f}"])
        if rates[2] > ALPHA + monte_carlo_error(ALPHA, simulations):
            failures.append(f"{name}: {percent(rates[2])}")
    headings = ("differences", "alpha .05", "t at always_valid_alpha", "--growing")
    return Table((*headings, "queries until 80% of equal runs pass"), rows, failures)


def _populations() -> Iterator[tuple[str, Floats]]:
    """Yield differences of pairs of systems, (queries, pairs)."""
    for origin, scores in scores_by_measure(("nDCG@10", "RR")).items():
        for measure, values in scores.items():
            pairs = pair_differences(values)
            yield f"{origin}, {measure}", np.hstack([pairs, -pairs])
    others = np.linspace(-0.02, 0.02, 1_000)
    for share in (0.02, 0.05):
        lost = np.where(np.arange(1_000) < 1_000 * share, -0.5, others)
        yield f"{percent(share, 0)} lose .5, the others differ by about .01", lost[:, None]


def _passes_growing(differences: Floats, margin: float) -> bool:
    # That the bound of `always_valid_bound` is above, without its computation.
    return bets_win((differences + 1.0) / 2.0, (1.0 - margin) / 2.0, ALPHA)


@dataclass
class Series:
    """Releases in a row: each one that passes replaces the snapshot."""

    passed: int = 0
    loss: float = 0.0


def release(
    changes: Changes, loss: float, *, queries: int, margin: float, anchor: bool, spending: bool
) -> Series:
    """Return what is released after 20 runs that each lose more than the last one released."""
    series = Series()
    since = np.zeros(queries)
    for look in range(1, 21):
        change = changes.draw(queries, 2 * margin) - loss
        alpha = look_alpha(ALPHA, look, spending=spending)
        if passes(change, margin, alpha) and (not anchor or passes(since + change, margin, alpha)):
            since += change
            series.passed += 1
            series.loss += loss
    return series


def drift_study(simulations: int) -> Table:
    """Return what 20 releases in a row lose that each lose .004, or nothing, by margin .01."""
    margin = 0.01
    checks = {
        "snapshot": {"anchor": False, "spending": False},
        "snapshot and anchor": {"anchor": True, "spending": False},
        "snapshot and anchor, --spending": {"anchor": True, "spending": True},
    }
    rows, failures = [], []
    for loss in (0.004, 0.0):
        for queries in (QUERIES, 320):
            for name, options in checks.items():
                changes = Changes(SEED)
                found = [
                    release(changes, loss, queries=queries, margin=margin, **options)
                    for _ in range(simulations)
                ]
                lost = float(np.mean([each.loss for each in found]))
                over = float(np.mean([each.loss >= margin for each in found]))
                passed = float(np.mean([each.passed for each in found]))
                rows.append(
                    [f"{loss:g}", str(queries), name, f"{passed:.1f}", f"{lost:.4f}", percent(over)]
                )
                error = monte_carlo_error(ALPHA, simulations)
                where = f"loss {loss:g}, {queries} queries, {name}"
                if options["anchor"] and lost > margin:
                    failures.append(f"{where}: {lost:.4f} is lost")
                if options["spending"] and over > ALPHA + error:
                    failures.append(f"{where}: more than the margin lost in {percent(over)}")
    headings = ("loss of each release", "queries", "checked against", "of 20 pass")
    return Table((*headings, "lost in total", "more than .01 lost"), rows, failures)


def tuning_study(simulations: int) -> Table:
    """Return what is released if each change that helps on the gate's queries is kept."""
    rows, failures = [], []
    for name, every in (("100 looks", LOOKS), ("20 looks, then new ones", 20)):
        for correction in ("none", "--spending"):
            found = _tuned(simulations, every, CORRECTIONS[correction])
            measured, true, same, new = np.mean(found, axis=0)
            rows.append(
                [name, correction, f"{measured:+.3f}", f"{true:+.3f}", percent(same), percent(new)]
            )
            if every < LOOKS and true < -0.03:
                failures.append(f"{name}, {correction}: {true:+.3f}")
            if every == LOOKS and new > 0.5:
                failures.append(f"{name}, {correction}: {percent(new)} pass on new queries")
    headings = ("queries used for", "correction", "measured gain", "true gain")
    return Table((*headings, "passes on these queries", "passes on new ones"), rows, failures)


def _tuned(
    simulations: int, every: int, options: dict[str, int | bool]
) -> list[tuple[float, float, bool, bool]]:
    """Return the gain on the gate's queries, the true one, and the verdicts on both queries.

    Each change loses .001 on average. It is kept if the mean rises on the gate's queries and the
    run passes against the first system. When queries are replaced, the first system and the current
    one are compared on the new queries. If the current one does not pass, it is discarded.
    """
    loss, deviation, margin = 0.001, 0.03, 0.03
    changes = Changes(SEED)

    def elsewhere(kept: int) -> Floats:
        return sum((changes.draw(QUERIES, deviation) for _ in range(kept)), np.zeros(QUERIES)) - (
            kept * loss
        )

    found = []
    for _ in range(simulations):
        kept, since = 0, np.zeros(QUERIES)
        for number in range(LOOKS):
            look = number % every + 1
            if number and look == 1:
                since = elsewhere(kept)
                if not passes(since, margin, ALPHA):
                    kept, since = 0, np.zeros(QUERIES)
            change = changes.draw(QUERIES, deviation) - loss
            alpha = look_alpha(ALPHA, look, **options)  # type: ignore[arg-type]
            if change.mean() > 0 and passes(since + change, margin, alpha):
                kept, since = kept + 1, since + change
        same, new = passes(since, margin, ALPHA), passes(elsewhere(kept), margin, ALPHA)
        found.append((float(since.mean()), -kept * loss, same, new))
    return found

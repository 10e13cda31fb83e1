"""Means of human values that use a model's predictions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import Design, PredictedMean, mean_interval, predicted_mean


def sample(n: int = 60, queries: int = 300, noise: float = 0.3, seed: int = 0) -> tuple:
    random = np.random.default_rng(seed)
    model = random.random(queries)
    people = (1 - noise) * model + noise * random.random(queries)
    people[n:] = np.nan
    return people, model


def slope(y: np.ndarray, f: np.ndarray, least: float) -> float:
    """Return the shrunk slope of a regression, as the documentation defines it."""
    size = len(y)
    rate = np.cov(y, f)[0, 1] / max(f.var(ddof=1), least)
    r2 = np.corrcoef(f, y)[0, 1] ** 2
    return max(0.0, 1 - 2 * (1 - r2) / (r2 * (size - 2))) * float(rate)


@pytest.mark.parametrize("spread", [1.0, 0.5])
def test_the_estimate_is_the_cross_fitted_regression_estimator(spread: float) -> None:
    people, model = sample()
    n, size = 60, 300
    # With a spread of .5, the sample has a quarter of the usual variance.
    model[:n] = 0.6 + spread * (model[:n] - 0.6)
    least = model.var() / 2
    y, f = people[:n], model[:n] - model[n:].mean()
    assert (f.var(ddof=1) < least) == (spread < 1.0)
    own = np.arange(n)
    rates = np.array([slope(y[own != i], f[own != i], least) for i in own])
    used = rates * (1 - n / size)
    e = y - used * f
    rate = rates.mean()
    residuals, deviations = y - rates * f, f - f.mean()
    leverages = deviations / max(deviations @ deviations, least * n * (n - 1) / n)
    influences = (
        e - e.mean() - (1 - n / size) * f.mean() * n * leverages * (residuals - residuals.mean())
    )
    influences = (influences - influences.mean()) / (1 - (leverages * deviations).clip(max=0.5))
    variance = influences.var(ddof=1) / n + used.mean() ** 2 * model.var(ddof=1) / (size - n)
    found = predicted_mean(people, model)
    assert found.method == "combined"
    assert found.mean == pytest.approx(e.mean(), rel=1e-12)
    assert found.rate == pytest.approx(rate, rel=1e-12)
    assert found.standard_error == pytest.approx(variance**0.5, rel=1e-12)
    assert found.model_mean == pytest.approx(model.mean(), rel=1e-12)
    assert found.effective == pytest.approx(n * (y.var(ddof=1) / n) / variance, rel=1e-12)


def test_many_queries_give_the_estimate_of_prediction_powered_inference() -> None:
    people, model = sample(n=3000, queries=12_000)
    y, f, others = people[:3000], model[:3000], model[3000:]
    # PPI++ with its optimal rate, arXiv 2311.01453, section 6; the other queries are unlabeled.
    rate = np.cov(y, f)[0, 1] / model.var(ddof=1) / (1 + 3000 / 9000)
    mean = rate * others.mean() + (y - rate * f).mean()
    error = ((y - rate * f).var(ddof=1) / 3000 + rate**2 * others.var(ddof=1) / 9000) ** 0.5
    found = predicted_mean(people, model)
    assert found.mean == pytest.approx(mean, abs=0.02 * error)
    assert found.standard_error == pytest.approx(error, rel=0.02)


def test_values_have_the_mean_and_standard_error_of_the_estimate() -> None:
    people, model = sample()
    design = Design(300, weights=np.arange(300) % 7 + 1.0, clusters=np.arange(300) // 2)
    found = predicted_mean(people, model, design)
    assert found.design.mean(found.values) == pytest.approx(found.mean, rel=1e-12)
    assert found.design.standard_error(found.values) == pytest.approx(found.standard_error)


def test_rates_leave_out_the_own_cluster() -> None:
    people, model = sample()
    weights, clusters = np.arange(300) % 5 + 1.0, np.arange(300) // 3
    design = Design(300, weights=weights, clusters=clusters)
    found = predicted_mean(people, model, design)
    y, w, c = people[:60], weights[:60], clusters[:60]
    f = model[:60] - np.average(model[60:], weights=weights[60:])
    rest = weights[60:].sum() / weights.sum()
    u = np.bincount(c, w) / w.sum()
    size = min(found.design.degrees_of_freedom(y), (u @ u) ** 2 / (u**2 @ u**2) - 1)
    rates = np.empty(60)
    for unit in range(20):
        left = c != unit
        shares = w[left] / w[left].sum()
        a = np.bincount(c[left], shares * (y[left] - shares @ y[left]))
        b = np.bincount(c[left], shares * (f[left] - shares @ f[left]))
        r2 = (a @ b) ** 2 / (a @ a) / (b @ b)
        kept = max(0.0, 1 - 2 * (1 - r2) / (r2 * (size - 2)))
        rates[c == unit] = kept * (a @ b) / (b @ b)
    assert found.mean == pytest.approx(float(found.design.mean(y - rest * rates * f)), rel=1e-9)


@pytest.mark.parametrize("clusters", [None, "own"])
def test_equal_weights_and_clusters_of_one_query_change_nothing(clusters: str | None) -> None:
    people, model = sample()
    labels = None if clusters is None else np.arange(300)
    design = Design(300, weights=np.full(300, 2.0), clusters=labels)
    one, other = predicted_mean(people, model), predicted_mean(people, model, design)
    assert other.mean == pytest.approx(one.mean, rel=1e-12)
    assert other.standard_error == pytest.approx(one.standard_error, rel=1e-12)
    assert other.p_random == pytest.approx(one.p_random, rel=1e-9)


def test_a_constant_model_leaves_the_interval_of_people() -> None:
    people, _ = sample()
    found = predicted_mean(people, np.full(300, 0.5))
    assert (found.method, found.reason, found.rate) == ("people", "no-gain", 0.0)
    assert found.effective == 60
    y = people[:60]
    usual = mean_interval(float(y.mean()), float(y.std(ddof=1)), 60, low=0.0, high=1.0)
    assert found.interval(0.95, 0.0, 1.0) == pytest.approx(usual)
    assert found.people_interval(0.95, 0.0, 1.0) == pytest.approx(usual)


@pytest.mark.parametrize("wrong", [0, 1, 9])
def test_a_model_with_few_known_errors_is_not_used(wrong: int) -> None:
    people, _ = sample()
    model = np.where(np.isnan(people), 0.5, people)
    model[:wrong] = 1 - model[:wrong]
    found = predicted_mean(people, model)
    assert (found.method, found.reason) == ("people", "few-errors")
    model[:10] = 1 - people[:10]
    assert predicted_mean(people, model).reason != "few-errors"


def test_an_exactly_linear_model_is_not_used() -> None:
    people, _ = sample()
    model = np.where(np.isnan(people), 0.3, people / 2)
    assert predicted_mean(people, model).reason == "few-errors"


@pytest.mark.parametrize("n", [10, 15, 50])
def test_a_useless_model_with_rare_large_values_costs_nothing(n: int) -> None:
    """A sample that lacks the large values has a steep slope of the small ones."""
    random = np.random.default_rng(4)
    widths = np.zeros(2)
    for _ in range(300):
        people = np.where(np.arange(4 * n) < n, random.beta(2, 2, 4 * n), np.nan)
        rare = random.random(4 * n) < 0.04
        model = np.where(rare, 1.0, 0.001 * random.normal(size=4 * n))
        found = predicted_mean(people, model)
        for at, ends in enumerate([found.interval(), found.people_interval()]):
            assert ends is not None
            widths[at] += ends[1] - ends[0]
    assert widths[0] <= 1.03 * widths[1]


def test_heavy_weights_leave_an_interval() -> None:
    people, model = sample(n=12, queries=48)
    weights = np.where(np.arange(48) % 12 == 0, 50.0, 1.0)
    found = predicted_mean(people, model, Design(48, weights=weights))
    assert found.interval(0.95, 0.0, 1.0) is not None
    assert found.method == "people"


@pytest.mark.parametrize(
    ("y", "model", "least"),
    [
        ("skewed", "scattered", 0.93),
        ("reciprocal", "extremes", 0.93),
        ("usual", "multiplied", 0.93),
        ("rarely far", "rarely", 0.9),
    ],
)
def test_intervals_of_small_samples_cover_the_mean(y: str, model: str, least: float) -> None:
    """Predictions with outliers or of the spread of values: the hardest judges that are known."""
    random = np.random.default_rng(8)
    size, n, draws = 400, 20, 500
    many = 100_000
    rank = random.geometric(0.35, many)
    people = {
        "skewed": random.beta(0.4, 2.5, many),
        "reciprocal": np.where((rank > 10) | (random.random(many) < 0.25), 0.0, 1.0 / rank),
        "usual": random.beta(2.2, 1.6, many),
        "rarely far": 0.5
        + np.where(random.random(many) < 0.2, 0.5, 0.05) * random.uniform(-1, 1, many),
    }[y]
    noise = random.standard_normal(many)
    predicted = {
        "scattered": people + 0.1 * random.standard_t(2, many),
        "extremes": np.where(people > 0.9, 1.0, np.where(random.random(many) < 0.1, 0.9, 0.05)),
        "multiplied": people * (1 + 0.5 * noise),
        "rarely": abs(people - 0.5) > 0.05,
    }[model].clip(0, 1)
    covered = 0
    for _ in range(draws):
        drawn = random.integers(0, many, size)
        values = people[drawn]
        values[n:] = np.nan
        low, high = predicted_mean(values, predicted[drawn]).interval(0.95, 0.0, 1.0) or (0, 0)
        covered += low <= people.mean() <= high
    # Three standard errors below the target.
    assert covered / draws > least - 3 * (0.95 * 0.05 / draws) ** 0.5


def test_the_mean_over_all_samples_is_the_mean_of_all_queries() -> None:
    random = np.random.default_rng(3)
    model = random.random(13)
    people = model**3 + 0.1 * random.random(13)
    errors, alone = [], []
    for chosen in combinations(range(13), 10):
        values = np.full(13, np.nan)
        values[list(chosen)] = people[list(chosen)]
        found = predicted_mean(values, model)
        errors.append(found.mean - people.mean())
        alone.append(found.people_mean - people.mean())
    assert abs(np.mean(alone)) < 1e-12
    assert abs(np.mean(errors)) < 1e-3 * np.std(alone)
    assert np.std(errors) < 0.6 * np.std(alone)


def test_a_sample_of_easy_queries_is_not_random() -> None:
    people, model = sample()
    assert predicted_mean(people, model).p_random > 0.001
    model[:60] += 0.3
    assert predicted_mean(people, model).p_random < 0.001


def test_the_test_of_randomness_has_its_level() -> None:
    random = np.random.default_rng(5)
    model = random.random((600, 80))
    people = np.full(80, np.nan)
    people[:20] = random.random(20)
    p = np.array([predicted_mean(people, each).p_random for each in model])
    assert 0.03 < (p <= 0.05).mean() < 0.07


def test_judged_queries_that_do_not_count_are_a_part_of_the_sample() -> None:
    random = np.random.default_rng(1)
    size, n = 400, 100
    model = random.random(size)
    counts = model + 0.1 * random.random(size) > 0.3
    people = np.where(counts, model * 0.8 + 0.1 * random.random(size), np.nan)
    true = np.nanmean(people)
    errors = []
    for _ in range(200):
        drawn = random.permutation(size)[:n]
        judged = np.zeros(size, bool)
        judged[drawn] = True
        found = predicted_mean(np.where(judged, people, np.nan), model, judged=judged)
        alone = float(np.nanmean(people[drawn]))
        assert found.people_mean == pytest.approx(alone)
        errors.append((found.mean - true, alone - true))
    bias, deviation = np.mean(errors, axis=0), np.std(errors, axis=0)
    assert abs(bias[0]) < 4 * deviation[0] / 200**0.5 + 0.1 * deviation[1]
    assert deviation[0] < 0.8 * deviation[1]


def test_an_interval_of_a_better_judge_is_narrower() -> None:
    def width(found: PredictedMean) -> float:
        low, high = found.interval(0.95, 0.0, 1.0) or (0.0, 1.0)
        return high - low

    widths = [width(predicted_mean(*sample(noise=noise))) for noise in (0.1, 0.3, 0.5)]
    assert widths == sorted(widths)


@pytest.mark.parametrize(
    ("n", "change", "message"),
    [
        (9, None, "9 human-judged"),
        (0, None, "0 human-judged"),
        (20, "nan", "not finite"),
        (20, "short", "shape"),
        (20, "strata", "strata"),
    ],
)
def test_what_cannot_be_estimated_is_refused(n: int, change: str | None, message: str) -> None:
    people, model = sample(n=n)
    design = None
    if change == "nan":
        model[3] = np.nan
    elif change == "short":
        model = model[:-1]
    elif change == "strata":
        design = Design(300, strata=np.arange(300) % 2)
    with pytest.raises(ParameterError, match=message):
        predicted_mean(people, model, design)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_of_the_effective_number_is_a_jackknife_of_fishers_z(level: float) -> None:
    from scipy import stats

    random = np.random.default_rng(5)
    model = random.gamma(2.0, 1.0, 160)
    people = 0.5 * model + random.normal(0.0, 0.5, 160)
    people[40:] = np.nan
    estimate = predicted_mean(people, model)
    y, f = people[:40], model[:40]

    def fisher(rows: np.ndarray) -> float:
        return float(np.arctanh(np.corrcoef(y[rows], f[rows])[0, 1]))

    without = [fisher(np.delete(np.arange(40), query)) for query in range(40)]
    error = max(np.std(without) * 39**0.5, 37**-0.5)
    half = stats.t.ppf((1 + level) / 2, 38) * error
    expected = [
        40 / (1 - 0.75 * np.tanh(fisher(np.arange(40)) + side * half) ** 2) for side in (-1, 1)
    ]
    expected[0] = min(expected[0], estimate.effective)
    assert estimate.effective_interval(level) == pytest.approx(expected, rel=1e-9)
    assert 40 < estimate.effective < expected[1]
    clusters = predicted_mean(people, model, Design(160, clusters=np.arange(160) // 2))
    assert clusters.effective_interval(level) is not None


def test_people_alone_have_no_interval_of_the_effective_number() -> None:
    people = np.concatenate([np.linspace(0.0, 1.0, 20), np.full(40, np.nan)])
    estimate = predicted_mean(people, np.tile([0.2, 0.8], 30))
    assert (estimate.method, estimate.effective_interval()) == ("people", None)

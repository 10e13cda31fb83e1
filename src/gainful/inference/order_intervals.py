"""Confidence intervals of the rank correlation of two orders of systems."""

from __future__ import annotations

import numpy as np

from gainful.errors import ParameterError
from gainful.inference.design import Design
from gainful.inference.rank_correlation import kendall_tau, tau_ap_b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = ["FEWEST_UNITS", "correlation_interval"]

#: With fewer queries or clusters, no interval is computed. Chosen by simulation (docs/evidence).
FEWEST_UNITS = 8

#: The most numbers in memory in a block of resamples.
_ROOM = 4_000_000
#: Populations between the observed orders and full agreement.
_STEPS = 10


def correlation_interval(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    design: Design | None = None,
    *,
    statistic: str = "tau_b",
    level: float = 0.95,
    resamples: int = 1_999,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Return a confidence interval of the rank correlation of two orders of systems.

    The same systems are ordered by their means under two measures, raters or conventions. The
    interval is for the correlation of the two orders over all queries from which these are a
    sample.

    Parameters
    ----------
    first, second : array_like, shape (n, m)
        The values of m systems on n queries, on both sides. A row of NaN is a query that does not
        count on that side.
    design : Design, optional
        The weights and clusters of the queries. Default: independent queries of equal weight.
    statistic : {"tau_b", "tau_ap_b"}
        The correlation: `kendall_tau` or `tau_ap_b`.
    level : float, default 0.95
        The confidence level.
    resamples : int, default 1,999
        The number of bootstrap resamples of the queries, or of their clusters.
    seed : int, default 0
        The random seed.

    Returns
    -------
    tuple of float or None
        Lower and upper end, from -1 to 1; ``None`` for fewer than two systems or `FEWEST_UNITS`
        queries or clusters, or if the correlation is not defined.

    Raises
    ------
    ParameterError
        For arrays of different or unsuitable shapes, an unknown statistic, a level that is not
        between 0 and 1, fewer than 1 resample, or a design with strata.

    Notes
    -----
    Sampling errors reorder systems with similar means, independently on both sides or nearly so.
    The correlation of a sample is therefore biased away from full agreement, and that of a
    bootstrap resample even more. The lower end is the percentile of the bootstrap, which this bias
    makes safe. The percentile would be too low as the upper end. The upper end is found by
    inverting a bootstrap test instead: it is the largest correlation among populations from which a
    sample with a correlation as low as the observed one comes with a probability of at least
    (1 - level) / 2. Each population has the means next to the observed ones (least squares, by
    isotonic regression) that are in an order between the two observed orders, from the observed
    ones to their average. Systems that must be exchanged for this become tied, which makes their
    order in a sample as uncertain as possible. The interval is usually conservative.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal([0.2, 0.4, 0.5, 0.6], 0.3, size=(50, 4))
    >>> other = scores + rng.normal(0, 0.3, size=(50, 4))
    >>> low, high = correlation_interval(scores, other)
    >>> round(low, 2), high
    (0.67, 1.0)
    """
    one, two = _tables(first, second)
    design = Design(len(one)) if design is None else design
    _check(statistic, level, resamples, design)
    compute, observed_of = _STATISTICS[statistic]
    if one.shape[1] < 2 or design.units < FEWEST_UNITS:
        return None
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(design.units, np.full(design.units, 1 / design.units), resamples)
    means, drawn = zip(*(_resample(side, design, counts) for side in (one, two)), strict=True)
    observed = observed_of(*(np.round(side, 12).tolist() for side in means))
    found = compute(*drawn)
    found = found[~np.isnan(found)]
    if observed is None or 2 * len(found) <= resamples:
        return None
    tail = (1.0 - level) / 2
    low, high = np.quantile(found, [tail, 1.0 - tail])
    high = max(float(high), observed)
    for fitted in _populations(*means):
        correlation = float(compute(*(side[None, :] for side in fitted))[0])
        if correlation <= high:
            break
        # The errors of a resample are added to the means of the population.
        shifted = (own - mean + new for own, mean, new in zip(drawn, means, fitted, strict=True))
        if np.nanquantile(compute(*shifted), tail) <= observed:
            high = correlation
            break
    return min(float(low), observed), high


def _resample(
    values: Floats, design: Design, counts: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return the means of the systems, (m,), and their means in resamples, (resamples, m)."""
    present: npt.NDArray[np.bool_] = np.asarray(~np.isnan(values).any(axis=1))
    shares = np.where(present, design.shares, 0.0)
    sums = design.gather(shares[:, None] * np.where(present[:, None], values, 0.0))
    totals = design.gather(shares[:, None])[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums.sum(axis=0) / totals.sum(), (counts @ sums) / (counts @ totals)[:, None]


def _populations(first: Floats, second: Floats) -> list[tuple[Floats, Floats]]:
    """Return means of populations by descending agreement of their two orders."""
    one, two = (_standardized(side) for side in (first, second))
    middle = (one + two) / 2
    found = []
    for step in range(_STEPS, 0, -1):
        share = step / _STEPS
        orders = (own + share * (middle - own) for own in (one, two))
        found.append((_fit(first, next(orders)), _fit(second, next(orders))))
    return found


def _standardized(means: Floats) -> Floats:
    spread = means.std()
    standardized: Floats = (means - means.mean()) / (spread if spread else 1.0)
    return standardized


def _fit(means: Floats, order: Floats) -> Floats:
    """Return the means next to the given ones that are in an order: isotonic regression."""
    ranking = np.argsort(-order, kind="stable")
    blocks: list[tuple[float, int]] = []
    for value in means[ranking].tolist():
        total, size = value, 1
        # Pool adjacent violators.
        while blocks and blocks[-1][0] / blocks[-1][1] <= total / size:
            total, size = total + blocks[-1][0], size + blocks[-1][1]
            blocks.pop()
        blocks.append((total, size))
    fitted = np.empty_like(means)
    fitted[ranking] = np.repeat(
        [total / size for total, size in blocks], [size for _, size in blocks]
    )
    # Tied systems are in the given order, by less than any sampling error.
    tilt = np.empty_like(means)
    tilt[ranking] = np.arange(len(means))[::-1]
    return fitted + tilt * 1e-7 * (np.ptp(means) or 1.0) / len(means)


def _tau_b(first: Floats, second: Floats) -> Floats:
    """Return `kendall_tau` of the rows of two arrays, (k, m)."""
    above, below = np.triu_indices(first.shape[1], 1)

    def signs(means: Floats) -> Floats:
        signed: Floats = np.sign(np.round(means[:, above] - means[:, below], 12))
        return signed

    def compute(one: Floats, two: Floats) -> Floats:
        first_signs, second_signs = signs(one), signs(two)
        apart = (first_signs**2).sum(axis=1) * (second_signs**2).sum(axis=1)
        found: Floats = (first_signs * second_signs).sum(axis=1) / np.sqrt(apart)
        return found

    return _in_blocks(first, second, compute)


def _tau_ap_b(first: Floats, second: Floats) -> Floats:
    """Return `tau_ap_b` of the rows of two arrays, (k, m)."""

    def compute(one: Floats, two: Floats) -> Floats:
        ups = [_above(np.round(means, 12)) for means in (one, two)]
        both = (ups[0] & ups[1]).sum(axis=2)
        sides = []
        for up in ups:
            number = up.sum(axis=2)
            shares = np.where(number > 0, both / np.maximum(number, 1), 0.0)
            sides.append(2.0 * shares.sum(axis=1) / (number > 0).sum(axis=1) - 1.0)
        found: Floats = (sides[0] + sides[1]) / 2.0
        return found

    return _in_blocks(first, second, compute)


def _above(means: Floats) -> npt.NDArray[np.bool_]:
    """Return which systems are above each system, (k, m, m)."""
    above: npt.NDArray[np.bool_] = means[:, None, :] > means[:, :, None]
    return above


def _in_blocks(
    first: Floats, second: Floats, compute: Callable[[Floats, Floats], Floats]
) -> Floats:
    """Return a statistic of the rows of two arrays, some rows at a time; NaN if not defined."""
    step = max(1, _ROOM // first.shape[1] ** 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.concatenate(
            [
                compute(first[at : at + step], second[at : at + step])
                for at in range(0, len(first), step)
            ]
        )


_STATISTICS = {"tau_b": (_tau_b, kendall_tau), "tau_ap_b": (_tau_ap_b, tau_ap_b)}


def _tables(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Floats, Floats]:
    one, two = (np.asarray(each, dtype=np.float64) for each in (first, second))
    if one.ndim != 2 or one.shape != two.shape or not len(one):
        raise ParameterError(
            where="correlation_interval",
            found=f"values of shapes {one.shape} and {two.shape}",
            expected="a value for each query and system on both sides",
        )
    return one, two


def _check(statistic: str, level: float, resamples: int, design: Design) -> None:
    if statistic not in _STATISTICS:
        raise ParameterError(
            where="statistic", found=repr(statistic), expected=f"one of {', '.join(_STATISTICS)}"
        )
    if not 0.0 < level < 1.0:
        raise ParameterError(where="level", found=repr(level), expected="between 0 and 1")
    if resamples < 1:
        raise ParameterError(where="resamples", found=repr(resamples), expected="1 or more")
    if design.strata > 1:
        raise ParameterError(where="design", found="strata", expected="queries of one collection")

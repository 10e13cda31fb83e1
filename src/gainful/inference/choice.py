"""Correct for selection bias: the best of several systems chosen on the same queries."""

from __future__ import annotations

from numbers import Integral

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, Floats, design_for
from gainful.keywords import suggest_keywords
from gainful.parameters.comparing import SEED
from gainful.records import Interval, Record, field

__all__ = ["ChosenBest", "chosen_best"]

#: Closer means are treated as equal, because sums over different queries round differently.
_SAME = 1e-12

#: Fewer units have too few distinct resamples.
_LEAST_UNITS = 5

#: The most numbers in memory at once.
_BATCH = 4_000_000


class ChosenBest(Record):
    """The estimated value of the best of several systems on other queries."""

    best: int = field(key="")
    """The column with the largest mean; the first of equal ones."""
    measured: float
    """Its mean on the queries that chose it, which is biased upwards."""
    expected: float | None
    """The cross-validated mean of the chosen column; None for a single unit."""
    interval: Interval | None
    """Its confidence interval; None for fewer than 5 units."""
    chosen: tuple[float, ...] = field(key="")
    """The share of cross-validation choices of each column."""
    folds: int = field(key="")
    """The number of folds for `expected`."""
    repeats: int = field(key="")
    """The number of repeats for `expected`."""
    resamples: int = field(key="")
    """The number of resamples for the interval."""


@suggest_keywords
def chosen_best(
    values: npt.ArrayLike,
    design: Design | None = None,
    *,
    scored: npt.ArrayLike | None = None,
    folds: int = 10,
    repeats: int = 20,
    resamples: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
) -> ChosenBest:
    """Select the best of several systems, and estimate its value on other queries.

    The largest of several means is biased upwards. Therefore the best system is chosen on some of
    the queries and evaluated on the others.

    Parameters
    ----------
    values : array_like, shape (n, m)
        The finite values of m systems on n queries that decide the choice; larger is better.
    design : Design, optional
        Weights and clusters, but no strata. Clusters are never divided. Default: equal weights.
    scored : array_like, shape (n, m), optional
        The values to report for the chosen system, such as another measure, or differences from a
        baseline. Default: `values`.
    folds : int, default 10
        Number of cross-validation folds, at least 2 and at most the number of units.
    repeats : int, default 20
        Number of random divisions into folds.
    resamples : int, default 2,000
        Number of bootstrap resamples for the interval.
    level : float, default 0.95
        The confidence level.
    seed : int, default 0
        The random seed, from 0 to 2^64 - 1.

    Returns
    -------
    ChosenBest

    Raises
    ------
    ParameterError
        For values that are not finite, shapes that differ, strata, or numbers out of range.

    Notes
    -----
    `expected` is the mean, over all queries and repeats, of the value of the system that is best on
    the other folds: M. Stone, Cross-validatory choice and assessment of statistical predictions,
    Journal of the Royal Statistical Society B 36(2), 1974; G. C. Cawley and N. L. C. Talbot, On
    over-fitting in model selection and subsequent selection bias in performance evaluation, Journal
    of Machine Learning Research 11, 2010. It is slightly too low, because each choice uses only
    1 - 1/folds of the queries.

    The interval is a percentile interval: units are drawn with replacement, the best system is
    chosen on the drawn units and evaluated on the others: I. Tsamardinos, E. Greasidou
    and G. Borboudakis, Bootstrapping the out-of-sample predictions for efficient and accurate
    cross-validation, Machine Learning 107, 2018. Only about 37% of the units are left out, so the
    interval is conservative. It is widened to contain `expected`.

    Examples
    --------
    Twenty systems that are all equal, on forty queries:

    >>> import numpy as np
    >>> noise = np.random.RandomState(7).normal(size=(40, 20))
    >>> found = chosen_best(0.5 + 0.1 * noise)
    >>> round(found.measured, 3), round(found.expected, 3)
    (0.522, 0.486)
    >>> found.interval.low < 0.5 < found.interval.high
    True
    """
    sampling = design_for(_values(values, "values"), design)
    by = sampling.columns(values)
    measured_by = by if scored is None else sampling.columns(_values(scored, "scored"))
    if measured_by.shape != by.shape:
        raise ParameterError(
            where="scored", found=f"an array of shape {measured_by.shape}", expected=f"{by.shape}"
        )
    if sampling.strata > 1:
        raise ParameterError(where="design", found="strata", expected="none")
    _check(folds, repeats, resamples, level, seed)
    shares = sampling.unit_shares()
    # The contribution of each unit to the sums, and to the divisor.
    adds, scores = sampling.contributions(by), sampling.contributions(measured_by)
    best = int(_first_best(adds.sum(axis=0)[None])[0])
    measured = float(sampling.mean(measured_by)[best])
    parts = min(int(folds), sampling.units)
    chosen = np.zeros(by.shape[1])
    if parts < 2:
        chosen[best] = 1.0
        return ChosenBest(
            best=best,
            measured=measured,
            expected=None,
            interval=None,
            chosen=tuple(chosen.tolist()),
            folds=0,
            repeats=0,
            resamples=0,
        )
    random = np.random.Philox(int(seed))
    means = []
    # Leave-one-out has only one division into folds.
    rounds = int(repeats) if parts < sampling.units else 1
    for _ in range(rounds):
        total, choices = _divided(
            adds, scores, shares, _labels(random, sampling.units, parts), parts
        )
        means.append(total)
        chosen += np.bincount(choices, minlength=len(chosen))
    expected = float(np.mean(means))
    interval = None
    if sampling.units >= _LEAST_UNITS:
        estimates = _left_out(adds, scores, shares, int(resamples), random)
        ends = np.quantile(estimates, [(1 - level) / 2, (1 + level) / 2])
        interval = Interval(min(float(ends[0]), expected), max(float(ends[1]), expected))
    return ChosenBest(
        best=best,
        measured=measured,
        expected=expected,
        interval=interval,
        chosen=tuple((chosen / chosen.sum()).tolist()),
        folds=parts,
        repeats=rounds,
        resamples=0 if interval is None else int(resamples),
    )


def _divided(
    adds: Floats, scores: Floats, shares: Floats, labels: npt.NDArray[np.intp], parts: int
) -> tuple[float, npt.NDArray[np.intp]]:
    """Return the cross-validated mean of the selected systems, and the selections."""
    sums = np.zeros((parts, adds.shape[1]))
    np.add.at(sums, labels, adds)
    totals = np.bincount(labels, shares, parts)
    others = (sums.sum(axis=0) - sums) / np.maximum(totals.sum() - totals, _SAME)[:, None]
    choices = _first_best(others)
    return float(scores[np.arange(len(scores)), choices[labels]].sum() / shares.sum()), choices


def _left_out(
    adds: Floats, scores: Floats, shares: Floats, resamples: int, random: np.random.Philox
) -> Floats:
    """Return out-of-bag means of the systems selected on resampled units."""
    units, systems = adds.shape
    batch = max(1, min(resamples, _BATCH // max(units, systems)))
    estimates = []
    done = 0
    while done < resamples:
        count = min(batch, resamples - done)
        drawn = (_uniform(random, count * units) * units).astype(np.intp).reshape(count, units)
        times = np.zeros((count, units))
        np.add.at(times, (np.arange(count)[:, None], drawn), 1.0)
        inside = times @ shares
        choices = _first_best(times @ adds / np.maximum(inside, _SAME)[:, None])
        out = times == 0.0
        weight = out @ shares
        sums = np.where(out, scores.T[choices], 0.0).sum(axis=1)
        there = (weight > 0.0) & (inside > 0.0)
        estimates.append(sums[there] / weight[there])
        done += count
    return np.concatenate(estimates)


def _first_best(means: Floats) -> npt.NDArray[np.intp]:
    """Return the index of the first maximum of each row."""
    near = means >= means.max(axis=1, keepdims=True) - _SAME
    first: npt.NDArray[np.intp] = near.argmax(axis=1)
    return first


def _labels(random: np.random.Philox, units: int, parts: int) -> npt.NDArray[np.intp]:
    """Divide units randomly into parts whose sizes differ by at most one."""
    order = np.argsort(_uniform(random, units), kind="stable")
    labels = np.empty(units, np.intp)
    labels[order] = np.arange(units) % parts
    return labels


def _uniform(random: np.random.Philox, count: int) -> Floats:
    """Return numbers in [0, 1) from raw bits, which do not depend on the version of NumPy."""
    bits = np.asarray(random.random_raw(count), dtype=np.uint64) >> np.uint64(11)
    numbers: Floats = bits.astype(np.float64) * 2.0**-53
    return numbers


def _values(values: npt.ArrayLike, where: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or 0 in array.shape:
        raise ParameterError(
            where=where,
            found=f"an array of shape {array.shape}",
            expected="queries by systems, at least one of each",
        )
    if not np.isfinite(array).all():
        raise ParameterError(where=where, found="a value that is not finite", expected="numbers")
    return array


def _check(folds: int, repeats: int, resamples: int, level: float, seed: int) -> None:
    for name, number, least in (("folds", folds, 2), ("repeats", repeats, 1)):
        if not isinstance(number, Integral) or number < least:
            raise ParameterError(
                where=name, found=repr(number), expected=f"a whole number of {least} or more"
            )
    if not isinstance(resamples, Integral) or resamples < 100:
        raise ParameterError(
            where="resamples", found=repr(resamples), expected="a whole number of 100 or more"
        )
    if not 0 < level < 1:
        raise ParameterError(where="level", found=repr(level), expected="a number between 0 and 1")
    SEED.check(seed)

"""Horvitz-Thompson estimates and their ratios for one query and one run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Cells", "Estimated", "average_precision", "covariance", "ratio", "total"]


@dataclass(frozen=True, slots=True)
class Cells:
    """The drawn documents of a stratum.

    Attributes
    ----------
    size : int
        The number of documents it was drawn from.
    units : list of (float, float, int or None)
        For each drawn document: its gain, which is 0 if it is not relevant; the weight of its rank,
        which is 0 below the cutoff; and its rank, None below the cutoff.
    """

    size: int
    units: Sequence[tuple[float, float, int | None]]

    @property
    def expansion(self) -> float:
        """The inverse of the inclusion probability."""
        return self.size / len(self.units)


@dataclass(frozen=True, slots=True)
class Estimated:
    """An estimate for one query.

    Attributes
    ----------
    value : float or None
        The estimate; None if no relevant document was drawn.
    bias : float or None
        Its estimated bias; None if it cannot be estimated.
    variance : float or None
        The estimated variance of a sum over samples of this query; None for a ratio, or if it
        cannot be estimated.
    top, bottom : float
        The estimated sum, and what it is divided by, such as the ideal.
    """

    value: float | None
    bias: float | None
    variance: float | None
    top: float
    bottom: float


def total(strata: Sequence[Cells]) -> Estimated:
    """Estimate the sum of gain times weight over all documents, without bias.

    Notes
    -----
    D. G. Horvitz, D. J. Thompson: A generalization of sampling without replacement from a finite
    universe. Journal of the American Statistical Association 47(260), 1952. The variance of a
    stratum with n of N documents is N^2 (1 - n / N) s^2 / n.

    Examples
    --------
    >>> total([Cells(1, [(3.0, 1.0, 1)]), Cells(4, [(1.0, 0.5, 3), (0.0, 0.4, 4)])])
    Estimated(value=4.0, bias=0.0, variance=0.5, top=4.0, bottom=1.0)
    """
    value, variance = 0.0, 0.0
    for each in strata:
        terms = [gain * weight for gain, weight, _ in each.units]
        value += each.expansion * sum(terms)
        variance += covariance(each, terms, terms)
    return Estimated(value, 0.0, None if _is_single(strata) else variance, value, 1.0)


def ratio(
    strata: Sequence[Cells],
    ideal: Callable[[dict[float, float]], float],
    nothing: float | None,
    *,
    has_bias: bool = True,
) -> Estimated:
    """Estimate gain times weight as a share of an ideal, with a jackknife estimate of the bias.

    Parameters
    ----------
    strata : sequence of Cells
        The drawn documents.
    ideal : callable
        The ideal from the estimated number of documents by gain.
    nothing : float or None
        The value if no relevant document is drawn.
    has_bias : bool
        Whether to estimate the bias.

    Notes
    -----
    The stratified jackknife leaves out each document in turn and gives its weight to the others of
    its stratum: H. L. Jones: Jackknife estimation of functions of stratum means. Biometrika 61(2),
    1974. bias = Σ_h (1 - f_h) (n_h - 1) (mean of the leave-one-out estimates - estimate).
    """
    counts: dict[float, float] = {}
    top = 0.0
    for each in strata:
        for gain, weight, _ in each.units:
            top += each.expansion * gain * weight
            if gain > 0.0:
                counts[gain] = counts.get(gain, 0.0) + each.expansion
    below = ideal(counts)
    if not below > 0.0:
        return Estimated(nothing, None, None, top, below)
    value = top / below
    if not has_bias or _is_single(strata):
        return Estimated(value, None, None, top, below)
    bias = 0.0
    for each in strata:
        n = len(each.units)
        if n == each.size:
            continue
        before, after = each.expansion, each.size / (n - 1)
        own = Counter(gain for gain, _, _ in each.units if gain > 0.0)
        sum_own = sum(gain * weight for gain, weight, _ in each.units)
        ideals: dict[float, float] = {}
        left = []
        for (gain, term), number in Counter((g, g * w) for g, w, _ in each.units).items():
            if gain not in ideals:
                ideals[gain] = ideal(
                    {
                        grade: count - before * own[grade] + after * (own[grade] - (grade == gain))
                        for grade, count in counts.items()
                    }
                )
            lower = ideals[gain]
            upper = top - before * sum_own + after * (sum_own - term)
            if lower > 1e-12:
                left.append((upper / lower, number))
            else:
                left.append((value if nothing is None else nothing, number))
        mean = sum(number * each for each, number in left) / n
        bias += (1.0 - n / each.size) * (n - 1) * (mean - value)
    return Estimated(value, bias, None, top, below)


def average_precision(
    strata: Sequence[Cells], nothing: float | None, *, has_bias: bool = True
) -> Estimated:
    """Estimate average precision, with its bias by linearization.

    Parameters
    ----------
    strata : sequence of Cells
        The drawn documents; a gain above 0 is relevant.
    nothing : float or None
        The value if no relevant document is drawn.
    has_bias : bool
        Whether to estimate the bias.

    Notes
    -----
    The sum of the precision at the ranks of relevant documents is Σ_i 1 / r_i + Σ_{j before i}
    1 / r_i over relevant documents i and j. Each term is divided by the inclusion probability of
    its documents, for two of the n of N documents of a stratum n (n - 1) / (N (N - 1)), so that the
    sum has no bias: V. Pavlu, J. Aslam: A practical sampling strategy for efficient retrieval
    evaluation. Northeastern University, 2007. The ratio of A to the estimated number B of relevant
    documents has the bias (A / B V(B) - C(A, B)) / B^2: W. G. Cochran: Sampling Techniques, 3rd
    edition, 1977, section 6.8.
    """
    relevant = [
        (at, rank) for at, each in enumerate(strata) for gain, _, rank in each.units if gain > 0.0
    ]
    count = sum(strata[at].expansion for at, _ in relevant)
    if not count > 0.0:
        return Estimated(nothing, None, None, 0.0, count)
    ranked = sorted((rank, at) for at, rank in relevant if rank is not None)
    # The derivative of the sum by the weight of each relevant document.
    slopes: dict[int, float] = {}
    top = 0.0
    for place, (rank, at) in enumerate(ranked):
        # The expected number of relevant documents before it, given that it is drawn.
        before = sum(_expansion_given(strata[other], at == other) for _, other in ranked[:place])
        after = sum(
            _expansion_given(strata[other], at == other) / low for low, other in ranked[place + 1 :]
        )
        top += strata[at].expansion * (1.0 + before) / rank
        slopes[rank] = (1.0 + before) / rank + after
    value = top / count
    if not has_bias or _is_single(strata):
        return Estimated(value, None, None, top, count)
    bias = 0.0
    for each in strata:
        ones = [1.0 if gain > 0.0 else 0.0 for gain, _, _ in each.units]
        sums = [
            slopes.get(rank, 0.0) if gain > 0.0 and rank is not None else 0.0
            for gain, _, rank in each.units
        ]
        errors = [slope - value * one for slope, one in zip(sums, ones, strict=True)]
        bias -= covariance(each, errors, ones) / count**2
    return Estimated(value, bias, None, top, count)


def _expansion_given(stratum: Cells, same: bool) -> float:
    """Return 1 / the probability of a document, given that one of its stratum (or not) is drawn."""
    n = len(stratum.units)
    return (stratum.size - 1) / (n - 1) if same else stratum.size / n


def covariance(stratum: Cells, ones: Sequence[float], others: Sequence[float]) -> float:
    """Return the covariance over samples of two estimated totals of a stratum.

    Parameters
    ----------
    stratum : Cells
        The drawn documents.
    ones, others : sequence of float
        The terms of both totals by document.
    """
    n = len(stratum.units)
    if n == stratum.size or n < 2:
        return 0.0
    one, other = sum(ones) / n, sum(others) / n
    products = sum((x - one) * (y - other) for x, y in zip(ones, others, strict=True))
    return stratum.size**2 * (1.0 - n / stratum.size) * products / (n - 1) / n


def _is_single(strata: Sequence[Cells]) -> bool:
    """Return whether a stratum has a single drawn document of several, and so no variance."""
    return any(len(each.units) == 1 < each.size for each in strata)

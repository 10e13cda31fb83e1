"""Samples of judgments: plans, the documents drawn, and the estimators of each plan."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from gainful.conventions import get
from gainful.errors import ConventionError, MeasureError
from gainful.evaluation.call import evaluate_runs
from gainful.policies import POLICIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.data.samples import Stratum
    from gainful.measures import Measure

__all__ = [
    "UNBIASED",
    "Cells",
    "Documents",
    "Estimated",
    "QueryEstimate",
    "SamplingPlan",
    "check_convention",
    "covariance",
    "documents_of",
    "plan_measure",
    "usual_measures",
]


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
    for stratum in strata:
        terms = [gain * weight for gain, weight, _ in stratum.units]
        value += stratum.expansion * sum(terms)
        variance += covariance(stratum, terms, terms)
    return Estimated(value, 0.0, None if _is_single(strata) else variance, value, 1.0)


def ratio(
    strata: Sequence[Cells],
    ideal: Callable[[dict[float, float]], float],
    nothing: float | None,
    *,
    has_bias: bool = True,
) -> Estimated:
    """Estimate gain times weight as a share of an ideal, with a jackknife estimate of the bias.

    Notes
    -----
    The stratified jackknife leaves out each document in turn and gives its weight to the others of
    its stratum: H. L. Jones: Jackknife estimation of functions of stratum means. Biometrika 61(2),
    1974. bias = Σ_h (1 - f_h) (n_h - 1) (mean of the leave-one-out estimates - estimate).
    """
    counts: dict[float, float] = {}
    top = 0.0
    for stratum in strata:
        for gain, weight, _ in stratum.units:
            top += stratum.expansion * gain * weight
            if gain > 0.0:
                counts[gain] = counts.get(gain, 0.0) + stratum.expansion
    below = ideal(counts)
    if not below > 0.0:
        return Estimated(nothing, None, None, top, below)
    value = top / below
    if not has_bias or _is_single(strata):
        return Estimated(value, None, None, top, below)
    bias = 0.0
    for stratum in strata:
        n = len(stratum.units)
        if n == stratum.size:
            continue
        before, after = stratum.expansion, stratum.size / (n - 1)
        counter = Counter(gain for gain, _, _ in stratum.units if gain > 0.0)
        sum_own = sum(gain * weight for gain, weight, _ in stratum.units)
        ideals: dict[float, float] = {}
        left = []
        for (gain, term), number in Counter((g, g * w) for g, w, _ in stratum.units).items():
            if gain not in ideals:
                ideals[gain] = ideal(
                    {
                        grade: count
                        - before * counter[grade]
                        + after * (counter[grade] - (grade == gain))
                        for grade, count in counts.items()
                    }
                )
            lower = ideals[gain]
            upper = top - before * sum_own + after * (sum_own - term)
            if lower > 1e-12:
                left.append((upper / lower, number))
            else:
                left.append((value if nothing is None else nothing, number))
        mean = sum(number * value for value, number in left) / n
        bias += (1.0 - n / stratum.size) * (n - 1) * (mean - value)
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
        (index, rank)
        for index, stratum in enumerate(strata)
        for gain, _, rank in stratum.units
        if gain > 0.0
    ]
    count = sum(strata[place].expansion for place, _ in relevant)
    if not count > 0.0:
        return Estimated(nothing, None, None, 0.0, count)
    ranked = sorted((rank, place) for place, rank in relevant if rank is not None)
    # The derivative of the sum by the weight of each relevant document.
    slopes: dict[int, float] = {}
    top = 0.0
    for place, (rank, place_in_list) in enumerate(ranked):
        # The expected number of relevant documents before it, given that it is drawn.
        before = sum(
            _expansion_given(strata[other], place_in_list == other) for _, other in ranked[:place]
        )
        after = sum(
            _expansion_given(strata[other], place_in_list == other) / low
            for low, other in ranked[place + 1 :]
        )
        top += strata[place_in_list].expansion * (1.0 + before) / rank
        slopes[rank] = (1.0 + before) / rank + after
    value = top / count
    if not has_bias or _is_single(strata):
        return Estimated(value, None, None, top, count)
    bias = 0.0
    for layer in strata:
        ones = [1.0 if gain > 0.0 else 0.0 for gain, _, _ in layer.units]
        sums = [
            slopes.get(rank, 0.0) if gain > 0.0 and rank is not None else 0.0
            for gain, _, rank in layer.units
        ]
        errors = [slope - value * one for slope, one in zip(sums, ones, strict=True)]
        bias -= covariance(layer, errors, ones) / count**2
    return Estimated(value, bias, None, top, count)


def _expansion_given(stratum: Cells, same: bool) -> float:
    """Return 1 / the probability of a document, given that one of its stratum (or not) is drawn."""
    n = len(stratum.units)
    return (stratum.size - 1) / (n - 1) if same else stratum.size / n


def covariance(stratum: Cells, ones: Sequence[float], others: Sequence[float]) -> float:
    """Return the covariance over samples of two estimated totals of a stratum."""
    n = len(stratum.units)
    if n == stratum.size or n < 2:
        return 0.0
    one, other = sum(ones) / n, sum(others) / n
    products = sum((x - one) * (y - other) for x, y in zip(ones, others, strict=True))
    return stratum.size**2 * (1.0 - n / stratum.size) * products / (n - 1) / n


def _is_single(strata: Sequence[Cells]) -> bool:
    """Return whether a stratum has a single drawn document of several, and so no variance."""
    return any(len(stratum.units) == 1 < stratum.size for stratum in strata)


#: The measures that are sums over documents, so that their estimates have no bias.
UNBIASED = ("DCG", "CG", "P")
_RATIOS = ("nDCG", "R")
#: The parameters that change what is estimated, with the supported value.
_FIXED = {
    "ideal": "judged",
    "norm": "relevant",
    "judged_only": False,
    "to_depth": False,
    "capped": False,
    "listed": False,
}


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """How a measure is estimated.

    Attributes
    ----------
    measure, resolved : Measure
        The measure as requested, and with its parameters under the convention.
    cutoff : int
        The number of ranks.
    gains : dict of float to float
        The gain by grade.
    weights : list of float
        The weight of each rank, from the first.
    estimate : callable
        From the strata of a query to its estimate; with ``has_bias=False`` only to its value.
    """

    measure: Measure
    resolved: Measure
    cutoff: int
    gains: Mapping[float, float]
    weights: Sequence[float]
    estimate: Callable[..., Estimated]

    @property
    def is_ratio(self) -> bool:
        """Whether it divides by an estimate, and so has a bias."""
        return self.measure.family not in UNBIASED

    @property
    def most(self) -> float:
        """The largest possible value."""
        high = self.measure.range()[1]
        return max(self.gains.values()) * sum(self.weights) if high is None else high


def usual_measures(depth: int) -> tuple[str, ...]:
    """Return the default measures of a sample of the first documents down to a depth.

    Examples
    --------
    >>> usual_measures(100)
    ('DCG@10', 'P@10', 'nDCG@10', 'AP@100', 'R@100')
    """
    k = min(10, depth)
    return f"DCG@{k}", f"P@{k}", f"nDCG@{k}", f"AP@{depth}", f"R@{depth}"


def check_convention(convention: Convention) -> None:
    """Refuse policies other than those of gainful-1, except a value without relevant documents."""
    usual = get("gainful-1")
    for name in (policy.name for policy in POLICIES):
        value = getattr(convention, name)
        if name == "no_relevant":
            if value not in (0, 1, "skip"):
                raise ConventionError(
                    found=f"no_relevant={value}",
                    expected="0, 1 or skip for estimates from a sample",
                )
        elif value != getattr(usual, name):
            raise ConventionError(
                found=f"{name}={value}",
                expected=f"{name}={getattr(usual, name)}, as a sample needs",
            )


def plan_measure(
    measure: Measure, convention: Convention, depth: int, grades: Iterable[float]
) -> SamplingPlan:
    """Return how a measure is estimated."""
    resolved = measure.resolve(convention)
    family = measure.family
    if family not in (*UNBIASED, *_RATIOS, "AP"):
        raise MeasureError(
            "a sample has no estimate of it",
            where=repr(measure),
            hint=f"estimated are {', '.join((*UNBIASED, *_RATIOS, 'AP'))}",
        )
    params = {
        parameter.name: resolved.params.get(parameter.name)
        for parameter in measure.declaration.parameters
    }
    for name, only in _FIXED.items():
        if name in params and params[name] not in (None, only):
            raise MeasureError(
                f"{name}={params[name]} has no estimate from a sample", where=repr(measure)
            )
    k = resolved.cutoff
    if k is None or k > depth:
        raise MeasureError(
            f"found {'no cutoff' if k is None else f'the cutoff {k}'}, expected at most {depth},"
            " the depth of the sample",
            where=repr(measure),
            hint=f"use {family}@{depth}, or draw a sample with a larger depth",
        )
    neutral = convention.replace(no_relevant=0)
    binary = family in ("P", "R", "AP")
    gains = _gains(measure, params, neutral, binary, grades)
    nothing = None if convention.no_relevant == "skip" else float(convention.no_relevant)
    estimate: Callable[..., Estimated]
    if binary or family == "CG":
        weights = [1.0 / k if family == "P" else 1.0] * k
    else:
        weights = _discounts(params, k, neutral)
    if family == "AP":
        estimate = partial(average_precision, nothing=nothing)
    elif family == "R":
        estimate = partial(ratio, ideal=_count, nothing=nothing)
    elif family == "nDCG":
        sums = [0.0, *accumulate(weights)]
        estimate = partial(ratio, ideal=partial(_ideal, sums, weights), nothing=nothing)
    else:
        estimate = total
    return SamplingPlan(measure, resolved, k, gains, weights, estimate)


def _gains(
    measure: Measure,
    params: Mapping[str, object],
    convention: Convention,
    binary: bool,
    grades: Iterable[float],
) -> dict[float, float]:
    """Return the gain of each grade, as the kernel computes it."""
    from gainful.measures import Measure as AnyMeasure

    if params.get("gain") in ("judged", "exponential+1"):
        raise MeasureError(
            f"gain={params['gain']} has no estimate from a sample, since unjudged and judged"
            " documents that are not relevant differ",
            where=repr(measure),
        )
    one = (
        AnyMeasure("P", {"rel": params["rel"]}, 1)
        if binary
        else AnyMeasure("CG", {"gain": params["gain"]}, 1)
    )
    listed = sorted({0.0, *grades})
    judged = {str(index): {"d": grade} for index, grade in enumerate(listed)}
    runs = evaluate_runs(judged, {"run": {query: {"d": 1.0} for query in judged}}, one, convention)
    values = runs.per_query(one)
    gains = {grade: values[str(index)] for index, grade in enumerate(listed)}
    if min(gains.values()) < 0.0:
        raise MeasureError("a negative gain has no estimate from a sample", where=repr(measure))
    return gains


def _discounts(params: Mapping[str, object], k: int, convention: Convention) -> list[float]:
    """Return the discount of each rank, as the kernel computes it."""
    from gainful.measures import Measure as AnyMeasure

    chosen = {name: params[name] for name in ("discount", "base") if params.get(name) is not None}
    one = AnyMeasure("DCG", {"gain": "linear", **chosen}, k)
    ranking = {f"d{rank}": float(-rank) for rank in range(1, k + 1)}
    judged = {str(rank): {f"d{rank}": 1} for rank in range(1, k + 1)}
    runs = evaluate_runs(judged, {"run": dict.fromkeys(judged, ranking)}, one, convention)
    values = runs.per_query(one)
    return [values[str(rank)] for rank in range(1, k + 1)]


def _count(counts: Mapping[float, float]) -> float:
    return sum(counts.values())


def _ideal(sums: Sequence[float], weights: Sequence[float], counts: Mapping[float, float]) -> float:
    """Return the DCG of the ideal order of a fractional number of documents per gain."""
    ideal, before, place = 0.0, 0.0, 0.0
    for gain in sorted(counts, reverse=True):
        place = min(place + counts[gain], float(len(weights)))
        whole = int(place)
        rest = place - whole
        upto = sums[whole] + (rest * weights[whole] if rest else 0.0)
        ideal += gain * (upto - before)
        before = upto
    return ideal


@dataclass(frozen=True, slots=True)
class QueryEstimate:
    """The estimate of a measure for one query and run.

    Attributes
    ----------
    point : Estimated
        With documents without a judgment as not relevant.
    bounds : (float, float)
        The bounds over the grades of missing judgments.
    largest : float
        The most that a document of a stratum that is not complete could contribute; 0 for ratios.
    outside : int
        The number of documents that are neither judged nor in the pool.
    """

    point: Estimated
    bounds: tuple[float, float]
    largest: float
    outside: int


@dataclass(frozen=True, slots=True)
class Documents:
    """The drawn documents of a query.

    Attributes
    ----------
    strata : tuple of (int, tuple)
        The size of each stratum, and its drawn documents with their grades; None for a document
        without a judgment. Judged documents outside the pool are a stratum of their own.
    frame : dict of str to int
        The documents that the sample was drawn from, with their best ranks.
    judged, missing : int
        The number of documents with a judgment, and of drawn documents without.
    ignored : int
        The number of judged documents of the pool that were not drawn: the sample represents them.
    """

    strata: tuple[tuple[int, tuple[tuple[str, float | None], ...]], ...]
    frame: Mapping[str, int]
    judged: int
    missing: int
    ignored: int

    def estimate(
        self, plan: SamplingPlan, ranking: Sequence[str], possible: Collection[float]
    ) -> QueryEstimate:
        """Return the estimate of a ranking.

        Parameters
        ----------
        plan : SamplingPlan
            How the measure is estimated.
        ranking : sequence of str
            The first documents of a run.
        possible : collection of float
            The possible grades.
        """
        ranks = {document: rank for rank, document in enumerate(ranking, start=1)}
        point = plan.estimate(self._cells(plan, ranks, 0.0))
        return QueryEstimate(
            point=point,
            bounds=self._bounds(plan, ranks, possible, point),
            largest=0.0 if plan.is_ratio else self._largest_term(plan, ranks),
            outside=self._count_outside(ranking),
        )

    def value(self, plan: SamplingPlan, ranks: Mapping[str, int]) -> float | None:
        """Return the estimate of a ratio from the ranks of documents, without its bias."""
        return plan.estimate(self._cells(plan, ranks, 0.0), has_bias=False).value

    def _count_outside(self, ranking: Sequence[str]) -> int:
        known = {document for _, units in self.strata for document, _ in units}
        return sum(document not in self.frame and document not in known for document in ranking)

    def _largest_term(self, plan: SamplingPlan, ranks: Mapping[str, int]) -> float:
        terms = [
            size / len(units) * plan.weights[ranks[document] - 1]
            for size, units in self.strata
            if len(units) < size
            for document, _ in units
            if document in ranks
        ]
        return max(terms, default=0.0) * max(plan.gains.values())

    def _bounds(
        self,
        plan: SamplingPlan,
        ranks: Mapping[str, int],
        possible: Collection[float],
        point: Estimated,
    ) -> tuple[float, float]:
        if not self.missing:
            value = 0.0 if point.value is None else point.value
            return value, value
        gains = [plan.gains[grade] for grade in possible]
        low = plan.estimate(self._cells(plan, ranks, min(gains)))
        high = plan.estimate(self._cells(plan, ranks, max(gains)))
        # Both parts of a ratio increase with each grade, so that the ratio of bounds bounds it.
        lowest = low.top / high.bottom if high.bottom > 0.0 else 0.0
        highest = high.top / low.bottom if low.bottom > 0.0 else 1.0
        if plan.is_ratio:
            highest = min(highest, max(1.0, point.value or 0.0, high.value or 0.0))
        return lowest, highest

    def _cells(self, plan: SamplingPlan, ranks: Mapping[str, int], unknown: float) -> list[Cells]:
        """Return the strata, with a gain for drawn documents without a judgment."""
        strata = []
        for size, units in self.strata:
            cells: list[tuple[float, float, int | None]] = []
            for document, grade in units:
                rank = ranks.get(document)
                gain = unknown if grade is None else plan.gains[grade]
                cells.append((gain, 0.0 if rank is None else plan.weights[rank - 1], rank))
            strata.append(Cells(size, cells))
        return strata


def documents_of(
    strata: Sequence[Stratum], frame: Mapping[str, int], grades: Mapping[str, float]
) -> Documents:
    """Return the drawn documents of a query with their grades.

    Examples
    --------
    >>> from gainful.data.samples import Stratum
    >>> frame = {"a": 1, "b": 2, "c": 3, "d": 4}
    >>> own = documents_of([Stratum(4, ("a", "b"))], frame, {"a": 1.0, "e": 2.0})
    >>> own.strata
    ((4, (('a', 1.0), ('b', None))), (1, (('e', 2.0),)))
    >>> own.judged, own.missing, own.ignored
    (2, 1, 0)
    """
    drawn = {document for stratum in strata for document in stratum.documents}
    outside = [document for document in grades if document not in frame and document not in drawn]
    sampled = [
        (stratum.size, tuple((document, grades.get(document)) for document in stratum.documents))
        for stratum in strata
    ]
    if outside:
        sampled.append((len(outside), tuple((document, grades[document]) for document in outside)))
    missing = sum(document not in grades for document in drawn)
    return Documents(
        strata=tuple(sampled),
        frame=frame,
        judged=len(drawn) - missing + len(outside),
        missing=missing,
        ignored=len(grades) - (len(drawn) - missing) - len(outside),
    )

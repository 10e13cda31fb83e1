"""Measures and conventions of `gainful.evaluate`, on arrays of lists."""

from __future__ import annotations

from gainful.backends.arrays import relevance
from gainful.backends.arrays import relevance as user_models
from gainful.backends.arrays.cumulated import (
    Discount,
    Gain,
    ideal_sum,
    pool_of,
    quotient,
    refuse_between_ranks,
    summed,
)
from gainful.backends.arrays.ranking import Ranked, checked, checked_depth, is_any, ranked
from gainful.backends.arrays.relevance import check_judged, with_nothing
from gainful.conventions import Convention, get
from gainful.errors import ConventionError, GradeError, MeasureError
from gainful.keywords import suggest_keywords
from gainful.measures.catalogue import named_by
from gainful.measures.choosing import choose_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gainful.measures import Measure

    Params = dict[str, Any]

#: Policies that are supported with this value only.
_REFUSED = {"rounding": "none"}


@suggest_keywords
def measure_lists(
    measures: Measure | str | Iterable[Measure | str],
    grades: Any,
    *,
    scores: Any = None,
    where: Any = None,
    judged: Any = None,
    judged_where: Any = None,
    convention: Convention | str | None = None,
    dtype: Any = None,
) -> dict[str, Any]:
    """Measure lists of grades under a convention, on any device.

    Parameters
    ----------
    measures : Measure, str, or several of them
        nDCG, DCG, IDCG, CG, AP, P, R, RR, Success, ERR and RBP, with their parameters.
    grades : array, shape (..., n)
        The grades of the items of each list. All items count as judged: give an unjudged item the
        grade it should have, usually 0, or mask it with `where`.
    scores : array, shape (..., n), optional
        Default: the lists are in rank order.
    where : array of bool, shape (..., n), optional
        True where there is an item.
    judged : array, shape (..., m), optional
        The grades of all judged items of each list, for conventions with ``unretrieved="absent"``.
        Default: the items of the list, so that none is unretrieved.
    judged_where : array of bool, shape (..., m), optional
        As `where`, for `judged`.
    convention : Convention or str, optional
        The policies, and defaults of the measures' parameters. Default: ``gainful-1`` with
        ``ties="expected"``, since items have no ids here. With scores, a convention that breaks
        ties by id is an error, also ``"gainful-1"``. Lists without relevant items that a convention
        leaves out have the value NaN.
    dtype : floating-point type, optional
        As in `ndcg`.

    Returns
    -------
    dict of str to array, shape (...)
        The values, by measure as given.

    Raises
    ------
    MeasureError
        For a measure that needs more than grades.
    ConventionError
        For a policy that is not defined without ids, or not supported here.
    GradeError, TieError, ArgumentError, ParameterError
        As in `ndcg`.

    Examples
    --------
    >>> import numpy as np
    >>> grades = np.array([[0, 2, 1], [0, 0, 0]])
    >>> for name, values in measure_lists(["nDCG@3", "RR"], grades).items():
    ...     print(name, values.round(4))
    nDCG@3 [0.6697 0.    ]
    RR [0.5 0. ]
    >>> measure_lists("nDCG@3", grades, convention="lightgbm")["nDCG@3"].round(4)
    array([0.659, 1.   ])
    """
    policies = get("gainful-1").replace(ties="expected") if convention is None else get(convention)
    xp = checked(grades, scores=scores, where=where)
    if judged is not None:
        checked(judged, where=judged_where, name="judged")
    check_judged(judged, judged_where)
    if judged is not None and policies.unretrieved != "absent":
        raise ConventionError(
            f"unretrieved={policies.unretrieved} is not available with judged=",
            found=f"unretrieved={policies.unretrieved}",
            where=f"under {policies.label}, arrays",
            hint="use unretrieved=absent, or leave out judged=",
        )
    scores = _ordering(xp, policies, scores)
    if policies.negative == "drop":
        where = _without_negative(xp, grades, where)
        judged_where = _without_negative(xp, judged, judged_where)
    grades = _as_read(xp, policies, grades, where)
    judged = _as_read(xp, policies, judged, judged_where)
    asked = [(measure, *measure.spec(policies)) for measure in choose_measures(measures, policies)]
    depth = _depth([params.get("cutoff") for _, kernel, params in asked if kernel in _OF_GAINS])
    lists = Lists(xp, policies, grades, scores, where, judged, judged_where, dtype, depth)
    lists.check_single()
    values = {}
    for measure, kernel, params in asked:
        if kernel not in _MEASURED:
            raise MeasureError(
                f"needs more than grades, expected one of {', '.join(named_by(_MEASURED))}",
                where=repr(measure),
                hint="use gainful.evaluate for other measures",
            )
        values[repr(measure)] = _MEASURED[kernel](lists, params)
    return values


class Lists:
    """The lists to measure, sorted once for the measures of cumulated gain."""

    def __init__(
        self,
        xp: Any,
        policies: Convention,
        grades: Any,
        scores: Any,
        where: Any,
        judged: Any,
        judged_where: Any,
        dtype: Any,
        depth: int | None,
    ) -> None:
        self.xp = xp
        self.no_relevant = policies.no_relevant
        self.signed = policies.negative == "signed"
        # An unjudged item has gain 0, as one whose grade has gain 0.
        self.unjudges = policies.negative == "unjudged"
        self.sorts_grades = policies.ties in ("optimistic", "pessimistic")
        masked = self.unjudges or policies.negative == "drop"
        negative = "zero" if masked else policies.negative
        self.refuses_single = policies.single == "error"
        self.grades = grades
        self.options: Params = {"where": where, "dtype": dtype}
        if scores is not None:
            self.options |= {"scores": scores, "ties": policies.ties}
        self.lists = ranked(grades, negative=negative, depth=depth, **self.options)
        if judged is None:
            # In the given order, which an ideal may use.
            self.pool = ranked(grades, where=where, dtype=dtype)
        else:
            self.pool = pool_of(self.lists, judged, judged_where, negative, name="judged")
            self.options |= {"judged": judged, "judged_where": judged_where}

    def check_single(self) -> None:
        """Refuse rankings of one document if the policy says so."""
        if not self.refuses_single:
            return
        lengths = self.lists.length
        if (
            self.lists.whole.n == 1
            if lengths is None
            else is_any(self.xp, lengths == 1, "single=error")
        ):
            raise ConventionError(
                "a ranking of one document (single=error)", hint="measure it with single=keep"
            )

    def refuse_unjudged(self, what: str) -> None:
        """Refuse items that negative grades make unjudged if the measure uses more than gains."""
        if self.unjudges:
            raise ConventionError(
                f"negative=unjudged is not available for {what}, which distinguishes judged from "
                f"unjudged items",
                hint="use zero, signed or error",
            )

    def is_empty(self) -> Any:
        """Return whether lists have no items."""
        if self.lists.length is None:
            return self.xp.zeros_like(self.lists.faulty)
        return self.lists.length == 0

    def settled(self, value: Any, nothing: Any, *, kept: bool = False) -> Any:
        """Replace the values of lists with no relevant items as the convention says."""
        policy = self.no_relevant
        if policy in ("agree", "skip"):
            xp = self.xp
            other = xp.full_like(value, float("nan"))
            if policy == "agree":
                other = value if kept else xp.astype(self.is_empty(), value.dtype)
            return self.lists.finished(xp.where(nothing, other, value))
        if kept and policy != "error":
            return self.lists.finished(value)
        return with_nothing(
            self.lists, value, nothing, None if policy == "error" else float(policy)
        )

    def of_relevance(self, function: Callable[..., Any], params: Params, *names: str) -> Any:
        """Return the values of a function of `relevance`, settled."""
        arguments = {name: params[name] for name in names}
        value = function(self.grades, k=params["cutoff"], **arguments, **self.options)
        level = params.get("rel")
        if level == 0 and self.sorts_grades:
            self.refuse_unjudged("a level and an order of ties")
        # Some parameters count only the relevant items of the list.
        listed = params.get("listed") or params.get("norm") in ("list", "list-capped")
        pool = self.lists.whole if listed else self.pool
        counts = pool.grades >= level if level is not None else pool.grades > 0
        counts = counts if pool.inside is None else self.xp.logical_and(counts, pool.inside)
        nothing = self.xp.logical_not(self.xp.any(counts, axis=-1))
        bad = self.xp.isnan(value)
        return self.xp.where(bad, value, self.settled(value, nothing))


def _cumulated(lists: Lists, params: Params) -> tuple[Gain, Discount, Callable[[], Any]]:
    gain = params["gain"] if isinstance(params["gain"], str) else dict(params["gain"])
    worth = Gain(gain, signed=lists.signed)
    shape = params.get("discount", "none")
    discount = Discount(*shape) if isinstance(shape, tuple) else Discount(shape)
    ranks: Ranked = lists.lists
    refuse_between_ranks(discount, ranks.ties)
    loses = gain == "judged" or (isinstance(gain, dict) and min(gain) < 0)
    if loses or params.get("ideal") == "given-order":
        lists.refuse_unjudged("a gain or an ideal")
    if lists.sorts_grades and isinstance(gain, dict) and gain.get(0):
        lists.refuse_unjudged("a gain and an order of ties")

    def own() -> Any:
        depth = checked_depth(params["cutoff"], ranks.n)
        return summed(ranks, lambda rank: rank.gains(worth), depth, discount)

    return worth, discount, own


def _any_gain(lists: Lists, worth: Gain) -> Any:
    return lists.xp.any(lists.pool.gains(worth) > 0, axis=-1)


def _dcg(lists: Lists, params: Params) -> Any:
    worth, _, cumulate = _cumulated(lists, params)
    return lists.settled(cumulate(), lists.xp.logical_not(_any_gain(lists, worth)), kept=True)


def _best(lists: Lists, params: Params, worth: Gain, discount: Discount) -> Any:
    return ideal_sum(params["ideal"], lists.lists, lists.pool, worth, discount, params["cutoff"])


def _idcg(lists: Lists, params: Params) -> Any:
    worth, discount, _ = _cumulated(lists, params)
    return lists.lists.finished(_best(lists, params, worth, discount))


def _ndcg(lists: Lists, params: Params) -> Any:
    xp = lists.xp
    worth, discount, cumulate = _cumulated(lists, params)
    if params["ideal"] == "list-cut" and lists.lists.ties != "settled":
        raise ConventionError(
            f"ideal='list-cut' is not defined for ties={lists.lists.ties}",
            hint="use another tie policy",
        )
    best = _best(lists, params, worth, discount)
    nothing = best <= 0
    value = quotient(xp, cumulate(), best)
    if params["ideal"] == "judged-to-depth":
        # An empty ranking has an empty ideal even if there are relevant items.
        empty = xp.logical_and(lists.is_empty(), _any_gain(lists, worth))
        value = xp.where(empty, xp.zeros_like(value), value)
        nothing = xp.logical_and(nothing, xp.logical_not(empty))
    return lists.settled(value, nothing)


def _depth(cutoffs: list[Any]) -> int | None:
    """Return the deepest cutoff of the measures of gains; None for all ranks."""
    return None if None in cutoffs else max(cutoffs, default=1)


def _ap(lists: Lists, params: Params) -> Any:
    return lists.of_relevance(relevance.average_precision, params, "rel", "norm")


def _rbp(lists: Lists, params: Params) -> Any:
    names = ("p", "max_grade") if params["rel"] is None else ("p", "rel", "max_grade")
    return lists.of_relevance(user_models.rbp, params, *names)


_MEASURED: dict[str, Callable[[Lists, Params], Any]] = {
    "ndcg": _ndcg,
    "dcg": _dcg,
    "cg": _dcg,
    "idcg": _idcg,
    "ap": _ap,
    "p": lambda lists, params: lists.of_relevance(relevance.precision, params, "rel", "to_depth"),
    "r": lambda lists, params: lists.of_relevance(
        relevance.recall, params, "rel", "capped", "listed"
    ),
    "rr": lambda lists, params: lists.of_relevance(relevance.reciprocal_rank, params, "rel"),
    "success": lambda lists, params: lists.of_relevance(relevance.success, params, "rel"),
    "err": lambda lists, params: lists.of_relevance(user_models.err, params, "max_grade", "stop"),
    "rbp": _rbp,
}


_OF_GAINS = ("ndcg", "dcg", "cg", "idcg")


def _ordering(xp: Any, policies: Convention, scores: Any) -> Any:
    """Return the scores that order the lists; refuse policies not defined for arrays."""
    for name, only in _REFUSED.items():
        value = getattr(policies, name)
        # Only per-list values are computed, so the rounding of means does not matter.
        if value != only and not value.startswith("mean:"):
            raise ConventionError(
                where=f"under {policies.label}, arrays", found=f"{name}={value}", expected=only
            )
    if scores is None or policies.order == "given":
        return None
    if policies.order == "rank":
        raise ConventionError(
            "order=rank is not available with scores",
            where=f"under {policies.label}, arrays",
            hint="leave out scores=",
        )
    if policies.ties.startswith("doc-id"):
        raise ConventionError(
            f"ties={policies.ties} needs ids, which items of arrays do not have",
            found=f"ties={policies.ties}",
            where=f"under {policies.label}, arrays",
            hint="use get(NAME).replace(ties='expected')",
        )
    return xp.astype(scores, xp.float32) if policies.precision == "float32" else scores


def _without_negative(xp: Any, grades: Any, where: Any) -> Any:
    """Return the mask of the items without a negative grade."""
    if grades is None or not xp.isdtype(grades.dtype, ("signed integer", "real floating")):
        return where
    others = xp.logical_not(grades < 0)
    return others if where is None else xp.logical_and(where, others)


def _as_read(xp: Any, policies: Convention, grades: Any, where: Any) -> Any:
    """Return grades as the convention reads them, ignoring masked places."""
    if grades is None:
        return None

    def holds(truths: Any, policy: str) -> bool:
        return is_any(xp, truths if where is None else xp.logical_and(truths, where), policy)

    if policies.fractions != "keep" and xp.isdtype(grades.dtype, "real floating"):
        whole = xp.trunc(grades)
        if policies.fractions == "error" and holds(
            xp.logical_and(xp.isfinite(grades), whole != grades), "fractions=error"
        ):
            raise GradeError(
                "a grade has a fraction",
                where=f"under {policies.label}",
                hint="use fractions=keep or fractions=truncate",
            )
        grades = whole
    if policies.largest_grade == "any":
        return grades
    largest = float(policies.largest_grade)
    if holds(grades > largest, f"largest_grade={largest:g}"):
        raise GradeError(f"a grade is above {largest:g}", where=f"under {policies.label}")
    return grades

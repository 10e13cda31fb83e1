"""Measures as SQL expressions of sums."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

from gainful.backends.sql.ranking import discounted
from gainful.errors import MeasureError
from gainful.keywords import suggest_keywords
from gainful.measures.catalogue import named_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.backends.sql.ranking import Sums
    from gainful.measures import Measure

    Params = dict[str, object]


def is_exponential(shape: object) -> bool:
    """Return whether gains of large grades may overflow."""
    return isinstance(shape, str) and shape.startswith("exponential")


def weight(discount: object, rank: int) -> float:
    """Return the discount weight of a rank, as a number."""
    if discount == "log2":
        return 1 / math.log2(rank + 1)
    if discount == "ln":
        return 1 / math.log(rank + 1)
    if discount == "reciprocal":
        return 1 / rank
    if discount == "none":
        return 1.0
    if isinstance(discount, tuple):
        base = float(discount[1])
        return 1.0 if rank <= base else math.log2(base) / math.log2(rank)
    assert isinstance(discount, list)
    return float(discount[rank - 1]) if rank <= len(discount) else 0.0


@dataclass(frozen=True)
class Value:
    """A measure as a SQL expression.

    Attributes
    ----------
    value : str
        Its value.
    nothing : str or None
        The condition that the query has no relevant documents; None if it never applies.
    kept : bool
        Whether the value does not change if there are no relevant documents.
    parts : tuple of str
        DCG and IDCG of nDCG.
    """

    value: str
    nothing: str | None = None
    _: KW_ONLY
    kept: bool = False
    parts: tuple[str, ...] = ()


def cutoff_of(params: Params) -> int | None:
    """Return the cutoff of a measure; None without one."""
    cutoff = params.get("cutoff")
    assert cutoff is None or isinstance(cutoff, int)
    return cutoff


def rel_of(params: Params) -> float:
    """Return the lowest relevant grade of a measure."""
    rel = params["rel"]
    assert isinstance(rel, float)
    return rel


def share(part: str, whole: str, sums: Sums) -> str:
    """Return a quotient; 0 for division by 0."""
    if whole.isdecimal():
        return f"{part} / {whole}"
    return f"COALESCE({part} / NULLIF({whole}, {sums.dialect.number(0)}), {sums.dialect.number(0)})"


def none_relevant(params: Params, sums: Sums) -> str:
    """Return the condition that no judged document is relevant."""
    return f"{sums.relevant(rel_of(params))} = {sums.dialect.number(0)}"


def none_gains(params: Params, sums: Sums) -> str:
    """Return the condition that no judged document has a gain."""
    most = sums.pool(f"MAX({sums.gain(params['gain'])})")
    return f"{most} <= {sums.dialect.number(0)}"


def least(first: str, second: str) -> str:
    """Return the smaller of two numbers."""
    return f"LEAST({first}, {second})"


def cg(params: Params, sums: Sums) -> Value:
    """Return CG."""
    worth = sums.mean_worth(sums.gain(params["gain"]))
    value = sums.sum(worth, sums.depth(cutoff_of(params)))
    return Value(value, none_gains(params, sums), kept=True)


def dcg(params: Params, sums: Sums) -> Value:
    """Return DCG."""
    worth = sums.mean_worth(sums.gain(params["gain"]))
    value = sums.sum(sums.discounted(params["discount"], worth), sums.depth(cutoff_of(params)))
    return Value(value, none_gains(params, sums), kept=True)


def ndcg(params: Params, sums: Sums) -> Value:
    """Return nDCG."""
    achieved, best = dcg(params, sums).value, idcg(params, sums).value
    zero = sums.dialect.number(0)
    nothing = f"{best} <= {zero}"
    if params["ideal"] == "judged-to-depth":
        # The ideal of an empty ranking is empty even if the query has relevant documents.
        nothing += f" AND ({sums.returned()} > {zero} OR {none_gains(params, sums)})"
    value = f"COALESCE({achieved} / NULLIF({best}, {zero}), {zero})"
    return Value(value, nothing, parts=(achieved, best))


def idcg(params: Params, sums: Sums) -> Value:
    """Return the DCG of the ideal ranking."""
    shape, discount, ideal, cutoff = (
        params["gain"],
        params["discount"],
        params["ideal"],
        cutoff_of(params),
    )
    number = sums.dialect.number
    if isinstance(ideal, list):
        return Value(_of_grades(sums, params, sorted(ideal, reverse=True), cutoff))
    if isinstance(ideal, tuple):
        grade = number(float(ideal[1]))
        gain = sums.gain(shape, grade)
        if cutoff is not None:
            return Value(f"({gain}) * {number(_all_weights(discount, cutoff))}")
        return Value(sums.sum(sums.discounted(discount, gain, "place")))
    if ideal == "judged":
        return Value(sums.ideal(sums.sorted_gains(shape, discount, cutoff, "judged")))
    if ideal == "judged-uncut":
        return Value(sums.ideal(sums.sorted_gains(shape, discount, None, "judged")))
    if ideal == "judged-to-depth":
        source = (
            "(SELECT j.*, d.depth FROM judged j JOIN (SELECT query_id, COUNT(*) AS depth"
            " FROM ranked GROUP BY query_id) d ON d.query_id = j.query_id)"
        )
        query = sums.sorted_gains(shape, discount, cutoff, source, least="pos <= depth")
        return Value(sums.ideal(query))
    if ideal == "ones":
        gaining = (
            f"SELECT query_id FROM (SELECT j.query_id, {sums.gain(shape)} AS gain FROM judged j) g"
            f" WHERE gain > {number(0)}"
        )
        place = "ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY query_id)"
        cut = "" if cutoff is None else f" WHERE pos <= {cutoff}"
        return Value(
            sums.ideal(
                f"SELECT query_id, SUM({sums.discounted(discount, number(1), 'pos')}) AS idcg"
                f" FROM (SELECT query_id, {place} AS pos FROM ({gaining}) t) r{cut}"
                " GROUP BY query_id"
            )
        )
    if ideal == "list":
        return Value(
            sums.ideal(
                sums.sorted_gains(shape, discount, cutoff, "(SELECT query_id, grade FROM ranked)")
            )
        )
    if ideal == "list-cut":
        cut = "" if cutoff is None else f" WHERE place <= {cutoff}"
        source = f"(SELECT query_id, grade FROM ranked{cut})"
        return Value(sums.ideal(sums.sorted_gains(shape, discount, None, source)))
    raise MeasureError(
        f"ideal={ideal!r} needs an order of rows, which SQL tables do not have",
        found=f"ideal={ideal!r}",
        where="sql",
    )


#: The maximum number of ranks whose weights are summed in advance.
_MOST_RANKS = 1_000_000


def _all_weights(discount: object, cutoff: int) -> float:
    """Return the sum of the discount weights down to a cutoff."""
    if cutoff > _MOST_RANKS:
        raise MeasureError(
            f"cutoff {cutoff} is not available with ideal='max-grade', which allows at most "
            f"{_MOST_RANKS}",
            where="sql",
        )
    return math.fsum(weight(discount, rank) for rank in range(1, cutoff + 1))


def _of_grades(sums: Sums, params: Params, grades: list[float], cutoff: int | None) -> str:
    """Return the DCG of fixed grades, as an explicit sum."""
    number = sums.dialect.number
    terms = []
    for rank, grade in enumerate(grades[:cutoff], 1):
        gain = f"({sums.gain(params['gain'], number(grade))})"
        terms.append(f"({discounted(sums.dialect, params['discount'], gain, number(rank))})")
    return f"({' + '.join(terms)})"


@suggest_keywords
def expressible() -> list[str]:
    """Return the families of measures that are supported in SQL.

    Examples
    --------
    >>> expressible()[:3]
    ['nDCG', 'DCG', 'IDCG']
    """
    return named_by(_VALUES)


def value_of(measure: Measure, sums: Sums) -> Value:
    """Return a measure as an expression."""
    kernel, params = measure.spec(sums.convention)
    if kernel not in _VALUES:
        raise MeasureError(
            f"{measure!r} is not available, expected one of {', '.join(expressible())}",
            where="sql",
            hint="use gainful.evaluate for other measures",
        )
    if params.get("judged_only"):
        raise MeasureError(
            f"{measure!r} needs a ranking without unjudged documents, and others do not",
            where="sql",
            hint="use the policy unjudged=condense for all measures",
        )
    return _VALUES[kernel](params, sums)


def largest_grade(measure: Measure, sums: Sums) -> float | None:
    """Return the largest grade that a measure can take; None for no limit."""
    kernel, params = measure.spec(sums.convention)
    if kernel in ("err", "rbp") and isinstance(params.get("max_grade"), float):
        most = params["max_grade"]
        assert isinstance(most, float)
        return most
    return 1022.0 if is_exponential(params.get("gain")) else None


# --- relevant or not ----------------------------------------------------------------------------


def _precision(params: Params, sums: Sums) -> Value:
    depth = sums.depth(cutoff_of(params))
    whole = depth or sums.returned()
    if depth is not None and params.get("to_depth"):
        whole = least(depth, sums.returned())
    return Value(share(sums.hits(rel_of(params), depth), whole, sums), none_relevant(params, sums))


def _recall(params: Params, sums: Sums) -> Value:
    depth = sums.depth(cutoff_of(params))
    if params.get("listed"):
        raise MeasureError("R(listed=True) is not available", where="sql")
    whole = sums.relevant(rel_of(params))
    if params.get("capped") and depth is not None:
        whole = least(whole, depth)
    return Value(share(sums.hits(rel_of(params), depth), whole, sums), none_relevant(params, sums))


def _relative_precision(params: Params, sums: Sums) -> Value:
    depth = sums.depth(cutoff_of(params))
    whole = least(depth or sums.returned(), sums.relevant(rel_of(params)))
    return Value(share(sums.hits(rel_of(params), depth), whole, sums), none_relevant(params, sums))


def _r_precision(params: Params, sums: Sums) -> Value:
    rel = rel_of(params)
    depth = sums.pool_column(f"SUM({sums.hit(max(rel, 0.0))})")
    ratio = share(sums.hits(rel, depth), sums.relevant(rel), sums)
    return Value(ratio, none_relevant(params, sums))


def _f(params: Params, sums: Sums) -> Value:
    weight = sums.dialect.number(float(str(params["weight"])))
    precision = _precision(params, sums).value
    recall = _recall({**params, "capped": False}, sums).value
    one = sums.dialect.number(1)
    whole = f"({recall} + {weight} * {precision})"
    value = share(f"(({weight} + {one}) * {precision} * {recall})", whole, sums)
    return Value(value, none_relevant(params, sums))


def _success(params: Params, sums: Sums) -> Value:
    rel, depth = rel_of(params), sums.depth(cutoff_of(params))
    number = sums.dialect.number
    if sums.mode == "expected":
        value = sums.sum(sums.first_of_ties(rel), depth)
    else:
        condition = f"{sums.hits(rel, depth)} > {number(0)}"
        value = f"CASE WHEN {condition} THEN {number(1)} ELSE {number(0)} END"
    return Value(value, none_relevant(params, sums))


def _reciprocal_rank(params: Params, sums: Sums) -> Value:
    rel, depth = rel_of(params), sums.depth(cutoff_of(params))
    number = sums.dialect.number
    if sums.mode == "expected":
        value = sums.sum(f"{sums.first_of_ties(rel)} / place", depth)
    else:
        worth = sums.worth(sums.hit(rel))
        above = "" if depth is None else f" AND {sums.rank} <= {depth}"
        value = sums.aggregate(
            f"MAX(CASE WHEN {worth} > {number(0)}{above} THEN {number(1)} / {sums.rank} END)"
        )
    return Value(value, none_relevant(params, sums))


def _average_precision(params: Params, sums: Sums) -> Value:
    rel, depth = rel_of(params), sums.depth(cutoff_of(params))
    number = sums.dialect.number
    worth = sums.worth(sums.hit(rel))
    if sums.mode == "expected":
        inside, before = sums.tied_relevant(rel), sums.seen_before(rel)
        # The expected share of relevant documents among the other documents of the tie group.
        others = (
            f"CASE WHEN {inside} > {number(1)} THEN ({inside} - {number(1)})"
            f" / (members - {number(1)}) ELSE {number(0)} END"
        )
        above = f"({before} + {number(1)} + (place - start - {number(1)}) * ({others}))"
        term = f"{inside} / members * {above} / place"
    else:
        seen = sums.down_to(rel)
        term = f"{worth} * {seen} / place"
    norm, whole = str(params["norm"]), sums.relevant(rel)
    if norm.startswith("list"):
        raise MeasureError(f"AP(norm={norm!r}) is not available", where="sql")
    if norm.startswith("capped") and depth is not None:
        whole = least(whole, depth)
    if norm == "capped-to-depth":
        whole = least(whole, sums.returned())
    return Value(share(sums.sum(term, depth), whole, sums), none_relevant(params, sums))


def _set_average_precision(params: Params, sums: Sums) -> Value:
    hits = sums.hits(rel_of(params), None)
    whole = f"({sums.returned()} * {sums.relevant(rel_of(params))})"
    return Value(share(f"({hits} * {hits})", whole, sums), none_relevant(params, sums))


# --- users --------------------------------------------------------------------------------------


def _rank_biased_precision(params: Params, sums: Sums) -> Value:
    number = sums.dialect.number
    p, most = float(str(params["p"])), params.get("max_grade")
    zero = number(0)
    if params.get("rel") is not None and most is None:
        worth, nothing = sums.hit(rel_of(params)), none_relevant(params, sums)
    elif isinstance(most, float):
        worth = f"CASE WHEN grade > {zero} THEN grade / {number(most)} ELSE {zero} END"
        nothing = f"{sums.pool('MAX(grade)')} <= {zero}"
    else:
        raise MeasureError(
            "RBP(max_grade='judged') is not available",
            where="sql",
            hint="use RBP(rel=...), or RBP(max_grade=...) with a number",
        )
    weight = f"power({number(p)}, {sums.rank} - {number(1)}) * {number(1 - p)}"
    value = sums.sum(f"{sums.mean_worth(worth)} * {weight}", sums.depth(cutoff_of(params)))
    return Value(value, nothing)


def _expected_reciprocal_rank(params: Params, sums: Sums) -> Value:
    number = sums.dialect.number
    most = params["max_grade"]
    assert isinstance(most, float)
    if sums.mode != "settled" or most > 50:
        raise MeasureError(
            f"ERR(max_grade={most:g}) is not available with ties={sums.convention.ties}",
            where="sql",
            hint="use a tie policy that orders documents, and grades up to 50",
        )
    zero, one, two = number(0), number(1), number(2)
    stop = f"(power({two}, grade) - {one}) / {number(2.0**most)}"
    if params["stop"] == "linear":
        stop = f"grade / {number(most + 1)}"
    stops = sums.worth(f"CASE WHEN grade > {zero} THEN {stop} ELSE {zero} END")
    going = sums.above(f"ln({one} - {stops})")
    value = sums.sum(f"exp({going}) * {stops} / place", sums.depth(cutoff_of(params)))
    return Value(value, f"{sums.pool('MAX(grade)')} <= {zero}")


# --- counts -------------------------------------------------------------------------------------


def _known(sums: Sums, *, judged: bool) -> str:
    number = sums.dialect.number
    known = "given IS NOT NULL" if judged else "given IS NULL"
    return sums.mean_worth(f"CASE WHEN {known} THEN {number(1)} ELSE {number(0)} END")


def _judged(params: Params, sums: Sums) -> Value:
    depth = sums.depth(cutoff_of(params))
    whole = sums.returned() if depth is None else least(depth, sums.returned())
    return Value(share(sums.sum(_known(sums, judged=True), depth), whole, sums))


def _unjudged(params: Params, sums: Sums) -> Value:
    depth = sums.depth(cutoff_of(params))
    unknown = sums.sum(_known(sums, judged=False), depth)
    return Value(share(unknown, depth or sums.returned(), sums))


def _num_nonrel_ret(params: Params, sums: Sums) -> Value:
    number = sums.dialect.number
    known = f"given >= {number(0)} AND given < {number(rel_of(params))}"
    worth = sums.mean_worth(f"CASE WHEN {known} THEN {number(1)} ELSE {number(0)} END")
    return Value(sums.sum(worth))


_VALUES: dict[str, Callable[[Params, Sums], Value]] = {
    "cg": cg,
    "dcg": dcg,
    "idcg": idcg,
    "ndcg": ndcg,
    "p": _precision,
    "r": _recall,
    "relative_p": _relative_precision,
    "rprec": _r_precision,
    "f": _f,
    "success": _success,
    "rr": _reciprocal_rank,
    "ap": _average_precision,
    "gm_ap": _average_precision,
    "set_ap": _set_average_precision,
    "rbp": _rank_biased_precision,
    "err": _expected_reciprocal_rank,
    "judged": _judged,
    "unjudged": _unjudged,
    "num_q": lambda params, sums: Value(sums.dialect.number(1)),
    "num_ret": lambda params, sums: Value(sums.returned()),
    "num_rel": lambda params, sums: Value(sums.relevant(rel_of(params))),
    "num_rel_ret": lambda params, sums: Value(sums.hits(rel_of(params), None)),
    "num_nonrel_ret": _num_nonrel_ret,
}

"""Measures as expressions of the sums that they are made of."""

from __future__ import annotations

from gainful.backends.sql.gains import discounted, is_exponential
from gainful.errors import MeasureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.backends.sql.sums import Sums
    from gainful.measures import Measure

    Told = dict[str, object]


class Value:
    """A measure of a query.

    Attributes
    ----------
    value : str
        Its value.
    nothing : str or None
        The condition under which nothing is relevant for it; None where there is always something.
    kept : bool
        Whether its value stays what it is where nothing is relevant.
    parts : tuple of str
        DCG and IDCG of nDCG.
    """

    __slots__ = ("kept", "nothing", "parts", "value")

    def __init__(
        self,
        value: str,
        nothing: str | None = None,
        *,
        kept: bool = False,
        parts: tuple[str, ...] = (),
    ) -> None:
        self.value = value
        self.nothing = nothing
        self.kept = kept
        self.parts = parts


def value_of(measure: Measure, sums: Sums) -> Value:
    """Return a measure as an expression.

    Raises
    ------
    MeasureError
        For a measure that no query is written for.
    """
    kernel, told = measure.kernel(sums.convention)
    if kernel not in _VALUES:
        raise MeasureError(
            where="sql",
            found=repr(measure),
            expected=f"one of {', '.join(EXPRESSIBLE)}",
            hint="evaluate() measures the others, where the rows are",
        )
    if told.get("judged_only"):
        raise MeasureError(
            where="sql",
            found=f"{measure!r}, which leaves unjudged documents out for itself alone",
            expected="a measure of the same ranking as the others",
            hint="under the policy unjudged=condense all measures leave them out",
        )
    return _VALUES[kernel](told, sums)


def largest_grade(measure: Measure, sums: Sums) -> float | None:
    """Return the largest grade that a measure can take; None where there is none."""
    kernel, told = measure.kernel(sums.convention)
    if kernel in ("err", "rbp") and isinstance(told.get("max_grade"), float):
        most = told["max_grade"]
        assert isinstance(most, float)
        return most
    return 1022.0 if is_exponential(told.get("gain")) else None


# --- parts of them ------------------------------------------------------------------------------


def _cutoff(told: Told) -> int | None:
    cutoff = told.get("cutoff")
    assert cutoff is None or isinstance(cutoff, int)
    return cutoff


def _rel(told: Told) -> float:
    rel = told["rel"]
    assert isinstance(rel, float)
    return rel


def _share(part: str, whole: str, sums: Sums) -> str:
    """Return a quotient; 0 where it is one by 0."""
    return f"COALESCE({part} / NULLIF({whole}, {sums.dialect.number(0)}), {sums.dialect.number(0)})"


def _none_relevant(told: Told, sums: Sums) -> str:
    return f"{sums.relevant(_rel(told))} = {sums.dialect.number(0)}"


def _none_gains(told: Told, sums: Sums) -> str:
    most = sums.pool(f"MAX({sums.gain(told['gain'])})")
    return f"{most} <= {sums.dialect.number(0)}"


def _least(first: str, second: str) -> str:
    return f"LEAST({first}, {second})"


# --- cumulated gain -----------------------------------------------------------------------------


def _cg(told: Told, sums: Sums) -> Value:
    worth = sums.mean_worth(sums.gain(told["gain"]))
    value = sums.sum(worth, sums.depth(_cutoff(told)))
    return Value(value, _none_gains(told, sums), kept=True)


def _dcg(told: Told, sums: Sums) -> Value:
    worth = sums.mean_worth(sums.gain(told["gain"]))
    value = sums.sum(sums.discounted(told["discount"], worth), sums.depth(_cutoff(told)))
    return Value(value, _none_gains(told, sums), kept=True)


def _ndcg(told: Told, sums: Sums) -> Value:
    dcg, idcg = _dcg(told, sums).value, _idcg(told, sums).value
    zero = sums.dialect.number(0)
    nothing = f"{idcg} <= {zero}"
    if told["ideal"] == "judged-to-depth":
        # An ideal as short as an empty ranking does not mean that nothing is relevant.
        nothing += f" AND ({sums.returned()} > {zero} OR {_none_gains(told, sums)})"
    value = f"COALESCE({dcg} / NULLIF({idcg}, {zero}), {zero})"
    return Value(value, nothing, parts=(dcg, idcg))


def _idcg(told: Told, sums: Sums) -> Value:
    shape, discount, ideal, cutoff = (
        told["gain"],
        told["discount"],
        told["ideal"],
        _cutoff(told),
    )
    number = sums.dialect.number
    if isinstance(ideal, list):
        return Value(_of_grades(sums, told, sorted(ideal, reverse=True), cutoff))
    if isinstance(ideal, tuple):
        grade = number(float(ideal[1]))
        if cutoff is not None:
            return Value(_of_grades(sums, told, [float(ideal[1])] * cutoff, cutoff))
        gain = sums.gain(shape, grade)
        return Value(sums.sum(sums.discounted(discount, gain, "place")))
    if ideal == "judged":
        return Value(sums.ideal(sums.sorted_gains(shape, discount, cutoff, "SELECT * FROM judged")))
    if ideal == "judged-uncut":
        return Value(sums.ideal(sums.sorted_gains(shape, discount, None, "SELECT * FROM judged")))
    if ideal == "judged-to-depth":
        source = (
            "SELECT j.*, d.depth FROM judged j JOIN (SELECT query_id, COUNT(*) AS depth"
            " FROM ranked GROUP BY query_id) d ON d.query_id = j.query_id"
        )
        query = sums.sorted_gains(shape, discount, cutoff, source, least="pos <= depth")
        return Value(sums.ideal(query))
    if ideal == "ones":
        gaining = (
            f"SELECT query_id FROM (SELECT j.query_id, {sums.gain(shape)} AS gain FROM judged j) g"
            f" WHERE gain > {number(0)}"
        )
        place = sums.dialect.as_double(
            "ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY query_id)",
        )
        cut = "" if cutoff is None else f" WHERE pos <= {number(cutoff)}"
        return Value(
            sums.ideal(
                f"SELECT query_id, SUM({sums.discounted(discount, number(1))}) AS idcg"
                f" FROM (SELECT query_id, {place} AS pos FROM ({gaining}) t) r{cut}"
                " GROUP BY query_id"
            )
        )
    if ideal == "list":
        return Value(sums.ideal(sums.sorted_gains(shape, discount, cutoff, "SELECT * FROM ranked")))
    if ideal == "list-cut":
        cut = "" if cutoff is None else f" WHERE place <= {number(cutoff)}"
        source = f"SELECT query_id, grade FROM ranked{cut}"
        return Value(sums.ideal(sums.sorted_gains(shape, discount, None, source)))
    raise MeasureError(
        where="sql",
        found=f"ideal={ideal!r}",
        expected="an ideal that is sorted",
        hint="rows of a table have no order, which the judgments would need for it",
    )


def _of_grades(sums: Sums, told: Told, grades: list[float], cutoff: int | None) -> str:
    """Return the DCG of grades that are known, as a sum that is written out."""
    number = sums.dialect.number
    terms = []
    for rank, grade in enumerate(grades[:cutoff], 1):
        gain = f"({sums.gain(told['gain'], number(grade))})"
        terms.append(f"({discounted(sums.dialect, told['discount'], gain, number(rank))})")
    return f"({' + '.join(terms)})"


# --- relevant or not ----------------------------------------------------------------------------


def _precision(told: Told, sums: Sums) -> Value:
    depth = sums.depth(_cutoff(told))
    share = _share(sums.hits(_rel(told), depth), depth or sums.returned(), sums)
    return Value(share, _none_relevant(told, sums))


def _recall(told: Told, sums: Sums) -> Value:
    depth = sums.depth(_cutoff(told))
    whole = sums.relevant(_rel(told))
    if told.get("capped") and depth is not None:
        whole = _least(whole, depth)
    return Value(_share(sums.hits(_rel(told), depth), whole, sums), _none_relevant(told, sums))


def _relative_precision(told: Told, sums: Sums) -> Value:
    depth = sums.depth(_cutoff(told))
    whole = _least(depth or sums.returned(), sums.relevant(_rel(told)))
    return Value(_share(sums.hits(_rel(told), depth), whole, sums), _none_relevant(told, sums))


def _r_precision(told: Told, sums: Sums) -> Value:
    rel = _rel(told)
    depth = sums.pool_column(f"SUM({sums.hit(max(rel, 0.0))})")
    share = _share(sums.hits(rel, depth), sums.relevant(rel), sums)
    return Value(share, _none_relevant(told, sums))


def _f(told: Told, sums: Sums) -> Value:
    weight = sums.dialect.number(float(str(told["weight"])))
    precision = _precision(told, sums).value
    recall = _recall({**told, "capped": False}, sums).value
    one = sums.dialect.number(1)
    whole = f"({recall} + {weight} * {precision})"
    value = _share(f"(({weight} + {one}) * {precision} * {recall})", whole, sums)
    return Value(value, _none_relevant(told, sums))


def _success(told: Told, sums: Sums) -> Value:
    rel, depth = _rel(told), sums.depth(_cutoff(told))
    number = sums.dialect.number
    if sums.mode == "expected":
        value = sums.sum(sums.first_of_ties(rel), depth)
    else:
        found = f"{sums.hits(rel, depth)} > {number(0)}"
        value = f"CASE WHEN {found} THEN {number(1)} ELSE {number(0)} END"
    return Value(value, _none_relevant(told, sums))


def _reciprocal_rank(told: Told, sums: Sums) -> Value:
    rel, depth = _rel(told), sums.depth(_cutoff(told))
    number = sums.dialect.number
    if sums.mode == "expected":
        value = sums.sum(f"{sums.first_of_ties(rel)} / place", depth)
    else:
        worth = sums.worth(sums.hit(rel))
        above = "" if depth is None else f" AND pos <= {depth}"
        value = sums.aggregate(
            f"MAX(CASE WHEN {worth} > {number(0)}{above} THEN {number(1)} / pos END)"
        )
    return Value(value, _none_relevant(told, sums))


def _average_precision(told: Told, sums: Sums) -> Value:
    rel, depth = _rel(told), sums.depth(_cutoff(told))
    number = sums.dialect.number
    own = sums.worth(sums.hit(rel))
    if sums.mode == "expected":
        inside = sums.weighed(f"SUM({own}) OVER (PARTITION BY query_id, appended, ord)")
        before = sums.seen_before(rel)
        # Of those above it in its group, so many are relevant on average where it is.
        others = (
            f"CASE WHEN {inside} > {number(1)} THEN ({inside} - {number(1)})"
            f" / (members - {number(1)}) ELSE {number(0)} END"
        )
        above = f"({before} + {number(1)} + (place - start - {number(1)}) * ({others}))"
        term = f"{inside} / members * {above} / place"
    else:
        seen = sums.weighed(
            f"SUM({own}) OVER (PARTITION BY query_id ORDER BY place"
            " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
        )
        term = f"{own} * {seen} / place"
    whole = sums.relevant(rel)
    if told.get("norm") == "capped" and depth is not None:
        whole = _least(whole, depth)
    return Value(_share(sums.sum(term, depth), whole, sums), _none_relevant(told, sums))


def _set_average_precision(told: Told, sums: Sums) -> Value:
    found = sums.hits(_rel(told), None)
    whole = f"({sums.returned()} * {sums.relevant(_rel(told))})"
    return Value(_share(f"({found} * {found})", whole, sums), _none_relevant(told, sums))


# --- users --------------------------------------------------------------------------------------


def _rank_biased_precision(told: Told, sums: Sums) -> Value:
    number = sums.dialect.number
    p, most = float(str(told["p"])), told.get("max_grade")
    zero = number(0)
    if told.get("rel") is not None and most is None:
        worth, nothing = sums.hit(_rel(told)), _none_relevant(told, sums)
    elif isinstance(most, float):
        worth = f"CASE WHEN grade > {zero} THEN grade / {number(most)} ELSE {zero} END"
        nothing = f"{sums.pool('MAX(grade)')} <= {zero}"
    else:
        raise MeasureError(
            where="sql",
            found="RBP(max_grade='judged')",
            expected="RBP(rel=...) or RBP(max_grade=...) with a number",
        )
    weight = f"power({number(p)}, pos - {number(1)}) * {number(1 - p)}"
    value = sums.sum(f"{sums.mean_worth(worth)} * {weight}", sums.depth(_cutoff(told)))
    return Value(value, nothing)


def _expected_reciprocal_rank(told: Told, sums: Sums) -> Value:
    number = sums.dialect.number
    most = told["max_grade"]
    assert isinstance(most, float)
    if sums.mode != "settled" or most > 50:
        raise MeasureError(
            where="sql",
            found=f"ERR(max_grade={most:g}) with ties={sums.convention.ties}",
            expected="ties that are settled, and grades up to 50",
            hint="its mean over the orders of tied documents is no sum over ranks",
        )
    zero, one, two = number(0), number(1), number(2)
    stops = sums.worth(
        f"CASE WHEN grade > {zero} THEN (power({two}, grade) - {one}) / {number(2.0**most)}"
        f" ELSE {zero} END"
    )
    going = sums.above(sums.weighed(f"ln({one} - {stops})"))
    value = sums.sum(f"exp({going}) * {stops} / place", sums.depth(_cutoff(told)))
    return Value(value, f"{sums.pool('MAX(grade)')} <= {zero}")


# --- counts -------------------------------------------------------------------------------------


def _known(sums: Sums, *, judged: bool) -> str:
    number = sums.dialect.number
    known = "given IS NOT NULL" if judged else "given IS NULL"
    return sums.mean_worth(f"CASE WHEN {known} THEN {number(1)} ELSE {number(0)} END")


def _judged(told: Told, sums: Sums) -> Value:
    depth = sums.depth(_cutoff(told))
    whole = sums.returned() if depth is None else _least(depth, sums.returned())
    return Value(_share(sums.sum(_known(sums, judged=True), depth), whole, sums))


def _unjudged(told: Told, sums: Sums) -> Value:
    depth = sums.depth(_cutoff(told))
    unknown = sums.sum(_known(sums, judged=False), depth)
    return Value(_share(unknown, depth or sums.returned(), sums))


def _num_nonrel_ret(told: Told, sums: Sums) -> Value:
    number = sums.dialect.number
    known = f"given >= {number(0)} AND given < {number(_rel(told))}"
    worth = sums.mean_worth(f"CASE WHEN {known} THEN {number(1)} ELSE {number(0)} END")
    return Value(sums.sum(worth))


_VALUES: dict[str, Callable[[Told, Sums], Value]] = {
    "cg": _cg,
    "dcg": _dcg,
    "idcg": _idcg,
    "ndcg": _ndcg,
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
    "num_q": lambda told, sums: Value(sums.dialect.number(1)),
    "num_ret": lambda told, sums: Value(sums.returned()),
    "num_rel": lambda told, sums: Value(sums.relevant(_rel(told))),
    "num_rel_ret": lambda told, sums: Value(sums.hits(_rel(told), None)),
    "num_nonrel_ret": _num_nonrel_ret,
}

#: The families of measures that a query can be written for.
EXPRESSIBLE = (
    "nDCG",
    "DCG",
    "IDCG",
    "CG",
    "AP",
    "GMAP",
    "RR",
    "P",
    "R",
    "RelativeP",
    "Rprec",
    "F",
    "Success",
    "SetAP",
    "RBP",
    "ERR",
    "Judged",
    "Unjudged",
    "NumQ",
    "NumRet",
    "NumRel",
    "NumRelRet",
    "NumNonrelRet",
)

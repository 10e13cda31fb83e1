"""CG, DCG, IDCG and nDCG in SQL."""

from __future__ import annotations

import math

from gainful.backends.sql.gains import discounted, weight
from gainful.backends.sql.value import Value, cutoff_of, none_gains
from gainful.errors import MeasureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.sums import Sums

    Params = dict[str, object]


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
    own, best = dcg(params, sums).value, idcg(params, sums).value
    zero = sums.dialect.number(0)
    nothing = f"{best} <= {zero}"
    if params["ideal"] == "judged-to-depth":
        # The ideal of an empty ranking is empty even if the query has relevant documents.
        nothing += f" AND ({sums.returned()} > {zero} OR {none_gains(params, sums)})"
    value = f"COALESCE({own} / NULLIF({best}, {zero}), {zero})"
    return Value(value, nothing, parts=(own, best))


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

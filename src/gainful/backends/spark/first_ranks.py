"""The ranks that measures look at: rows below them need not be shuffled."""

from __future__ import annotations

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from gainful.evaluation.partition import RowForm
    from gainful.measures import Measure

__all__ = ["first_ranks", "keep_first_ranks"]

#: Measures that with a cutoff need only the documents above it and the judgments.
_CUT = ("CG", "DCG", "P", "R", "RR", "Success", "nDCG")
#: Parameters with which they need all documents.
_WHOLE = {"ideal": "list", "judged_only": True, "listed": True}
#: Policies that need all documents unless they have one of these values.
_POLICIES = {
    "order": ("score",),
    "unjudged": ("zero",),
    "unretrieved": ("absent",),
    "duplicates": ("error", "count"),
    "same_id": ("keep",),
    "single": ("keep",),
}


def first_ranks(form: RowForm, scored: bool) -> int:
    """Return the number of ranks that the measures look at.

    Raises
    ------
    ParameterError
        If they need all documents, with the reason.

    Examples
    --------
    >>> from gainful.evaluation.partition import RowForm
    >>> first_ranks(RowForm(["nDCG@10", "RR@20"], "gainful-1"), scored=True)
    20
    >>> first_ranks(RowForm("AP", "gainful-1"), scored=True)
    Traceback (most recent call last):
    ...
    gainful.errors.ParameterError: counts=False, but AP needs all documents of a query
    """
    policies = form.convention
    reasons = [repr(each) for each in form.measures if _cutoff(each.resolve(policies)) is None]
    reasons += [
        f"{name}={getattr(policies, name)}"
        for name, values in _POLICIES.items()
        if getattr(policies, name) not in values
    ]
    if policies.negative == "drop":
        reasons.append("negative=drop")
    if form.bounds is not None:
        reasons.append("bounds")
    if not scored:
        reasons.append("a run without scores")
    if reasons:
        raise ParameterError(f"counts=False, but {reasons[0]} needs all documents of a query")
    return max(_cutoff(each.resolve(policies)) or 0 for each in form.measures)


def _cutoff(measure: Measure) -> int | None:
    """Return the cutoff of a resolved measure that needs no rows below it."""
    whole = any(measure.params.get(name) == value for name, value in _WHOLE.items())
    return measure.cutoff if measure.family in _CUT and not whole else None


def keep_first_ranks(run: DataFrame, ranks: int, precision: str) -> DataFrame:
    """Keep the rows of each query and system down to a rank, and those tied with it.

    Spark removes most other rows before it shuffles. Invalid scores are kept, so that they raise an
    error later.

    Parameters
    ----------
    run : DataFrame
        Rows of a run in the common form.
    ranks : int
        The lowest rank to keep.
    precision : {"float64", "float32"}
        The convention's precision, in which scores can be tied.
    """
    # Adding 0 turns -0.0 into 0.0, so that the two tie. Spark orders NaN above infinity.
    kind = "float" if precision == "float32" else "double"
    score = f"CAST(nullif(value, double('-infinity')) + 0D AS {kind})"
    ordered = f"PARTITION BY query_id, system ORDER BY {score} DESC NULLS FIRST"
    ranked = run.selectExpr("*", f"rank() OVER ({ordered}) AS place")
    return ranked.where(f"place <= {ranks}").drop("place")

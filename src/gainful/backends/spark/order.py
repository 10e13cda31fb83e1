"""Refuse conventions that depend on the order of rows, which Spark tables do not have."""

from __future__ import annotations

from gainful.errors import ConventionError
from gainful.evaluation.partition import RowForm, order_dependence

__all__ = ["check_order"]


def check_order(form: RowForm, position: str | None, qrels_position: str | None) -> None:
    """Refuse a convention that needs an order of rows without a column for it.

    Raises
    ------
    ConventionError
        With the policies that need it.

    Examples
    --------
    >>> from gainful.evaluation.partition import RowForm
    >>> check_order(RowForm("nDCG@10", "gainful-1"), None, None)
    >>> check_order(RowForm("nDCG@10", "ranx"), None, None)
    Traceback (most recent call last):
    ...
    gainful.errors.ConventionError: under ranx-0.3.21: ties=given, duplicates=last: ...
    """
    asked = order_dependence(form.measures, form.convention)
    if asked and position is None:
        raise _refused(form, ", ".join(asked), "position", "that numbers the rows of the run")
    by_judgments = _by_judgments(form)
    if by_judgments and qrels_position is None:
        raise _refused(
            form, ", ".join(by_judgments), "qrels_position", "that numbers the judgments"
        )


def _refused(form: RowForm, found: str, argument: str, column: str) -> ConventionError:
    return ConventionError(
        f"{found}: Spark tables have no order of rows",
        where=f"under {form.convention.label}",
        hint=f"set {argument}=COLUMN, a column {column}",
    )


def _by_judgments(form: RowForm) -> list[str]:
    """Return the settings that depend on the order of the judgments."""
    policies = form.convention
    found = []
    if policies.unretrieved == "last" and policies.ties in ("given", "reverse"):
        found.append(f"unretrieved=last with ties={policies.ties}")
    for measure in form.measures:
        if measure.resolve(policies).params.get("ideal") == "given-order":
            found.append(f"ideal='given-order' of {measure!r}")
    return found

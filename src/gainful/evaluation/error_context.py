"""Errors of an evaluation, with the input or the convention that they are about."""

from __future__ import annotations

from gainful.errors import ConventionError, GainfulError, TieError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions import Convention


def add_input_context(error: GainfulError, where: str) -> GainfulError:
    """Return an error that says in which of the inputs it is, if it does not say so itself."""
    told = error.where or ""
    if error.file is not None or "the columns of" in told or where in told:
        return error
    return error.inside(where)


def add_convention_context(error: GainfulError, convention: Convention) -> GainfulError:
    """Return an error that names the convention, where it is the convention that refuses something.

    Nobody has to be told of the default convention, unless it was changed.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> from gainful.errors import TieError
    >>> print(add_convention_context(TieError(query="q1", found="equal scores"), get("ndeval")))
    under ndeval-4.5, query 'q1': found equal scores
    """
    told = error.hint or ""
    refused = isinstance(error, (ConventionError, TieError))
    if convention.label == "gainful-1" or not (
        refused or told.startswith(("the convention", "the policy", "2^grade"))
    ):
        return error
    return error.inside(f"under {convention.label}")

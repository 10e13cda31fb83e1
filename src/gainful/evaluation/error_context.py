"""Add to an error which input or which convention it is about."""

from __future__ import annotations

from gainful.errors import ConventionError, GainfulError, TieError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions import Convention


def add_input_context(error: GainfulError, where: str) -> GainfulError:
    """Return the error with the input that it is about, unless it names one already."""
    place = error.where or ""
    if error.file is not None or "the columns of" in place or where in place:
        return error
    return error.inside(where)


def add_convention_context(error: GainfulError, convention: Convention) -> GainfulError:
    """Return the error with the convention's name, if the convention refuses something.

    The default convention is named only if it was changed.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> from gainful.errors import TieError
    >>> print(add_convention_context(TieError(query="q1", found="equal scores"), get("ndeval")))
    under ndeval-4.5, query 'q1': found equal scores
    """
    hint = error.hint or ""
    refused = isinstance(error, (ConventionError, TieError))
    if convention.label == "gainful-1" or not (
        refused or hint.startswith(("the convention", "the policy", "2^grade"))
    ):
        return error
    return error.inside(f"under {convention.label}")

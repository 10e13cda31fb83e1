"""Add the input or the convention to an error."""

from __future__ import annotations

from gainful.errors import ConventionError, GainfulError, TieError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions import Convention


def add_input_context(error: GainfulError, where: str, role: str) -> GainfulError:
    """Return the error with the name of its input, unless it has one already."""
    is_named = error.file is not None or (error.where is not None and error.role is not None)
    return (error if is_named else error.inside(where)).replace(role=error.role or role)


def add_convention_context(error: GainfulError, convention: Convention) -> GainfulError:
    """Return the error with the convention's name if it comes from the convention.

    The default convention is named only if it was changed.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> from gainful.errors import TieError
    >>> print(add_convention_context(TieError(query="q1", found="equal scores"), get("ndeval")))
    under ndeval-4.5, query 'q1': equal scores
    """
    from_policy = error.policy is not None or isinstance(error, (ConventionError, TieError))
    if convention.label == "gainful-1" or not from_policy:
        return error
    return error.inside(f"under {convention.label}")

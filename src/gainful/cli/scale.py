"""Grades of a scale, as commands take them."""

from __future__ import annotations

from gainful.errors import ParameterError

__all__ = ["read_scale"]


def read_scale(scale: str | None) -> list[float] | None:
    """Return the grades of ``--scale``.

    Raises
    ------
    ParameterError
        For what is not numbers and commas.

    Examples
    --------
    >>> read_scale("0,1,2.5"), read_scale(None)
    ([0.0, 1.0, 2.5], None)
    """
    if scale is None:
        return None
    try:
        return [float(grade) for grade in scale.split(",")]
    except ValueError:
        raise ParameterError(
            where="--scale", found=repr(scale), expected="numbers and commas, as in 0,1,2,3"
        ) from None

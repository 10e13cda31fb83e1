"""Ids of queries."""

from __future__ import annotations

from gainful.errors import FormatError


def identifier_of(found: object) -> str:
    """Return an id as text: a whole number is its decimal one.

    Raises
    ------
    FormatError
        For anything else.
    """
    if isinstance(found, str):
        return found
    if hasattr(found, "__index__") and not isinstance(found, bool):
        return str(found.__index__())
    raise FormatError(
        where="queries", found=f"{found!r} as id", expected="a text or a whole number"
    )

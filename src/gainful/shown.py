"""Values as error messages quote them."""

from __future__ import annotations

__all__ = ["shown"]

#: Longer ones are cut.
_LONGEST = 60


def shown(value: object) -> str:
    """Return what `repr` writes, cut to a length that a message can hold.

    Examples
    --------
    >>> shown("soup"), len(shown(10**400)), shown(10**5000)
    ("'soup'", 60, 'a whole number of more than 4,300 digits')
    """
    try:
        text = repr(value)
    except ValueError:
        # Python does not write whole numbers of more digits, for it takes too long.
        return "a whole number of more than 4,300 digits"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

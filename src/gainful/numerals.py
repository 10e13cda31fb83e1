"""Parse numbers that people write in files, options and variables."""

from __future__ import annotations

__all__ = ["is_number", "is_plain", "parse_number"]


def is_plain(text: str) -> bool:
    """Return whether a text has neither underscores nor other than ASCII characters.

    Python also reads ``1_0``, and the digits of all scripts.
    """
    return "_" not in text and text.isascii()


def parse_number(value: object) -> float:
    """Return a number, which may be a text in ASCII digits.

    Examples
    --------
    >>> parse_number(" 1e3 "), parse_number(2)
    (1000.0, 2.0)
    """
    if isinstance(value, str) and not is_plain(value):
        raise ValueError(value)
    return float(value)  # type: ignore[arg-type]


def is_number(text: str) -> bool:
    """Return whether a text is a number.

    Examples
    --------
    >>> is_number("0.5"), is_number("1_000")
    (True, False)
    """
    try:
        parse_number(text)
    except ValueError:
        return False
    return True

"""Text that a terminal shows as it is."""

from __future__ import annotations

__all__ = ["printable"]

#: Control characters but the line end, and marks that reverse the direction of text.
_CONTROL = (*range(10), *range(11, 32), *range(127, 160))
_DIRECTION = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CODES = {code: f"\\x{code:02x}" for code in _CONTROL} | {
    code: f"\\u{code:04x}" for code in _DIRECTION
}


def printable(text: str) -> str:
    r"""Return a text with escapes in the place of codes that a terminal would obey.

    Examples
    --------
    >>> print(printable("\x1b[31mred.run"))
    \x1b[31mred.run
    """
    return text.translate(_CODES)

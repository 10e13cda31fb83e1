"""Parse numbers like C: only the beginning of a word has to be a number."""

from __future__ import annotations

#: White space for C's isspace.
SPACE = " \t\n\v\f\r"

_DIGITS = "0123456789"
_HEXADECIMAL = "0123456789abcdef"
_LONG = 1 << 63


def atol(text: str) -> int:
    """Return the whole number that a text begins with, or 0; clamped to 64 bits.

    Examples
    --------
    >>> atol("23.4"), atol(" -7x"), atol("five"), atol("")
    (23, -7, 0, 0)
    """
    text = text.lstrip(SPACE)
    sign = -1 if text[:1] == "-" else 1
    digits = _run(text, 1 if text[:1] in ("-", "+") else 0, _DIGITS)
    return max(-_LONG, min(_LONG - 1, sign * int(digits))) if digits else 0


def atof(text: str) -> float:
    """Return the number that a text begins with, or 0: decimal, hexadecimal, infinity or NaN.

    Examples
    --------
    >>> atof("2.5x"), atof(".1.2"), atof("1e"), atof("0x1.8p1"), atof("-Infinity"), atof("one")
    (2.5, 0.1, 1.0, 3.0, -inf, 0.0)
    """
    text = text.lstrip(SPACE)
    start = 1 if text[:1] in ("-", "+") else 0
    body = text[start:].lower()
    value = 0.0
    if body.startswith(("inf", "nan")):
        value = float(body[:3])
    elif body.startswith("0x") and (number := _number(body[2:], _HEXADECIMAL, "p")):
        try:
            value = float.fromhex(number)
        except OverflowError:
            value = float("inf")
    elif number := _number(body, _DIGITS, "e"):
        value = float(number)
    return -value if text[:1] == "-" else value


def _number(text: str, digits: str, mark: str) -> str:
    """Return the longest prefix with digits, a decimal point and an exponent; may be empty."""
    whole = _run(text, 0, digits)
    at = len(whole)
    fraction = _run(text, at + 1, digits) if text[at : at + 1] == "." else ""
    if not whole and not fraction:
        return ""
    if text[at : at + 1] == ".":
        at += 1 + len(fraction)
    if text[at : at + 1] == mark:
        signed = text[at + 1 : at + 2] in ("-", "+")
        exponent = _run(text, at + 1 + signed, _DIGITS)
        if exponent:
            at += 1 + signed + len(exponent)
    return text[:at]


def _run(text: str, start: int, digits: str) -> str:
    end = start
    # An empty slice is in every string, hence the length.
    while end < len(text) and text[end] in digits:
        end += 1
    return text[start:end]

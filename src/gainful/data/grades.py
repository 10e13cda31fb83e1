"""Parse a grade in a table cell or in JSON."""

from __future__ import annotations

from gainful.errors import FormatError
from gainful.numerals import parse_number
from gainful.quoting import shown

__all__ = ["LARGEST", "grade_of", "has_decimal_comma"]

#: Larger whole numbers are not exact in 64-bit floats, and surely mistakes.
LARGEST = 2.0**53


def grade_of(
    grade: object, query: str, document: str, file: str | None = None, line: int | None = None
) -> float | None:
    """Return a grade as a number, or ``None`` if it is missing.

    Raises
    ------
    FormatError
        For anything but a finite number within ±2^53.

    Examples
    --------
    >>> grade_of(" 2 ", "q1", "d1"), grade_of("", "q1", "d1"), grade_of(float("nan"), "q1", "d1")
    (2.0, None, None)
    """
    # Data frames use NaN for empty cells; in a file, NaN is an error.
    if grade is None or grade != grade or (isinstance(grade, str) and not grade.strip()):
        return None
    try:
        value = parse_number(grade)
    except (TypeError, ValueError, OverflowError):
        value = LARGEST * 2
    if isinstance(grade, str) and has_decimal_comma(grade):
        # The same message as the kernel's, which reads the other formats.
        raise FormatError(
            file=file,
            line=line,
            query=query,
            document=document,
            found=f"{shown(grade)} has a decimal comma",
            hint="export numbers with decimal points, as in 0.5",
        )
    if isinstance(grade, bool) or not -LARGEST <= value <= LARGEST:
        raise FormatError(
            file=file,
            line=line,
            query=query,
            document=document,
            found=shown(grade),
            expected="a grade (a finite number within ±2^53), or nothing",
        )
    return value


def has_decimal_comma(text: str) -> bool:
    """Return whether a text is a number with a decimal comma.

    Examples
    --------
    >>> has_decimal_comma(" -2,5 "), has_decimal_comma("2,5,1"), has_decimal_comma("2.5")
    (True, False, False)
    """
    whole, comma, fraction = text.strip().partition(",")
    digits = whole[1:] if whole[:1] in ("-", "+") else whole
    return bool(comma) and all(part.isascii() and part.isdigit() for part in (digits, fraction))

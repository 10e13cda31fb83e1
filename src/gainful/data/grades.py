"""A grade as it stands in a cell of a table or in JSON."""

from __future__ import annotations

from gainful.errors import FormatError
from gainful.quoting import shown

__all__ = ["LARGEST", "grade_of", "has_decimal_comma"]

#: Whole numbers up to this are exact in 64-bit floats; so large a grade is a mistake anyway.
LARGEST = 2.0**53


def grade_of(
    grade: object, query: str, document: str, file: str | None = None, line: int | None = None
) -> float | None:
    """Return a grade as a number, ``None`` for one that is not there.

    Raises
    ------
    FormatError
        For what is no finite number within ±2^53.

    Examples
    --------
    >>> grade_of(" 2 ", "q1", "d1"), grade_of("", "q1", "d1"), grade_of(float("nan"), "q1", "d1")
    (2.0, None, None)
    """
    # A data frame says NaN for a cell that is empty; a file that says it says something else.
    if grade is None or grade != grade or (isinstance(grade, str) and not grade.strip()):
        return None
    try:
        # Python would read 1_0 as ten, and the digits of all scripts.
        odd = isinstance(grade, str) and ("_" in grade or not grade.isascii())
        value = float("x" if odd else grade)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        value = LARGEST * 2
    if isinstance(grade, str) and has_decimal_comma(grade):
        # In the words of the engine, which reads the other formats.
        raise FormatError(
            file=file,
            line=line,
            query=query,
            document=document,
            found=f"{shown(grade)}, a number with a decimal comma",
            expected="a decimal point, as in 0.5",
            hint="spreadsheets in some languages write decimal commas; export with decimal points",
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

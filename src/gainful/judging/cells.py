"""Format grades, names, shares and intervals of judgments."""

from __future__ import annotations

from gainful.formats.numbers import digits
from gainful.formats.table import cut as shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.judging.result import JudgmentQuality

__all__ = [
    "by_grade",
    "cut",
    "grade_text",
    "grade_value",
    "level",
    "listed",
    "median",
    "share",
    "signed",
    "signed_grade",
    "spread",
]

#: The maximum length of a name in a table.
_NAME = 24


def grade_text(grade: float) -> str:
    """Return a grade as text, integers without a point.

    Examples
    --------
    >>> grade_text(3.0), grade_text(0.5)
    ('3', '0.5')
    """
    return str(int(grade)) if grade == int(grade) else repr(grade)


def grade_value(grade: float) -> float | int:
    """Return an integral grade as an integer, as it was read.

    Examples
    --------
    >>> grade_value(3.0), grade_value(0.5)
    (3, 0.5)
    """
    return int(grade) if grade == int(grade) else grade


def by_grade(counts: dict[float, int]) -> dict[str, int]:
    """Return counts with the text of their grades, as JSON has them."""
    return {grade_text(grade): count for grade, count in counts.items()}


def cut(name: str, most: int = _NAME) -> str:
    """Shorten a name for a table; keep its beginning and end.

    Examples
    --------
    >>> cut("gpt-4o-2024-08-06 with the prompt of umbrela")
    'gpt-4o-2024-… of umbrela'
    """
    return shortened(name, most, middle=True)


def signed_grade(value: float) -> str:
    """Return a difference of grades, with its sign."""
    text = digits(value, 2)
    return text if text.startswith("-") or not float(text) else f"+{text}"


def signed(value: float) -> str:
    """Return a difference, with its sign."""
    text = digits(value)
    return text if text.startswith("-") or not float(text) else f"+{text}"


def spread(ends: tuple[float, float]) -> str:
    """Return the minimum and maximum of differences between means."""
    one, two = map(_difference, ends)
    return one if one == two else f"{one} to {two}"


def _difference(value: float) -> str:
    text = digits(value)
    return text if text.startswith("-") else f"+{text}"


def share(value: float) -> str:
    """Return a share in percent."""
    return f"{100 * value:.1f}%"


def level(quality: JudgmentQuality) -> str:
    """Return the heading of the intervals of agreement."""
    return f"{100 * quality.choices.level:g}% CI"


def median(distribution: dict[float, int]) -> str:
    """Return the lower median of grades with counts."""
    half = (sum(distribution.values()) + 1) // 2
    for grade, count in distribution.items():
        half -= count
        if half <= 0:
            return grade_text(grade)
    return "–"


def listed(names: Sequence[str], most: int) -> str:
    """Return names in a line, with the number of those left out."""
    shown = ", ".join(map(cut, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"

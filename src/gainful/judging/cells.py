"""Format names, shares and intervals for the tables of judgments."""

from __future__ import annotations

from gainful.formats.numbers import digits
from gainful.formats.table import cut as shortened
from gainful.judging.contract import grade_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.judging.result import JudgmentQuality

__all__ = ["bias", "cut", "level", "listed", "median", "share", "spread"]

#: The maximum length of a name in a table.
_NAME = 24


def cut(name: str, most: int = _NAME) -> str:
    """Shorten a name for a table; keep its beginning and end.

    Examples
    --------
    >>> cut("gpt-4o-2024-08-06 with the prompt of umbrela")
    'gpt-4o-2024-… of umbrela'
    """
    return shortened(name, most, middle=True)


def bias(value: float) -> str:
    """Return a difference of grades, with its sign."""
    text = digits(value, 2)
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

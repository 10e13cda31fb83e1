"""What stands in the cells of the tables of judgments: names, shares, intervals."""

from __future__ import annotations

from gainful.formats.table import cut as shortened
from gainful.formats.table import digits
from gainful.judging.contract import grade_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gainful.judging.result import JudgmentQuality

__all__ = ["cut", "interval", "level", "listed", "median", "share", "signed", "spread_of"]

#: How much of a name stands in a table.
_NAME = 24


def cut(name: str, most: int = _NAME) -> str:
    """Return a name that fits in a table; of a long one, how it begins and how it ends.

    Examples
    --------
    >>> cut("gpt-4o-2024-08-06 with the prompt of umbrela")
    'gpt-4o-2024-… of umbrela'
    """
    return shortened(name, most, middle=True)


def signed(value: float | None) -> str:
    """Return a difference of grades, with its sign."""
    if value is None:
        return "–"
    text = digits(value, 2)
    return text if text.startswith("-") or not float(text) else f"+{text}"


def interval(
    low: float | None, high: float | None, write: Callable[[float | None], str] = digits
) -> str:
    """Return the ends of an interval."""
    if low is None or high is None:
        return "–"
    return f"{write(low)} to {write(high)}"


def spread_of(differences: dict[str, float]) -> str:
    """Return the least and the greatest of differences between means."""
    least, most = min(differences.values()), max(differences.values())
    one, two = (_difference(value) for value in (least, most))
    return one if one == two else f"{one} to {two}"


def _difference(value: float) -> str:
    text = digits(value)
    return text if text.startswith("-") else f"+{text}"


def share(value: float | None) -> str:
    """Return a share in per cent."""
    return "–" if value is None else f"{100 * value:.1f} %"


def level(quality: JudgmentQuality) -> str:
    """Return what the intervals of agreement are called."""
    return f"{100 * quality.choices.level:g} % interval"


def median(distribution: dict[float, int]) -> str:
    """Return the lower median of grades that were given some times each."""
    half = (sum(distribution.values()) + 1) // 2
    for grade, often in distribution.items():
        half -= often
        if half <= 0:
            return grade_text(grade)
    return "–"


def listed(names: Sequence[str], most: int) -> str:
    """Return names in a line, and how many more there are."""
    shown = ", ".join(map(cut, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"

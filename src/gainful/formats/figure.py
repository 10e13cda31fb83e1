"""Numbers in cells: with an interval and marks, and which is the best of a column."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Figure", "best_places", "number"]


class Figure:
    """A number with an interval and marks; HTML draws the interval next to the text.

    Parameters
    ----------
    text : str
        What is shown.
    value, low, high : float, optional
        The number and its interval.
    title : str
        More text, which HTML shows when the pointer is over the cell.
    above, below : str
        Marks that Markdown and LaTeX show as superscript and subscript.
    """

    __slots__ = ("above", "below", "high", "low", "text", "title", "value")

    def __init__(
        self,
        text: str,
        value: float | None = None,
        low: float | None = None,
        high: float | None = None,
        title: str = "",
        above: str = "",
        below: str = "",
    ) -> None:
        self.text = text
        self.value = value
        self.low = low
        self.high = high
        self.title = title
        self.above = above
        self.below = below

    def __str__(self) -> str:
        return self.text


def best_places(values: Iterable[object], texts: Sequence[str], direction: int = 1) -> set[int]:
    """Return the places of the best number; more than one if they are shown alike.

    Parameters
    ----------
    values, texts
        The values of a column, and how they are shown.
    direction : {1, -1, 0}
        Whether the highest or the lowest number is best; 0 for no place.
    """
    if not direction:
        return set()
    numbers = [number(value) for value in values]
    known = [number for number in numbers if number is not None]
    if len(known) < 2 or min(known) == max(known):
        return set()
    best = texts[numbers.index(max(known) if direction > 0 else min(known))]
    return {at for at, text in enumerate(texts) if text == best}


def number(value: object) -> float | None:
    """Return a finite number of a cell, or None."""
    if isinstance(value, Figure):
        value = value.value
    return float(value) if isinstance(value, (int, float)) and value - value == 0 else None

"""One grade from those of several raters."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMBINATIONS", "combined"]

#: Each way with its words, which the number of raters follows.
COMBINATIONS = {
    "mean": "mean over",
    "median": "median over",
    "majority": "most frequent of",
}


def combined(how: str, grades: Sequence[float]) -> tuple[float | None, bool]:
    """Return one grade for several, and whether nothing had to be broken for it.

    Parameters
    ----------
    how : {"mean", "median", "majority"}
        The arithmetic mean; the median, which of an even number of grades is the mean of the middle
        two; the grade that most gave. Of several that are equally frequent the one nearest to the
        median is taken, and of two equally near the lower.
    grades : sequence of float
        Those that were given.

    Returns
    -------
    grade : float or None
        None if there are none.
    clear : bool
        False where equally many gave different grades, for ``"majority"``.

    Examples
    --------
    >>> combined("mean", [3, 3, 0]), combined("median", [3, 0]), combined("majority", [3, 3, 0])
    ((2.0, True), (1.5, True), (3, True))
    >>> combined("majority", [0, 2, 3]), combined("majority", [0, 3]), combined("mean", [])
    ((2, False), (0, False), (None, True))
    """
    if not grades:
        return None, True
    if how == "mean":
        return sum(grades) / len(grades), True
    ordered = sorted(grades)
    half = len(ordered) // 2
    median = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    if how == "median":
        return median, True
    often = max(ordered.count(grade) for grade in ordered)
    tied = sorted({grade for grade in ordered if ordered.count(grade) == often})
    return min(tied, key=lambda grade: (abs(grade - median), grade)), len(tied) == 1

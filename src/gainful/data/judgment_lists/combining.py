"""Combine the grades of several raters."""

from __future__ import annotations

from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMBINATIONS", "combine_grades"]

#: The ways to combine grades, described in words that precede the number of raters.
COMBINATIONS = {
    "mean": "mean over",
    "median": "median over",
    "majority": "most frequent of",
}


def combine_grades(how: str, grades: Sequence[float]) -> tuple[float | None, bool]:
    """Combine grades; return the result, and whether it is unambiguous.

    The median of an even number of grades is the mean of the middle two. Of several equally
    frequent grades, the majority is the one nearest to the median, or the lower of two.

    Examples
    --------
    >>> combine_grades("mean", [3, 3, 0]), combine_grades("median", [3, 0])
    ((2.0, True), (1.5, True))
    >>> [combine_grades("majority", grades) for grades in ([3, 3, 0], [0, 2, 3], [0, 3], [])]
    [(3, True), (2, False), (0, False), (None, True)]
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
    counts = Counter(ordered)
    often = max(counts.values())
    tied = [grade for grade, count in counts.items() if count == often]
    return min(tied, key=lambda grade: (abs(grade - median), grade)), len(tied) == 1

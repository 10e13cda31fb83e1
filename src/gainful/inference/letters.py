"""The compact letter display: which systems cannot be told apart, though that is not transitive."""

from __future__ import annotations

from string import ascii_letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["compact_letters"]


def compact_letters(
    systems: Sequence[str],
    means: Mapping[str, float],
    different: Iterable[tuple[str, str]],
) -> dict[str, str]:
    """Return letters for systems; two share one if and only if they are not told apart.

    Not being told apart is not transitive: a may differ from c while b differs from neither. Then b
    has the letters of both.

    Parameters
    ----------
    systems : sequence of str
        All of them.
    means : mapping of str to float
        By which the letters are given out: ``a`` goes to the greatest.
    different : iterable of (str, str)
        The pairs that are told apart, in either order.

    Returns
    -------
    dict of str to str
        The letters of each system, in alphabetical order. After ``z`` comes ``A``, after ``Z``
        comes ``a1``.

    Notes
    -----
    The insert-and-absorb algorithm of H.-P. Piepho: An algorithm for a letter-based representation
    of all-pairwise comparisons. Journal of Computational and Graphical Statistics 13(2), 2004.

    Examples
    --------
    >>> compact_letters("abc", {"a": 0.5, "b": 0.4, "c": 0.3}, [("a", "c")])
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    >>> compact_letters("ab", {"a": 0.5, "b": 0.5}, [])
    {'a': 'a', 'b': 'a'}
    """
    order = sorted(systems, key=lambda system: -means[system])
    place = {system: at for at, system in enumerate(order)}
    apart = sorted({tuple(sorted((place[one], place[two]))) for one, two in different})
    # A column is a set of systems that share a letter, as the places of its systems.
    columns: list[frozenset[int]] = [frozenset(place.values())]
    for one, two in apart:
        split: list[frozenset[int]] = []
        for column in columns:
            if one in column and two in column:
                split += [column - {one}, column - {two}]
            else:
                split.append(column)
        columns = _absorbed(split)
    columns = sorted(_needed(columns), key=sorted)
    letters = dict.fromkeys(order, "")
    for number, column in enumerate(columns):
        for at in sorted(column):
            letters[order[at]] += _letter(number)
    return {system: letters[system] for system in systems}


def _absorbed(columns: list[frozenset[int]]) -> list[frozenset[int]]:
    """Leave out columns that are part of another: they say nothing that it does not say."""
    kept: list[frozenset[int]] = []
    for column in sorted(columns, key=len, reverse=True):
        if not any(column <= other for other in kept):
            kept.append(column)
    return kept


def _needed(columns: list[frozenset[int]]) -> list[frozenset[int]]:
    """Leave out columns all of whose pairs share another letter, the smallest first."""
    kept = list(columns)
    for column in sorted(columns, key=len):
        others = [other for other in kept if other is not column]
        joined = (
            any(one in other and two in other for other in others)
            for one in column
            for two in column
        )
        if all(joined):
            kept = others
    return kept


def _letter(number: int) -> str:
    around, at = divmod(number, len(ascii_letters))
    return ascii_letters[at] + (str(around) if around else "")

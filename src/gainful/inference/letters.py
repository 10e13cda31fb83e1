"""The compact letter display: which systems do not differ significantly."""

from __future__ import annotations

from string import ascii_letters

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

__all__ = ["compact_letters"]


def compact_letters(
    systems: Sequence[str],
    means: Mapping[str, float],
    different: Iterable[tuple[str, str]],
) -> dict[str, str]:
    """Return letters for systems; two share one unless they differ significantly.

    Whether systems differ significantly is not transitive: a may differ from c while b differs from
    neither. Then b has the letters of both.

    Parameters
    ----------
    systems : sequence of str
        All of them.
    means : mapping of str to float
        The order in which letters are given: ``a`` goes to the greatest.
    different : iterable of (str, str)
        The pairs that differ significantly, in either order.

    Returns
    -------
    dict of str to str
        The letters of each system, in alphabetical order. After ``z`` comes ``A``, after ``Z``
        comes ``a1``.

    Notes
    -----
    The clique-growing heuristic of J. Gramm, J. Guo, F. Hüffner, R. Niedermeier, H.-P. Piepho, R.
    Schmid: Algorithms for compact letter displays: comparison and evaluation. Computational
    Statistics & Data Analysis 52(2), 2007. The smallest number of letters is NP-hard to find, and
    the columns of the insert-and-absorb algorithm can double with each pair. Here there are at most
    as many letters as pairs without a significant difference, and the time is polynomial.

    Examples
    --------
    >>> compact_letters("abc", {"a": 0.5, "b": 0.4, "c": 0.3}, [("a", "c")])
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    >>> compact_letters("ab", {"a": 0.5, "b": 0.5}, [])
    {'a': 'a', 'b': 'a'}
    """
    order = sorted(systems, key=lambda system: -means[system])
    place = {system: at for at, system in enumerate(order)}
    alike = np.ones((len(order), len(order)), dtype=np.bool_)
    for one, two in different:
        alike[place[one], place[two]] = alike[place[two], place[one]] = False
    columns = sorted(_needed(_cliques(alike), len(order)))
    letters = dict.fromkeys(order, "")
    for number, column in enumerate(columns):
        for at in column:
            letters[order[at]] += _letter(number)
    return {system: letters[system] for system in systems}


def _cliques(alike: Mask) -> list[list[int]]:
    """Return sets of systems that are all alike, so that each pair that is alike is in one."""
    left = alike.copy()
    cliques = []
    for first in range(len(alike)):
        while left[first, first:].any():
            # Itself, if nothing else is left: a system that differs from all has a letter, too.
            pair = first, first + int(left[first, first:].nonzero()[0][-1])
            members = _grown(alike, left, pair)
            left[np.ix_(members, members)] = False
            cliques.append(members.tolist())
    return cliques


def _grown(alike: Mask, left: Mask, pair: tuple[int, int]) -> npt.NDArray[np.intp]:
    """Return a largest set around a pair: first the systems that pairs are left with."""
    members = np.zeros(len(alike), dtype=np.bool_)
    members[list(pair)] = True
    candidates = alike[pair[0]] & alike[pair[1]] & ~members
    while candidates.any():
        # How many pairs a candidate would settle; of equals, the first.
        settles = left[:, members].sum(axis=1)
        chosen = int(np.argmax(np.where(candidates, settles, -1)))
        members[chosen] = True
        candidates &= alike[chosen]
        candidates[chosen] = False
    return members.nonzero()[0]


def _needed(cliques: list[list[int]], size: int) -> list[list[int]]:
    """Leave out sets all of whose pairs share another letter, the smallest first."""
    shared = np.zeros((size, size), dtype=np.int64)
    for clique in cliques:
        shared[np.ix_(clique, clique)] += 1
    kept = list(cliques)
    for clique in sorted(cliques, key=len):
        block = np.ix_(clique, clique)
        if (shared[block] > 1).all():
            shared[block] -= 1
            kept.remove(clique)
    return kept


def _letter(number: int) -> str:
    around, at = divmod(number, len(ascii_letters))
    return ascii_letters[at] + (str(around) if around else "")

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
        All systems.
    means : mapping of str to float
        The mean of each system; ``a`` goes to the highest.
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
    similar = np.ones((len(order), len(order)), dtype=np.bool_)
    for one, two in different:
        similar[place[one], place[two]] = similar[place[two], place[one]] = False
    columns = sorted(_remove_redundant(_cliques(similar), len(order)))
    letters = dict.fromkeys(order, "")
    for number, column in enumerate(columns):
        for at in column:
            letters[order[at]] += _letter(number)
    return {system: letters[system] for system in systems}


def _cliques(similar: Mask) -> list[list[int]]:
    """Return sets without significant differences that cover all pairs without one."""
    left = similar.copy()
    cliques = []
    for first in range(len(similar)):
        while left[first, first:].any():
            # A system that differs from all others is a set of its own.
            pair = first, first + int(left[first, first:].nonzero()[0][-1])
            members = _grow(similar, left, pair)
            left[np.ix_(members, members)] = False
            cliques.append(members.tolist())
    return cliques


def _grow(similar: Mask, left: Mask, pair: tuple[int, int]) -> npt.NDArray[np.intp]:
    """Grow a pair to a maximal set, first by the systems that cover most remaining pairs."""
    members = np.zeros(len(similar), dtype=np.bool_)
    members[list(pair)] = True
    candidates = similar[pair[0]] & similar[pair[1]] & ~members
    while candidates.any():
        # Count the remaining pairs that a candidate covers; the first candidate wins ties.
        covered = left[:, members].sum(axis=1)
        chosen = int(np.argmax(np.where(candidates, covered, -1)))
        members[chosen] = True
        candidates &= similar[chosen]
        candidates[chosen] = False
    return members.nonzero()[0]


def _remove_redundant(cliques: list[list[int]], size: int) -> list[list[int]]:
    """Remove redundant sets, all of whose pairs share another letter, the smallest first."""
    shared = np.zeros((size, size), dtype=np.int64)
    for clique in cliques:
        shared[np.ix_(clique, clique)] += 1
    remaining = list(cliques)
    for clique in sorted(cliques, key=len):
        block = np.ix_(clique, clique)
        if (shared[block] > 1).all():
            shared[block] -= 1
            remaining.remove(clique)
    return remaining


def _letter(number: int) -> str:
    around, at = divmod(number, len(ascii_letters))
    return ascii_letters[at] + (str(around) if around else "")

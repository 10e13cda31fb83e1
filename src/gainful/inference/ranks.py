"""Simultaneous confidence intervals of ranks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["rank_intervals"]


def rank_intervals(
    systems: Sequence[str], better: Iterable[tuple[str, str]]
) -> dict[str, tuple[int, int]]:
    """Return the range of ranks of each system that the data do not exclude.

    Parameters
    ----------
    systems : sequence of str
        All systems.
    better : iterable of (str, str)
        The significant differences between all pairs of them, the better system first, from tests
        or simultaneous intervals that control the family-wise error rate over all pairs.

    Returns
    -------
    dict of str to (int, int)
        The lowest and the highest possible rank of each system, from 1 to the number of systems.

    Notes
    -----
    The true rank of a system is 1 + the number of systems with a higher true mean. The interval is
    from 1 + the number of systems that are significantly better to the number of systems that are
    not significantly worse, itself included. If no difference is reported with the wrong sign,
    which has a probability of at least 1 - alpha, all intervals contain the true ranks at once.
    They then contain all ranks of systems whose true means are equal. The systems whose interval
    begins with 1 are tied for first: the set contains the best system with the same probability.
    M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm: Inference for ranks with applications to
    mobility across neighbourhoods and academic achievement across countries. Review of Economic
    Studies 91(1), 2024.

    Examples
    --------
    >>> rank_intervals("abcd", [("a", "c"), ("a", "d"), ("b", "d")])
    {'a': (1, 2), 'b': (1, 3), 'c': (2, 4), 'd': (3, 4)}
    """
    above = dict.fromkeys(systems, 0)
    below = dict.fromkeys(systems, 0)
    for winner, loser in better:
        below[winner] += 1
        above[loser] += 1
    return {system: (1 + above[system], len(above) - below[system]) for system in systems}

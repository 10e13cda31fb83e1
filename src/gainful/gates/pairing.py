"""Pair the values of a run with those of a snapshot, query by query."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gainful.gates.snapshot import Snapshot
    from gainful.measures import Measure

    Values = Mapping[str, tuple[float | None, ...]]

__all__ = ["Paired", "pair_values"]


class Paired(NamedTuple):
    """The saved value and the run's, by query, and the number of queries with only one of them."""

    values: dict[str, tuple[float, float]]
    left_out: int


def pair_values(
    saved: Snapshot,
    measures: Sequence[Measure],
    found: Values,
    queries: Iterable[str],
    *,
    rescored: Values | None = None,
) -> dict[str, Paired]:
    """Return the pairs of values for each measure, by its name.

    Parameters
    ----------
    saved : Snapshot
        The snapshot, or its anchor.
    measures : sequence of Measure
        Measures of the snapshot.
    found : mapping of str to tuple
        The run's values of these measures, by query.
    queries : iterable of str
        The queries to pair, of those that the run was evaluated on.
    rescored : mapping of str to tuple, optional
        The values of the saved rankings under today's judgments, instead of the saved values.

    Returns
    -------
    dict of str to Paired
        Without values for a measure that the anchor's saved ranks do not suffice for.
    """
    known = saved.resolved
    places = [known.index(each.resolve(saved.convention)) for each in measures]
    before: Values = {
        query: tuple(row.values[at] for at in places) for query, row in saved.queries.items()
    }
    absent = [all(row[at] is None for row in before.values()) for at in range(len(places))]
    if rescored is not None:
        before = {query: rescored[query] for query in before if query in rescored}
    common = [query for query in queries if query in before]
    pairs = {}
    for at, measure in enumerate(measures):
        values = {
            query: (old, new)
            for query in common
            if not absent[at]
            and (old := before[query][at]) is not None
            and (new := found[query][at]) is not None
        }
        pairs[repr(measure)] = Paired(values, len(common) - len(values))
    return pairs

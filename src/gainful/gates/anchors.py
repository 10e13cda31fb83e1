"""Keep the first snapshot when later ones replace it, so that small losses do not add up."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gainful.data import Run
    from gainful.gates.snapshot import Snapshot

__all__ = ["gains_since_anchor", "keep_anchor"]


def keep_anchor(
    before: Snapshot,
    made: Snapshot,
    measure: Callable[[Run], Mapping[str, tuple[float | None, ...]]],
) -> Snapshot:
    """Return a snapshot with the anchor of the snapshot that it replaces.

    Parameters
    ----------
    before, made : Snapshot
        The replaced snapshot and the new one.
    measure : callable
        Returns the values of a run under the judgments, measures and convention of `made`.

    Returns
    -------
    Snapshot
        `made`, with the first snapshot as its anchor. The anchor's rankings are evaluated again, so
        both have the same judgments. It has no value for a measure that its saved ranks do not
        suffice for. Without any value, and if `made` is the same run, there is no anchor.
    """
    first = before.first
    common = made.queries.keys() & first.queries.keys()
    # A ranking that was cut reproduces only the values that it was cut for.
    kept = [
        first.depth is None or (first.convention == made.convention and each in first.resolved)
        for each in made.resolved
    ]
    if first.run == made.run or not common or not any(kept):
        return made.replace(anchor=None)
    values = measure(first.ranking())
    queries = {
        query: first.queries[query].replace(
            values=tuple(
                value if keep else None for value, keep in zip(values[query], kept, strict=True)
            ),
            judgments=own.judgments,
        )
        for query, own in made.queries.items()
        if query in common and query in values
    }
    anchor = first.replace(
        convention=made.convention,
        measures=made.measures,
        queries=queries,
        judgments=made.judgments,
        looks=(),
        budget=None,
        spending=False,
        anchor=None,
        file=None,
    )
    return made.replace(anchor=anchor)


def gains_since_anchor(snapshot: Snapshot, alpha: float = 0.05) -> dict[str, float]:
    """Return the mean difference from the anchor of each measure that is significantly better.

    The anchor then is too low to detect losses from the level of the snapshot.
    """
    import numpy as np

    from gainful.gates.bounds import bounds_of
    from gainful.inference.design import Design

    gains: dict[str, float] = {}
    if snapshot.anchor is None:
        return gains
    for measure, resolved in zip(snapshot.measures, snapshot.resolved, strict=True):
        values, before = snapshot.values(resolved), snapshot.anchor.values(resolved)
        found = [values[query] - before[query] for query in values if query in before]
        changes = measure.direction * np.array(found)
        if found and bounds_of(changes, Design(len(found)), alpha, alpha).low > 0.0:
            gains[repr(measure)] = sum(found) / len(found)
    return gains

"""Bounds of the difference between two systems, query by query."""

from __future__ import annotations

from typing import NamedTuple

from gainful.byte_order import in_byte_order
from gainful.unjudged.loading import load_effects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.measures import Measure

__all__ = ["DifferenceBounds", "bound_differences"]


class DifferenceBounds(NamedTuple):
    """The differences of two systems by query, and their bounds over all labels.

    Attributes
    ----------
    queries : list of str
        The queries that count for both systems.
    differences, low, high : list of float
        The difference of each query with unjudged documents as not relevant, its lowest and its
        highest value over the labels of the unjudged documents of both systems.
    """

    queries: list[str]
    differences: list[float]
    low: list[float]
    high: list[float]


def bound_differences(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    couples: Sequence[tuple[str, str]],
    measure: Measure,
    convention: Convention,
    *,
    scale: Iterable[float] | None = None,
    threads: int | None = None,
) -> dict[tuple[str, str], DifferenceBounds]:
    """Return the differences of pairs of systems by query, with bounds over all labels.

    Parameters
    ----------
    qrels, runs, scale, threads
        As for `gainful.find_unjudged`.
    couples : sequence of (str, str)
        The pairs of systems.
    measure : Measure
        A measure with bounds.
    convention : Convention
        The policies.

    Returns
    -------
    dict of (str, str) to DifferenceBounds
        The bounds of a query are exact if it has at most 1,024 labelings. Otherwise they combine
        the bounds of the two systems, and may be wider.
    """
    _, _, effects, _ = load_effects(
        qrels,
        runs,
        (measure,),
        convention,
        weights=None,
        depth=None,
        scale=scale,
        threads=threads,
        progress=None,
    )
    values = {name: effects.evaluation._values(measure, name) for name in effects.systems}
    found = {}
    for system, other in couples:
        queries = in_byte_order(effects.common(system, other))
        own = [values[system][query] - values[other][query] for query in queries]
        limits = [effects.limits(system, other, query) for query in queries]
        shares = [effects.share(query, system, other) for query in queries]
        low, high = (
            [
                each + ends[side] / share
                for each, ends, share in zip(own, limits, shares, strict=True)
            ]
            for side in (0, 1)
        )
        found[system, other] = DifferenceBounds(queries, own, low, high)
    return found

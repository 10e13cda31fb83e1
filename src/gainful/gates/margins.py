"""Margins of a gate, and their description."""

from __future__ import annotations

from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.formats.numbers import digits, with_sign
from gainful.gates.creation import gains_since_anchor
from gainful.gates.result import look_alpha
from gainful.keywords import suggest_keywords
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.gates.snapshot import Snapshot
    from gainful.measures import Measure

__all__ = ["CarriedMargin", "carried_margins", "describe_snapshot"]


_POWER = 0.8


class CarriedMargin(NamedTuple):
    """The smallest margin at which an unchanged system passes with 80% power.

    `margin` is infinite if no margin suffices. `deviation` is the assumed standard deviation of the
    differences over queries. `source` names where it is from: ``changes``, from the differences
    between saved systems, or ``values``, if there is only one system.
    """

    measure: str
    margin: float
    deviation: float
    source: str


@suggest_keywords
def carried_margins(
    snapshot: Snapshot, before: Snapshot | None = None, *, alpha: float = 0.05
) -> list[CarriedMargin]:
    """Return the smallest margin that the queries can carry, for each measure.

    Parameters
    ----------
    snapshot : Snapshot
        The snapshot that runs will be checked against.
    before : Snapshot, optional
        The snapshot that it replaces.
    alpha : float
        The error rate of a gate, of which a budget or spending leaves a part to the next look.

    Returns
    -------
    list of CarriedMargin
        One per measure.

    Notes
    -----
    A run that differs from the snapshot on each query, but not in quality, passes with 80% power
    at a margin of about (t(1 - alpha) + t(.8)) s / sqrt(n). The deviation s of the differences
    between this run and the next one is not known in advance. It is the larger one of the
    differences from the replaced snapshot and from the anchor, as if the next change were as
    large. With only one system it is the deviation of the values, which assumes two systems with a
    correlation of .5. Variants of a system are more alike, so their margin is smaller.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> (found,) = carried_margins(snapshot)
    >>> found.measure, round(found.margin, 3), found.source
    ('nDCG@10', 0.443, 'values')
    """
    rate = look_alpha(
        alpha, len(snapshot.looks) + 1, budget=snapshot.budget, spending=snapshot.spending
    )
    margins = []
    for measure, resolved in zip(snapshot.measures, snapshot.resolved, strict=True):
        values = snapshot.values(resolved)
        others = [
            other.values(resolved)
            for other in (before, snapshot.anchor)
            if other is not None and _has(other, resolved, snapshot)
        ]
        deviations = [
            deviation for other in others if (deviation := _deviation(values, other)) > 0.0
        ]
        source = "changes" if deviations else "values"
        # The deviation of differences from a constant is that of the values.
        deviation = (
            max(deviations) if deviations else _deviation(values, dict.fromkeys(values, 0.0))
        )
        margin = _margin(len(values), deviation, rate)
        margins.append(CarriedMargin(repr(measure), margin, deviation, source))
    return margins


def _has(other: Snapshot, resolved: Measure, snapshot: Snapshot) -> bool:
    return other.convention == snapshot.convention and resolved in other.resolved


def _deviation(values: Mapping[str, float], others: Mapping[str, float]) -> float:
    import numpy as np

    differences = [value - others[query] for query, value in values.items() if query in others]
    return float(np.std(differences, ddof=1)) if len(differences) > 1 else 0.0


def _margin(n: int, deviation: float, alpha: float) -> float:
    from gainful.inference.power import detectable_difference

    if alpha <= 0.0 or n < 2:
        return float("inf")
    try:
        # A one-sided test at alpha is nearly a two-sided test at twice alpha.
        return detectable_difference(n, deviation, power=_POWER, alpha=2 * alpha)
    except ParameterError:
        return float("inf")


_SOURCES = {
    "changes": "from the differences to earlier snapshots",
    "values": "assumed from the variance of the scores; variants of one system need less",
}


def describe_snapshot(made: Snapshot, before: Snapshot | None = None) -> str:
    """Return the contents of a snapshot, its anchor and the margins that its queries can carry.

    Examples
    --------
    >>> import gainful
    >>> print(describe_snapshot(gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")))
    nDCG@10 of bm25 on 6 queries, rankings down to 10; no looks yet
    Smallest margin at which an unchanged system passes (80% power): nDCG@10 ...
    """
    lines = [_contents(made, before)]
    margins = carried_margins(made, before)
    for source, assumption in _SOURCES.items():
        if chosen := [margin for margin in margins if margin.source == source]:
            lines.append(
                "Smallest margin at which an unchanged system passes (80% power):"
                f" {', '.join(map(_describe_margin, chosen))} ({assumption})."
            )
    gains = gains_since_anchor(made)
    if gains:
        figures = ", ".join(f"{measure} {with_sign(gain)}" for measure, gain in gains.items())
        lines.append(
            f"The run is better than the anchor ({figures}). To check later runs against this"
            f" level, save it with {refer('new_anchor', 'True')}."
        )
    return "\n".join(lines)


def _contents(made: Snapshot, before: Snapshot | None) -> str:
    depth = "whole rankings" if made.depth is None else f"rankings down to {made.depth}"
    measures = ", ".join(map(repr, made.measures))
    queries = "1 query" if len(made.queries) == 1 else f"{len(made.queries):,} queries"
    count = len(made.looks)
    looks = f"{count} look{'s' if count > 1 else ''}" if count else "no looks yet"
    if made.budget is not None:
        looks += f" (budget {made.budget})"
    elif made.spending:
        looks += " (alpha-spending)"
    anchor = ""
    if made.anchor is not None:
        anchor = f"; anchor {made.anchor.system}"
    elif before is not None and before.first.run != made.run:
        anchor = "; new anchor"
    return f"{measures} of {made.system} on {queries}, {depth}; {looks}{anchor}"


def _describe_margin(carried: CarriedMargin) -> str:
    return (
        f"{carried.measure} {'none' if carried.margin == float('inf') else digits(carried.margin)}"
    )

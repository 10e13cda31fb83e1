"""Describe a saved snapshot: what it contains, and the margins that its queries can carry."""

from __future__ import annotations

from gainful.formats.numbers import digits, with_sign
from gainful.gates.anchors import gains_since_anchor
from gainful.gates.margins import carried_margins
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.gates.margins import CarriedMargin
    from gainful.gates.snapshot import Snapshot

__all__ = ["describe_snapshot"]

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
        if found := [each for each in margins if each.source == source]:
            lines.append(
                "Smallest margin at which an unchanged system passes (80% power):"
                f" {', '.join(map(_margin, found))} ({assumption})."
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


def _margin(each: CarriedMargin) -> str:
    return f"{each.measure} {'none' if each.margin == float('inf') else digits(each.margin)}"

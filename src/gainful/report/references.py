"""The references of queries, places in texts, which the page draws as bars."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gainful.report.report import Report

__all__ = ["list_references"]


def list_references(report: Report, queries: Sequence[str]) -> dict[str, object] | None:
    """Return the relevant places of each query, and how much of a ranking is read.

    None without offsets. A budget limits what is read, as does the cutoff of the measure whose
    rankings the page lists.
    """
    evaluation, listing = report.evaluation, report.listing
    if listing is None or not evaluation.has_places:
        return None
    measure = listing.measure.resolve(evaluation.convention)
    parameters = dict(measure.params)
    rows: Any = evaluation._judgments
    relevant = rows._rows.at_least(parameters.get("rel", 1))
    return {
        "places": [list(_places(relevant.documents(query))) for query in queries],
        "measure": repr(listing.measure),
        "cutoff": measure.cutoff,
        "budget": parameters.get("budget"),
        "tokens": parameters.get("unit") == "tokens",
        "drops": parameters.get("last") == "drop",
    }


def _places(documents: dict[str, Any] | None) -> Iterator[str]:
    """Yield places once, whatever their groups."""
    known: dict[str, None] = {}
    for name, value in (documents or {}).items():
        known.update(dict.fromkeys(value if isinstance(value, dict) else [name]))
    yield from known

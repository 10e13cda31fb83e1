"""Render the scores of systems between floor, baseline and ceiling."""

from __future__ import annotations

from gainful.evaluation.notes import describe_convention, describe_counts
from gainful.formats.numbers import digits, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gainful.bounds.floor import Floor
    from gainful.bounds.result import Headroom, Place, Share

__all__ = ["columns", "rows", "tables", "to_dict"]

FLOOR, CEILING = "floor", "ceiling"


def tables(found: Headroom) -> list[Table]:
    """Return one table per measure, from ceiling to floor."""
    shown = [_table(found, repr(measure)) for measure in found.evaluation.measures]
    # The notes apply to all tables and are below the last.
    return [table.replace(notes=()) for table in shown[:-1]] + shown[-1:]


def _table(found: Headroom, measure: str) -> Table:
    floored, based = found.floor is not None, found.baseline is not None
    level = f"{100 * found.level:g}% CI"
    columns = [
        Column("system", ""),
        Column("mean", show=digits),
        Column("achieved", "gain achieved", _percent),
        Column("achieved_interval", level, _ends(_percent)),
        Column("vs_baseline", f"vs. {found.baseline}", _signed),
        Column("vs_baseline_interval", level, _ends(_signed)),
        Column("reranked", "re-ranked", digits),
    ]
    rows: list[tuple[object, ...]] = [(CEILING, found.ceilings[measure], *[""] * 5)]
    for place in found.ordered(measure):
        mark = " (baseline)" if place.system == found.baseline else ""
        shares = (*_share(place.achieved), *_share(place.vs_baseline))
        rows.append((place.system + mark, place.mean, *shares, place.reranked))
    if found.floor is not None:
        rows.append((FLOOR, found.floors[measure], *[""] * 5))
    between = "between random order (floor) and ideal order (ceiling)"
    table = Table(
        columns,
        rows,
        title=f"{measure} {between if floored else 'and ideal order (ceiling)'}",
        notes=_notes(found),
    )
    absent = ("" if floored else "achieved", "" if based else "vs_baseline")
    return table.only(lambda column: column.key.removesuffix("_interval") not in absent)


def _notes(found: Headroom) -> list[Note]:
    explaining, facts = [], []
    places = found.places.values()
    if found.floor is not None:
        explaining += [
            "gain achieved: share of the achievable gain, (mean − floor) / (ceiling − floor).",
            describe_floor(found.floor),
        ]
        if any(_is_uncertain(place.achieved) for place in places):
            facts.append("gain achieved –: floor and ceiling do not differ significantly.")
    if found.baseline is not None:
        explaining.append(
            f"vs. {found.baseline}: share of the headroom from {found.baseline} to the ceiling."
            f" {refer('compare()')} tests the difference."
        )
        if any(_is_uncertain(place.vs_baseline) for place in places):
            facts.append(f"vs. {found.baseline} –: no significant headroom up to the ceiling.")
    if found.baseline_description is not None:
        facts.append(f"{found.baseline}: built here, {found.baseline_description}.")
    explaining += [
        "re-ranked: mean with the retrieved documents in ideal order, the limit for a re-ranker.",
        "ceiling: the judged documents of each query in ideal order.",
    ]
    above = _above(found)
    if above:
        facts.append(
            f"Above the ceiling: {above}. For this measure, the order by grade is not the best."
        )
    return [
        *noted("bounds", facts),
        *describe_counts(found.evaluation),
        Note("convention", describe_convention(found.evaluation)),
        *noted("bounds", explaining, explains=True),
        Note("interval", "CI: Fieller's confidence interval of a ratio of means.", explains=True),
    ]


def _is_uncertain(share: Share | None) -> bool:
    """Return whether a share has no interval in spite of several queries."""
    return share is not None and share.low is None and share.n > 1


def describe_floor(floor: Floor) -> str:
    """Return in one sentence what the floor is."""
    if floor.kind == "judged":
        of = "the judged documents"
    elif floor.kind == "pool":
        of = "all documents that are judged or in a run"
    else:
        of = f"the {floor.documents:,} documents"
    order = f"expected score of a random order of {of}"
    if floor.taken != floor.documents:
        return f"floor: upper bound of the {order} (from {floor.taken:,}, with all relevant ones)."
    return f"floor: exact {order}."


def _above(found: Headroom) -> str:
    tops = found.ceilings
    names = [
        f"{place.system} ({place.measure})"
        for place in found.places.values()
        if place.mean > tops[place.measure] + 1e-9
    ]
    return ", ".join(names)


def _share(share: Share | None) -> tuple[object, object]:
    if share is None:
        return "", ""
    return share.value, (share.low, share.high)


def _percent(share: float) -> str:
    return f"{digits(100 * share, 1)}%"


def _signed(share: float) -> str:
    return f"{with_sign(100 * share, 1)}%"


def _ends(show: Callable[[float], str]) -> Callable[[tuple[float | None, float | None]], str]:
    def write(ends: tuple[float | None, float | None]) -> str:
        low, high = ends
        if low is None or high is None:
            return "–"
        return f"{show(low).removesuffix('%')} to {show(high)}"

    return write


# --- data ---------------------------------------------------------------------------------------


def rows(found: Headroom) -> Iterator[dict[str, Any]]:
    """Yield one dictionary per system and measure, from ceiling to floor."""
    for measure in map(repr, found.evaluation.measures):
        yield _row(measure, CEILING, "ceiling", found.ceilings[measure], None)
        for place in found.ordered(measure):
            role = "baseline" if place.system == found.baseline else "system"
            yield _row(measure, place.system, role, place.mean, place)
        if found.floor is not None:
            yield _row(measure, FLOOR, "floor", found.floors[measure], None)


def _row(
    measure: str, system: str, role: str, mean: float, place: Place | None
) -> dict[str, object]:
    row: dict[str, object] = {"measure": measure, "system": system, "role": role, "mean": mean}
    row["low"] = place.low if place else None
    row["high"] = place.high if place else None
    for name in ("achieved", "vs_baseline"):
        share: Share | None = getattr(place, name) if place else None
        row[name] = share.value if share else None
        row[f"{name}_low"] = share.low if share else None
        row[f"{name}_high"] = share.high if share else None
    row["reranked"] = place.reranked if place else None
    row["n"] = place.n if place else None
    return row


def columns(found: Headroom) -> dict[str, list[object]]:
    """Return the rows as columns, for TSV and CSV."""
    listed = list(rows(found))
    return {name: [row[name] for row in listed] for name in listed[0]}


def to_dict(found: Headroom) -> dict[str, Any]:
    """Return the result as the JSON contract ``gainful.headroom/1``."""
    evaluation = found.evaluation
    floor = found.floor
    return {
        "schema": "gainful.headroom/1",
        "convention": {**evaluation.convention.to_dict(), "text": str(evaluation.convention)},
        "level": found.level,
        "baseline": found.baseline,
        "baseline_description": found.baseline_description,
        "floor": None
        if floor is None
        else {"of": floor.kind, "documents": floor.documents, "taken": floor.taken},
        "measures": {
            repr(measure): {
                "resolved": repr(resolved),
                "floor": found.floors.get(repr(measure)),
                "ceiling": found.ceilings[repr(measure)],
                "systems": {
                    place.system: _place_fields(place) for place in found.ordered(repr(measure))
                },
            }
            for measure, resolved in zip(evaluation.measures, evaluation.resolved, strict=True)
        },
        "counts": {system: evaluation.counts(system) for system in evaluation.systems},
    }


def _place_fields(place: Place) -> dict[str, object]:
    return {
        "mean": place.mean,
        "low": place.low,
        "high": place.high,
        "n": place.n,
        "achieved": _share_fields(place.achieved),
        "vs_baseline": _share_fields(place.vs_baseline),
        "reranked": place.reranked,
    }


def _share_fields(share: Share | None) -> dict[str, object] | None:
    if share is None:
        return None
    return {"value": share.value, "low": share.low, "high": share.high, "n": share.n}

"""Where systems stand between floor, baseline and ceiling, for people and programs."""

from __future__ import annotations

from gainful.evaluation.notes import describe_convention, describe_counts
from gainful.formats.numbers import digits, with_sign
from gainful.formats.table import Column, Note, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gainful.bounds.result import Headroom, Place, Share

__all__ = ["columns", "rows", "tables", "to_dict"]

FLOOR, CEILING = "floor", "ceiling"


def tables(found: Headroom) -> list[Table]:
    """Return a table for each measure: from the floor over the systems to the ceiling."""
    shown = [_table(found, repr(measure)) for measure in found.evaluation.measures]
    # What holds for all is said once, below the last.
    return [table.replace(notes=()) for table in shown[:-1]] + shown[-1:]


def _table(found: Headroom, measure: str) -> Table:
    floored, based = found.floor is not None, found.baseline is not None
    level = f"{100 * found.level:g}% CI"
    columns = [
        Column("system", ""),
        Column("mean", show=digits),
        Column("way", "of the way", _percent),
        Column("way_interval", level, _ends(_percent)),
        Column("beyond", f"beyond {found.baseline}", _signed),
        Column("beyond_interval", level, _ends(_signed)),
        Column("reranked", "re-ranked", digits),
    ]
    rows: list[tuple[object, ...]] = [(CEILING, found.ceilings[measure], *[""] * 5)]
    for place in found.ordered(measure):
        mark = " (baseline)" if place.system == found.baseline else ""
        shares = (*_share(place.way), *_share(place.beyond))
        rows.append((place.system + mark, place.mean, *shares, place.reranked))
    if found.floor is not None:
        rows.append((FLOOR, found.floors[measure], *[""] * 5))
    table = Table(
        columns,
        rows,
        title=f"{measure}: from floor to ceiling" if floored else f"{measure}: below the ceiling",
        notes=_notes(found),
    )
    absent = ("" if floored else "way", "" if based else "beyond")
    return table.only(lambda column: column.key.partition("_")[0] not in absent)


def _notes(found: Headroom) -> list[Note]:
    notes = ["ceiling: the judged documents of each query in their ideal order."]
    if found.floor is not None:
        notes.append(floor_words(found))
        notes.append("of the way: the share of the way from floor to ceiling, of means.")
        if any(place.way and _untold(place.way) for place in found.places.values()):
            notes.append("–: the way from floor to ceiling is not told from 0 on these queries.")
    if found.baseline is not None:
        notes.append(
            f"beyond {found.baseline}: the share of the way from {found.baseline} to the ceiling;"
            " below 0 it is behind. `gainful compare` tests the difference."
        )
        if any(place.beyond and _untold(place.beyond) for place in found.places.values()):
            notes.append(f"–: what {found.baseline} leaves is not told from 0 on these queries.")
    if found.baseline_words is not None:
        notes.append(f"{found.baseline}: made here, {found.baseline_words}.")
    notes.append(
        "re-ranked: what the system found, in its ideal order. A re-ranker of it gets no further."
    )
    above = _above(found)
    if above:
        notes.append(
            f"Above the ceiling: {above}. The order by grade is not the best one for this measure."
        )
    return [
        *noted("bounds", notes),
        *noted("counts", describe_counts(found.evaluation)),
        Note("convention", describe_convention(found.evaluation)),
        Note("interval", "The intervals are for new queries like these (Fieller's)."),
    ]


def _untold(share: Share) -> bool:
    """Whether several queries do not tell where a share lies."""
    return share.low is None and share.n > 1


def floor_words(found: Headroom) -> str:
    """Return what the floor is, as a sentence."""
    floor = found.floor
    assert floor is not None
    if floor.kind == "judged":
        return "floor: what a random order of the judged documents scores on average, exactly."
    if floor.kind == "pool":
        return (
            "floor: what a random order of the pool (all that is judged or in a run here) scores on"
            " average, exactly."
        )
    assert floor.taken is not None and floor.documents is not None  # noqa: PT018
    if floor.taken < floor.documents:
        return (
            f"floor: what a random order of the {floor.documents:,} documents scores on average, at"
            f" most: it is that of {floor.taken:,}, the relevant ones among them."
        )
    return (
        f"floor: what a random order of the {floor.documents:,} documents scores on average,"
        " exactly."
    )


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


# --- for programs -------------------------------------------------------------------------------


def rows(found: Headroom) -> Iterator[dict[str, object]]:
    """Yield one dictionary a system and measure, ceiling and floor among them, highest first."""
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
    for name in ("way", "beyond"):
        share: Share | None = getattr(place, name) if place else None
        row[name] = share.value if share else None
        row[f"{name}_low"] = share.low if share else None
        row[f"{name}_high"] = share.high if share else None
    row["reranked"] = place.reranked if place else None
    row["n"] = place.n if place else None
    return row


def columns(found: Headroom) -> dict[str, list[object]]:
    """Return the rows column by column, for TSV and CSV."""
    listed = list(rows(found))
    return {name: [row[name] for row in listed] for name in listed[0]}


def to_dict(found: Headroom) -> dict[str, object]:
    """Return it as the JSON contract ``gainful.headroom/1`` has it."""
    evaluation = found.evaluation
    floor = found.floor
    return {
        "schema": "gainful.headroom/1",
        "convention": {**evaluation.convention.to_dict(), "text": str(evaluation.convention)},
        "level": found.level,
        "baseline": found.baseline,
        "baseline_made": found.baseline_words,
        "floor": None
        if floor is None
        else {"of": floor.kind, "documents": floor.documents, "taken": floor.taken},
        "measures": {
            repr(measure): {
                "resolved": repr(resolved),
                "floor": found.floors.get(repr(measure)),
                "ceiling": found.ceilings[repr(measure)],
                "systems": {place.system: _told(place) for place in found.ordered(repr(measure))},
            }
            for measure, resolved in zip(evaluation.measures, evaluation.resolved, strict=True)
        },
        "counts": {system: evaluation.counts(system) for system in evaluation.systems},
    }


def _told(place: Place) -> dict[str, object]:
    return {
        "mean": place.mean,
        "low": place.low,
        "high": place.high,
        "n": place.n,
        "way": _share_told(place.way),
        "beyond": _share_told(place.beyond),
        "reranked": place.reranked,
    }


def _share_told(share: Share | None) -> dict[str, object] | None:
    if share is None:
        return None
    return {"value": share.value, "low": share.low, "high": share.high, "n": share.n}

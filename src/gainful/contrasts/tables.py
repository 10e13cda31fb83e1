"""The tables of a contrast: systems, steps, and the queries that move."""

from __future__ import annotations

from gainful.contrasts.accounts import NOISE, QueryAccount, Step, SystemAccount
from gainful.formats.differences import changed, places_for, signed
from gainful.formats.table import TextTable, digits, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.contrasts.result import Contrast

__all__ = ["account_tables", "query_table", "ranking_table"]

if TYPE_CHECKING:
    from typing import TypeVar

    _Value = TypeVar("_Value", float, float | None)

#: How much of a step, a system and a query id stands in a table.
_STEP, _NAME = 52, 30
#: Pairs of systems that are named.
_SWAPS = 10


def ranking_table(contrast: Contrast) -> TextTable:
    """Return the systems with their means and places under both conventions."""
    ranks = [contrast.ranks(end) for end in (0, 1)]
    places = _places(contrast, [(0, -1)])
    rows = []
    for account in contrast.accounts:
        a, b = account.ends
        rows.append(
            [
                cut(account.system, _NAME),
                digits(a, places),
                digits(b, places),
                signed(changed(a, b, places), places),
                *(str(end[account.system] or "–") for end in ranks),
            ]
        )
    return TextTable(
        ["system", "A", "B", "change", "place under A", "under B"],
        rows,
        align="lrrrrr",
        notes=list(_orders(contrast)),
    )


def _orders(contrast: Contrast) -> Iterator[str]:
    tau, swaps = contrast.tau, contrast.swaps
    told = "is not defined" if tau is None else digits(tau)
    if any(place is None for end in (0, 1) for place in contrast.ranks(end).values()):
        told += ", for a mean is not a number"
    pairs = len(contrast.accounts) * (len(contrast.accounts) - 1) // 2
    line = f"Kendall's tau-b between the two orders {told}"
    if not swaps:
        yield f"{line}: no pair of {pairs} swaps."
        return
    named = ", ".join(f"{swap.first} and {swap.second}" for swap in swaps[:_SWAPS])
    more = f" and {len(swaps) - _SWAPS} more" if len(swaps) > _SWAPS else ""
    verb = "swaps" if len(swaps) == 1 else "swap"
    of = "1 pair" if pairs == 1 else f"{pairs} pairs"
    yield f"{line}: {len(swaps)} of {of} {verb} (first under A, first under B): {named}{more}."


def account_tables(contrast: Contrast, columns: int) -> list[TextTable]:
    """Return the steps with what each adds: one table, or as many as several systems need."""
    kept = [at for at, step in enumerate(contrast.steps) if step.matters]
    places = _places(contrast, [(0, -1), *((at, at + 1) for at in kept)])
    notes = list(_remarks(contrast))
    if len(contrast.accounts) == 1:
        return [_account(contrast, contrast.accounts[0], kept, places, notes)]
    labels = ["step", "A", "B", *(label for at in kept for label in _labels(contrast.steps[at]))]
    room = columns - max(map(width, labels))
    found: list[TextTable] = []
    block: list[SystemAccount] = []
    for account in contrast.accounts:
        wide = [max(width(cut(each.system, _NAME)), places + 3) + 2 for each in [*block, account]]
        if block and sum(wide) > room:
            found.append(_systems(contrast, block, kept, places))
            block = []
        block.append(account)
    found.append(_systems(contrast, block, kept, places, notes))
    return found


def _account(
    contrast: Contrast,
    account: SystemAccount,
    kept: Sequence[int],
    places: int,
    notes: Sequence[str],
) -> TextTable:
    rows = [["A", digits(account.means[0], places), "", f"{account.counted(0)} count"]]
    before = account.means[0]
    for at in kept:
        after = _after(account.means, at, kept)
        *above, last = _labels(contrast.steps[at])
        rows += [[label, "", "", ""] for label in above]
        change = signed(changed(before, after, places), places)
        rows.append([last, digits(after, places), change, _moves(account, at, at + 1)])
        before = after
    a, b = account.ends
    whole = _moves(account, 0, -1, f" of {len(account.queries)}")
    rows.append(["B", digits(b, places), signed(changed(a, b, places), places), whole])
    mean = "sum" if contrast.measure.aggregate == "sum" else "mean"
    return TextTable(["step", mean, "change", "queries"], rows, align="lrrl", notes=notes)


def _systems(
    contrast: Contrast,
    block: Sequence[SystemAccount],
    kept: Sequence[int],
    places: int,
    notes: Sequence[str] = (),
) -> TextTable:
    rows = [["A", *(digits(account.means[0], places) for account in block)]]
    before = [account.means[0] for account in block]
    for at in kept:
        after = [_after(account.means, at, kept) for account in block]
        *above, last = _labels(contrast.steps[at])
        rows += [[label, *("" for _ in block)] for label in above]
        cells = (changed(*pair, places) for pair in zip(before, after, strict=True))
        rows.append([last, *(signed(cell, places) for cell in cells)])
        before = after
    rows.append(["B", *(digits(account.means[-1], places) for account in block)])
    names = [cut(account.system, _NAME) for account in block]
    return TextTable(["step", *names], rows, align="l" + "r" * len(block), notes=notes)


def _remarks(contrast: Contrast) -> Iterator[str]:
    quiet = [step for step in contrast.steps if not step.matters]
    if not contrast.steps:
        yield "The two have the same policies for this measure."
    elif quiet:
        told = "; ".join(
            f"{change.name} ({' → '.join(change.values)})"
            for step in quiet
            for change in step.changes
        )
        yield f"Nothing changes here with {told}."
    for step in contrast.steps:
        if step.refused:
            yield (
                f"{_start(step.names)} change together, for the convention between has no number"
                f" ({step.refused})."
            )
    if contrast.idle:
        names = ", ".join(f"{each.name} ({' → '.join(each.values)})" for each in contrast.idle)
        yield f"The conventions differ in {names}, too, which {contrast.measure!r} sets itself."
    if any(step.matters for step in contrast.steps):
        yield "Changes are those of the printed numbers, so they add up as printed."


def query_table(contrast: Contrast, most: int | None, columns: int) -> TextTable | None:
    """Return the queries that move, those that move the mean most first; ``None`` if none does."""
    moving = [
        (_effect(account, query), account, query)
        for account in contrast.accounts
        for query in account.queries
        if query.moved
    ]
    if not moving:
        return None
    moving.sort(key=lambda each: -each[0])
    shown = moving if most is None else moving[:most]
    pairs = [
        pair
        for _, _, query in shown
        for pair in (
            (query.values[0], query.values[-1]),
            *zip(query.values, query.values[1:], strict=False),
        )
    ]
    places = places_for(pairs, NOISE)
    several = len(contrast.accounts) > 1
    starts = [
        [
            *([cut(account.system, _NAME)] if several else []),
            cut(query.query_id, _NAME),
            digits(query.values[0], places),
            digits(query.values[-1], places),
            signed(changed(query.values[0], query.values[-1], places), places),
        ]
        for _, account, query in shown
    ]
    headers = [*(["system"] if several else []), "query_id", "A", "B", "change"]
    wide = sum(2 + max(map(width, column)) for column in zip(headers, *starts, strict=True))
    rows = []
    for start, (_, _, query) in zip(starts, shown, strict=True):
        lines = _lines(_reasons(contrast, query, places), max(20, columns - wide))
        rows.append([*start, lines[0]])
        rows += [[*("" for _ in start), line] for line in lines[1:]]
    if len(shown) == len(moving):
        title = "The queries that move"
    else:
        title = f"The {len(shown)} queries that move most, of {len(moving)} that do"
    align = "l" * (len(headers) - 3) + "rrrl"
    return TextTable([*headers, "for"], rows, align=align, title=title)


def _effect(account: SystemAccount, query: QueryAccount) -> float:
    """How far a query moves; for one that is left out, how far it is from the mean."""
    a, b = query.values[0], query.values[-1]
    if a is None or b is None:
        mean = account.ends[1] if a is None else account.ends[0]
        moved = abs((b if a is None else a or 0.0) - mean)  # type: ignore[operator]
    else:
        moved = abs(b - a)
    return moved if moved == moved else float("inf")


def _reasons(contrast: Contrast, query: QueryAccount, places: int) -> list[str]:
    told = []
    before = query.values[0]
    moved = [at for at in range(len(contrast.steps)) if query.moves(at)]
    for at in moved:
        step, after = contrast.steps[at], _after(query.values, at, moved)
        if after is None:
            told.append(f"{_short(step)} leaves it out")
        elif before is None:
            told.append(f"{_short(step)} counts it")
        else:
            told.append(f"{_short(step)} {signed(changed(before, after, places), places)}")
        before = after
    return told


def _short(step: Step) -> str:
    """Return what changes; of much that changes together the first, so that the number has room."""
    if len(step.names) <= _STEP // 2:
        return step.names
    return f"{step.changes[0].name} and {len(step.changes) - 1} more"


def _moves(account: SystemAccount, first: int, last: int, of: str = "") -> str:
    moved, left, come = account.movement(first, last)
    told = [f"{moved}{of} move{'s' if moved == 1 and not of else ''}"] if moved else []
    told += [f"{left} left out"] if left else []
    told += [f"{come} counted in"] if come else []
    return ", ".join(told) or "none moves"


def _after(values: Sequence[_Value], at: int, kept: Sequence[int]) -> _Value:
    """Return the value after a step; after the last that is shown, the value under B.

    Steps that are not shown may change the last bits, and these the last digit.
    """
    return values[-1] if at == kept[-1] else values[at + 1]


def _places(contrast: Contrast, states: Sequence[tuple[int, int]]) -> int:
    """Digits that show every change of a mean; none for sums of whole numbers."""
    means = [account.means for account in contrast.accounts]
    if contrast.measure.aggregate == "sum" and all(
        value.is_integer() for each in means for value in each
    ):
        return 0
    return places_for([(each[one], each[two]) for each in means for one, two in states], NOISE)


def _labels(step: Step) -> list[str]:
    """Return what changes, a line each; those that change together hang together."""
    labels = [f"{each.name}: {' → '.join(each.values)}" for each in step.changes]
    return [
        cut(label, _STEP) if at == len(labels) - 1 else f"{cut(label, _STEP - 4)} and"
        for at, label in enumerate(labels)
    ]


def _lines(parts: Sequence[str], columns: int) -> list[str]:
    """Fill lines with parts, none of which is broken unless it has to be."""
    lines: list[str] = []
    for part in parts:
        told = cut(part, columns)
        if lines and width(lines[-1]) + 2 + width(told) < columns:
            lines[-1] += f", {told}"
        else:
            lines.append(told)
    return [*(f"{line}," for line in lines[:-1]), *lines[-1:]] or [""]


def cut(text: str, columns: int) -> str:
    """Return a text that takes no more columns than given, with an ellipsis if it was longer.

    Examples
    --------
    >>> cut("bm25", 10), cut("a very long name", 10)
    ('bm25', 'a very lo…')
    """
    if width(text) <= columns:
        return text
    kept = ""
    for char in text:
        if width(kept + char) >= columns:
            break
        kept += char
    return f"{kept}…"


def _start(text: str) -> str:
    return text[:1].upper() + text[1:]

"""The tables of a contrast: systems, steps and changed queries."""

from __future__ import annotations

from math import comb

from gainful.contrasts.accounts import NAME, NOISE, QueryAccount, Step, SystemAccount
from gainful.formats.numbers import digits, places_adding_up, places_for, with_sign
from gainful.formats.table import Column, Note, Table, cut, noted
from gainful.records.tables import table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gainful.contrasts.result import Contrast

__all__ = ["account_table", "query_table", "ranking_table"]

if TYPE_CHECKING:
    from typing import TypeVar

    _Value = TypeVar("_Value", float, float | None)

#: The maximum length of a step in a table.
_STEP = 52
#: The most pairs of systems that are named.
_SWAPS = 10


def ranking_table(contrast: Contrast) -> Table:
    """Return the systems with their means and ranks under both conventions."""
    places = _places(contrast, [(0, -1)])
    return table_of(
        list(contrast.accounts.values()),
        "ranks",
        show={"a": _mean(places), "b": _mean(places), "change": _change(places)},
        notes=noted("orders", _rank_correlation(contrast)),
    )


def _mean(places: int) -> Callable[[float], str]:
    return lambda value: digits(value, places)


def _change(places: int) -> Callable[[tuple[float | None, float | None]], str]:
    # Subtract the printed numbers, so that the steps add up.
    def show(ends: tuple[float | None, float | None]) -> str:
        before, after = ends
        if before is None or after is None:
            return with_sign(None)
        return with_sign(round(after, places) - round(before, places), places)

    return show


def _rank_correlation(contrast: Contrast) -> Iterator[str]:
    tau, swaps = contrast.tau, contrast.swaps
    value = "undefined" if tau is None else digits(tau)
    accounts = contrast.accounts.values()
    if any(None in (account.rank_a, account.rank_b) for account in accounts):
        value += " (a mean is not a number)"
    line = f"Kendall's tau-b between the rankings of systems: {value}."
    if not swaps:
        yield f"{line} No pair of systems swaps."
        return
    pairs = comb(len(accounts), 2)
    named = ", ".join(f"{first} and {second}" for first, second in swaps[:_SWAPS])
    more = f", and {len(swaps) - _SWAPS} more" if len(swaps) > _SWAPS else ""
    of = "1 pair" if pairs == 1 else f"{pairs} pairs"
    yield f"{line} Swapped: {len(swaps)} of {of} (better under A, better under B): {named}{more}."


def account_table(contrast: Contrast) -> Table:
    """Return the effect of each step, for one or more systems."""
    kept = [at for at, step in enumerate(contrast.steps) if step.matters]
    places = _places(contrast, [(0, -1), *((at, at + 1) for at in kept)])
    build = _account if len(contrast.accounts) == 1 else _systems
    below = noted("steps", _describe_steps(contrast))
    if kept:
        text = "Printed changes are differences of printed numbers, so they add up."
        below.append(Note("steps", text, explains=True))
    return build(contrast, kept, places).replace(notes=below)


def _account(contrast: Contrast, kept: Sequence[int], places: int) -> Table:
    account = contrast.account()
    rows: list[list[object]] = [["A", account.means[0], "", f"{account.counted(0)} counted"]]
    before = account.means[0]
    for at in kept:
        after = _after(account.means, at, kept)
        *above, last = _labels(contrast.steps[at])
        rows += [[label, "", "", ""] for label in above]
        rows.append([last, after, (before, after), _count_text(account, at, at + 1)])
        before = after
    whole = _count_text(account, 0, -1, f" of {len(account.queries)}")
    rows.append(["B", account.ends[1], account.ends, whole])
    columns = [
        Column("step"),
        Column("mean", "sum" if contrast.measure.aggregate == "sum" else "mean", _mean(places)),
        Column("change", show=_change(places)),
        Column("queries", fit="whole"),
    ]
    return Table(columns, rows)


def _systems(contrast: Contrast, kept: Sequence[int], places: int) -> Table:
    accounts = contrast.accounts.values()

    def show(value: float | tuple[float, float]) -> str:
        if isinstance(value, tuple):
            return _change(places)(value)
        return digits(value, places)

    rows: list[list[object]] = [["A", *(account.means[0] for account in accounts)]]
    before = [account.means[0] for account in accounts]
    for at in kept:
        after = [_after(account.means, at, kept) for account in accounts]
        *above, last = _labels(contrast.steps[at])
        rows += [[label, *("" for _ in accounts)] for label in above]
        rows.append([last, *zip(before, after, strict=True)])
        before = after
    rows.append(["B", *(account.means[-1] for account in accounts)])
    columns = [
        Column(f"system.{account.system}", cut(account.system, NAME), show) for account in accounts
    ]
    return Table([Column("step"), *columns], rows)


def _describe_steps(contrast: Contrast) -> Iterator[str]:
    unused = [step for step in contrast.steps if not step.matters]
    if not contrast.steps:
        yield "Both conventions have the same policies for this measure."
    elif unused:
        labels = "; ".join(
            f"{change.name} ({' → '.join(change.values)})"
            for step in unused
            for change in step.changes
        )
        yield f"No effect on these data: {labels}."
    for step in contrast.steps:
        if step.reason:
            yield (
                f"{_capitalize(step.names)} change in one step, because the intermediate"
                f" convention is undefined here ({step.reason})."
            )
    if contrast.overridden:
        names = ", ".join(
            f"{each.name} ({' → '.join(each.values)})" for each in contrast.overridden
        )
        yield f"{contrast.measure!r} overrides {names}."


def query_table(contrast: Contrast, most: int | None) -> Table | None:
    """Return the changed queries, largest effect on the mean first, or None."""
    moving = [
        (_effect(account, query), account, query)
        for account in contrast.accounts.values()
        for query in account.queries
        if query.is_changed
    ]
    if not moving:
        return None
    moving.sort(key=lambda each: -each[0])
    shown = moving if most is None else moving[:most]
    places = _places_of(
        [
            ends
            for _, _, query in shown
            for ends in (
                (query.values[0], query.values[-1]),
                *zip(query.values, query.values[1:], strict=False),
            )
        ]
    )
    several = len(contrast.accounts) > 1
    table = Table(
        [
            Column("system"),
            Column("query_id"),
            Column("a", "A", _mean(places)),
            Column("b", "B", _mean(places)),
            Column("change", show=_change(places)),
            Column("reasons", "reason", fit="wrap"),
        ],
        [
            (
                *(cut(account.system, NAME), cut(query.query_id, NAME)),
                *(query.values[0], query.values[-1], (query.values[0], query.values[-1])),
                ", ".join(_reasons(contrast, query, places)),
            )
            for _, account, query in shown
        ],
        title="Changed queries"
        if len(shown) == len(moving)
        else f"The {len(shown)} largest changes, of {len(moving)} changed queries",
    )
    return table.only(lambda column: several or column.key != "system")


def _effect(account: SystemAccount, query: QueryAccount) -> float:
    """Return how much a query changes; if left out, its distance from the mean."""
    a, b = query.values[0], query.values[-1]
    if a is None or b is None:
        mean = account.ends[1] if a is None else account.ends[0]
        moved = abs((b if a is None else a or 0.0) - mean)  # type: ignore[operator]
    else:
        moved = abs(b - a)
    return moved if moved == moved else float("inf")


def _reasons(contrast: Contrast, query: QueryAccount, places: int) -> list[str]:
    parts = []
    before = query.values[0]
    moved = [at for at in range(len(contrast.steps)) if query.changes_at(at)]
    for at in moved:
        step, after = contrast.steps[at], _after(query.values, at, moved)
        if after is None:
            parts.append(f"{_short(step)} leaves it out")
        elif before is None:
            parts.append(f"{_short(step)} adds it")
        else:
            parts.append(f"{_short(step)} {_change(places)((before, after))}")
        before = after
    return parts


def _short(step: Step) -> str:
    """Return the names of changes, shortened to leave room for the number."""
    if len(step.names) <= _STEP // 2:
        return step.names
    return f"{step.changes[0].name} and {len(step.changes) - 1} more"


def _count_text(account: SystemAccount, first: int, last: int, of: str = "") -> str:
    moved, left_out, added = account.count_changes(first, last)
    parts = [f"{moved}{of} changed"] if moved else []
    parts += [f"{left_out} left out"] if left_out else []
    parts += [f"{added} added"] if added else []
    return ", ".join(parts) or "unchanged"


def _after(values: Sequence[_Value], at: int, kept: Sequence[int]) -> _Value:
    """Return the value after a step; after the last shown step, the value under B.

    Hidden steps may change the last bits, and these the last digit.
    """
    return values[-1] if at == kept[-1] else values[at + 1]


def _places(contrast: Contrast, states: Sequence[tuple[int, int]]) -> int:
    """Return the digits that show every change of a mean; 0 for integral sums."""
    means = [account.means for account in contrast.accounts.values()]
    if contrast.measure.aggregate == "sum" and all(
        value.is_integer() for each in means for value in each
    ):
        return 0
    return _places_of([(each[one], each[two]) for each in means for one, two in states])


def _places_of(ends: Sequence[tuple[float | None, float | None]]) -> int:
    changes = [
        (before, after, after - before)
        for before, after in ends
        if before is not None and after is not None
    ]
    return places_adding_up(changes, places_for(changes, NOISE))


def _labels(step: Step) -> list[str]:
    """Return the labels of changes, one per line, with combined changes indented."""
    labels = [f"{each.name}: {' → '.join(each.values)}" for each in step.changes]
    return [
        cut(label, _STEP) if at == len(labels) - 1 else f"{cut(label, _STEP - 4)} and"
        for at, label in enumerate(labels)
    ]


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]

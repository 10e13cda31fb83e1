"""The result of `contrast`: the steps between two conventions and their effects."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb

from gainful import plots
from gainful.formats.numbers import digits, places_adding_up, places_for, with_sign
from gainful.formats.table import Column, Note, Table, cut, noted
from gainful.inference import kendall_tau
from gainful.records import Record, derived, field, plain
from gainful.records.tables import table_of
from gainful.results import Records, Result, as_records, only_choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    from gainful.conventions import Convention
    from gainful.conventions.difference import Difference
    from gainful.measures import Measure
    from gainful.plots import Plot

    _Value = TypeVar("_Value", float, float | None)

__all__ = ["Contrast", "QueryAccount", "QueryStep", "Step", "StepEffect", "SystemAccount"]


#: Differences up to this come from another order of summation, and do not count as movement; the
#: values are kept unchanged.
NOISE = 1e-12

#: The maximum length of a system and a query id in a table.
NAME = 30

_RANK = {"minimum": 1}
_NUMBER = {"type": ["number", "null"]}


class Step(Record):
    """A change between A and B, usually of one policy."""

    changes: tuple[Difference, ...]
    """The policies and parameters that change, usually one."""
    reason: str | None
    """Why several change together: what the intermediate convention rejects or leaves undefined.
    None for one change, and for parameters that belong together, such as a discount and its base.
    """
    matters: bool
    """Whether it changes any value or mean of these data."""

    @property
    def names(self) -> str:
        """The names of the changes: ``"ties"``, ``"negative and gain"``."""
        *others, last = (change.name for change in self.changes)
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def sides(self) -> tuple[str, str]:
        """The changes, as values before and after."""
        before, after = zip(*(change.values for change in self.changes), strict=True)
        return "; ".join(before), "; ".join(after)

    @property
    def label(self) -> str:
        """The names and values of the changes: ``"ties: doc-id-desc → expected"``."""
        return "; ".join(f"{change.name}: {' → '.join(change.values)}" for change in self.changes)


class QueryAccount(Record):
    """A query of a system, with its value under A and after each step."""

    query_id: str
    """The query."""
    values: tuple[float | None, ...]
    """One more than the number of steps: the first under A, the last under B; None if the
    convention leaves the query out of the mean."""

    @property
    def difference(self) -> float | None:
        """The value under B minus the value under A; None if either is left out."""
        return _difference(self.values[0], self.values[-1])

    def step(self, index: int) -> float | None:
        """Return the change by step `at`, counted from 0; None if the query is left out."""
        return _difference(self.values[index], self.values[index + 1])

    def changes_at(self, index: int) -> bool:
        """Return whether step `at`, counted from 0, changes, removes or adds the value."""
        return _differ(self.values[index], self.values[index + 1])

    @property
    def is_changed(self) -> bool:
        """Whether the value differs between A and B."""
        return _differ(self.values[0], self.values[-1])


class StepEffect(Record):
    """The effect of a step on the mean of a system and on its queries."""

    before: float = field(json=_NUMBER)
    """The mean before the step; None if it is not a number."""
    after: float = field(json=_NUMBER)
    """The mean after the step; None if it is not a number."""
    difference: float = derived(lambda effect: effect.after - effect.before, json=_NUMBER)
    """after - before."""
    changed: int
    """The number of queries whose value the step changes."""
    left_out: int
    """The number of queries that the step leaves out."""
    added: int
    """The number of queries that the step adds."""


class SystemAccount(Record):
    """A system, with its mean under A and after each step, and its queries."""

    system: str = field(key="", tables="ranks", cell=lambda account: cut(account.system, NAME))
    """The name of the run."""
    a: float = derived(lambda account: account.means[0], tables="ranks", label="A", json=_NUMBER)
    """The mean under A; None if it is not a number."""
    b: float = derived(lambda account: account.means[-1], tables="ranks", label="B", json=_NUMBER)
    """The mean under B; None if it is not a number."""
    change: tuple[float, float] = derived(lambda account: account.ends, key="", tables="ranks")
    """The means under A and under B, which are printed as their difference."""
    difference: float = derived(lambda account: account.b - account.a, json=_NUMBER)
    """b - a."""
    rank_a: int | None = field(tables="ranks", label="rank under A", json=_RANK)
    """The system's rank by its mean under A, counted from 1. Equal means share a rank; None if the
    mean is not a number."""
    rank_b: int | None = field(tables="ranks", label="rank under B", json=_RANK)
    """The rank by its mean under B, as for A."""
    queries_a: int = derived(lambda account: account.counted(0))
    """The number of queries that count under A."""
    queries_b: int = derived(lambda account: account.counted(-1))
    """The number of queries that count under B."""
    steps: tuple[StepEffect, ...] = derived(lambda account: tuple(account.effects()))
    """One entry per step, in the same order. The first starts at a, the last ends at b, and each
    starts where the previous one ended."""
    means: tuple[float, ...] = field(key="")
    """One more than the number of steps: the first under A, the last under B. Each is the mean of
    `evaluate` under the intermediate convention; the sum for measures that are summed over
    queries."""
    queries: tuple[QueryAccount, ...] = field(key="")
    """Every query that counts in any state, in byte order of the ids."""

    @property
    def ends(self) -> tuple[float, float]:
        """The means under A and under B."""
        return self.means[0], self.means[-1]

    def effects(self) -> Iterator[StepEffect]:
        """Yield the effect of each step."""
        for place, (before, after) in enumerate(pairwise(self.means)):
            changed, left_out, added = self.count_changes(place, place + 1)
            yield StepEffect(
                before=before, after=after, changed=changed, left_out=left_out, added=added
            )

    def step(self, index: int) -> float:
        """Return the change of the mean by step `at`, counted from 0."""
        return self.means[index + 1] - self.means[index]

    def counted(self, state: int) -> int:
        """Return the number of queries that count under A (0), after step 1 (1), and so on."""
        return sum(query.values[state] is not None for query in self.queries)

    def count_changes(self, first: int, last: int) -> tuple[int, int, int]:
        """Return the numbers of queries that change, drop out and are added between two states.

        States are numbered as in `counted`.
        """
        changed = left_out = added = 0
        for query in self.queries:
            before, after = query.values[first], query.values[last]
            left_out += before is not None and after is None
            added += before is None and after is not None
            changed += before is not None and after is not None and _differ(before, after)
        return changed, left_out, added

    def changes_at(self, index: int) -> bool:
        """Return whether step `at`, counted from 0, changes the mean or any query."""
        return _differ(self.means[index], self.means[index + 1]) or any(
            query.changes_at(index) for query in self.queries
        )


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _differ(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    # NaN is not equal to itself, but did not change.
    return abs(after - before) > NOISE or (before != before) != (after != after)


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
    kept = [index for index, step in enumerate(contrast.steps) if step.matters]
    places = _places(contrast, [(0, -1), *((place, place + 1) for place in kept)])
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
    for place in kept:
        after = _after(account.means, place, kept)
        *above, last = _labels(contrast.steps[place])
        rows += [[label, "", "", ""] for label in above]
        rows.append([last, after, (before, after), _count_text(account, place, place + 1)])
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
    for place in kept:
        after = [_after(account.means, place, kept) for account in accounts]
        *above, last = _labels(contrast.steps[place])
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
            f"{measure.name} ({' → '.join(measure.values)})" for measure in contrast.overridden
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
    moving.sort(key=lambda row: -row[0])
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
    moved = [index for index in range(len(contrast.steps)) if query.changes_at(index)]
    for place in moved:
        step, after = contrast.steps[place], _after(query.values, place, moved)
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


def _after(values: Sequence[_Value], index: int, kept: Sequence[int]) -> _Value:
    """Return the value after a step; after the last shown step, the value under B.

    Hidden steps may change the last bits, and these the last digit.
    """
    return values[-1] if index == kept[-1] else values[index + 1]


def _places(contrast: Contrast, states: Sequence[tuple[int, int]]) -> int:
    """Return the digits that show every change of a mean; 0 for integral sums."""
    means = [account.means for account in contrast.accounts.values()]
    if contrast.measure.aggregate == "sum" and all(
        value.is_integer() for mean in means for value in mean
    ):
        return 0
    return _places_of([(mean[one], mean[two]) for mean in means for one, two in states])


def _places_of(ends: Sequence[tuple[float | None, float | None]]) -> int:
    changes = [
        (before, after, after - before)
        for before, after in ends
        if before is not None and after is not None
    ]
    return places_adding_up(changes, places_for(changes, NOISE))


def _labels(step: Step) -> list[str]:
    """Return the labels of changes, one per line, with combined changes indented."""
    labels = [f"{change.name}: {' → '.join(change.values)}" for change in step.changes]
    return [
        cut(label, _STEP) if index == len(labels) - 1 else f"{cut(label, _STEP - 4)} and"
        for index, label in enumerate(labels)
    ]


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


class QueryStep(Record):
    """The effect of a step on a query of a system."""

    system: str
    """The name of the run."""
    query_id: str
    """The query."""
    step: int = field(json={"minimum": 1})
    """The number of the step, counted from 1."""
    policies: str
    """The names of the changes."""
    old: str = field(key="from")
    """The values of the changes before the step."""
    new: str = field(key="to")
    """The values of the changes after the step."""
    before: float | None
    """The value before the step; None if the query is left out, or it is not a number."""
    after: float | None
    """The value after the step; None if the query is left out, or it is not a number."""
    difference: float | None
    """after - before."""


_COLUMNS = tuple(key for item in QueryStep.FIELDS.values() for key in item.keys)


class Contrast(Result):
    """The difference between two conventions, attributed to single policies.

    ``print`` shows it in 100 columns. It exports the Arrow C stream with one row per system, query
    and step, so ``polars.DataFrame(contrast)`` works.

    **Steps add up.** A step's effect is the value after it minus the value before it, so the
    effects sum exactly to the difference, for each query and for the mean. If a query drops out of
    the mean or is added to it, that step of the mean includes it. Printed changes are differences
    of printed numbers and add up too.

    Examples
    --------
    >>> import gainful
    >>> contrast = gainful.contrast("qrels.txt", "bm25.run", "trec_eval", "gainful", "nDCG@3")
    >>> [step.names for step in contrast.steps], contrast.account().difference
    (['precision', 'negative', 'fractions', 'missing'], 0.0)
    >>> any(step.matters for step in contrast.steps)
    False
    """

    SCHEMA = "gainful.contrast/1"
    COMMAND = "contrast"
    RECORDS = {"queries": None, "steps": None}
    PICTURES = ("effects",)

    a: Convention
    """Convention A, as in gainful.evaluation/1."""
    b: Convention
    """Convention B, as in gainful.evaluation/1."""
    measure: Measure
    """The measure as it was requested."""
    resolved: dict[str, Measure] = field(json={"required": ["a", "b"]})
    """The measure with every parameter, under each convention."""
    weighted: bool
    """Whether the means are weighted."""
    steps: tuple[Step, ...]
    """The changes from A to B, in order; empty if the conventions are equivalent for this measure.
    """
    overridden: tuple[Difference, ...]
    """Parameters in which the conventions differ, but that the measure overrides."""
    accounts: dict[str, SystemAccount] = field(key="systems", json={"minProperties": 1})
    """The effects of the steps by system."""
    tau: float | None = derived(
        lambda contrast: kendall_tau(
            *zip(*(account.ends for account in contrast.accounts.values()), strict=True)
        ),
        json={"minimum": -1, "maximum": 1},
    )
    """Kendall's tau-b between the rankings of systems under A and B; None if undefined, as for one
    system."""
    swaps: tuple[tuple[str, str], ...] = derived(lambda contrast: tuple(_swaps(contrast)))
    """Pairs of systems in opposite orders: the better one under A, and the better one under B."""
    per_query: tuple[QueryStep, ...] | None = derived(lambda _: None, optional=True)
    """With --per-query: one row per system, query and step."""

    # --- systems --------------------------------------------------------------------------------

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(self.accounts)

    def account(self, system: str | None = None) -> SystemAccount:
        """Return the account of a system; the name is optional for a single system.

        Raises
        ------
        ParameterError
            For an unknown system, or if `system` is needed and missing.
        """
        return self.accounts[only_choice("system", system, list(self.accounts))]

    # --- showing --------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the rows."""
        return _COLUMNS

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield one row per system, query and step: the fields of `QueryStep`."""
        # Tuples, since objects would take several times longer.
        numbered = [(place + 1, step.names, *step.sides) for place, step in enumerate(self.steps)]
        for account in self.accounts.values():
            for query in account.queries:
                for place, step in enumerate(numbered):
                    before, after = query.values[place], query.values[place + 1]
                    yield account.system, query.query_id, *step, before, after, query.step(place)

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return the result as plain values for JSON, as its schema describes.

        Parameters
        ----------
        per_query : bool, default False
            Whether to add the rows of queries and steps.
        """
        exported = super().to_dict()
        if per_query:
            exported["per_query"] = [
                dict(zip(_COLUMNS, map(plain, row), strict=True)) for row in self.rows()
            ]
        return exported

    def tables(self, *, queries: int | None = 10) -> list[Table]:
        """Return the systems, the steps and the changed queries as tables.

        Parameters
        ----------
        queries : int or None
            Number of changed queries to list; None for all.
        """
        tables = [account_table(self)]
        if len(self.accounts) > 1:
            tables.insert(0, ranking_table(self))
        changed = query_table(self, queries)
        tables += [] if changed is None else [changed]
        ends = noted("convention", (str(self.a), str(self.b)))
        return [*tables[:-1], tables[-1].replace(notes=[*tables[-1].notes, *ends])]

    def _heading(self) -> list[str]:
        systems = self.systems
        subject = systems[0] if len(systems) == 1 else f"{len(systems)} systems"
        weighted = ", weighted means" if self.weighted else ""
        return [
            f"{subject}, {self.measure!r}{weighted}",
            f"A  {self.a.label}",
            f"B  {self.b.label}",
        ]

    def _picture(self, name: str) -> Plot:
        """Draw the effect of each policy on the mean of each system."""
        rows = [
            {"system": account.system, "step": step.names, "effect": account.step(place)}
            for account in self.accounts.values()
            for place, step in enumerate(self.steps)
        ]
        return plots.effects(rows, f"{self.measure!r} from {self.a.label} to {self.b.label}")

    def _records(self, name: str) -> Records:
        if name == "queries":
            return as_records(_COLUMNS, self.rows())
        names = ("system", "step", "policies", "from", "to", "before", "after", "difference")
        rows = (
            (
                *(account.system, place + 1, step.names, *step.sides),
                *(account.means[place], account.means[place + 1], account.step(place)),
                *(account.counted(place), account.counted(place + 1)),
            )
            for account in self.accounts.values()
            for place, step in enumerate(self.steps)
        )
        return as_records((*names, "queries_before", "queries_after"), rows)

    def __repr__(self) -> str:
        of = ", ".join(self.systems)
        return f"<Contrast of {of}: {self.measure!r}, {self.a.label} and {self.b.label}>"


def _swaps(contrast: Contrast) -> Iterator[tuple[str, str]]:
    for one, two in combinations(contrast.accounts.values(), 2):
        if one.a > two.a and one.b < two.b:
            yield one.system, two.system
        elif one.a < two.a and one.b > two.b:
            yield two.system, one.system

"""The result of `contrast`: the steps between two conventions and their effects."""

from __future__ import annotations

from itertools import combinations

from gainful import plots
from gainful.contrasts.tables import account_table, query_table, ranking_table
from gainful.errors import ParameterError
from gainful.formats.table import noted
from gainful.inference import kendall_tau
from gainful.records import Record, as_columns, derived, field
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.contrasts.accounts import Step, SystemAccount
    from gainful.conventions import Convention
    from gainful.conventions.difference import Difference
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot

__all__ = ["Contrast", "QueryStep"]


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
    per_query: tuple[QueryStep, ...] | None = field(default=None, optional=True)
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
        if system is None and len(self.accounts) == 1:
            return next(iter(self.accounts.values()))
        if system not in self.accounts:
            raise ParameterError(
                where="system",
                found=repr(system),
                expected=f"one of {', '.join(self.accounts)}",
            )
        return self.accounts[system]

    # --- showing --------------------------------------------------------------------------------

    def query_steps(self) -> Iterator[QueryStep]:
        """Yield the effect of each step on each query of each system."""
        numbered = [(place, step.names, *step.sides) for place, step in enumerate(self.steps)]
        for account in self.accounts.values():
            for query in account.queries:
                for place, policies, old, new in numbered:
                    yield QueryStep(
                        system=account.system,
                        query_id=query.query_id,
                        step=place + 1,
                        policies=policies,
                        old=old,
                        new=new,
                        before=query.values[place],
                        after=query.values[place + 1],
                        difference=query.step(place),
                    )

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return the result as plain values for JSON, as its schema describes.

        Parameters
        ----------
        per_query : bool, default False
            Whether to add the rows of queries and steps.
        """
        if per_query:
            return self.replace(per_query=tuple(self.query_steps())).to_dict()
        return super().to_dict()

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
            return as_columns(QueryStep, [*self.query_steps()])
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

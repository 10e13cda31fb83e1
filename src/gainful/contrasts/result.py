"""The result of `contrast`: the steps between two conventions and their effects."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.contrasts.accounts import Step, Swap, SystemAccount
from gainful.contrasts.contract import to_dict
from gainful.contrasts.rendering import query_rows, step_rows
from gainful.errors import ParameterError
from gainful.inference import kendall_tau
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.conventions import Convention
    from gainful.conventions.difference import Difference
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot

__all__ = ["Contrast"]

#: Columns of the exported rows.
_COLUMNS = (
    "system",
    "query_id",
    "step",
    "policies",
    "from",
    "to",
    "before",
    "after",
    "difference",
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Contrast(Result):
    """The difference between two conventions, attributed to single policies.

    ``print`` shows it in 100 columns. It exports the Arrow C stream with one row per system, query
    and step, so ``polars.DataFrame(contrast)`` works.

    **Steps add up.** A step's effect is the value after it minus the value before it, so the
    effects sum exactly to the difference, for each query and for the mean. If a query drops out of
    the mean or is added to it, that step of the mean includes it. Printed changes are differences
    of printed numbers and add up too.

    Attributes
    ----------
    a, b : Convention
        The conventions.
    measure : Measure
        As requested.
    resolved : tuple of two Measure
        With every parameter set, under A and under B.
    steps : tuple of Step
        From A to B; empty if the conventions are equivalent for this measure.
    accounts : tuple of SystemAccount
        One per system.
    overridden : tuple of Difference
        Parameters that differ between the conventions, but are set by the measure.
    weighted : bool
        Whether the means are weighted.

    Examples
    --------
    >>> import gainful
    >>> contrast = gainful.contrast("qrels.txt", "bm25.run", "trec_eval", "gainful", "nDCG@3")
    >>> [step.names for step in contrast.steps], contrast.account().difference
    (['precision', 'negative', 'fractions', 'missing'], 0.0)
    >>> any(step.matters for step in contrast.steps)
    False
    """

    RECORDS = {"queries": None, "steps": None}
    PICTURES = ("effects",)

    a: Convention
    b: Convention
    measure: Measure
    resolved: tuple[Measure, Measure]
    steps: tuple[Step, ...]
    accounts: tuple[SystemAccount, ...]
    overridden: tuple[Difference, ...]
    weighted: bool

    # --- systems --------------------------------------------------------------------------------

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(account.system for account in self.accounts)

    def account(self, system: str | None = None) -> SystemAccount:
        """Return the account of a system; the name is optional for a single system.

        Raises
        ------
        ParameterError
            For an unknown system, or if `system` is needed and missing.
        """
        if system is None and len(self.accounts) == 1:
            return self.accounts[0]
        for each in self.accounts:
            if each.system == system:
                return each
        raise ParameterError(
            where="system",
            found=repr(system),
            expected=f"one of {', '.join(self.systems)}",
        )

    def ranks(self, end: int) -> dict[str, int | None]:
        """Return each system's rank under A (0) or B (1).

        Equal means share a rank; undefined means have none.
        """
        means = {account.system: account.ends[end] for account in self.accounts}
        return {
            system: 1 + sum(other > mean for other in means.values()) if mean == mean else None
            for system, mean in means.items()
        }

    @property
    def tau(self) -> float | None:
        """Kendall's tau-b between the orders of systems under A and B; ``None`` if undefined."""
        return kendall_tau(*zip(*(account.ends for account in self.accounts), strict=True))

    @property
    def swaps(self) -> tuple[Swap, ...]:
        """The pairs of systems with opposite orders under the conventions."""
        found = []
        for at, one in enumerate(self.accounts):
            for two in self.accounts[at + 1 :]:
                (mine, later), (other, last) = one.ends, two.ends
                if mine > other and later < last:
                    found.append(Swap(first=one.system, second=two.system))
                elif mine < other and later > last:
                    found.append(Swap(first=two.system, second=one.system))
        return tuple(found)

    # --- showing --------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the rows."""
        return _COLUMNS

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield one row per system, query and step, with the columns in `columns`.

        ``step`` counts from 1; ``policies`` names the changes, ``from`` and ``to`` their values;
        ``before``, ``after`` and ``difference`` are None if the query is left out.
        """
        numbered = [(at + 1, step.names, *step.sides) for at, step in enumerate(self.steps)]
        for account in self.accounts:
            for query in account.queries:
                for at, step in enumerate(numbered):
                    before, after = query.values[at], query.values[at + 1]
                    yield (
                        account.system,
                        query.query_id,
                        *step,
                        before,
                        after,
                        query.step(at),
                    )

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return the contrast as the JSON contract ``gainful.contrast/1``.

        Parameters
        ----------
        per_query : bool, default False
            Whether to add the rows of queries and steps.
        """
        return to_dict(self, per_query=per_query)

    def tables(self, *, queries: int | None = 10) -> list[Table]:
        """Return the systems, the steps and the changed queries as tables.

        Parameters
        ----------
        queries : int or None
            Number of changed queries to list; None for all.
        """
        from gainful.contrasts.rendering import tables

        return tables(self, queries=queries)

    def _heading(self) -> list[str]:
        from gainful.contrasts.rendering import heading

        return heading(self)

    def _picture(self, name: str) -> Plot:
        """Draw the effect of each policy on the mean of each system."""
        from gainful import plots

        rows = [
            {"system": account.system, "step": step.names, "effect": account.step(at)}
            for account in self.accounts
            for at, step in enumerate(self.steps)
        ]
        return plots.effects(rows, f"{self.measure!r} from {self.a.label} to {self.b.label}")

    def _records(self, name: str) -> Records:
        return as_records(*(query_rows if name == "queries" else step_rows)(self))

    def __repr__(self) -> str:
        of = ", ".join(self.systems)
        return f"<Contrast of {of}: {self.measure!r}, {self.a.label} and {self.b.label}>"

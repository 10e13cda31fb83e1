"""Groups of measures that are computed together, for any number of runs."""

from __future__ import annotations

import warnings

from gainful import _kernel
from gainful.errors import MatchError
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gainful.conventions import Convention
    from gainful.data import Qrels, Run
    from gainful.measures import Measure

__all__ = ["Group", "group_measures"]

#: Policies of single measures in ir_measures. A document with a negative grade is unjudged in
#: trec_eval but counts as judged in ir_measures' Judged; its Accuracy is undefined for a query
#: without a retrieved relevant document. Ties are the same for all measures. The policies of
#: Accuracy have their own name, because the preset is not verified for it.
_SPECIAL_POLICIES: dict[str, dict[str, Any]] = {
    "Judged": {"negative": "zero"},
    "Accuracy": {"no_relevant": "skip", "name": "ir_measures' Accuracy"},
}

#: The flag of a query that a measure excludes.
_LEFT_OUT = 2


class Group:
    """Measures with the same convention and kind of judgments.

    Parameters
    ----------
    convention : Convention
        The policies.
    kind : {"grades", "subtopics"}
        The kind of judgments.

    Attributes
    ----------
    measures : list of Measure
        The distinct measures.
    """

    def __init__(self, convention: Convention, kind: str) -> None:
        self.convention = convention
        self.kind = kind
        self.measures: list[Measure] = []
        self._policies = convention.spec()
        self._kernels: list[_kernel.Kernel] = []

    def add(self, measure: Measure) -> None:
        """Add a measure."""
        self.measures.append(measure)
        self._kernels.append((repr(measure), *measure.spec(self.convention)))

    def measure(self, judged: Qrels, run: Run | dict[Any, Any]) -> dict[Measure, Column]:
        """Measure a run."""
        source = run if isinstance(run, dict) else run._rows
        try:
            table = self._table(judged, source)
        except MatchError as error:
            if not judged:
                raise
            # The run has no judged query, which is not an error in ir_measures.
            if run:
                _warn(error)
            table = self._table(judged, {query: {} for query in judged})
        return {measure: Column(table, at, measure) for at, measure in enumerate(self.measures)}

    def _table(self, judged: Qrels, source: _kernel.Rows | dict[Any, Any]) -> _kernel.Evaluated:
        return _kernel.evaluate(
            judged._rows, source, self._policies, self._kernels, threads=thread_count(None)
        )


class Column:
    """One measure of one run."""

    def __init__(self, table: _kernel.Evaluated, at: int, measure: Measure) -> None:
        self._table = table
        self._at = at
        self._sums = measure.aggregate == "sum"

    def aggregate(self) -> float:
        """Return the mean over the queries, or their sum."""
        figures = self._table.summary(self._at)
        return figures.sum if self._sums else figures.mean

    def per_query(self) -> dict[str, float]:
        """Return the values of the counted queries, in byte order."""
        table = self._table
        rows = zip(table.query_ids(), table.column(self._at), table.flags(self._at), strict=True)
        return {query: value for query, value, flags in rows if not flags & _LEFT_OUT}


def group_measures(measures: Iterable[Measure], convention: Convention) -> list[Group]:
    """Group measures that can be computed together."""
    groups: dict[tuple[Convention, str], Group] = {}
    for measure in dict.fromkeys(measures):
        special = _SPECIAL_POLICIES.get(measure.family)
        own = convention.replace(**special) if special else convention
        key = own, getattr(measure.declaration, "judgments", "grades")
        if key not in groups:
            groups[key] = Group(*key)
        groups[key].add(measure)
    return list(groups.values())


def _warn(error: MatchError) -> None:
    warnings.warn(str(error), stacklevel=6)

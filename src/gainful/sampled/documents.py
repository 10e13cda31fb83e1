"""The drawn documents of a query, with their grades."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.sampled.estimators import Cells

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gainful.data.judgment_samples import Stratum
    from gainful.sampled.estimators import Estimated
    from gainful.sampled.plans import Plan

__all__ = ["Documents", "QueryEstimate", "documents_of"]


@dataclass(frozen=True, slots=True)
class QueryEstimate:
    """The estimate of a measure for one query and run.

    Attributes
    ----------
    point : Estimated
        With documents without a judgment as not relevant.
    bounds : (float, float)
        The bounds over the grades of missing judgments.
    largest : float
        The most that a document of a stratum that is not complete could contribute; 0 for ratios.
    outside : int
        The number of documents that are neither judged nor in the pool.
    """

    point: Estimated
    bounds: tuple[float, float]
    largest: float
    outside: int


@dataclass(frozen=True, slots=True)
class Documents:
    """The drawn documents of a query.

    Attributes
    ----------
    strata : tuple of (int, tuple)
        The size of each stratum, and its drawn documents with their grades; None for a document
        without a judgment. Judged documents outside the pool are a stratum of their own.
    frame : dict of str to int
        The documents that the sample was drawn from, with their best ranks.
    judged, missing : int
        The number of documents with a judgment, and of drawn documents without.
    ignored : int
        The number of judged documents of the pool that were not drawn: the sample represents them.
    """

    strata: tuple[tuple[int, tuple[tuple[str, float | None], ...]], ...]
    frame: Mapping[str, int]
    judged: int
    missing: int
    ignored: int

    def estimate(
        self, plan: Plan, ranking: Sequence[str], possible: Collection[float]
    ) -> QueryEstimate:
        """Return the estimate of a ranking.

        Parameters
        ----------
        plan : Plan
            How the measure is estimated.
        ranking : sequence of str
            The first documents of a run.
        possible : collection of float
            The possible grades.
        """
        ranks = {document: rank for rank, document in enumerate(ranking, start=1)}
        point = plan.estimate(self._cells(plan, ranks, 0.0))
        return QueryEstimate(
            point=point,
            bounds=self._bounds(plan, ranks, possible, point),
            largest=0.0 if plan.is_ratio else self._largest_term(plan, ranks),
            outside=self._count_outside(ranking),
        )

    def value(self, plan: Plan, ranks: Mapping[str, int]) -> float | None:
        """Return the estimate of a ratio from the ranks of documents, without its bias."""
        return plan.estimate(self._cells(plan, ranks, 0.0), has_bias=False).value

    def _count_outside(self, ranking: Sequence[str]) -> int:
        known = {document for _, units in self.strata for document, _ in units}
        return sum(document not in self.frame and document not in known for document in ranking)

    def _largest_term(self, plan: Plan, ranks: Mapping[str, int]) -> float:
        terms = [
            size / len(units) * plan.weights[ranks[document] - 1]
            for size, units in self.strata
            if len(units) < size
            for document, _ in units
            if document in ranks
        ]
        return max(terms, default=0.0) * max(plan.gains.values())

    def _bounds(
        self,
        plan: Plan,
        ranks: Mapping[str, int],
        possible: Collection[float],
        point: Estimated,
    ) -> tuple[float, float]:
        if not self.missing:
            value = 0.0 if point.value is None else point.value
            return value, value
        gains = [plan.gains[grade] for grade in possible]
        low = plan.estimate(self._cells(plan, ranks, min(gains)))
        high = plan.estimate(self._cells(plan, ranks, max(gains)))
        # Both parts of a ratio increase with each grade, so that the ratio of bounds bounds it.
        lowest = low.top / high.bottom if high.bottom > 0.0 else 0.0
        highest = high.top / low.bottom if low.bottom > 0.0 else 1.0
        if plan.is_ratio:
            highest = min(highest, max(1.0, point.value or 0.0, high.value or 0.0))
        return lowest, highest

    def _cells(self, plan: Plan, ranks: Mapping[str, int], unknown: float) -> list[Cells]:
        """Return the strata, with a gain for drawn documents without a judgment."""
        strata = []
        for size, units in self.strata:
            cells: list[tuple[float, float, int | None]] = []
            for document, grade in units:
                rank = ranks.get(document)
                gain = unknown if grade is None else plan.gains[grade]
                cells.append((gain, 0.0 if rank is None else plan.weights[rank - 1], rank))
            strata.append(Cells(size, cells))
        return strata


def documents_of(
    strata: Sequence[Stratum], frame: Mapping[str, int], grades: Mapping[str, float]
) -> Documents:
    """Return the drawn documents of a query with their grades.

    Examples
    --------
    >>> from gainful.data.judgment_samples import Stratum
    >>> frame = {"a": 1, "b": 2, "c": 3, "d": 4}
    >>> own = documents_of([Stratum(4, ("a", "b"))], frame, {"a": 1.0, "e": 2.0})
    >>> own.strata
    ((4, (('a', 1.0), ('b', None))), (1, (('e', 2.0),)))
    >>> own.judged, own.missing, own.ignored
    (2, 1, 0)
    """
    drawn = {document for each in strata for document in each.documents}
    outside = [each for each in grades if each not in frame and each not in drawn]
    own = [
        (each.size, tuple((document, grades.get(document)) for document in each.documents))
        for each in strata
    ]
    if outside:
        own.append((len(outside), tuple((document, grades[document]) for document in outside)))
    missing = sum(document not in grades for document in drawn)
    return Documents(
        strata=tuple(own),
        frame=frame,
        judged=len(drawn) - missing + len(outside),
        missing=missing,
        ignored=len(grades) - (len(drawn) - missing) - len(outside),
    )

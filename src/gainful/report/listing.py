"""The rankings of all systems by query, with the documents of a query listed once."""

from __future__ import annotations

from gainful import _kernel
from gainful.errors import ConventionError, MeasureError, TieError
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.conventions import Convention
    from gainful.data import Qrels, Run
    from gainful.measures import Measure

__all__ = ["DEEPEST", "Listing", "Pool"]

#: The maximum number of ranks in a report.
DEEPEST = 20


class Pool:
    """The documents that the systems return for one query.

    Attributes
    ----------
    ideal : list of (int, float)
        The ideal ranking: the index of each document and its contribution. The index is -1 if the
        convention computes the ideal only from grades.
    ranks : list of list of int
        For each system, the indices of its documents in rank order.
    contributions : list of list of (int, float)
        For each system, the ranks (from 0) that contribute to the measure, with their
        contributions. If the measure is not a sum of gains, these are the ranks of relevant
        documents, with a contribution of 1.
    ties : list of list of int
        For each system, the number of the group of equal scores at each rank; 0 without a tie.
        Empty for a system without ties.
    """

    def __init__(self) -> None:
        self.ideal: list[tuple[int, float]] = []
        self.ranks: list[list[int]] = []
        self.contributions: list[list[tuple[int, float]]] = []
        self.ties: list[list[int]] = []
        # The index and the grade of each document, in the order in which they were added.
        self._places: dict[str, int] = {}
        self._grades: dict[str, float | None] = {}

    @property
    def documents(self) -> list[str]:
        """The ids of the documents, by index."""
        return list(self._places)

    @property
    def grades(self) -> list[float | None]:
        """The grades of the documents, by index; None if unjudged."""
        return [self._grades[document] for document in self._places]

    def place(self, document: str, grade: float | None) -> int:
        """Add a document unless it is present, and return its index."""
        self._grades[document] = grade
        return self._places.setdefault(document, len(self._places))

    def add(
        self,
        documents: list[str],
        grades: list[float | None],
        contributions: list[float] | None,
        relevant: list[bool] | None,
        ties: list[int],
    ) -> None:
        """Add the ranking of one system."""
        places = self._places
        self.ranks.append([places.setdefault(document, len(places)) for document in documents])
        self._grades.update(zip(documents, grades, strict=True))
        values: list[float] | list[bool] = (
            contributions if contributions is not None else relevant or []
        )
        self.contributions.append(
            [(rank, float(value)) for rank, value in enumerate(values) if value]
        )
        self.ties.append(ties if any(ties) else [])


class Listing:
    """The top ranks of several systems under a convention.

    Parameters
    ----------
    measure : Measure
        The measure whose contributions by rank are listed.
    convention : Convention
        The convention that orders the documents and computes the contributions.
    depth : int
        The number of ranks.

    Attributes
    ----------
    measure, depth
        As above.
    sums : bool
        Whether the measure is a sum of contributions by rank, such as nDCG, DCG and CG.
    pools : dict of str to Pool
        The documents and rankings of each query, in the order of the judgments.
    """

    def __init__(self, measure: Measure, convention: Convention, depth: int) -> None:
        self.measure, self.depth = measure, depth
        self.sums = False
        self.pools: dict[str, Pool] = {}
        self._convention = convention.spec()
        self._kernel = (repr(measure), *measure.spec(convention))

    def add(
        self,
        qrels: Qrels,
        run: Run,
        *,
        threads: int | None = None,
    ) -> None:
        """Add the run of one system.

        Raises
        ------
        MeasureError
            For a measure that does not depend on ranks, such as NumQ.
        """
        first = not self.pools
        listed = _kernel.rankings(
            qrels._rows,
            run._rows,
            self._convention,
            self._kernel,
            depth=self.depth,
            ideal=first,
            threads=thread_count(threads),
        )
        for query, documents, grades, contributions, relevant, ties, ideal in listed:
            pool = self.pools.get(query)
            if pool is None:
                pool = self.pools[query] = Pool()
            if first:
                pool.ideal = [
                    (-1 if document is None else pool.place(document, grade), value)
                    for document, grade, value in ideal
                ]
                self.sums = self.sums or contributions is not None
            pool.add(documents, grades, contributions, relevant, ties)

    def documents(self) -> set[str]:
        """Return the ids of all listed documents."""
        return {document for pool in self.pools.values() for document in pool.documents}


def find_listable(
    measures: tuple[Measure, ...], convention: Convention, qrels: Qrels, run: Run
) -> Iterator[Measure]:
    """Yield the measures for which `Listing` can list rankings."""
    one_query = qrels.select(list(qrels)[:1])
    for measure in measures:
        try:
            Listing(measure, convention, 1).add(one_query, run, threads=1)
        except (MeasureError, ConventionError, TieError):
            continue
        yield measure

"""Rankings of all systems by query: each document once, and where each system has it."""

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

#: Ranks that a report shows at most.
DEEPEST = 20


class Pool:
    """What the systems return for one query.

    Attributes
    ----------
    ideal : list of (int, float)
        The ideal ranking of the first system: the place of a document in the list, or -1 where the
        ideal is made of grades alone, and what it adds.
    ranks : list of list of int
        By system the places of its documents, in rank order.
    adds : list of list of (int, float)
        By system the ranks (from 0) that add to the measure, and what they add. For measures that
        are no sum of gains, the ranks of relevant documents, with 1.
    ties : list of list of int
        By system and rank the number of its group of equal scores, 0 for none; empty where there
        is none.
    """

    def __init__(self) -> None:
        self.ideal: list[tuple[int, float]] = []
        self.ranks: list[list[int]] = []
        self.adds: list[list[tuple[int, float]]] = []
        self.ties: list[list[int]] = []
        # Both along the documents in the order met.
        self._places: dict[str, int] = {}
        self._grades: dict[str, float | None] = {}

    @property
    def documents(self) -> list[str]:
        """Each once, in the order met."""
        return list(self._places)

    @property
    def grades(self) -> list[float | None]:
        """Along the documents; None is unjudged."""
        return [self._grades[document] for document in self._places]

    def place(self, document: str, grade: float | None) -> int:
        """Return where a document stands in the list, at its end if it is new."""
        self._grades[document] = grade
        return self._places.setdefault(document, len(self._places))

    def add(
        self,
        documents: list[str],
        grades: list[float | None],
        adds: list[float] | None,
        relevant: list[bool] | None,
        ties: list[int],
    ) -> None:
        """Add one system's ranking."""
        places = self._places
        self.ranks.append([places.setdefault(document, len(places)) for document in documents])
        self._grades.update(zip(documents, grades, strict=True))
        worth: list[float] | list[bool] = adds if adds is not None else relevant or []
        some = any(worth)
        self.adds.append(
            [(rank, float(value)) for rank, value in enumerate(worth) if value] if some else []
        )
        self.ties.append(ties if any(ties) else [])


class Listing:
    """The first ranks of several systems, as an evaluation under a convention sees them.

    Parameters
    ----------
    measure : Measure
        What the contributions are to.
    convention : Convention
        The policies.
    depth : int
        Ranks to list.

    Attributes
    ----------
    measure, depth
        As they were given.
    sums : bool
        Whether what a rank adds is known: for nDCG, DCG and CG, and not for AP or P.
    pools : dict of str to Pool
        By query, in the order of the judgments.
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
        """Add one system.

        Raises
        ------
        MeasureError
            For a measure that no rank adds to, such as NumQ.
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
        for query, documents, grades, adds, relevant, ties, ideal in listed:
            pool = self.pools.get(query)
            if pool is None:
                pool = self.pools[query] = Pool()
            if first:
                pool.ideal = [
                    (-1 if document is None else pool.place(document, grade), value)
                    for document, grade, value in ideal
                ]
                self.sums = self.sums or adds is not None
            pool.add(documents, grades, adds, relevant, ties)

    def documents(self) -> set[str]:
        """Return the ids of all documents that are listed."""
        return {document for pool in self.pools.values() for document in pool.documents}


def listable(
    measures: tuple[Measure, ...], convention: Convention, qrels: Qrels, run: Run
) -> Iterator[Measure]:
    """Yield those of the measures that rankings can be listed for, in their order."""
    some = qrels.select(list(qrels)[:1])
    for measure in measures:
        try:
            Listing(measure, convention, 1).add(some, run, threads=1)
        except (MeasureError, ConventionError, TieError):
            continue
        yield measure

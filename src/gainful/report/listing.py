"""The rankings of all systems by query, with the documents of a query listed once."""

from __future__ import annotations

from gainful import _kernel
from gainful.data.table import kernel_rows
from gainful.errors import ConventionError, MeasureError, TieError
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.conventions import Convention
    from gainful.data import Qrels, Run
    from gainful.measures import Measure

__all__ = ["DEEPEST", "Listing"]

#: The maximum number of ranks in a report.
DEEPEST = 20


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
    """

    def __init__(self, measure: Measure, convention: Convention, depth: int) -> None:
        self.measure, self.depth = measure, depth
        self._convention = convention
        self._listing = _kernel.Listing()
        # The queries of the judgments, which the kernel numbers.
        self._numbers: dict[str, int] = {}

    @property
    def sums(self) -> bool:
        """Whether the measure is a sum of contributions by rank, such as nDCG, DCG and CG."""
        return self._listing.sums

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
        self._listing.add(
            kernel_rows(qrels),
            kernel_rows(run),
            self._convention.spec(),
            (repr(self.measure), *self.measure.spec(self._convention, kernel_rows(qrels).grades)),
            depth=self.depth,
            threads=thread_count(threads),
        )
        if not self._numbers:
            self._numbers = {query: number for number, query in enumerate(qrels)}

    def documents(self, queries: Sequence[str] | None = None) -> list[str]:
        """Return the documents of some queries in the order of `columns`. Default: of all."""
        return self._listing.documents(None if queries is None else self._find(queries))

    def columns(
        self, queries: Sequence[str]
    ) -> tuple[dict[str, bytes], list[float], list[float], str | None]:
        """Return the rankings of some queries.

        Returns
        -------
        columns : dict of str to bytes
            Columns of whole numbers (64-bit, little-endian) in the order of the queries, those of
            rankings also in the order of the systems. A column of lengths precedes each column of
            lists:

            - ``documents``: lengths of ``document``, the numbers in their ids, and of ``grade``;
            - ``ideals``: lengths of ``ideal``, the indices of documents from 1 (0 where the ideal
              consists only of grades), and of ``ideal_adds``;
            - ``ranks``: lengths of ``rank``: 0 for the first document that no list above has, or
              the index of the document plus 1;
            - ``contributions``: lengths of ``contribution``, the ranks (from 0) that contribute,
              and of ``adds_of``. If the measure is not a sum of gains, these are the ranks of
              relevant documents, with a contribution of 1;
            - ``ties``: lengths of ``tie``, the group of equal scores at each rank; 0 without a tie.
        grades : list of float
            The grades by code in the column ``grade``; NaN if unjudged.
        contributions : list of float
            The contributions, to six digits, by code in the columns ``ideal_adds`` and ``adds_of``.
        start : str or None
            The common start of document ids that end in numbers; None for other ids.
        """
        return self._listing.columns(self._find(queries))

    def _find(self, queries: Sequence[str]) -> list[int]:
        return [self._numbers[query] for query in queries]


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

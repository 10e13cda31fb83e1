"""The rankings that a measure of one's own is computed from."""

from __future__ import annotations

from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    Floats = NDArray[float64]
    Integers = NDArray[int64]

__all__ = ["Ranking", "Rankings"]


class Ranking:
    """The ranking of one query, under the policies of the convention.

    The argument of a function of `gainful.measures.define`. Make one to test such a function.

    Parameters
    ----------
    query : str
        The id of the query.
    grades : sequence of float
        In rank order: the grade of each document, down to the cutoff. An unjudged document has the
        grade that the convention sets, which is 0 under ``unjudged="zero"``; negative grades are 0
        under ``negative="zero"``.
    judged : sequence of bool, optional
        Whether each of these documents has a judgment. Default: all have.
    documents : sequence of str, optional
        Their ids.
    scores : sequence of float, optional
        Their scores; NaN where the order of the documents does not follow from scores.
    pool : sequence of float, optional
        The grades of all judged documents of the query, descending; under ``duplicates="copies"``
        also those of the copies in the ranking. Default: those of `grades`.
    cutoff : int, optional
        The cutoff of the measure, ``None`` for the whole ranking.
    retrieved : int, optional
        The number of documents in the whole ranking. Default: the number of `grades`.

    Examples
    --------
    >>> ranking = Ranking("q1", [3, 0, 2], documents=["d1", "d2", "d3"], pool=[3, 2, 2, 0])
    >>> len(ranking), list(ranking.grades), list(ranking.pool)
    (3, [3, 0, 2], [3, 2, 2, 0])
    """

    __slots__ = ("_documents", "_judged", "_pool", "_scores", "cutoff", "grades", "query",
                 "retrieved")  # fmt: skip

    query: str
    grades: Sequence[float]
    cutoff: int | None
    retrieved: int

    @suggest_keywords
    def __init__(
        self,
        query: str,
        grades: Sequence[float],
        *,
        judged: Sequence[bool] | None = None,
        documents: Sequence[str] = (),
        scores: Sequence[float] = (),
        pool: Sequence[float] | None = None,
        cutoff: int | None = None,
        retrieved: int | None = None,
    ) -> None:
        self.query = query
        self.grades = grades
        self.cutoff = cutoff
        self.retrieved = len(grades) if retrieved is None else retrieved
        self._judged = [True] * len(grades) if judged is None else judged
        self._documents = documents
        self._scores = scores
        self._pool = sorted(grades, reverse=True) if pool is None else pool

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def judged(self) -> Sequence[bool]:
        """Whether each document has a judgment."""
        return self._judged

    @property
    def documents(self) -> Sequence[str]:
        """The ids of the documents, in rank order."""
        return self._documents

    @property
    def scores(self) -> Sequence[float]:
        """The scores of the documents, in rank order."""
        return self._scores

    @property
    def pool(self) -> Sequence[float]:
        """The grades of all judged documents of the query, descending."""
        return self._pool

    def __repr__(self) -> str:
        return f"<Ranking of query {self.query!r}: {len(self)} documents>"


class Rankings:
    """The rankings of many queries in columns, under the policies of the convention.

    The argument of a vectorized function of `gainful.measures.define`, which is called for blocks
    of queries. The columns are NumPy arrays, made on first use: the rows of the queries one after
    the other, down to the cutoff. A function that uses `documents` or `scores` takes longer.

    Attributes
    ----------
    queries : list of str
        The ids of the n queries.
    cutoff : int or None
        The cutoff of the measure, ``None`` for the whole ranking.
    retrieved : array of int64, shape (n,)
        The number of documents in each whole ranking.
    """

    __slots__ = ("_columns", "_source", "cutoff", "queries", "retrieved")

    queries: list[str]
    cutoff: int | None
    retrieved: Integers

    def __init__(
        self,
        source: Any,
        queries: list[str],
        retrieved: Integers,
        cutoff: int | None,
    ) -> None:
        self._source = source
        self._columns: dict[str, Any] = {}
        self.queries = queries
        self.retrieved = retrieved
        self.cutoff = cutoff

    def __len__(self) -> int:
        return len(self.queries)

    def _column(self, name: str, kind: str) -> Any:
        column = self._columns.get(name)
        if column is None:
            import numpy

            column = numpy.frombuffer(getattr(self._source, name)(), dtype=kind)
            self._columns[name] = column
        return column

    @property
    def offsets(self) -> Integers:
        """Where each query begins, shape (n + 1,): query i has the rows from offsets[i] on."""
        return self._column("offsets", "int64")  # type: ignore[no-any-return]

    @property
    def grades(self) -> Floats:
        """The grade of each document, as in `Ranking`, shape (rows,)."""
        return self._column("grades", "float64")  # type: ignore[no-any-return]

    @property
    def judged(self) -> NDArray[bool_]:
        """Whether each document has a judgment, shape (rows,)."""
        return self._column("judged", "bool")  # type: ignore[no-any-return]

    @property
    def scores(self) -> Floats:
        """The score of each document, as in `Ranking`, shape (rows,)."""
        return self._column("scores", "float64")  # type: ignore[no-any-return]

    @property
    def documents(self) -> list[str]:
        """The ids of the documents; it takes longer than all other columns."""
        if "documents" not in self._columns:
            self._columns["documents"] = self._source.documents()
        return self._columns["documents"]  # type: ignore[no-any-return]

    @property
    def ranks(self) -> Integers:
        """The rank of each document in its query, from 1, shape (rows,)."""
        return self._ranks("ranks", self.offsets)

    @property
    def pool_offsets(self) -> Integers:
        """Where the judged documents of each query begin, shape (n + 1,)."""
        return self._column("pool_offsets", "int64")  # type: ignore[no-any-return]

    @property
    def pool(self) -> Floats:
        """The grades of all judged documents, descending in each query, shape (judgments,)."""
        return self._column("pool", "float64")  # type: ignore[no-any-return]

    @property
    def pool_ranks(self) -> Integers:
        """The place of each judged document in the pool of its query, from 1."""
        return self._ranks("pool_ranks", self.pool_offsets)

    def _ranks(self, name: str, offsets: Integers) -> Integers:
        if name not in self._columns:
            import numpy

            sizes = numpy.diff(offsets)
            longest = numpy.arange(1, sizes.max(initial=0) + 1)
            # The first part is for no queries at all.
            parts = [longest[:0], *(longest[:size] for size in sizes.tolist())]
            self._columns[name] = numpy.concatenate(parts)
        return self._columns[name]  # type: ignore[no-any-return]

    def sum(self, values: Any) -> Floats:
        """Return the sum over the documents of each query, 0 without documents.

        Parameters
        ----------
        values : array of float, shape (rows,)
            A value of each document.

        Returns
        -------
        array of float64, shape (n,)
        """
        return _sums(values, self.offsets)

    def pool_sum(self, values: Any) -> Floats:
        """Return the sum over the judged documents of each query, as `sum`.

        Parameters
        ----------
        values : array of float, shape (judgments,)
            A value of each judged document.
        """
        return _sums(values, self.pool_offsets)

    def __repr__(self) -> str:
        return f"<Rankings of {len(self)} queries>"


def _sums(values: Any, offsets: Integers) -> Floats:
    import numpy

    sums = numpy.zeros(len(offsets) - 1)
    filled = offsets[:-1] < offsets[1:]
    if filled.any():
        # reduceat has no empty parts.
        sums[filled] = numpy.add.reduceat(numpy.asarray(values, dtype=float), offsets[:-1][filled])
    return sums

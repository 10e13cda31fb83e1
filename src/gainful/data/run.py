"""Runs: what a system retrieved for each query."""

from __future__ import annotations

from gainful import _engine
from gainful.data.inputs import rows_of, run_name
from gainful.data.table import Table
from gainful.errors import ParameterError, UnknownQueryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self, TypeAlias

    from gainful.data.inputs import Columns, RunLike
    from gainful.data.paths import Path
    from gainful.data.qrels import Qrels
    from gainful.data.table import Id

    Ranking: TypeAlias = list[tuple[str, float | None]]

__all__ = ["Run"]

#: Rows that a notebook shows.
_QUERIES, _DOCUMENTS = 4, 3


class Run(Table):
    """A run: the documents that a system retrieved for each query, with their scores.

    Immutable, and held in columns by the engine. ``len(run)`` is the number of queries, iterating
    gives query ids, ``run[query]`` the ranking of one query as a list of ``(document, score)``.
    Rank order here is the default convention's: by score, equal scores by document id, both
    descending. (An evaluation orders by its own convention.) A ranking without scores stands in
    the order given, and its scores are None.

    Parameters
    ----------
    ranking : path, mapping, data frame, iterable or Run
        ``{query: {document: score}}``; ``{query: [(document, score), ...]}``;
        ``{query: [document, ...]}`` in rank order, without scores; an object with
        ``__arrow_c_stream__`` (polars, pyarrow, DuckDB, pandas) with columns ``query_id``,
        ``doc_id`` and ``score``, ``rank`` or both, or other names that
        `gainful.data.columns.ALIASES` lists; an iterable of ``(query, document, score)`` or of
        objects with such attributes; a path, or a list of them (see `read_run`).
    name : str, optional
        What results call the system; without it, the stem of the file's name.
    columns : mapping of str to str, or list of str, optional
        Which column is which, as in ``{"score": "bm25"}``; of a file, see `read_run`.
    duplicates : {"error", "first", "last", "best", "count"}
        What to do with a document that stands twice under a query.
    format, header, comments, split, judgments
        Of files; see `read_run`.

    Attributes
    ----------
    name, source : str or None
        The name given or derived, the file read.

    Raises
    ------
    FormatError
        For a score that is not a finite number, or a row of another shape.
    ColumnError
        For a data frame without the needed columns, with nulls, or with ids that are floats.
    DuplicateError
        For a document that stands twice under a query, unless `duplicates` says what to do.

    Examples
    --------
    >>> import gainful
    >>> run = gainful.Run({"q1": {"d1": 8.5, "d2": 9.25}, "q2": {"d3": 1.0}}, name="bm25")
    >>> run
    <Run 'bm25': 2 queries, 3 documents>
    >>> run["q1"]
    [('d2', 9.25), ('d1', 8.5)]
    >>> run.top(1).to_dict()
    {'q1': {'d2': 9.25}, 'q2': {'d3': 1.0}}
    >>> gainful.Run({"q1": ["d2", "d1"]})["q1"]
    [('d2', None), ('d1', None)]
    """

    __slots__ = ()

    _kind = "run"
    _noun = "document"

    def __init__(
        self,
        ranking: RunLike,
        *,
        name: str | None = None,
        columns: Columns = None,
        duplicates: str = "error",
        format: str | None = None,
        header: bool | None = None,
        comments: bool = False,
        split: str | None = None,
        judgments: Qrels | None = None,
    ) -> None:
        if isinstance(ranking, Run):
            self._set(ranking._rows, name or ranking.name, ranking.source)
            return
        rows, source = rows_of(
            ranking,
            "run",
            name=name,
            columns=columns,
            duplicates=duplicates,
            format=format,
            header=header,
            comments=comments,
            split=split,
            judgments=judgments,
        )
        self._set(rows, name or run_name(ranking, None), source)

    @property
    def scored(self) -> bool:
        """Whether the documents have scores; without, they stand in the order given."""
        return self._rows.scored

    def __getitem__(self, query: Id) -> Ranking:
        found = self._rows.ranking(query)
        if found is None:
            raise self._unknown(query)
        return found

    def get(self, query: Id, default: Ranking | None = None) -> Ranking | None:
        """Return the ranking of a query, or the default where the run has none."""
        try:
            return self[query]
        except UnknownQueryError:
            return default

    def items(self) -> Iterator[tuple[str, Ranking]]:
        """Yield each query with its ranking."""
        for query in self:
            yield query, self[query]

    def values(self) -> Iterator[Ranking]:
        """Yield each query's ranking."""
        for query in self:
            yield self[query]

    def top(self, k: int) -> Self:
        """Return the first `k` documents of each query, in rank order.

        Parameters
        ----------
        k : int
            How many stay, at least 1; all of a query that has fewer.

        Examples
        --------
        >>> import gainful
        >>> gainful.Run({"q1": {"d1": 1.0, "d2": 2.0, "d3": 2.0}}).top(2)["q1"]
        [('d3', 2.0), ('d2', 2.0)]
        """
        found: object = k
        if type(found) is not int or found < 1:
            raise ParameterError(where="top", found=repr(k), expected="a whole number of 1 or more")
        return self._like(self._rows.top(k))

    def to_dict(self) -> dict[str, dict[str, float]] | dict[str, list[str]]:
        """Return ``{query: {document: score}}``, or ``{query: [document, ...]}`` without scores."""
        return self._rows.to_dict()

    def write(self, path: Path, format: str | None = None, *, tag: str | None = None) -> None:
        """Write the run to a file in rank order, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to. A suffix of a compression (``.gz``, ``.bz2``, ``.xz``, ``.zst``) compresses;
            ``"-"`` is the standard output.
        format : {"trec", "tsv", "csv", "json", "jsonl"}, optional
            Without it the suffix says which; TREC where it says nothing. A ranking without scores
            gets the scores n, n-1, ... 1 in TREC, which needs some.
        tag : str, optional
            The name of the system in TREC; without it the run's name.

        Raises
        ------
        FormatError
            For an id that the format cannot carry, such as one with spaces in TREC, or a query
            without documents outside JSON.
        ParameterError
            For an unknown format, or a tag that is not one word.
        SourceError
            If the file cannot be written.

        Examples
        --------
        >>> import gainful
        >>> from pathlib import Path
        >>> gainful.Run({"q1": ["d2", "d1"]}, name="dense").write("out.run")
        >>> print(Path("out.run").read_text(), end="")
        q1 Q0 d2 1 2 dense
        q1 Q0 d1 2 1 dense
        """
        word = tag if tag is not None else "_".join((self.name or "gainful").split())
        _engine.write(self._rows, self._kind, path, format=format, tag=word)

    def _preview(self) -> tuple[list[str], str, list[list[str]]]:
        cells = [
            [query, str(rank), document, "–" if score is None else f"{score:g}"]
            for query, _ in zip(self, range(_QUERIES), strict=False)
            for rank, (document, score) in enumerate(self[query][:_DOCUMENTS], start=1)
        ]
        return ["query_id", "rank", "doc_id", "score"], "lrlr", cells

"""Runs: the documents that a system retrieved for each query."""

from __future__ import annotations

from gainful import _kernel
from gainful.data.inputs import all_rows, one_run, path_name
from gainful.data.read_options import ReadOptions
from gainful.data.table import RowTable, table_of_rows
from gainful.errors import (
    ArgumentError,
    LossWarning,
    ParameterError,
    SearchError,
    UnknownQueryError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Self, TypeAlias, Unpack

    from gainful.data.inputs import ArrowStream
    from gainful.data.paths import Path, Paths
    from gainful.data.qrels import DiskQrels, Qrels
    from gainful.data.read_options import ReadKeywords
    from gainful.data.table import Id, Names
    from gainful.systems.fetching.account import Account

    Ranking: TypeAlias = list[tuple[str, float | None]]
    RunLike: TypeAlias = (
        Paths
        | "Run"
        | Mapping[Any, Mapping[Any, Any] | Iterable[Any]]
        | ArrowStream
        | Iterable[Any]
    )

__all__ = ["Run"]

#: The numbers of queries, and of documents per query, in a notebook's preview.
_QUERIES, _DOCUMENTS = 4, 3


class Run(RowTable):
    """A run: the documents that a system retrieved for each query, with their scores.

    Immutable, and stored in columns by the kernel. ``len(run)`` is the number of queries, iteration
    yields query ids, ``run[query]`` is the ranking of one query as a list of ``(document, score)``.
    Rankings are in the order of the default convention, by descending score and then by descending
    document id; an evaluation uses its own convention. A ranking without scores keeps the given
    order, and its scores are None.

    Parameters
    ----------
    ranking : path, mapping, data frame, iterable or Run
        ``{query: {document: score}}``; ``{query: [(document, score), ...]}``;
        ``{query: [document, ...]}`` in rank order, without scores; an object with
        ``__arrow_c_stream__`` (polars, pyarrow, DuckDB, pandas) with columns ``query_id``,
        ``doc_id`` and ``score``, ``rank`` or both, or other names
        that docs/formats.md lists; an iterable of ``(query, document, score)`` or of objects
        with such attributes; a path, or a list of them (see `read_run`).
    name : str, optional
        The system's name in results. Default: the stem of the file's name.
    judgments : Qrels, optional
        For a file of scores only, one per line: the judgments whose rows they belong to.
    **options
        How the run is read: the keyword arguments of `ReadOptions`, except `subtopics`.

    Attributes
    ----------
    name, source : str or None
        The given or derived name, the file.

    Raises
    ------
    FormatError
        For a score that is not a finite number, or a row of another shape.
    ColumnError
        For a data frame without a required column, with nulls, or with float ids.
    DuplicateError
        For a duplicate document of a query, unless `duplicates` allows it.

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

    __slots__ = ("_account", "_failed")

    _kind = "run"
    _noun = "document"

    _account: Account | None
    _failed: dict[str, str]

    def __init__(
        self,
        ranking: RunLike,
        *,
        name: str | None = None,
        judgments: Qrels | DiskQrels | None = None,
        **options: Unpack[ReadKeywords],
    ) -> None:
        if isinstance(ranking, Run):
            self._set(ranking._content, name or ranking.name, ranking.source)
            self._with_search(ranking._account, ranking._failed)
            return
        reading = ReadOptions(**options)
        rows, source = all_rows(ranking, "run", reading, name=name, judgments=judgments)
        rows, system = one_run(rows, source, reading)
        self._set(rows, name or system or path_name(ranking), source)

    # --- searches -------------------------------------------------------------------------------

    def _set(self, rows: _kernel.Rows, name: str | None, source: str | None) -> None:
        super()._set(rows, name, source)
        self._with_search(None, {})

    def _with_search(self, account: Account | None, failed: Mapping[str, str]) -> Self:
        object.__setattr__(self, "_account", account)
        object.__setattr__(self, "_failed", dict(failed))
        return self

    def _like(self, rows: _kernel.Rows) -> Self:
        return super()._like(rows)._with_search(self._account, self._failed)

    @property
    def _rows(self) -> _kernel.Rows:
        # Evaluation, writing and export get their rows here, so none of them can treat an
        # incomplete run as complete.
        if self._failed:
            raise self._incomplete_error()
        return self._content

    def _size(self) -> str:
        return super()._size() + (f"; incomplete: {self._count_failed()}" if self._failed else "")

    def _count_failed(self) -> str:
        count = len(self._failed)
        return "1 query failed" if count == 1 else f"{count:,} queries failed"

    def _incomplete_error(self) -> SearchError:
        counts: dict[str, int] = {}
        for reason in self._failed.values():
            counts[reason] = counts.get(reason, 0) + 1
        most = sorted(counts.items(), key=lambda pair: -pair[1])
        reasons = [f"{reason} ({count:,})" for reason, count in most[:3]]
        if len(most) > 3:
            reasons.append(f"{len(most) - 3:,} more")
        return SearchError(
            f"the run is incomplete: {self._count_failed()} ({'; '.join(reasons)})",
            where=self._label(),
            hint="search again with the same journal to retry only these, or use run.as_complete()",
        )

    @property
    def account(self) -> Account | None:
        """The account of the search that produced the run; None for other runs."""
        return self._account

    @property
    def incomplete(self) -> bool:
        """Whether queries failed. Such a run cannot be measured or written."""
        return bool(self._failed)

    @property
    def failed(self) -> dict[str, str]:
        """The queries that failed during the search, with the reasons."""
        return dict(self._failed)

    def as_complete(self) -> Self:
        """Return the run without the queries that failed.

        The convention of an evaluation decides how it scores queries that have judgments but are
        not in the run: by default, as queries without results.

        Examples
        --------
        >>> import gainful
        >>> def find(text, k):
        ...     return ["d1", "d2"] if text != "hat" else {}["hat"]
        >>> run = gainful.search(find, {"q1": "shoes", "q2": "hat"})
        >>> run.failed
        {'q2': "KeyError: 'hat'"}
        >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
        >>> try:
        ...     gainful.evaluate(qrels, run, "nDCG@10")
        ... except gainful.errors.SearchError as error:
        ...     print(error.problem)
        the run is incomplete: 1 query failed (KeyError: 'hat' (1))
        >>> gainful.evaluate(qrels, run.as_complete(), "nDCG@10").mean("nDCG@10")
        0.5
        """
        return self._like(self._content)._with_search(self._account, {})

    def select(self, queries: Iterable[Id]) -> Self:
        """Return the rows of some queries, in the given order.

        Parameters
        ----------
        queries : iterable of ids
            Query ids; duplicates are ignored. Failed queries stay failed; if none is selected, the
            result is complete.

        Raises
        ------
        MatchError
            For a query that the run does not have.
        """
        if not self._failed or isinstance(queries, (str, bytes)):
            return super().select(queries)
        named = list(queries)
        failed = {str(query): self._failed[str(query)] for query in named if query in self._failed}
        succeeded = [query for query in named if query not in self._failed]
        return super().select(succeeded)._with_search(self._account, failed)

    def at_least(self, score: float) -> Self:
        """Return the documents with at least a given score.

        A query whose documents are all removed remains, without documents.

        Parameters
        ----------
        score : float
            The lowest score to keep.

        Raises
        ------
        ArgumentError
            If the documents have no scores.

        Examples
        --------
        >>> import gainful
        >>> gainful.Run({"q": {"a": 0.9, "b": 0.4}}).at_least(0.5).to_dict()
        {'q': {'a': 0.9}}
        """
        if not self.scored:
            raise ArgumentError(
                where="at_least", found="documents without scores", expected="scores"
            )
        return self._like(self._content.at_least(score))

    def rename(self, *, queries: Names | None = None, documents: Names | None = None) -> Self:
        """Return the same rows with other ids; see `RowTable.rename`."""
        renamed = super().rename(queries=queries, documents=documents)
        if queries is None or not self._failed:
            return renamed
        name = queries if callable(queries) else (lambda query: queries.get(query, query))
        failed = {str(name(query)): reason for query, reason in self._failed.items()}
        return renamed._with_search(self._account, failed)

    def __reduce__(self) -> tuple[object, ...]:
        state = (*self._content.state(), self.name, self.source, self._account, self._failed)
        return _restore, (type(self), *state)

    # --- a mapping ------------------------------------------------------------------------------

    @property
    def scored(self) -> bool:
        """Whether the documents have scores; if not, they are in the given order."""
        return self._content.scored

    def __getitem__(self, query: Id) -> Ranking:
        ranking = self._content.ranking(query)
        if ranking is None:
            raise self._unknown(query)
        return ranking

    def get(self, query: Id, default: Ranking | None = None) -> Ranking | None:
        """Return the ranking of a query, or the default if it is not in the run."""
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
        """Return the first `k` documents of each query, and those tied with the last of them.

        Conventions order ties differently, so measures at a cutoff of at most `k` have the same
        value as for the whole run, whatever the policy on ties (except a random one) and the
        precision of scores. The rows keep their order.

        Parameters
        ----------
        k : int
            The number of documents per query, at least 1. More are returned if the last one ties
            with others, in 64-bit or 32-bit floats. A document with the id of the query does not
            count, and a query that lists a document twice is returned whole.

        Examples
        --------
        >>> import gainful
        >>> run = gainful.Run({"q1": {"d1": 1.0, "d2": 2.0, "d3": 2.0}})
        >>> run.top(1).to_dict()
        {'q1': {'d2': 2, 'd3': 2}}
        >>> [document for document, _ in run["q1"][:1]]
        ['d3']
        """
        value: object = k
        if type(value) is not int or value < 1:
            raise ParameterError(where="top", found=repr(k), expected="a whole number of 1 or more")
        return self._like(self._content.head(min(k, 2**63 - 1), "score"))

    def to_dict(self) -> dict[str, Any]:
        """Return ``{query: {document: score}}``, or ``{query: [document, ...]}`` without scores."""
        return self._rows.to_dict()

    def write(self, path: Path, format: str | None = None, *, tag: str | None = None) -> None:
        """Write the run to a file, atomically.

        Rows keep their order, so that no policy on ties gives other numbers for the file. The
        ranks are those that the run was read with; if it has none, documents are ranked by
        descending score, and ties in their order.

        Parameters
        ----------
        path : str or path
            The file. A suffix such as ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses it;
            ``"-"`` is the standard output.
        format : {"trec", "tsv", "csv", "json", "jsonl", "parquet"}, optional
            Default: from the suffix, else TREC. A ranking without scores gets the scores n, n-1,
            ... 1 in TREC, which requires them. Queries without documents are written as rows of
            empty cells in TSV and CSV; TREC cannot represent them, so they are left out with a
            warning. JSON has no ranks of documents with scores.
        tag : str, optional
            The system's name in TREC. Default: the run's name.

        Raises
        ------
        FormatError
            For an id that the format cannot represent, such as one with spaces in TREC.
        ParameterError
            For an unknown format, or a tag that is not one word.
        SourceError
            If the file cannot be written.

        Warns
        -----
        LossWarning
            For queries without documents that the format leaves out.

        Examples
        --------
        >>> import gainful
        >>> from pathlib import Path
        >>> gainful.Run({"q1": ["d2", "d1"]}, name="dense").write("out.run")
        >>> print(Path("out.run").read_text(), end="")
        q1 Q0 d2 1 2 dense
        q1 Q0 d1 2 1 dense
        """
        from os import fspath

        word = tag if tag is not None else "_".join((self.name or "gainful").split())
        left_out = self._write(path, format, word)
        if left_out:
            from warnings import warn

            named = ", ".join(map(repr, left_out[:3])) + (", ..." if len(left_out) > 3 else "")
            queries = "1 query" if len(left_out) == 1 else f"{len(left_out):,} queries"
            file = "the standard output" if fspath(path) == "-" else fspath(path)
            warn(
                f"{file} lacks {queries} without results ({named}), which TREC cannot "
                "represent; TSV, CSV and JSON can",
                LossWarning,
                stacklevel=2,
            )

    def _row_names(self) -> list[str]:
        return ["query_id", "doc_id", *(["score"] if self.scored else []), "rank"]

    def _each_row(self) -> Iterable[tuple[object, ...]]:
        return self._rows.run_rows()

    def _preview(self) -> tuple[list[str], str, list[list[str]]]:
        cells = [
            [query, str(rank), document, "–" if score is None else f"{score:g}"]
            for query, _ in zip(self, range(_QUERIES), strict=False)
            for rank, (document, score) in enumerate(self[query][:_DOCUMENTS], start=1)
        ]
        return ["query_id", "rank", "doc_id", "score"], "lrlr", cells


def _restore(
    kind: type[Run],
    state: bytes,
    scored: bool,
    integers: bool,
    name: str | None,
    source: str | None,
    account: Account | None,
    failed: dict[str, str],
) -> Run:
    rows = _kernel.rows_from_state(state, scored, integers)
    run = table_of_rows(kind, rows, name=name, source=source)
    return with_search(run, account, failed)


def with_search(run: Run, account: Account | None, failed: Mapping[str, str]) -> Run:
    """Set the account of the search that made a new run, and the queries that failed."""
    return run._with_search(account, failed)

"""Evaluate some of the queries, and without some of the documents."""

from __future__ import annotations

from collections.abc import Sized

from gainful.data import Qrels, Run
from gainful.data.coercion import run_input
from gainful.data.query_attributes import read_query_ids
from gainful.errors import FormatError, MatchError, ParameterError
from gainful.evaluation.summary import Selection
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from gainful import _kernel
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.data.query_attributes import QueryIds
    from gainful.data.table import Id

    #: Pairs of query and document, or what contains them.
    Pairs: TypeAlias = QrelsLike | Iterable[tuple[Id, Id]]

__all__ = ["SelectedInputs"]

#: Up to so many queries are named in an error.
_NAMED = 3


class SelectedInputs:
    """Judgments and runs, limited to some queries and without excluded documents.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    queries, exclude
        As for `gainful.evaluate`.

    Attributes
    ----------
    judgments : Qrels
        The judgments of the queries, without excluded documents.

    Raises
    ------
    MatchError
        If a query is not judged.
    ParameterError
        For no query, or no pair.
    """

    __slots__ = ("_all", "_excluded", "_judged", "_queries", "_retrieved", "judgments")

    judgments: Qrels

    def __init__(self, qrels: Qrels, queries: QueryIds | None, exclude: Pairs | None) -> None:
        self._all = qrels
        self._queries = None if queries is None else _judged(read_query_ids(queries), qrels)
        self._excluded = None if exclude is None else _pairs(exclude)
        rows, self._judged = self._select(qrels._rows)
        self.judgments = Qrels._of(rows, name=qrels.name, source=qrels.source)
        if qrels.note is not None:
            self.judgments = self.judgments.with_note(qrels.note)
        self._retrieved: dict[str, int] = {}

    def select(self, name: str, run: RunLike, **options: Any) -> Run:
        """Return the rankings of the queries without excluded documents.

        Parameters
        ----------
        name : str
            The name of the run.
        run
            As for `Run`.
        **options
            Options of `run_input`.
        """
        rows = run_input(run, judgments=self._all, **{**options, "extra": "no-relevant"})
        selected, self._retrieved[name] = self._select(rows)  # type: ignore[arg-type]
        return Run._of(selected, name=name)

    def _select(self, rows: _kernel.Rows) -> tuple[_kernel.Rows, int]:
        """Return the rows that remain, and how many were excluded."""
        if self._queries is not None:
            rows = rows.select(query for query in self._queries if query in rows)
        if self._excluded is None:
            return rows, 0
        rest = rows.without(self._excluded)
        return rest, len(rows) - len(rest)

    def summarize(self) -> Selection:
        """Return what was selected, after all runs.

        Raises
        ------
        MatchError
            If no excluded document was judged or retrieved.
        """
        excluded = self._excluded
        if excluded is not None and not self._judged and not any(self._retrieved.values()):
            raise MatchError(
                f"none of the {len(excluded):,} excluded documents was judged or retrieved",
                where="exclude",
                hint="check that their ids, and those of their queries, are those of the judgments",
            )
        return Selection(
            queries=len(self.judgments),
            judged_queries=len(self._all),
            excluded=None if excluded is None else len(excluded),
            excluded_judged=None if excluded is None else self._judged,
            excluded_retrieved=None if excluded is None else dict(self._retrieved),
        )


def _judged(queries: list[str], qrels: Qrels) -> list[str]:
    """Return the queries, all of which must be judged."""
    if not queries:
        raise ParameterError(where="queries", found="no query", expected="at least one")
    unknown = [query for query in queries if query not in qrels]
    if unknown:
        have = "has" if len(unknown) == 1 else "have"
        more = f" and {len(unknown) - _NAMED:,} more" if len(unknown) > _NAMED else ""
        raise MatchError(
            f"{len(unknown):,} of {len(queries):,} selected queries {have} no judgments:"
            f" {names_shown(unknown[:_NAMED])}{more}",
            where="queries",
            hint=f"the judgments have queries such as {names_shown(list(qrels)[:2])}",
        )
    return queries


def _pairs(exclude: Pairs) -> _kernel.Rows:
    """Return pairs of query and document as rows, whatever their grades."""
    pairs: Any = exclude
    if isinstance(pairs, (list, tuple, set, frozenset)) and all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in pairs
    ):
        pairs = [(query, document, 1) for query, document in pairs]
    if isinstance(pairs, Sized) and not len(pairs):
        raise ParameterError(where="exclude", found="no pair", expected="at least one")
    try:
        return Qrels(pairs, duplicates="max")._rows
    except FormatError as error:
        if error.file is None:
            raise error.inside("exclude") from None
        raise error.replace(
            hint="pairs of query and document are two columns, separated by tabs or commas"
        ) from None

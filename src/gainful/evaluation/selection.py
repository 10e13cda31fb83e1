"""Evaluate some of the queries, without some of the documents, and classes of documents once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sized
from hashlib import sha256
from os import PathLike

from gainful.data import Qrels, Run
from gainful.data.coercion import run_input
from gainful.data.column_names import find_column, missing_column
from gainful.data.query_attributes import read_document_classes, read_query_ids, value_column
from gainful.data.table import kernel_rows, table_of_rows
from gainful.errors import ArgumentError, FormatError, MatchError, ParameterError
from gainful.evaluation.summary import Selection
from gainful.evaluation.value_tables import frame_records
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from gainful import _kernel
    from gainful.conventions import Convention
    from gainful.data.inputs import ArrowStream
    from gainful.data.qrels import QrelsLike
    from gainful.data.query_attributes import QueryIds
    from gainful.data.run import RunLike
    from gainful.data.table import Id

    #: Pairs of query and document, or what contains them.
    Pairs: TypeAlias = QrelsLike | Iterable[tuple[Id, Id]]
    #: The class of each document, or what contains or computes it.
    ClassesLike: TypeAlias = (
        Mapping[Id, Id]
        | Iterable[tuple[Id, Id]]
        | ArrowStream
        | Callable[[str], Id | None]
        | str
        | PathLike[str]
    )
    Classes: TypeAlias = Callable[[str], Id | None]

__all__ = ["SelectedInputs"]

#: Up to so many queries are named in an error.
_NAMED = 3


class SelectedInputs:
    """Judgments and runs, limited to some queries and documents, by classes of documents.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    policies : Convention
        How documents are ordered, and what happens to duplicates.
    queries, exclude, same
        As for `gainful.evaluate`.

    Attributes
    ----------
    judgments : Qrels
        The judgments of the queries, without excluded documents, and one for each class.

    Raises
    ------
    MatchError
        If a query is not judged.
    ParameterError
        For no query, no pair, or no class.
    """

    __slots__ = (
        "_all",
        "_classed",
        "_classes",
        "_classes_digest",
        "_copies",
        "_excluded",
        "_members",
        "_order",
        "_queries",
        "_removed",
        "judgments",
    )

    judgments: Qrels

    def __init__(
        self,
        qrels: Qrels,
        policies: Convention,
        *,
        queries: QueryIds | None = None,
        exclude: Pairs | None = None,
        same: ClassesLike | None = None,
    ) -> None:
        self._all = qrels
        self._queries = None if queries is None else _judged(read_query_ids(queries), qrels)
        self._excluded = None if exclude is None else _pairs(exclude)
        self._classes = self._classes_digest = None
        if same is not None:
            self._classes, self._classes_digest = _read_classes(same)
        self._order = policies.order
        # Another policy applies to copies as to duplicates.
        self._members = "first" if policies.duplicates == "error" else "all"
        #: By system, and by "" for the judgments: rows excluded, with a class, and merged.
        self._removed: dict[str, int] = {}
        self._classed: dict[str, int] = {}
        self._copies: dict[str, int] = {}
        rows = self._select("", kernel_rows(qrels), "largest")
        self.judgments = table_of_rows(Qrels, rows, name=qrels.name, source=qrels.source)
        if qrels.note is not None:
            self.judgments = self.judgments.with_note(qrels.note)

    def select(self, name: str, run: RunLike, **options: Any) -> Run:
        """Return the rankings of the queries without excluded documents, by class."""
        options |= {"extra": "no-relevant", "order": self._order}
        rows: Any = run_input(run, judgments=self._all, **options)
        return table_of_rows(Run, self._select(name, rows, self._members), name=name)

    def _select(self, name: str, rows: _kernel.Rows, members: str) -> _kernel.Rows:
        """Return the rows that remain, and count what is removed."""
        if self._queries is not None:
            rows = rows.select(query for query in self._queries if query in rows)
        if self._excluded is not None:
            before = len(rows)
            rows = rows.without(self._excluded)
            self._removed[name] = before - len(rows)
        if self._classes is not None:
            before = len(rows)
            rows, self._classed[name] = rows.by_class(self._classes, members, self._order)
            self._copies[name] = before - len(rows)
        return rows

    def summarize(self) -> Selection:
        """Return what was selected, after all runs."""
        excluded = self._excluded
        if excluded is not None and not any(self._removed.values()):
            raise MatchError(
                f"none of the {len(excluded):,} excluded documents was judged or retrieved",
                where="exclude",
                hint="check that their ids, and those of their queries, are those of the judgments",
            )
        if self._classes is not None and not any(self._classed.values()):
            raise MatchError(
                "no judged or retrieved document has a class",
                where="same",
                hint="check that the ids of documents are those of the judgments",
            )
        return Selection(
            queries=len(self.judgments),
            judged_queries=len(self._all),
            excluded=None if excluded is None else len(excluded),
            excluded_judged=self._removed.get(""),
            excluded_retrieved=None if excluded is None else _of_systems(self._removed),
            copies_judged=self._copies.get(""),
            copies_retrieved=None if self._classes is None else _of_systems(self._copies),
            digests=self._digests(),
        )

    def _digests(self) -> dict[str, str | None]:
        digests: dict[str, str | None] = {}
        if self._excluded is not None:
            digests["exclude"] = table_of_rows(Qrels, self._excluded).digest
        if self._classes is not None:
            digests["same"] = self._classes_digest
        return digests


def _of_systems(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: number for name, number in counts.items() if name}


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
        return kernel_rows(Qrels(pairs, duplicates="max"))
    except FormatError as error:
        if error.file is None:
            raise error.inside("exclude") from None
        raise error.replace(
            hint="pairs of query and document are two columns, separated by tabs or commas"
        ) from None


def _read_classes(same: ClassesLike) -> tuple[Classes, str | None]:
    r"""Return a function from the id of a document to its class, or None, and a digest of it.

    The digest is None for a function.

    Examples
    --------
    >>> classes, digest = _read_classes({"a1": "a", "a2": "a"})
    >>> classes("a2"), classes("b"), digest[:7]
    ('a', None, 'sha256:')
    >>> _read_classes(r":^(.+)#\d+$")[0]("returns#2")
    'returns'
    """
    if isinstance(same, str) and same.startswith(":"):
        return _pattern(same[1:]), _digest(same)
    if callable(same):
        return same, None
    values = _values(same)
    if not values:
        raise ParameterError(where="same", found="no class", expected="at least one")
    return values.get, _digest(sorted(values.items()))


def _digest(rule: object) -> str:
    return f"sha256:{sha256(repr(rule).encode('utf-8', 'backslashreplace')).hexdigest()}"


def _pattern(text: str) -> Classes:
    """Return the function that takes the group of a regular expression."""
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise ParameterError(
            where="same", found=f"the pattern {text!r} ({error})", expected="a regular expression"
        ) from None
    if pattern.groups != 1:
        raise ParameterError(
            where="same",
            found=f"{pattern.groups} groups in {text!r}",
            expected="one, which is the class, as in :^(.+)#",
        )

    def class_of(document: str) -> str | None:
        match = pattern.search(document)
        return (match and match[1]) or None

    return class_of


def _values(same: Any) -> dict[str, str]:
    """Return the class by document of a file or of what is in memory."""
    if isinstance(same, (str, PathLike)):
        return read_document_classes(same)
    frame = frame_records(same)
    pairs: list[Any]
    if isinstance(same, Mapping):
        pairs = list(same.items())
    elif frame is None:
        # Anything else is refused as one pair.
        pairs = list(same) if hasattr(same, "__iter__") else [same]
    else:
        document = find_column(frame.columns, "doc_id", where="same")
        if document is None:
            raise missing_column(frame.columns, "doc_id", "documents", where="same")
        column = value_column("same", "same", frame.columns, document, None, "doc_id")
        pairs = [(row.cells[document], row.cells[column]) for row in frame.rows]
    values: dict[str, str] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ArgumentError(
                where="same",
                found=type(pair).__name__,
                expected="{document: class}, (document, class) pairs, a data frame or a path",
            )
        document, name = pair
        if name in (None, ""):
            continue
        if values.setdefault(str(document), str(name)) != str(name):
            raise FormatError(
                f"two classes: {values[str(document)]!r} and {str(name)!r}",
                where="same",
                document=str(document),
            )
    return values

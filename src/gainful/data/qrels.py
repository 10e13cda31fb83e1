"""Judgments: grades of documents by query, or by subtopic."""

from __future__ import annotations

from gainful import _kernel
from gainful.data.columns import of_rows
from gainful.data.inputs import qrels_rows
from gainful.data.paths import check_suffix
from gainful.data.read_options import ReadOptions
from gainful.data.table import RowTable, as_function
from gainful.errors import DuplicateError, ParameterError, UnknownQueryError
from gainful.vocabulary import SUBTOPIC_GRADES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Self, TypeAlias, Unpack

    from gainful.data.inputs import ArrowStream
    from gainful.data.judgment_lists.entries import JudgmentList
    from gainful.data.paths import Path, Paths
    from gainful.data.read_options import ReadKeywords
    from gainful.data.table import Id, Names

    QrelsLike: TypeAlias = (
        Paths
        | "Qrels"
        | "DiskQrels"
        | JudgmentList
        | Mapping[Any, Mapping[Any, Any]]
        | ArrowStream
        | Iterable[Any]
    )

__all__ = ["DiskQrels", "Qrels"]

#: The numbers of queries, and of documents per query, in a notebook's preview.
_QUERIES, _DOCUMENTS = 4, 3


#: The rules for several grades of a document; the first demands equal ones.
_RULES: dict[str, Callable[[list[Any]], Any] | None] = {
    "error": None,
    "first": lambda grades: grades[0],
    "last": lambda grades: grades[-1],
    "max": max,
    "mean": lambda grades: sum(grades) / len(grades),
}


def _check_rule(duplicates: str) -> None:
    if duplicates not in _RULES:
        raise ParameterError(
            where="duplicates", found=repr(duplicates), expected=f"one of {', '.join(_RULES)}"
        )


def _one_grade(grades: list[Any], duplicates: str, query: str, document: str) -> Any:
    rule = _RULES[duplicates]
    if rule is None and len({*grades}) > 1:
        raise DuplicateError(
            query=query,
            found=f"document {document!r} with the grades {grades[0]} and {grades[1]}",
            expected="equal grades",
            hint=f"duplicates= sets a rule: {', '.join([*_RULES][1:])}",
        )
    return grades[0] if rule is None else rule(grades)


class Qrels(RowTable):
    """Judgments: a grade for each judged document of each query.

    Immutable, and stored in columns by the kernel. ``len(qrels)`` is the number of queries,
    iteration yields query ids, ``qrels[query]`` has the grades of one query.

    Parameters
    ----------
    judgments : path, mapping, data frame, iterable, Qrels, JudgmentList or dataset
        ``{query: {document: grade}}``; ``{query: [document, ...]}`` of relevant documents, with
        the grade 1; a golden set, such as ``[{"question": ..., "relevant": [document, ...]}]``; an
        object with ``__arrow_c_stream__`` (polars, pyarrow,
        DuckDB, pandas) with columns ``query_id``, ``doc_id`` and ``grade`` or other names
        that docs/formats.md lists; an iterable of ``(query, document, grade)`` or of objects
        with such attributes, as in ir_measures and ir_datasets; an ir_datasets dataset; a path, or
        a list of them (see `read_qrels`).
    name : str, optional
        The name of the judgments in messages.
    **options
        How judgments are read: the keyword arguments of `ReadOptions`. With ``subtopics=True``,
        mappings are ``{query: {subtopic: {document: grade}}}``, tuples
        ``(query, subtopic, document, grade)``, and frames and objects have a column ``subtopic``
        (or subtopic_id, aspect, intent, iteration, group). The same applies to trec_eval's groups
        of judgments. `evaluate` sets ``subtopics`` itself if a measure needs subtopics.

    Attributes
    ----------
    name, source : str or None
        The given name, the file.
    note : str or None
        For a judgment list: how it was read and what was left out, in a sentence.

    Raises
    ------
    FormatError
        For a grade that is not a finite number within ±2^53, or a row of another shape.
    ColumnError
        For a data frame without a required column, with nulls, or with float ids.
    DuplicateError
        For a duplicate document of a query, unless `duplicates` allows it.

    Examples
    --------
    >>> import gainful
    >>> qrels = gainful.Qrels({"q1": {"d1": 3, "d2": 0}, "q2": {"d3": 1}})
    >>> qrels
    <Qrels: 2 queries, 3 judgments>
    >>> list(qrels), dict(qrels["q1"])
    (['q1', 'q2'], {'d1': 3, 'd2': 0})
    >>> qrels.at_least(1).to_dict()
    {'q1': {'d1': 3}, 'q2': {'d3': 1}}
    >>> gainful.Qrels([("q1", "d1", 3), ("q1", "d2", 0), ("q2", "d3", 1)]) == qrels
    True

    Judgments of subtopics, as in diversity tracks:

    >>> rows = [("q1", "1", "d1", 1), ("q1", "2", "d1", 0), ("q1", "2", "d2", 1)]
    >>> qrels = gainful.Qrels(rows, subtopics=True)
    >>> dict(qrels["q1"])
    {'1': {'d1': 1}, '2': {'d1': 0, 'd2': 1}}
    >>> qrels.merged("max").to_dict()
    {'q1': {'d1': 1, 'd2': 1}}
    """

    __slots__ = ("note",)

    _kind = "qrels"
    _noun = "judgment"

    note: str | None

    def __init__(
        self,
        judgments: QrelsLike,
        *,
        name: str | None = None,
        **options: Unpack[ReadKeywords],
    ) -> None:
        if isinstance(judgments, Qrels):
            self._set(judgments._rows, name or judgments.name, judgments.source)
            object.__setattr__(self, "note", judgments.note)
            return
        rows, source, note = qrels_rows(judgments, ReadOptions(**options), name=name)
        self._set(rows, name, source)
        object.__setattr__(self, "note", note)

    def _set(self, rows: _kernel.Rows, name: str | None, source: str | None) -> None:
        super()._set(rows, name, source)
        object.__setattr__(self, "note", None)

    @property
    def has_subtopics(self) -> bool:
        """Whether judgments are per subtopic."""
        return self._rows.labelled

    def __getitem__(self, query: Id) -> Mapping[str, Any]:
        documents = self._rows.documents(query)
        if documents is None:
            raise self._unknown(query)
        from types import MappingProxyType

        return MappingProxyType(documents)

    def get(self, query: Id, default: Mapping[str, Any] | None = None) -> Mapping[str, Any] | None:
        """Return the grades of a query, or the default if it has no judgments."""
        try:
            return self[query]
        except UnknownQueryError:
            return default

    def items(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield each query with the grades of its documents."""
        from types import MappingProxyType

        # All at once: converting a single query checks all grades for fractions.
        for query, documents in self._rows.to_dict().items():
            yield query, MappingProxyType(documents)

    def values(self) -> Iterator[Mapping[str, Any]]:
        """Yield the grades of each query's documents."""
        for _, documents in self.items():
            yield documents

    def at_least(self, grade: float) -> Self:
        """Return the judgments with at least a given grade.

        A query whose judgments are all removed remains, with no relevant documents.

        Parameters
        ----------
        grade : float
            The lowest grade to keep.

        Examples
        --------
        >>> import gainful
        >>> gainful.Qrels({"q1": {"d1": 3, "d2": 1}, "q2": {"d3": 1}}).at_least(2).to_dict()
        {'q1': {'d1': 3}, 'q2': {}}
        """
        bound: object = grade
        if type(bound) not in (int, float) or bound != bound:
            raise ParameterError(where="at_least", found=repr(grade), expected="a grade")
        return self._like(self._rows.at_least(grade))

    def merged(self, how: str) -> Self:
        """Merge the judgments of subtopics into judgments of whole queries.

        Each document gets one grade. Judgments without subtopics are returned unchanged.

        Parameters
        ----------
        how : {"max", "sum"}
            ``"max"``: its highest grade, so that a document that is relevant to any subtopic is
            relevant; ``"sum"``: the sum of its grades.

        Examples
        --------
        >>> import gainful
        >>> nested = {"q1": {"red": {"d1": 2, "d2": 0}, "blue": {"d1": 1}}}
        >>> qrels = gainful.Qrels(nested, subtopics=True)
        >>> qrels.merged("max").to_dict(), qrels.merged("sum").to_dict()
        ({'q1': {'d1': 2, 'd2': 0}}, {'q1': {'d1': 3, 'd2': 0}})
        """
        if how not in SUBTOPIC_GRADES:
            raise ParameterError(where="merged", found=repr(how), expected="'max' or 'sum'")
        if not self.has_subtopics:
            return self
        return self._like(self._rows.merged(how == "sum"))

    def union(self, *others: QrelsLike, duplicates: str = "error") -> Self:
        """Return these judgments together with others; ``a | b`` is ``a.union(b)``.

        Parameters
        ----------
        *others : Qrels, mapping, path, ...
            Judgments, as for `Qrels`.
        duplicates : {"error", "first", "last", "max", "mean"}
            Which grade a document has that several judge for a query. With ``"error"`` they have to
            agree.

        Raises
        ------
        DuplicateError
            For a document with different grades, with ``duplicates="error"``.
        ParameterError
            For another rule.

        Examples
        --------
        >>> import gainful
        >>> first = gainful.Qrels({"q1": {"d1": 3, "d2": 0}})
        >>> (first | {"q1": {"d2": 0, "d3": 1}, "q2": {"d1": 1}}).to_dict()
        {'q1': {'d1': 3, 'd2': 0, 'd3': 1}, 'q2': {'d1': 1}}
        >>> first.union({"q1": {"d1": 1}}, duplicates="mean").to_dict()
        {'q1': {'d1': 2, 'd2': 0}}
        """
        tables: list[Qrels] = [
            self,
            *(Qrels(other, subtopics=self.has_subtopics) for other in others),
        ]
        return self._combined(tables, duplicates, str)

    def __or__(self, other: QrelsLike) -> Self:
        return self.union(other)

    def rename(
        self,
        *,
        queries: Names | None = None,
        documents: Names | None = None,
        duplicates: str = "error",
    ) -> Self:
        """Return the same judgments with other ids.

        Parameters
        ----------
        queries, documents : mapping or callable, optional
            The new id of each query or document: a mapping from old ids, which may omit unchanged
            ones, or a function of the old id.
        duplicates : {"error", "first", "last", "max", "mean"}
            Which grade a document has whose id several documents of a query get, such as chunks
            that become their document.

        Raises
        ------
        DuplicateError
            If two documents of a query get the same id, with ``duplicates="error"``.

        Examples
        --------
        >>> import gainful
        >>> chunks = gainful.Qrels({"q1": {"d1#1": 1, "d1#2": 3}})
        >>> chunks.rename(documents=lambda id: id.split("#")[0], duplicates="max").to_dict()
        {'q1': {'d1': 3}}
        """
        _check_rule(duplicates)
        if duplicates == "error" or documents is None:
            return super().rename(queries=queries, documents=documents)
        whole = self if queries is None else super().rename(queries=queries)
        return self._combined([whole], duplicates, as_function(documents) or str)

    def _combined(
        self,
        tables: Iterable[Qrels],
        duplicates: str,
        rename: Callable[[str], Id],
    ) -> Self:
        """Return the judgments of tables, with the grade of a rule for each document."""
        _check_rule(duplicates)
        grades: dict[str, dict[tuple[Any, ...], list[Any]]] = {}
        for query, *subtopic, document, grade in (
            row for table in tables for row in table._each_row()
        ):
            documents = grades.setdefault(query, {})
            if document is not None:
                documents.setdefault((*subtopic, rename(document)), []).append(grade)
        combined: dict[str, Any] = {query: {} for query in grades}
        for query, documents in grades.items():
            for (*subtopic, document), several in documents.items():
                judged = combined[query]
                for name in subtopic:
                    judged = judged.setdefault(name, {})
                judged[document] = _one_grade(several, duplicates, query, document)
        return self._like(Qrels(combined, subtopics=self.has_subtopics)._rows)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return ``{query: {document: grade}}``; grades are int if all of them are whole.

        With subtopics: ``{query: {subtopic: {document: grade}}}``.
        """
        return self._rows.to_dict()

    def write(
        self,
        path: Path,
        format: str | None = None,
        *,
        queries: Mapping[str, str] | None = None,
    ) -> None:
        """Write the judgments to a file, atomically.

        Parameters
        ----------
        path : str or path
            The file. A suffix such as ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses it;
            ``"-"`` is the standard output.
        format : {"trec", "tsv", "csv", "json", "jsonl", "beir", "svmlight", "parquet"} or str
            Default: from the suffix, else TREC. Or a judgment list of another tool, such as
            ``"quepid"`` or ``"rank_eval:index=shop"``; see
            `gainful.data.judgment_lists.write_judgment_list`.
        queries : mapping of str to str, optional
            The texts of the queries by id, for judgment lists. Default: the ids.

        Raises
        ------
        FormatError
            For an id that the format cannot represent, such as one with spaces in TREC.
        SourceError
            If the file cannot be written.

        Examples
        --------
        >>> import gainful
        >>> gainful.Qrels({"running shoes": {"d1": 3}}).write("qrels.tsv")
        >>> gainful.read_qrels("qrels.tsv").to_dict()
        {'running shoes': {'d1': 3}}
        """
        if format is None or of_rows(format):
            self._write(path, format)
            return
        from os import fspath

        from gainful.data.layouts import list_format
        from gainful.data.list_formats import write_list

        check_suffix(fspath(path))
        write_list(self._rows, fspath(path), list_format(format), queries)

    def with_note(self, note: str) -> Self:
        """Return the same judgments with a note on how they were read."""
        qrels = self._like(self._rows)
        object.__setattr__(qrels, "note", note)
        return qrels

    def _row_names(self) -> list[str]:
        return ["query_id", *(["subtopic"] if self.has_subtopics else []), "doc_id", "grade"]

    def _each_row(self) -> Iterator[tuple[Any, ...]]:
        for query, graded in self.items():
            if not graded:
                yield query, *[None] * (len(self._row_names()) - 1)
            for first, second in graded.items():
                if self.has_subtopics:
                    for document, grade in second.items():
                        yield query, first, document, grade
                else:
                    yield query, first, second

    def _preview(self) -> tuple[list[str], str, list[list[str]]]:
        names = self._row_names()
        rows: list[list[str]] = []
        for query in [*self][:_QUERIES]:
            judged = self._like(self._content.select([query]))._each_row()
            rows += [[*ids, f"{grade:g}"] for *ids, grade in judged if grade is not None][
                :_DOCUMENTS
            ]
        return names, "l" * (len(names) - 1) + "r", rows


class DiskQrels:
    """Judgments in a temporary file; only the ids of the queries are in memory.

    `evaluate` accepts them like `Qrels`. The file is deleted when no result refers to it any more,
    or when the process ends.

    Attributes
    ----------
    source : str or None
        The file that contained the judgments.
    note : str or None
        As in `Qrels`.

    Examples
    --------
    >>> from gainful.data.coercion import load_judgments
    >>> judged = load_judgments("qrels.txt", memory=100)
    >>> judged
    <DiskQrels: 6 queries, 27 judgments>
    >>> import gainful
    >>> judged.digest == gainful.read_qrels("qrels.txt").digest
    True
    """

    __slots__ = ("_rows", "note", "source")

    _rows: _kernel.DiskRows
    note: str | None
    source: str | None

    def __init__(self, rows: _kernel.DiskRows, source: str | None, note: str | None) -> None:
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "note", note)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"judgments cannot be changed ({name})")

    def __len__(self) -> int:
        return self._rows.queries

    @property
    def has_subtopics(self) -> bool:
        """Whether judgments are per subtopic."""
        return self._rows.labelled

    @property
    def digest(self) -> str:
        """The fingerprint, as in `Qrels`; computing it reads all judgments."""
        return f"sha256:{self._rows.digest()}"

    def __repr__(self) -> str:
        return f"<DiskQrels: {len(self):,} queries, {len(self._rows):,} judgments>"

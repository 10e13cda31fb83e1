"""Judgments with their raters."""

from __future__ import annotations

from collections import Counter
from os import fspath
from os.path import splitext
from types import MappingProxyType
from typing import NamedTuple

from gainful import _kernel
from gainful.data import Qrels
from gainful.errors import FormatError, ParameterError
from gainful.formats.delimited import csv, text
from gainful.judging.reading import LabelCollector, collect
from gainful.judging.source import Evidence, Rater, Source, grade_text, grade_value
from gainful.keywords import suggest_keywords
from gainful.vocabulary import LABEL_FORMATS
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

    from gainful.conventions import Convention
    from gainful.data.run import RunLike
    from gainful.judging.combining import CombinedJudgments
    from gainful.judging.reading import RatingsLike
    from gainful.measures import Measure

    Pair = tuple[str, str]

__all__ = ["Label", "Ratings", "label_lines", "left_out", "read_ratings"]


class Label(NamedTuple):
    """A grade from a rater.

    Attributes
    ----------
    query_id, doc_id : str
        The judged document.
    rater : Rater
        The name and source of the rater.
    grade : float
        The grade.
    """

    query_id: str
    doc_id: str
    rater: Rater
    grade: float


_COLUMNS = ("query_id", "doc_id", "rater", "grade", "source", "model", "version")


class Ratings:
    """Judgments in which each label has a rater.

    Immutable. Iterating yields `Label` objects; it exports the Arrow C stream, with one row per
    label.

    Parameters
    ----------
    judgments : path, paths, mapping, data frame or iterable
        One or more files, as for `read_ratings`; ``{rater: judgments}`` with anything that `Qrels`
        accepts; a data frame, or a list of dictionaries, with the columns that `read_ratings`
        knows; an iterable of ``(query, document, rater, grade)``.
    raters : sequence of str, optional
        The columns with the grades of one rater each, if their names do not show it.
    final : str, optional
        The column or rater with the final grades; it is not counted as a rater. Default: a column
        called ``final_rating``, ``gold`` or the like.
    sources : mapping of str to Source or str, optional
        The sources of raters by name: ``{"gpt": "model:gpt-4o@2024-08-06"}``.
    columns : mapping of str to str, optional
        The names of columns, as in ``{"rater": "who", "grade": "stars"}``.
    groups : bool
        Whether the second column of TREC text is the rater, as in trec_eval's qrels_jg.
    duplicates : {"error", "first", "last"}
        How to treat a second label by one rater for a document and query.
    name : str, optional
        The name in results.

    Attributes
    ----------
    raters : tuple of Rater
        The raters in order of first appearance, without the final grades.
    final : str or None
        The name of the final grades.
    blank : int
        Number of rows, or cells of a rater, without a grade.
    name : str or None
        The given name, or the files.

    Raises
    ------
    FormatError, ColumnError, DuplicateError, SourceError
        As for `read_ratings`.

    Examples
    --------
    >>> import gainful
    >>> rows = [("q1", "d1", "ana", 3), ("q1", "d1", "ben", 2), ("q1", "d2", "ana", 0)]
    >>> ratings = gainful.Ratings(rows, sources={"ben": "model:umbrela@2024-06"})
    >>> ratings
    <Ratings: 1 query, 2 documents, 3 labels of ana, ben>
    >>> ratings.of("ana").to_dict()
    {'q1': {'d1': 3, 'd2': 0}}
    >>> [str(rater.source) for rater in ratings.raters]
    ['unknown', 'model umbrela, 2024-06']
    """

    raters: tuple[Rater, ...]
    final: str | None
    blank: int
    name: str | None
    _grades: dict[str, dict[Pair, float]]
    _final: dict[Pair, float]
    _pairs: tuple[Pair, ...]
    _evidence: dict[str, Evidence]

    @suggest_keywords
    def __init__(
        self,
        judgments: RatingsLike,
        *,
        raters: Sequence[str] | None = None,
        final: str | None = None,
        sources: Mapping[str, Source | str] | None = None,
        columns: Mapping[str, str] | None = None,
        groups: bool = False,
        duplicates: str = "error",
        name: str | None = None,
    ) -> None:
        known = {
            rater: Source.parse(source) if isinstance(source, str) else source
            for rater, source in (sources or {}).items()
        }
        into = LabelCollector(duplicates, known)
        collected = collect(judgments, into, raters, final, columns or {}, groups)
        if not into.grades and not into.final:
            empty = "only empty cells for grades" if into.blank else "no label"
            raise FormatError(file=collected or name, found=empty, expected="labels")
        self._set(into, final, name or collected)

    def _set(self, into: LabelCollector, final: str | None, name: str | None) -> None:
        grades = {}
        raters = []
        for (rater, source), called in _names(into.grades).items():
            labels = into.grades[rater, source]
            if called == final:
                into.final = {**into.final, **labels}
                into.final_name = called
                continue
            grades[called] = labels
            raters.append(Rater(called, source))
        known = [rater.name for rater in raters]
        _known("final", final, [*known, *filter(None, [into.final_name])])
        for rater in into.sources:
            _known("sources", rater, [*(rater for rater, _ in into.grades), *known])
        if final is not None and not into.final:
            raise FormatError(file=name, found=f"no grade in {final!r}", expected="final grades")
        put = object.__setattr__
        put(self, "raters", tuple(raters))
        # An empty column is one that nobody has filled in yet.
        put(self, "final", into.final_name if into.final else None)
        put(self, "blank", into.blank)
        put(self, "name", name)
        put(self, "_grades", grades)
        put(self, "_final", into.final)
        put(self, "_evidence", _evidence(into))
        everything = [*grades.values(), into.final]
        put(self, "_pairs", tuple({pair: None for labels in everything for pair in labels}))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Ratings cannot be changed ({name})")

    # --- contents -------------------------------------------------------------------------------

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The queries and documents with a label or a final grade."""
        return self._pairs

    @property
    def queries(self) -> tuple[str, ...]:
        """The ids of the queries, in order of first appearance."""
        return tuple({query: None for query, _ in self._pairs})

    def __len__(self) -> int:
        return sum(map(len, self._grades.values()))

    def __iter__(self) -> Iterator[Label]:
        for rater in self.raters:
            for (query, document), grade in self._grades[rater.name].items():
                yield Label(query, document, rater, grade)

    def grades(self, rater: str) -> Mapping[Pair, float]:
        """Return the grades of a rater, or the final ones, by query and document.

        Raises
        ------
        ParameterError
            For an unknown name.
        """
        if self.final is not None and rater == self.final:
            return MappingProxyType(self._final)
        _known("rater", rater, [*self._grades, *filter(None, [self.final])])
        return MappingProxyType(self._grades[rater])

    def of(self, rater: str, pairs: Iterable[Pair] | None = None) -> Qrels:
        """Return a rater's labels, or the final grades, as judgments.

        Parameters
        ----------
        rater : str
            The name of a rater, or that of the final grades.
        pairs : iterable of (query, document), optional
            The labels to return. Default: all. Missing ones are skipped.

        Raises
        ------
        ParameterError
            For an unknown name.
        """
        labels = self.grades(rater)
        chosen = labels if pairs is None else [pair for pair in pairs if pair in labels]
        rows = [
            (query, document, grade_value(labels[query, document])) for query, document in chosen
        ]
        return Qrels(rows, name=rater)

    def select(self, queries: Iterable[str]) -> Ratings:
        """Return the ratings of some queries, by the raters who graded any of them."""
        chosen = frozenset(queries)

        def keep(labels: Mapping[Pair, float]) -> dict[Pair, float]:
            return {pair: grade for pair, grade in labels.items() if pair[0] in chosen}

        ratings = object.__new__(Ratings)
        grades = {
            name: remaining for name, labels in self._grades.items() if (remaining := keep(labels))
        }
        put = object.__setattr__
        put(ratings, "raters", tuple(rater for rater in self.raters if rater.name in grades))
        put(ratings, "final", self.final)
        put(ratings, "blank", 0)
        put(ratings, "name", self.name)
        put(ratings, "_grades", grades)
        put(ratings, "_final", keep(self._final))
        put(ratings, "_evidence", {})
        put(ratings, "_pairs", tuple(pair for pair in self._pairs if pair[0] in chosen))
        return ratings

    def combine(
        self,
        method: str = "majority",
        *,
        owner: str | None = None,
        runs: Mapping[str, RunLike] | None = None,
        measure: Measure | str | None = None,
        baseline: str | Sequence[str] | None = None,
        margin: float | None = None,
        convention: Convention | str = "gainful-1",
        weights: Mapping[str, float] | None = None,
        starts: int = 10,
        seed: int = 0,
        threads: int | None = None,
    ) -> CombinedJudgments:
        """Combine the labels of several raters into one grade per document.

        Parameters
        ----------
        method : {"majority", "median", "mean", "dawid-skene", "owner"}
            The most frequent grade, where ties go to the grade nearest to the median, then to the
            lower one; the median, for an even number of labels the mean of the middle two; the
            mean; the most probable grade under `gainful.inference.dawid_skene`; or the owner's
            grade, and the majority's where there is none.
        owner : str, optional
            The rater whose labels decide. Default: the final grades. The other methods use the
            labels of all raters, without the final grades.
        runs : mapping of str to run, optional
            Rankings of systems, which are then scored under each method that the labels allow.
        measure, baseline, margin, convention, weights, threads
            As for `gainful.compare`.
        starts, seed : int
            How often the estimation of ``dawid-skene`` starts, and the random seed.

        Returns
        -------
        CombinedJudgments
            The grades with the labels that they come from.

        Raises
        ------
        ParameterError
            For an unknown method or owner, or ``dawid-skene`` with fewer than three raters.
        FormatError
            If there are only final grades.
        GainfulError
            If a run cannot be read or evaluated.

        Examples
        --------
        >>> import gainful
        >>> rows = [("q1", "d1", "ana", 3), ("q1", "d1", "ben", 2), ("q1", "d1", "eva", 2)]
        >>> gainful.Ratings(rows).combine("mean").qrels().to_dict()
        {'q1': {'d1': 2.3333333333333335}}
        """
        from gainful.judging.combining import combine

        return combine(
            self,
            method,
            owner=owner,
            runs=runs,
            measure=measure,
            baseline=baseline,
            margin=margin,
            convention=convention,
            weights=weights,
            starts=starts,
            seed=seed,
            threads=threads,
        )

    def write(self, path: str | PathLike[str], format: str | None = None) -> tuple[str, ...]:
        """Write the labels with their raters to a file, atomically.

        Parameters
        ----------
        path : path
            The file.
        format : {"csv", "jsonl", "qrels", "quepid-book", "label-studio"}, optional
            ``csv`` and ``jsonl``: one row per label with all that is known. ``qrels``: TREC
            judgments of a single rater. ``quepid-book``: the CSV of a Quepid book, with one column
            per rater. ``label-studio``: JSON to import into Label Studio. Default: from the suffix
            ``.csv``, ``.jsonl`` or ``.json`` (Label Studio), else ``qrels``.

        Returns
        -------
        tuple of str
            What the format has no place for and the file lacks; empty if it contains everything.

        Raises
        ------
        ParameterError
            For an unknown format.
        FormatError
            For qrels of several raters.
        SourceError
            If the file cannot be written.
        """
        return _write(self, path, format)

    def array(
        self, raters: Sequence[str], pairs: Sequence[Pair] | None = None
    ) -> NDArray[np.float64]:
        """Return grades as an array, one row per document and one column per rater.

        Parameters
        ----------
        raters : sequence of str
            Names of raters, or that of the final grades.
        pairs : sequence of (query, document), optional
            The rows. Default: `pairs`.

        Returns
        -------
        numpy.ndarray, shape (pairs, raters), float64
            NaN if a rater gave no grade.
        """
        import numpy as np

        rows = self._pairs if pairs is None else pairs
        grades = np.full((len(rows), len(raters)), np.nan)
        for index, rater in enumerate(raters):
            labels = self.grades(rater)
            grades[:, index] = [labels.get(pair, np.nan) for pair in rows]
        return grades

    def evidence(self, rater: str) -> Evidence:
        """Return what the files of a model's labels say besides the grades."""
        return self._evidence.get(rater) or Evidence()

    # --- display and export ---------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the rows."""
        return _COLUMNS

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield one row per label: query_id, doc_id, rater, grade, source, model, version.

        Final grades have the source ``final``; unknown values are None.
        """
        for label in self:
            source = label.rater.source
            parts = [part or None for part in (source.kind, source.model, source.version)]
            yield (label.query_id, label.doc_id, label.rater.name, grade_value(label.grade), *parts)
        for (query, document), grade in self._final.items():
            yield (query, document, self.final, grade_value(grade), "final", None, None)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows as an Arrow stream; the requested schema is ignored."""
        # A column without values would have no type.
        rows = [
            (*row[:3], float(row[3]), *(part or "" for part in row[4:]))  # type: ignore[arg-type]
            for row in self.rows()
        ]
        columns: list[list[object]] = [list(column) for column in zip(*rows, strict=True)]
        return _kernel.arrow_stream(list(_COLUMNS), columns)

    def __repr__(self) -> str:
        named = ", ".join(rater.name for rater in self.raters[:5]) or "nobody"
        more = f" and {len(self.raters) - 5} more" if len(self.raters) > 5 else ""
        queries, documents, labels = len(self.queries), len(self._pairs), len(self)
        counted = ", ".join(
            f"{n:,} {one if n == 1 else many}"
            for n, one, many in (
                (queries, "query", "queries"),
                (documents, "document", "documents"),
                (labels, "label", "labels"),
            )
        )
        called = f" {self.name!r}" if self.name else ""
        return f"<Ratings{called}: {counted} of {named}{more}>"


def _known(where: str, name: str | None, names: Sequence[str]) -> None:
    if name is not None and name not in names:
        raise ParameterError(
            where=where,
            found=repr(name),
            expected=f"one of {', '.join(dict.fromkeys(names)) or 'no rater'}",
        )


def _names(keys: Iterable[tuple[str, Source]]) -> dict[tuple[str, Source], str]:
    """Return the display names of raters; add the source to shared names."""
    names = {(rater, source): rater or _source_name(source) for rater, source in keys}
    shared = Counter(names.values())
    return {
        (rater, source): name if shared[name] == 1 else f"{name} ({source})"
        for (rater, source), name in names.items()
    }


def _evidence(into: LabelCollector) -> dict[str, Evidence]:
    """Return the evidence by the name of the rater, who may have no grade of the same version."""
    evidence_of_rater: dict[str, Evidence] = {}
    names = _names(into.grades)
    for (rater, source), evidence in into.evidence.items():
        name = names.get((rater, source))
        if name is None:
            same = [
                (called, key)
                for key, called in names.items()
                if key[1].kind == source.kind and key[1].model == source.model
            ]
            same = [label for label in same if label[1][0] == rater] or same
            if not same:
                continue
            name = same[0][0]
        evidence_of_rater.setdefault(name, Evidence()).update(evidence)
    return evidence_of_rater


def _source_name(source: Source) -> str:
    """Return the display name of a rater without a name."""
    named = source.model or source.kind or "unnamed"
    return f"{named}@{source.version}" if source.version else named


#: The name of the control with the grade, and of the object that it belongs to, in Label Studio.
_CONTROL, _OBJECT = "grade", "document"
_BY_SUFFIX = {".csv": "csv", ".jsonl": "jsonl", ".json": "label-studio"}


def _write(ratings: Ratings, path: str | PathLike[str], format: str | None) -> tuple[str, ...]:
    """Implement `Ratings.write`."""
    name = fspath(path)
    style = format or _BY_SUFFIX.get(splitext(name)[1], "qrels")
    if style == "qrels":
        _one_rater(ratings)
        ratings.of(ratings.raters[0].name).write(name, "trec")
    else:
        lines = label_lines(ratings, style)
        write_whole(name, (line.encode("utf-8", "surrogateescape") for line in lines))
    return left_out(ratings, style)


def label_lines(ratings: Ratings, style: str) -> Iterator[str]:
    """Return the text of the labels in a format other than ``qrels``."""
    if style == "csv":
        return iter(csv(ratings.columns, ratings.rows()))
    if style == "jsonl":
        return (text(dict(zip(ratings.columns, row, strict=True))) for row in ratings.rows())
    if style == "quepid-book":
        return _book(ratings)
    if style == "label-studio":
        return task_lines(ratings)
    raise ParameterError(
        where="format", found=repr(style), expected=f"one of {', '.join(LABEL_FORMATS)}"
    )


def left_out(ratings: Ratings, style: str) -> tuple[str, ...]:
    """Return what a format has no place for, in words; empty if it contains everything."""
    records = []
    sources = [rater for rater in ratings.raters if str(rater.source) != "unknown"]
    versions = [rater for rater in ratings.raters if rater.source.version]
    if style in ("qrels", "quepid-book") and ratings.final is not None:
        records.append(f"{len(ratings.grades(ratings.final)):,} final grades")
    if style in ("qrels", "quepid-book") and sources:
        records.append("the sources of the raters")
    if style == "label-studio" and versions:
        records.append("the versions of the models")
    return tuple(records)


def _one_rater(ratings: Ratings) -> None:
    if len(ratings.raters) != 1:
        raise FormatError(
            f"found {len(ratings.raters)} raters, but qrels have one grade per document",
            hint="combine the labels first",
        )


def _book(ratings: Ratings) -> Iterator[str]:
    """Return a Quepid book as CSV: query, docid, and one column per rater."""
    by_rater = [ratings.grades(rater.name) for rater in ratings.raters]
    rows = (
        [
            *pair,
            *(grade_value(rater[pair]) if pair in rater else "" for rater in by_rater),
        ]
        for pair in ratings.pairs
        if any(pair in rater for rater in by_rater)
    )
    return iter(csv(["query", "docid", *(rater.name for rater in ratings.raters)], rows))


def task_lines(ratings: Ratings) -> Iterator[str]:
    """Yield the text of tasks with the labels of raters, for an import into Label Studio.

    People are annotations, with their names as emails; models are predictions; final grades are
    ground truth.
    """
    finals = {} if ratings.final is None else ratings.grades(ratings.final)
    yield "["
    for index, (query, document) in enumerate(ratings.pairs):
        annotations, predictions = [], []
        for rater in ratings.raters:
            grade = ratings.grades(rater.name).get((query, document))
            if grade is None:
                continue
            if rater.source.kind == "model":
                predictions.append({"model_version": rater.name, "result": [_region(grade)]})
            else:
                annotations.append(_annotation(rater.name, grade, ground_truth=False))
        final = finals.get((query, document))
        if final is not None:
            annotations.append(_annotation(str(ratings.final), final, ground_truth=True))
        task = {
            "data": {"query_id": query, "doc_id": document},
            "annotations": annotations,
            "predictions": predictions,
        }
        yield ("," if index else "") + "\n" + text(task).strip()
    yield "\n]\n"


def _annotation(rater: str, grade: float, *, ground_truth: bool) -> dict[str, object]:
    return {
        "completed_by": {"email": rater},
        "was_cancelled": False,
        "ground_truth": ground_truth,
        "result": [_region(grade)],
    }


def _region(grade: float) -> dict[str, object]:
    return {
        "from_name": _CONTROL,
        "to_name": _OBJECT,
        "type": "choices",
        "value": {"choices": [grade_text(grade)]},
    }


@suggest_keywords
def read_ratings(
    path: RatingsLike,
    *,
    raters: Sequence[str] | None = None,
    final: str | None = None,
    sources: Mapping[str, Source | str] | None = None,
    columns: Mapping[str, str] | None = None,
    groups: bool = False,
    duplicates: str = "error",
    name: str | None = None,
) -> Ratings:
    """Read judgments with their raters from one or more files.

    The kind of file is detected from its content:

    - *One row per label*: CSV, TSV or JSON lines with query, document and grade, and a column with
      the rater (``rater``, ``annotator``, ``assessor``, ``worker`` and the like), or with the
      source (``source``, ``model``, ``version``). Rows with the source ``final`` are final grades.
    - *One column per rater*: the same with several columns of grades, such as ``agent_1_rating`` or
      ``grade_ana``; a column ``final_rating``, ``gold`` or the like has the final grades.
    - *One rater*: any other file that `read_qrels` reads; the rater is named after the file.

    Missing grades are counted, but are not labels.

    Parameters
    ----------
    path : path, or several paths
        The files; a mapping of names to paths names their raters.
    raters, final, sources, columns, groups, duplicates, name
        As for `Ratings`.

    Returns
    -------
    Ratings
        All labels.

    Raises
    ------
    SourceError, SourceNotFoundError
        For a file that cannot be read.
    FormatError, DuplicateError
        For the first bad line; the message names it.
    ColumnError
        For a table without the required columns.

    Examples
    --------
    >>> import gainful
    >>> from gainful.demo import annotations_path
    >>> gainful.read_ratings(annotations_path(), name="demo")
    <Ratings 'demo': 27 queries, 466 documents, 932 labels of ana, ben>
    """
    return Ratings(
        path,
        raters=raters,
        final=final,
        sources=sources,
        columns=columns,
        groups=groups,
        duplicates=duplicates,
        name=name,
    )

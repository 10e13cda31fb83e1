"""The result of an evaluation: its rows, summaries and counts."""

from __future__ import annotations

from gainful._lazy import load
from gainful.conventions import Convention
from gainful.evaluation.data import EvaluationData, counts_by_system, is_wide
from gainful.evaluation.summary import (
    AnswersByEvidence,
    Clusters,
    DataCounts,
    LabelBounds,
    QueryRow,
    QuerySlice,
    Selection,
    Summary,
)
from gainful.measures import Measure
from gainful.records import derived, field
from gainful.results import Records, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from gainful.data.inputs import ArrowStream
    from gainful.data.paths import Paths
    from gainful.data.qrels import QrelsLike
    from gainful.evaluation.query_groups import Attribute, By
    from gainful.evaluation.query_rows import QueryRows
    from gainful.evaluation.value_tables import ValuesLike
    from gainful.formats.markup import Methods
    from gainful.formats.table import Table
    from gainful.measures.parameters import Range
    from gainful.plots import Plot


#: What marks significant differences in a table: comparisons are a layer above.
_MARK_TABLE = "gainful.comparison.call:mark_table"


class Evaluation(EvaluationData, init=False):
    """The result of `evaluate`: one row per system and query, with summaries.

    It exports the Arrow C stream, so ``polars.DataFrame(evaluation)``,
    ``pyarrow.table(evaluation)`` and DuckDB read it directly.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}
    >>> result = gainful.evaluate(qrels, {"q1": ["d2", "d1"], "q2": ["d3"]}, ["nDCG@10", "RR"])
    >>> result.summary("nDCG@10")
    Summary(n=2, mean=0.9299, low=0.0000, high=1.0000, median=0.9299)
    >>> result.per_query("RR")
    {'q1': 1.0, 'q2': 1.0}
    >>> next(result.rows())["DCG@10"]
    2.261859507142915
    """

    SCHEMA = "gainful.evaluation/1"
    COMMAND = "evaluate"
    RECORDS = {"queries": None, "summary": None, "values": None}
    PICTURES = ("means", "scatter", "difficulty", "distribution", "waterfall", "precision_recall")

    __slots__ = ("given", "selection")

    _resolved: dict[str, str] = derived(
        lambda evaluation: dict(
            zip(map(repr, evaluation.measures), map(repr, evaluation.resolved), strict=True)
        ),
        key="measures",
        json={"minProperties": 1},
    )
    """The measures as requested, each with every parameter set."""
    _summaries: dict[str, dict[str, Summary]] = derived(
        lambda evaluation: {
            system: {
                repr(measure): evaluation.summary(measure, system)
                for measure in evaluation.measures
            }
            for system in evaluation.systems
        },
        key="systems",
        json={"minProperties": 1, "additionalProperties": {"minProperties": 1}},
    )
    """Summaries by system and measure."""
    _counts: dict[str, DataCounts] = derived(
        counts_by_system,
        key="counts",
        json={"minProperties": 1},
    )
    """Data checks by system."""
    _clusters: Clusters | None = derived(
        lambda evaluation: evaluation.count_clusters(), key="clusters", optional=True
    )
    """With clusters: the attribute that clusters the queries, and the number of clusters."""
    slices: tuple[QuerySlice, ...] | None = derived(
        lambda evaluation: evaluation._summarize_slices() or None, optional=True
    )
    """With slices: summaries by attribute, slice, system and measure."""
    selection: Selection | None = field(optional=True)
    """With selected queries or excluded documents: how many."""
    given: dict[str, str] | None = field(optional=True)
    """With values that were computed elsewhere: by measure, how they were read."""
    answers: tuple[AnswersByEvidence, ...] | None = derived(
        lambda evaluation: evaluation._cross_answers() or None, optional=True
    )
    """With values that were computed elsewhere and a measure of evidence (FullRecall, SpanFull or
    Success): the values where the evidence was found, and where it is missing."""
    _bounds: LabelBounds | None = derived(
        lambda evaluation: (
            evaluation.bounds_of
            and LabelBounds(labels_of=evaluation.bounds_of, scale=evaluation.scale or ())
        ),
        key="bounds",
        optional=True,
    )
    """With bounds: which unjudged documents have labels, and their possible grades. Other unjudged
    documents count as not relevant."""
    _per_query: tuple[QueryRow, ...] | None = derived(
        lambda _: None,
        key="per_query",
        optional=True,
        json={"items": {"additionalProperties": {"type": ["number", "boolean", "null"]}}},
    )
    """With --per-query: one row per system and query. The other keys are the measures, their DCG
    and IDCG, counts, and with bounds low and high of each measure."""

    @classmethod
    def concat(cls, evaluations: Iterable[Evaluation]) -> Evaluation:
        """Concatenate evaluations of disjoint sets of queries.

        The result is exactly that of one evaluation of all their queries, whatever the order of the
        parts: rows are sorted and means are added in byte order of the query ids.

        Parameters
        ----------
        evaluations : iterable of Evaluation
            With the same convention, measures and systems. Each has the judgments of its own
            queries, or all have the same judgments under a convention with ``missing="skip"``.

        Returns
        -------
        Evaluation
            With the systems in the order of the first part. Its counts are the sums over the parts:
            a query of a run without judgments counts as ``extra`` in each part that contains it.
            `judgments_digest` is None unless all parts have the same judgments.

        Raises
        ------
        MatchError
            If parts overlap, differ in convention, measures, systems or bounds, or if only some
            have weights.
        ArgumentError, ParameterError
            For objects that are not evaluations, or no evaluation.

        Examples
        --------
        >>> import gainful
        >>> qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}
        >>> run = {"q1": ["d2", "d1"], "q2": ["d3"]}
        >>> parts = [
        ...     gainful.evaluate({query: qrels[query]}, {query: run[query]}, "nDCG@10")
        ...     for query in ("q2", "q1")
        ... ]
        >>> whole = gainful.Evaluation.concat(parts)
        >>> whole.mean() == gainful.evaluate(qrels, run, "nDCG@10").mean()
        True
        """
        from gainful.evaluation.parts import concat

        return concat(cls, evaluations)

    @classmethod
    def from_rows(
        cls,
        rows: Paths | ArrowStream | Iterable[ArrowStream],
        measures: Measure | str | Iterable[Measure | str] | None = None,
        *,
        convention: Convention | str = "gainful-1",
        weights: Mapping[str, float] | None = None,
        bounds: bool | str = False,
        scale: Iterable[float] | None = None,
        qrels: QrelsLike | None = None,
    ) -> Evaluation:
        """Restore an evaluation from rows of `to_rows` or of a cluster.

        The result is exactly that of one evaluation of all their queries, whatever the order of the
        rows.

        Parameters
        ----------
        rows : table, iterable of tables, or paths
            `QueryRows` of `to_rows` or `gainful.evaluation.partition.score_partition`, or any table
            made from them: a data frame of pandas, polars or PyArrow, a DuckDB relation, the path
            of a Parquet file or of a folder (which needs pyarrow).
        measures, convention
            The measures and the convention of the rows.
        weights : mapping of query id to float, optional
            As for `evaluate`.
        bounds, scale
            The bounds and the scale of the rows.
        qrels : path, mapping, data frame or Qrels, optional
            All judgments, for `judgments_digest`; judged queries without a row are then added, as
            the convention treats queries missing from a run.

        Returns
        -------
        Evaluation
            With the systems in the order of their names. Scattered rows are not detected.

        Raises
        ------
        MatchError
            For rows of another evaluation, duplicate queries, no rows, or judgments and a run
            without common queries.
        ColumnError, FormatError
            For incomplete rows.

        Examples
        --------
        >>> import gainful, polars
        >>> qrels, run = {"q1": {"d1": 2, "d2": 1}}, {"q1": ["d2", "d1"]}
        >>> result = gainful.evaluate(qrels, run, "nDCG@10")
        >>> frame = polars.DataFrame(result.to_rows())
        >>> gainful.Evaluation.from_rows(frame, "nDCG@10").mean() == result.mean()
        True
        """
        from gainful.evaluation.parts import from_rows

        return from_rows(
            cls,
            rows,
            measures,
            convention=convention,
            weights=weights,
            bounds=bounds,
            scale=scale,
            qrels=qrels,
        )

    @classmethod
    def from_values(
        cls,
        values: ValuesLike,
        measure: Measure | str | Iterable[Measure | str] | None = None,
        *,
        range: Range | None = None,
        higher_is_better: bool | None = None,
        aggregate: str | None = None,
        weights: Mapping[str, float] | None = None,
        clusters: Attribute | None = None,
        by: By | None = None,
    ) -> Evaluation:
        """Make an evaluation from values that were computed elsewhere.

        It can be compared, plotted, gated and reported like any other, without judgments. A query
        without a value, or with NaN, does not count for the system and the measure.

        Parameters
        ----------
        values : mapping, data frame, records or path
            ``{system: {query: value}}``, or ``{measure: {system: {query: value}}}``; or a table (a
            data frame, rows as mappings, or a TSV, CSV, JSON, JSON lines or Parquet file) with a
            column for the query. It has a column for the system and one for each measure, columns
            for the system, the measure and the value, or one column for each system. `given` says
            how it was read.
        measure : Measure, str, or several of them, optional
            The measures, by the names in `values`. A single one names values without a name, such
            as those in a column ``value``. Default: all.
        range : pair of float or None, optional
            The lowest and the highest possible value, ``None`` if unbounded. Default: as declared
            before for a measure of this name, else unbounded.
        higher_is_better : bool, optional
            Whether a higher value is better. Default: as declared before, by
            `gainful.measures.declare` or here, else true.
        aggregate : {"mean", "sum", "geometric"}, optional
            How the values of queries are combined. Default: as declared before, else their mean.
        weights, clusters, by
            As for `gainful.evaluate`.

        Raises
        ------
        GainfulError
            For a file that cannot be read, a column that is missing, a duplicate query of a system,
            or a value that is not a number or out of range.

        Examples
        --------
        >>> import gainful
        >>> values = {"old": {"q1": 0, "q2": 1, "q3": 0}, "new": {"q1": 1, "q2": 1, "q3": None}}
        >>> result = gainful.Evaluation.from_values(values, "answer correctness", range=(0, 1))
        >>> result.mean("answer correctness", "new"), result.summary(system="new").n
        (1.0, 2)
        >>> gainful.compare(result, baseline="old").pair().difference
        0.5
        """
        from gainful.evaluation.value_evaluations import from_values

        return from_values(
            cls,
            values,
            measure,
            range=range,
            higher_is_better=higher_is_better,
            aggregate=aggregate,
            weights=weights,
            clusters=clusters,
            by=by,
        )

    def join(self, other: Evaluation) -> Evaluation:
        """Return an evaluation with the measures of both, of the same systems.

        A query that one side lacks does not count for the measures of that side; notes count such
        queries. Use `concat` for different queries under the same measures.

        Parameters
        ----------
        other : Evaluation
            Other measures of the same systems, such as `from_values` returns, under the same
            convention unless the values of one side were computed elsewhere.

        Raises
        ------
        MatchError
            If systems, conventions, judgments, weights, clusters or slices differ, or both have the
            same measure.

        Examples
        --------
        >>> import gainful
        >>> ranking = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@10")
        >>> answers = {"bm25": {query: value > 0.5 for query, value in ranking["nDCG@10"].items()}}
        >>> both = ranking.join(gainful.Evaluation.from_values(answers, "correct", range=(0, 1)))
        >>> {name: round(mean, 4) for name, mean in both.mean().items()}
        {'nDCG@10': 0.7193, 'correct': 0.8333}
        """
        from gainful.evaluation.value_evaluations import join

        return join(self, other)

    def to_rows(self, *, ids: str = "text") -> QueryRows:
        """Return rows from which `from_rows` can restore the evaluation.

        Parameters
        ----------
        ids : {"text", "binary"}
            The type of the query ids. Text ids must be UTF-8.
        """
        from gainful.evaluation.query_rows import QueryRows, RowForm

        form = RowForm(self.measures, self.convention, self.bounds_of or False, self.scale)
        return QueryRows(self.kernel_tables, form, ids)

    def __reduce__(self) -> tuple[object, ...]:
        from gainful.evaluation.parts import reduce_evaluation

        return reduce_evaluation(self)

    def _delimited(self, style: str, records: str | None) -> Iterable[bytes] | None:
        if records not in (None, "queries"):
            return None
        from gainful.evaluation.query_rows import delimited_rows

        return delimited_rows(self, style)

    def _summarize_slices(self) -> tuple[QuerySlice, ...]:
        if self.groups is None:
            return ()
        from gainful.evaluation.parts import slice_evaluations

        return tuple(
            QuerySlice(
                attribute=attribute,
                slice=name,
                system=system,
                measure=repr(measure),
                summary=part.summary(measure, system),
            )
            for attribute, name, part in slice_evaluations(self)
            for system in part.systems
            for measure in part.measures
        )

    def _cross_answers(self) -> tuple[AnswersByEvidence, ...]:
        if self.given is None:
            return ()
        from gainful.evaluation.answers import cross_answers

        return cross_answers(self)

    # --- showing --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        return f"<Evaluation of {', '.join(self.systems)}: {measures}>"

    def tables(
        self,
        *,
        wide: bool = False,
        marks: bool = False,
        per_query: bool = False,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> list[Table]:
        """Return the summary, or the values of each query, as a table.

        Parameters
        ----------
        wide : bool
            Whether it has one row per system and one column per measure, with the best mean of each
            in bold; otherwise it has one row per system and measure, with intervals.
        marks : bool
            Whether to compare the systems, as `gainful.compare` does, and mark means that are
            significantly better or worse, with `wide`.
        per_query : bool
            Whether to return the values of each query in place of the means.
        digits : int, optional
            Digits of the means after the point. Default: 4, or 2 with `percent`.
        sort : str, optional
            The measure by whose mean the systems are sorted, the highest first, or ``"name"``.
            Default: the order of the runs.
        percent : bool
            Whether to show the means of measures from 0 to 1 as percentages.

        Raises
        ------
        ParameterError
            For an option out of range.
        """
        if per_query:
            from gainful.evaluation.records import query_table

            return [query_table(self)]
        from gainful.evaluation.summary_tables import slice_tables, summary_table
        from gainful.formats.table import TableFormat

        look = TableFormat(digits, sort, percent)
        if wide:
            from gainful.evaluation.records import matrix_table

            table = matrix_table(self, look)
            table = load(_MARK_TABLE)(self, table, look) if marks else table
            # Text has no intervals in this table.
            notes = [note for note in table.notes if note.key not in ("interval", "judged")]
            shown = [table.replace(notes=notes), *slice_tables(self, matrix_table, look)]
        else:
            shown = [summary_table(self, look), *slice_tables(self, summary_table, look)]
        if self.given is None:
            return shown
        from gainful.evaluation.answers import answer_tables

        return [*shown, *answer_tables(self)]

    def to_markdown(
        self,
        *,
        notes: bool = False,
        wide: bool | None = None,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> str:
        r"""Return a table as Markdown; that of several systems has significance marks.

        Parameters
        ----------
        notes : bool
            Whether to add all notes that explain the table; without it there are two at most.
        wide : bool, optional
            As for `tables`. Default: whether there are several systems, without bounds.
        digits, sort, percent
            As for `tables`.

        Examples
        --------
        >>> import gainful
        >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
        >>> found = gainful.evaluate("qrels.txt", runs=runs, measures=["nDCG@10", "AP"])
        >>> print(found.to_markdown(sort="AP", percent=True).partition("\n\n")[0])
        |     | system | nDCG@10 (%) |    AP (%) |
        |:----|:-------|------------:|----------:|
        | a   | dense  |   **75.81** | **77.50** |
        | b   | bm25   |       71.93 |     61.18 |
        """
        return self._paper("markdown", notes, wide, digits, sort, percent)

    def to_latex(
        self,
        *,
        notes: bool = False,
        wide: bool | None = None,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> str:
        """Return a LaTeX table with a caption and a label, using the package booktabs.

        Parameters
        ----------
        notes : bool
            Whether notes are below the table.
        wide, digits, sort, percent
            As for `to_markdown`.
        """
        return self._paper("latex", notes, wide, digits, sort, percent)

    def _paper(
        self,
        style: str,
        notes: bool,
        wide: bool | None,
        digits: int | None,
        sort: str | None,
        percent: bool,
    ) -> str:
        from gainful.formats.saving import rendered

        wide = is_wide(self) if wide is None else wide
        tables = self.tables(wide=wide, marks=True, digits=digits, sort=sort, percent=percent)
        return rendered(tables, style, notes=notes, name=self._name)

    def methods(self) -> Methods:
        """Describe the evaluation in a paragraph for the methods section of a paper.

        It names the measures with their definitions, the convention and the number of queries.

        Returns
        -------
        gainful.formats.markup.Methods
            The paragraph with its references. ``save`` writes it as LaTeX, Markdown or text, and
            the references as BibTeX.
        """
        from gainful.evaluation.methods import methods_of

        return methods_of(self)

    def _html_tables(self) -> list[Table]:
        from gainful.evaluation.records import html_table

        return [html_table(self)]

    def _records(self, name: str) -> Records:
        if name == "queries":
            return self._query_records()
        from gainful.evaluation.records import summary_rows, value_rows

        return as_records(*(summary_rows if name == "summary" else value_rows)(self))

    def _picture(self, name: str, **options: Any) -> Plot:
        from gainful.evaluation import pictures

        plot: Plot = getattr(pictures, name)(self, **options)
        return plot

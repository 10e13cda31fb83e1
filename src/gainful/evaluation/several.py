"""Evaluate under several conventions, and show the evaluations."""

from __future__ import annotations

from string import ascii_uppercase

from gainful.conventions import Convention, get
from gainful.errors import ParameterError
from gainful.evaluation import records
from gainful.evaluation.arguments import DEFAULT_MEASURES, settled
from gainful.evaluation.call import LoadedInputs, checked
from gainful.evaluation.notes import summarize_counts
from gainful.evaluation.summary_tables import format_figure, round_sum
from gainful.formats.delimited import text
from gainful.formats.table import Column, Note, Table, noted
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.progress import Bar, show_progress
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation.records import Rows
    from gainful.evaluation.result import Evaluation
    from gainful.measures import Measure
    from gainful.plots import Plot

__all__ = ["evaluate_each", "query_table", "summary_table"]

_OVERRIDE = "Parameters of a measure, in parentheses, override the conventions."

#: Maximum width of the conventions' labels; wider ones are replaced by names.
_MAXIMUM_WIDTH = 72


def summary_table(evaluations: EvaluationsByConvention) -> Table:
    """Return one row per system and measure, with a mean for each convention.

    Examples
    --------
    >>> from gainful.evaluation.several import evaluate_each
    >>> names = ["gainful", "trec_eval"]
    >>> both = evaluate_each("qrels.txt", "bm25.run", ["nDCG@10", "AP"], conventions=names)
    >>> from gainful.formats.text import text
    >>> print(text(summary_table(both)).partition("6 queries")[0])
    bm25
    measure  gainful-1  trec_eval-9.0.8
    ───────────────────────────────────
    nDCG@10      .7193            .7193
    AP           .6118            .6118
    <BLANKLINE>
    <BLANKLINE>
    """
    several = len(evaluations.systems) > 1
    starts, cells = [], []
    for system in evaluations.systems:
        for index, measure in enumerate(evaluations.measures):
            starts.append([*([system] if several else []), repr(measure)])
            summaries = [
                evaluation.summary(evaluation.measures[index], system) for evaluation in evaluations
            ]
            summed = measure.aggregate == "sum"
            cells.append([round_sum(summary.value, summed) for summary in summaries])
    names = ["system", "measure"] if several else ["measure"]
    notes = [
        *noted("queries", _compare_query_counts(evaluations)),
        *noted("counts", _describe_counts(evaluations)),
    ]
    return _by_convention(evaluations, names, starts, cells, notes)


def query_table(evaluations: EvaluationsByConvention) -> Table:
    """Return one row per system, query and measure, with a value for each convention."""
    several = len(evaluations.systems) > 1
    many = len(evaluations.measures) > 1
    starts, cells = [], []
    for system in evaluations.systems:
        for index, measure in enumerate(evaluations.measures):
            values = [
                evaluation.per_query(evaluation.measures[index], system)
                for evaluation in evaluations
            ]
            summed = measure.aggregate == "sum"
            for query in _queries(values):
                middle = [repr(measure)] if many else []
                starts.append([*([system] if several else []), str(query), *middle])
                cells.append([round_sum(value.get(query), summed) for value in values])
    names = [*(["system"] if several else []), "query_id", *(["measure"] if many else [])]
    table = _by_convention(evaluations, names, starts, cells, [])
    if many:
        return table
    title = [part for part in (table.title, repr(evaluations.measures[0])) if part]
    return table.replace(title=", ".join(title))


def _summary_rows(evaluations: EvaluationsByConvention) -> Rows:
    """Return headers and one row per convention, system and measure.

    Examples
    --------
    >>> from gainful.evaluation.several import evaluate_each
    >>> both = evaluate_each("qrels.txt", "bm25.run", "AP", conventions=["gainful", "trec_eval"])
    >>> headers, rows = _summary_rows(both)
    >>> headers[:4], [row[0] for row in rows]
    (('convention', 'system', 'measure', 'mean'), ['gainful-1', 'trec_eval-9.0.8'])
    """
    headers = ("convention", *records.SUMMARY)
    return headers, (
        (evaluation.convention.label, *row)
        for evaluation in evaluations
        for row in records.summary_rows(evaluation)[1]
    )


def _query_rows(evaluations: EvaluationsByConvention) -> Rows:
    """Return headers and one row per convention, system and query.

    Columns that only some conventions have, such as those of a cutoff, are None for the others.
    """
    headers = ["convention"]
    for evaluation in evaluations:
        headers += [name for name in evaluation.columns if name not in headers]

    def rows() -> Iterator[Sequence[object]]:
        for evaluation in evaluations:
            for row in evaluation.rows():
                named = {"convention": evaluation.convention.label, **row}
                yield tuple(named.get(name) for name in headers)

    return headers, rows()


def json_chunks_by_convention(
    evaluations: EvaluationsByConvention,
    style: str,
    *,
    per_query: bool = False,
    further: Mapping[str, object] | None = None,
) -> Iterator[bytes]:
    """Yield JSON in parts: ``gainful.evaluations/1`` with the rows of queries, or lines (jsonl).

    A document also has the `further` fields.
    """
    if style == "json":
        from gainful.evaluation.query_rows import json_document

        each_with_rows = [{**evaluation.to_dict(), "per_query": []} for evaluation in evaluations]
        yield from json_document(
            {**evaluations.to_dict(), **(further or {}), "evaluations": each_with_rows},
            evaluations,
        )
        return
    for line in _json_lines(evaluations, per_query=per_query):
        yield line.encode("utf-8", "surrogateescape")


def _json_lines(evaluations: EvaluationsByConvention, *, per_query: bool) -> Iterator[str]:
    """Yield one JSON object per line, of a system and measure or of a query."""
    for evaluation in evaluations:
        name = {"convention": evaluation.convention.label}
        if per_query:
            yield from (text({**name, **row}) for row in evaluation.rows())
            continue
        for system in evaluation.systems:
            for measure in evaluation.measures:
                summary = evaluation.summary(measure, system).to_dict()
                yield text({**name, "system": system, "measure": repr(measure), **summary})


def _by_convention(
    evaluations: EvaluationsByConvention,
    names: Sequence[str],
    starts: Sequence[Sequence[str]],
    cells: Sequence[Sequence[float | None]],
    notes: Sequence[Note],
) -> Table:
    """Return a table with one column per convention, under shortened names."""
    names_of = [convention.name for convention in evaluations.conventions]
    labels = [convention.label for convention in evaluations.conventions]
    if sum(map(len, labels)) > _MAXIMUM_WIDTH and len(set(names_of)) == len(names_of):
        labels = names_of
    columns = [
        Column(convention.label, label, format_figure, short=letter)
        for convention, label, letter in zip(
            evaluations.conventions, labels, _letters(evaluations), strict=True
        )
    ]
    legend = (Note(convention.label, str(convention)) for convention in evaluations.conventions)
    overridden = any(measure.params for measure in evaluations.measures)
    return Table(
        [*map(Column, names), *columns],
        [[*start, *values] for start, values in zip(starts, cells, strict=True)],
        title="" if len(evaluations.systems) > 1 else evaluations.systems[0],
        notes=[
            *notes,
            *legend,
            *([Note("measures", _OVERRIDE, explains=True)] if overridden else []),
        ],
    )


def _letters(evaluations: EvaluationsByConvention) -> list[str]:
    count = len(evaluations)
    if count <= len(ascii_uppercase):
        return list(ascii_uppercase[:count])
    return [str(number) for number in range(1, count + 1)]


def _compare_query_counts(evaluations: EvaluationsByConvention) -> Iterator[str]:
    """Describe the number of queries in the means, if conventions differ."""
    by_counts: dict[tuple[int, ...], list[str]] = {}
    several = len(evaluations.systems) > 1
    for system in evaluations.systems:
        for index, measure in enumerate(evaluations.measures):
            counts = tuple(
                evaluation.summary(evaluation.measures[index], system).n
                for evaluation in evaluations
            )
            if len(set(counts)) > 1:
                name = f"{system} {measure!r}" if several else repr(measure)
                by_counts.setdefault(counts, []).append(name)
    whole = len(evaluations.systems) * len(evaluations.measures)
    for counts, named in by_counts.items():
        by_convention = ", ".join(
            f"{count} under {convention.label}"
            for count, convention in zip(counts, evaluations.conventions, strict=True)
        )
        which = "" if len(named) == whole else f"{', '.join(named)}: "
        yield f"{which}queries that count: {by_convention}"


def _describe_counts(evaluations: EvaluationsByConvention) -> Iterator[str]:
    """Describe the counts under each convention, merging equal ones."""
    lines: dict[str, list[tuple[str, str]]] = {}
    labels, systems = (
        [evaluation.convention.label for evaluation in evaluations],
        evaluations.systems,
    )
    for member in evaluations:
        for system in member.systems:
            line = summarize_counts(member.counts(system))
            lines.setdefault(line, []).append((member.convention.label, system))
    for line, pairs in lines.items():
        if len(lines) == 1:
            yield line
            continue
        # One name is enough if all systems share the line of a convention, or all conventions a
        # system's.
        whole = [label for label in labels if all((label, system) in pairs for system in systems)]
        rest = [pair for pair in pairs if pair[0] not in whole]
        alike = [system for system in systems if all((label, system) in rest for label in labels)]
        others = [", ".join(pair) for pair in rest if pair[1] not in alike]
        yield f"{'; '.join([*whole, *alike, *others])}: {line}"


def _queries(values: Sequence[dict[Any, float]]) -> list[Any]:
    """Return the queries that count under any convention, in judgment order.

    >>> _queries([{"c": 1.0, "a": 1.0}, {"c": 1.0, "b": 1.0, "a": 1.0, "d": 1.0}])
    ['c', 'b', 'a', 'd']
    """
    merged: list[Any] = []
    for counting in values:
        before, merged = merged, []
        rest = iter(counting)
        for query in before:
            if query in counting:
                # First the queries that precede this one here and do not count elsewhere.
                merged += iter(rest.__next__, query)
            merged.append(query)
        merged += rest
    return merged


class EvaluationsByConvention(Result):
    """The same judgments, runs and measures under several conventions."""

    SCHEMA = "gainful.evaluations/1"
    COMMAND = "evaluate"
    RECORDS = {"summary": None, "queries": None}
    PICTURES = ("means",)

    evaluations: tuple[Evaluation, ...]
    """One per convention, in the given order."""

    def __iter__(self) -> Iterator[Evaluation]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.evaluations[0].systems

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The requested measures."""
        return self.evaluations[0].measures

    @property
    def conventions(self) -> tuple[Convention, ...]:
        """The conventions of the numbers."""
        return tuple(evaluation.convention for evaluation in self.evaluations)

    def tables(self, *, per_query: bool = False) -> list[Table]:
        """Return the means, or the values of each query, under each convention as a table."""
        return [query_table(self) if per_query else summary_table(self)]

    def _picture(self, name: str, measure: Measure | str | None = None) -> Plot:
        """Draw the mean of each system under each convention."""
        from gainful import plots
        from gainful.evaluation.pictures import mean_rows

        chosen = measure or self.measures[0]
        rows = [
            {**row, "series": evaluation.convention.label}
            for evaluation in self.evaluations
            for row in mean_rows(evaluation, chosen)
        ]
        return plots.means(rows, str(chosen))

    def _records(self, name: str) -> Records:
        return as_records(*(_query_rows if name == "queries" else _summary_rows)(self))

    def __repr__(self) -> str:
        labels = ", ".join(convention.label for convention in self.conventions)
        return f"<EvaluationsByConvention of {', '.join(self.systems)} under {labels}>"


@show_progress(Bar)
@suggest_keywords
def evaluate_each(
    qrels: QrelsLike,
    run: RunLike | None = None,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    conventions: Iterable[Convention | str],
    runs: Mapping[str, RunLike] | None = None,
    weights: Mapping[str, float] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> EvaluationsByConvention:
    """Evaluate runs under several conventions, reading the data once.

    Examples
    --------
    >>> both = evaluate_each({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, "nDCG@10",
    ...     conventions=["gainful-1", "trec_eval"])
    >>> [(each.convention.name, round(each.mean(), 4)) for each in both]
    [('gainful-1', 0.6309), ('trec_eval-9.0.8', 0.6309)]
    """
    chosen = [get(convention) for convention in conventions]
    if not chosen:
        raise ParameterError(where="conventions", found="none", expected="at least one")
    for index, chosen_convention in enumerate(chosen):
        if chosen_convention.label in [earlier.label for earlier in chosen[:index]]:
            raise ParameterError(
                where="conventions",
                found=f"{chosen_convention.label} twice",
                expected="each convention once",
            )
    selected = choose_measures(measures, *chosen, usual=DEFAULT_MEASURES)
    loaded = LoadedInputs(qrels, run, runs, selected, chosen, threads=threads, progress=progress)
    selected = settled(selected, loaded.qrels, *chosen)
    return EvaluationsByConvention(
        evaluations=tuple(
            checked(loaded.evaluate(policies, selected, weights)) for policies in chosen
        )
    )

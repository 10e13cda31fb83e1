"""Show evaluations under several conventions."""

from __future__ import annotations

from string import ascii_uppercase

from gainful.evaluation import records
from gainful.evaluation.notes import summarize_counts
from gainful.evaluation.tables import format_figure, round_sum
from gainful.formats.json import text
from gainful.formats.table import Column, Note, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gainful.evaluation.records import Rows
    from gainful.evaluation.several import Evaluations

__all__ = ["json_chunks", "query_rows", "query_table", "summary_rows", "summary_table"]

_OVERRIDE = "Parameters of a measure, in parentheses, override the conventions."

#: Maximum width of the conventions' labels; wider ones are replaced by names.
_MAXIMUM_WIDTH = 72


def summary_table(evaluations: Evaluations) -> Table:
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


def query_table(evaluations: Evaluations) -> Table:
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


def summary_rows(evaluations: Evaluations) -> Rows:
    """Return headers and one row per convention, system and measure.

    Examples
    --------
    >>> from gainful.evaluation.several import evaluate_each
    >>> both = evaluate_each("qrels.txt", "bm25.run", "AP", conventions=["gainful", "trec_eval"])
    >>> headers, rows = summary_rows(both)
    >>> headers[:4], [row[0] for row in rows]
    (('convention', 'system', 'measure', 'mean'), ['gainful-1', 'trec_eval-9.0.8'])
    """
    headers = ("convention", *records.SUMMARY)
    return headers, (
        (evaluation.convention.label, *row)
        for evaluation in evaluations
        for row in records.summary_rows(evaluation)[1]
    )


def query_rows(evaluations: Evaluations) -> Rows:
    """Return headers and one row per convention, system and query.

    Columns that only some conventions have, such as those of a cutoff, are None for the others.
    """
    headers = ["convention"]
    for evaluation in evaluations:
        headers += [name for name in evaluation.columns if name not in headers]

    def rows() -> Iterator[Sequence[object]]:
        for each in evaluations:
            for row in each.rows():
                named = {"convention": each.convention.label, **row}
                yield tuple(named.get(name) for name in headers)

    return headers, rows()


def json_chunks(
    evaluations: Evaluations,
    style: str,
    *,
    per_query: bool = False,
    further: Mapping[str, object] | None = None,
) -> Iterator[bytes]:
    """Yield JSON in parts: ``gainful.evaluations/1`` with the rows of queries, or lines (jsonl).

    A document also has the `further` fields.
    """
    if style == "json":
        from gainful.evaluation.row_texts import json_document

        each_with_rows = [{**evaluation.to_dict(), "per_query": []} for evaluation in evaluations]
        yield from json_document(
            {**evaluations.to_dict(), **(further or {}), "evaluations": each_with_rows},
            evaluations,
        )
        return
    for line in _json_lines(evaluations, per_query=per_query):
        yield line.encode("utf-8", "surrogateescape")


def _json_lines(evaluations: Evaluations, *, per_query: bool) -> Iterator[str]:
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
    evaluations: Evaluations,
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


def _letters(evaluations: Evaluations) -> list[str]:
    count = len(evaluations)
    if count <= len(ascii_uppercase):
        return list(ascii_uppercase[:count])
    return [str(number) for number in range(1, count + 1)]


def _compare_query_counts(evaluations: Evaluations) -> Iterator[str]:
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


def _describe_counts(evaluations: Evaluations) -> Iterator[str]:
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

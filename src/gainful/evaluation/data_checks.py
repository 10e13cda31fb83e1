"""Describe the data checks of many runs, and make those that do not pass errors."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar

from gainful.errors import DataCheckError
from gainful.evaluation.call import set_check
from gainful.evaluation.summary_tables import summary_table
from gainful.formats.numbers import percent
from gainful.formats.table import Column
from gainful.keywords import suggest_keywords
from gainful.records.tables import table_of_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.evaluation.data import EvaluationData
    from gainful.formats.table import Table

__all__ = ["checks_table", "describe_count_ranges", "strict"]


def describe_count_ranges(counts: Sequence[Mapping[str, object]], where: str) -> str:
    """Return the ranges of the data checks of several runs in one sentence.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> found = gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@10")
    >>> counts = [found.counts(system) for system in found.systems]
    >>> describe_count_ranges(counts, "in each run").partition(":")[0]
    '6 queries in each run'
    """
    judged = [_number(count["judged_queries"]) for count in counts]
    parts: list[str] = []
    for key, words in (
        ("missing", "not in the run"),
        ("extra", "in the run without judgments (ignored)"),
    ):
        parts += _range_of([_number(count[key]) for count in counts], words)
    no_relevant = [number for count in counts for number in _table(count["no_relevant"]).values()]
    parts += _range_of(no_relevant, "with no relevant documents")
    further = []
    for cutoff in _table(counts[0]["ties_at_cutoff"]):
        ties = [_table(count["ties_at_cutoff"])[cutoff] for count in counts]
        further += [f"ties across rank {cutoff} in {_span(ties)}"] if any(ties) else []
    for cutoff in _table(counts[0]["judged_at_cutoff"]):
        known = [
            share
            for count in counts
            for cutoff_label, share in _table(count["judged_at_cutoff"]).items()
            if cutoff_label == cutoff and isinstance(share, float)
        ]
        if known:
            least, most = percent(min(known)), percent(max(known))
            both = least if least == most else f"{least.removesuffix('%')} to {most}"
            further.append(f"{both} of the top {cutoff} judged")
    line = f"{_span(judged)} quer{'y' if judged == [1] * len(judged) else 'ies'} {where}"
    return "; ".join([f"{line}: {', '.join(parts)}" if parts else line, *further])


def _range_of(numbers: list[float], words: str) -> Iterable[str]:
    return [f"{_span(numbers)} {words}"] if any(numbers) else []


def _span(numbers: list[float]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _span_of_shares(shares: Sequence[float | None]) -> str:
    known = [share for share in shares if share is not None]
    if not known:
        return "–"
    least, most = (f"{100 * share:.1f}" for share in (min(known), max(known)))
    return f"{least}%" if least == most else f"{least} to {most}%"


def _numbers(value: Any, cutoff: str | None) -> Iterable[Any]:
    """Return a count, or those by preset or at a cutoff."""
    if isinstance(value, dict):
        return value.values() if cutoff is None else [value[cutoff]]
    return [value]


def checks_table(
    counts: Mapping[str, Sequence[Mapping[str, Any]]],
    heading: str,
    *further: tuple[str, str],
) -> Table:
    """Return the data checks of groups of runs, one row per group, as ranges over its runs."""
    every = [count for group in counts.values() for count in group]

    def column(key: str, label: str, cutoff: str | None = None) -> tuple[Column, list[object]]:
        show = _span_of_shares if key == "judged_at_cutoff" else _span
        groups: list[object] = [
            [number for count in group for number in _numbers(count[key], cutoff)]
            for group in counts.values()
        ]
        return Column(key if cutoff is None else f"{key}.{cutoff}", label, show), groups

    optional = [("extra", "only in the run"), ("duplicates", "duplicates"), *further]
    cutoffs = list(every[0]["judged_at_cutoff"])
    columns: list[tuple[Column, Sequence[object]]] = [
        (Column(heading), list(counts)),
        column("judged_queries", "queries"),
        column("no_relevant", "no relevant documents"),
        column("missing", "not in the run"),
        *(column(key, label) for key, label in optional if any(count[key] for count in every)),
        *(column("ties_at_cutoff", f"ties at {cutoff}", cutoff) for cutoff in cutoffs),
        *(column("judged_at_cutoff", f"top {cutoff} judged", cutoff) for cutoff in cutoffs),
    ]
    return table_of_columns(columns, title="Data checks")


def _number(found: object) -> float:
    assert isinstance(found, int)
    return found


def _table(found: object) -> dict[str, Any]:
    assert isinstance(found, dict)
    return found


_is_strict = ContextVar("strict", default=False)


@contextmanager
@suggest_keywords
def strict() -> Iterator[None]:
    """Raise an error for every data check that does not pass within the block.

    Data checks are the notes below a table that question the input: queries missing from a run or
    without judgments, ids that nearly match, queries with no relevant documents, ties at a cutoff
    or ties that decide the first ranks, ranks that contradict scores, scores that rise as distances
    do, duplicate documents, grades that are cut or cannot be meant, documents of which none is
    judged. The block applies to `gainful.evaluate` and to the functions that evaluate runs with it,
    such as `gainful.compare` and `gainful.gate`. It is `--strict` on the command line.

    Raises
    ------
    DataCheckError
        With all checks that do not pass.

    Examples
    --------
    >>> import gainful
    >>> with gainful.strict():
    ...     gainful.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"]}, "nDCG@10")
    Traceback (most recent call last):
    gainful.errors.DataCheckError: data checks: 2 queries: 1 not in the run (q2; counted as empty)
    """
    set_check(_check_data)
    token = _is_strict.set(True)
    try:
        yield
    finally:
        _is_strict.reset(token)


def _check_data(evaluation: EvaluationData) -> None:
    if not _is_strict.get():
        return
    doubts = [note.rstrip(".") for note in summary_table(evaluation).notes if note.is_doubt]
    if doubts:
        raise DataCheckError(". ".join(doubts), where="data checks")

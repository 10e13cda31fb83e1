"""The rows of queries as CSV, TSV and JSON, written by the kernel in parts."""

from __future__ import annotations

from gainful import _kernel
from gainful.evaluation.query_rows import RowForm
from gainful.formats.delimited import WRITERS
from gainful.formats.json import text
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gainful.evaluation.result import Evaluation

__all__ = ["delimited_rows", "json_document", "json_rows"]

SEPARATORS = {"csv": ",", "tsv": "\t"}


def delimited_rows(
    evaluation: Evaluation, style: str, threads: int | None = None
) -> Iterator[bytes]:
    """Yield a header and the rows of `Evaluation.rows`, as `gainful.formats.delimited` writes them.

    Parameters
    ----------
    style : {"csv", "tsv"}
        The format.
    """
    separator, write = SEPARATORS[style], WRITERS[style]
    names = evaluation.columns
    yield _encoded("".join(write(names, [])))
    for system in evaluation.systems:
        first = "".join(write([system], [])).removesuffix("\n") + separator
        leads = [first, *[separator] * (len(names) - 2)]
        yield from _rows(evaluation, system, leads, "\n", separator, threads)


def json_rows(evaluation: Evaluation, threads: int | None = None) -> Iterator[bytes]:
    """Yield a JSON object per row, one per line."""
    for system in evaluation.systems:
        leads = _keys(evaluation, system)
        leads[0] = "{" + leads[0]
        yield from _rows(evaluation, system, leads, "}\n", None, threads)


def json_document(
    document: Mapping[str, object],
    evaluations: Iterable[Evaluation],
    threads: int | None = None,
) -> Iterator[bytes]:
    """Yield an indented JSON document with the rows of queries, one per line.

    Parameters
    ----------
    document : mapping
        The document, with an empty list ``per_query`` for each of the evaluations.
    evaluations : iterable of Evaluation
        The evaluations, in the order of the lists.
    """
    empty = '"per_query": []'
    *parts, end = text(document, indent=2).split(empty)
    for part, evaluation in zip(parts, evaluations, strict=True):
        indent = " " * (len(part) - len(part.rstrip(" ")))
        yield _encoded(part + empty[:-1])
        is_first = True
        for system in evaluation.systems:
            leads = _keys(evaluation, system)
            leads[0] = f",\n{indent}  {{{leads[0]}"
            for chunk in _rows(evaluation, system, leads, "}", None, threads):
                # No comma precedes the first row.
                yield chunk[1:] if is_first else chunk
                is_first = False
        yield _encoded("]" if is_first else f"\n{indent}]")
    yield _encoded(end)


def _keys(evaluation: Evaluation, system: str) -> list[str]:
    """Return the keys that precede values; the first with the system."""
    keys = [f"{_quoted(name)}: " for name in evaluation.columns]
    first = f"{keys[0]}{_quoted(system)}, {keys[1]}"
    return [first, *(", " + key for key in keys[2:])]


def _quoted(name: str) -> str:
    return text(name).removesuffix("\n")


def _rows(
    evaluation: Evaluation,
    system: str,
    leads: list[str],
    end: str,
    separator: str | None,
    threads: int | None,
) -> Iterator[bytes]:
    form = RowForm(
        evaluation.measures,
        evaluation.convention,
        evaluation.bounds_of or False,
        evaluation.scale,
    )
    return _kernel.row_texts(
        evaluation._tables[system],
        # The last columns are only for rows that are restored.
        form.columns[: len(leads) - 1],
        list(map(_encoded, leads)),
        end.encode(),
        separator=None if separator is None else ord(separator),
        integers=evaluation._integers,
        threads=thread_count(threads),
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")

"""Row formats, as declared by the kernel, and formats of judgment lists."""

from __future__ import annotations

from gainful import _kernel

__all__ = [
    "COLUMNAR",
    "COLUMNAR_SUFFIXES",
    "EITHER",
    "JUDGMENT_LISTS",
    "READ_QRELS",
    "ROWS",
    "SUFFIXES",
    "WRITTEN_RUNS",
    "of_rows",
]

_ROWS = _kernel.row_formats()

#: The formats of rows.
ROWS = tuple(each.names[0] for each in _ROWS)

#: The formats of judgment lists, in the order of detection: a table of raters also looks like
#: one of Quepid. Keys are module names, values the JSON keys that identify the format.
JUDGMENT_LISTS: dict[str, tuple[str, ...]] = {
    "es_ltr": (),
    "esci": (),
    "raters": ("query_doc_pairs",),
    "quepid": ("queries",),
    "rre": ("topics", "queries"),
    "rank_eval": ("requests",),
    "opensearch": ("hits", "judgmentRatings", "querySetQueries"),
    "golden": (),
}

#: The columnar formats, and their suffixes.
COLUMNAR = tuple(each.names[0] for each in _ROWS if each.columnar)
COLUMNAR_SUFFIXES = tuple(
    f".{suffix}" for each in _ROWS if each.columnar for suffix in each.suffixes
)

#: The suffixes of all formats.
SUFFIXES = tuple(f".{suffix}" for each in _ROWS for suffix in each.suffixes)

#: The formats in which runs are written.
WRITTEN_RUNS = tuple(each.names[0] for each in _ROWS if each.writes_runs)

#: The formats of both judgments and runs.
EITHER = tuple(each.names[0] for each in _ROWS if each.writes_runs and each.writes_qrels)

#: The row formats in which judgments are read.
READ_QRELS = tuple(each.names[0] for each in _ROWS if each.reads_qrels)


def of_rows(format: str | None) -> bool:
    """Return whether a format is None or a row format, not a judgment list.

    >>> of_rows("TREC"), of_rows("raters:mean")
    (True, False)
    """
    return format is None or any(format.lower() in each.names for each in _ROWS)

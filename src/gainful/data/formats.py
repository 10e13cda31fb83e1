"""Row formats, as declared by the kernel."""

from __future__ import annotations

from gainful import _kernel

__all__ = [
    "COLUMNAR",
    "COLUMNAR_SUFFIXES",
    "EITHER",
    "READ_QRELS",
    "ROWS",
    "SUFFIXES",
    "WRITTEN_RUNS",
    "of_rows",
]

_ROWS = _kernel.row_formats()

#: The formats of rows.
ROWS = tuple(each.names[0] for each in _ROWS)

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

"""The formats of rows, as the kernel declares them."""

from __future__ import annotations

from gainful import _kernel

__all__ = ["COLUMNAR", "COLUMNAR_SUFFIXES", "EITHER", "READ_QRELS", "SUFFIXES", "WRITTEN_RUNS"]

_ROWS = _kernel.row_formats()

#: The formats that are read by columns, and the suffixes of their files.
COLUMNAR = tuple(each.names[0] for each in _ROWS if each.columnar)
COLUMNAR_SUFFIXES = tuple(
    f".{suffix}" for each in _ROWS if each.columnar for suffix in each.suffixes
)

#: The suffixes of all formats.
SUFFIXES = tuple(f".{suffix}" for each in _ROWS for suffix in each.suffixes)

#: The formats that a run is written in.
WRITTEN_RUNS = tuple(each.names[0] for each in _ROWS if each.writes_runs)

#: The formats that do not say whether they contain judgments or a run.
EITHER = tuple(each.names[0] for each in _ROWS if each.writes_runs and each.writes_qrels)

#: The formats of rows that judgments are read in.
READ_QRELS = tuple(each.names[0] for each in _ROWS if each.writes_qrels or each.columnar)

"""Judgments of any size: above a memory limit they are stored on disk."""

from __future__ import annotations

import os

from gainful import _kernel
from gainful.data.inputs import qrels_rows
from gainful.data.read_options import ReadOptions
from gainful.errors import ParameterError
from gainful.numerals import parse_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from gainful.data.inputs import QrelsLike
    from gainful.data.qrels import Qrels
    from gainful.data.read_options import ReadKeywords

__all__ = ["DiskQrels", "judgments_memory", "load_judgments"]

#: The default memory limit of judgments in bytes.
_MEMORY = 1 << 30

_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


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


def load_judgments(
    judgments: QrelsLike,
    *,
    memory: int | None = None,
    name: str | None = None,
    threads: int | None = None,
    **options: Unpack[ReadKeywords],
) -> Qrels | DiskQrels:
    """Read judgments, into memory if they fit.

    Parameters
    ----------
    judgments
        As for `Qrels`. Files and Arrow streams may be of any size; Python objects are read into
        memory.
    memory : int, optional
        The maximum bytes of judgments in memory. Default: `judgments_memory`.
    threads : int, optional
        As for `thread_count`.
    name, **options
        As for `Qrels`.

    Raises
    ------
    GainfulError
        As for `Qrels`; and a `SourceError` if the disk is full.
    """
    from gainful.data.qrels import Qrels

    if isinstance(judgments, Qrels):
        return judgments
    limit = judgments_memory() if memory is None else memory

    rows, source, note = qrels_rows(
        judgments, ReadOptions(**options), name=name, threads=threads, memory=limit
    )
    if isinstance(rows, _kernel.DiskRows):
        return DiskQrels(rows, source, note)
    qrels = Qrels._of(rows, name=name, source=source)
    return qrels if note is None else qrels.with_note(note)


def judgments_memory(text: str | None = None) -> int:
    """Return the maximum bytes of judgments in memory, above which they go to disk.

    Parameters
    ----------
    text : str, optional
        A number of bytes, or one with the unit KB, MB, GB or TB. Default: the environment variable
        ``GAINFUL_JUDGMENTS_MEMORY``, or else 1 GiB.

    Raises
    ------
    ParameterError
        For an invalid number.

    Examples
    --------
    >>> judgments_memory("2.5 GB"), judgments_memory("100000")
    (2500000000, 100000)
    """
    given = os.environ.get("GAINFUL_JUDGMENTS_MEMORY") if text is None else text
    if not given:
        return _MEMORY
    words = given.strip().upper()
    number = words.rstrip("KMGTB").strip()
    unit = _UNITS.get(words[len(number) :].strip())
    try:
        value = parse_number(number)
    except ValueError:
        value = -1.0
    if unit is None or not 0 < value * unit < 2.0**62:
        raise ParameterError(
            where="GAINFUL_JUDGMENTS_MEMORY",
            found=repr(given),
            expected="a number of bytes, such as 500MB or 4GB",
        )
    return max(int(value * unit), 1)

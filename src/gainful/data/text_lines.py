"""Read the lines of small text files."""

from __future__ import annotations

import os

from gainful.data.decompressed import opened
from gainful.data.delimited import decode_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

__all__ = ["text_lines"]


def text_lines(
    path: str | PathLike[str], *, stripped: bool = True
) -> tuple[str, list[tuple[int, str]]]:
    """Read the non-blank lines of a file.

    Parameters
    ----------
    path : path
        The file, compressed or not; ``"-"`` is the standard input.
    stripped : bool
        Whether to strip white space. If false, only line ends are removed, so that an empty first
        cell remains.

    Returns
    -------
    name : str
        The file's name in messages.
    lines : list of (int, str)
        Each with its number, counted from 1.

    Raises
    ------
    SourceError, SourceNotFoundError
        If the file cannot be read, or changes while it is read.
    FormatError
        For UTF-16, and for lines that end with carriage returns only.
    """
    with opened(os.fspath(path)) as (name, stream):
        return name, _lines(stream, name, stripped)


def _lines(stream: Iterable[bytes], name: str, stripped: bool) -> list[tuple[int, str]]:
    lines = []
    for number, line in decode_lines(stream, name):
        if line.strip():
            lines.append((number, line.strip() if stripped else line.rstrip("\r\n")))
    return lines

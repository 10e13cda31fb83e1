"""The file of ``--weights``: how much each query counts."""

from __future__ import annotations

import sys

from gainful.errors import FormatError, SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def read_weights(path: str) -> dict[str, float]:
    """Read lines of a query id, white space and a number; an id may hold spaces.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        For a line without a number of 0 or more at its end, or a query that stands twice.
    """
    try:
        if path == "-":
            return _parsed("standard input", sys.stdin.buffer)
        with open(path, "rb") as stream:
            return _parsed(path, stream)
    except FileNotFoundError:
        raise SourceNotFoundError(
            file=path, found="no such file", expected="a file that exists"
        ) from None
    except IsADirectoryError:
        raise SourceError(file=path, found="a directory", expected="a file") from None
    except FormatError:
        raise
    except OSError as error:
        raise SourceError(
            file=path, found=f"an error while reading ({error.strerror})", expected="readable data"
        ) from error


def _parsed(name: str, stream: Iterable[bytes]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for number, raw in enumerate(stream, 1):
        line = raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff" if number == 1 else "")
        if not line.strip():
            continue
        query, _, text = line.strip().replace("\t", " ").rpartition(" ")
        try:
            weight = float(text)
        except ValueError:
            weight = -1.0
        if not query.strip() or not 0 <= weight < float("inf"):
            raise FormatError(
                file=name,
                line=number,
                found=repr(line.strip()[:80]),
                expected="a query id and a finite number of 0 or more",
            )
        if query.strip() in weights:
            raise FormatError(
                file=name,
                line=number,
                found=f"query {query.strip()!r} a second time",
                expected="each query once",
            )
        weights[query.strip()] = weight
    if not weights:
        raise FormatError(file=name, found="an empty file", expected="weights")
    return weights

"""Format and write the output."""

from __future__ import annotations

import io
import os
import sys
from math import exp, log

from gainful._kernel import TopicLines, fixed
from gainful.compat.trec_eval.evaluating import LEAST, Logarithms, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.compat.trec_eval.command import Value
    from gainful.compat.trec_eval.evaluating import Scores
    from gainful.compat.trec_eval.settings import Settings

    Line = tuple[bytes, str, int | list[float] | list[bytes]]

#: The number of lines written at once.
CHUNK = 1 << 16

#: The exit status after SIGPIPE in shells: 128 plus the signal's number.
READER_GONE = 141


def line_sources(settings: Settings, scores: Scores) -> list[Line]:
    """Return the lines of a topic: prefix, number format, and source of the value."""
    return [
        (_prefix(settings, value), _number_format(settings, value), source)
        for value, source in zip(scores.plan.values, scores.sources, strict=True)
        if value.row.topics and source is not None and not isinstance(source, Logarithms)
    ]


def topic_lines(settings: Settings, scores: Scores) -> Iterator[bytes]:
    """Yield the lines of all topics, in blocks."""
    lines = line_sources(settings, scores)
    if not lines or not scores.count:
        return
    made = TopicLines(scores.topics, lines)
    step = max(1, CHUNK // len(lines))
    for first in range(0, scores.count, step):
        yield made.chunk(first, min(first + step, scores.count))


def summary_lines(settings: Settings, scores: Scores, judged: int, relevant: int) -> bytes:
    """Return the lines of the averages.

    Parameters
    ----------
    settings : Settings
        The settings.
    scores : Scores
        The values of the topics.
    judged : int
        The number of judged topics.
    relevant : int
        The number of relevant documents of all topics.
    """
    sums = _sum_values(scores)
    text = []
    for value, total in zip(scores.plan.values, sums, strict=True):
        row = value.row
        if not row.summary:
            continue
        if row.name == "runid":
            shown = scores.tag.encode("utf-8", "surrogateescape")
            text.append(b"%-22b\tall\t%b\n" % (value.name, shown))
            continue
        if row.name == "num_rel" and settings.complete:
            total = float(relevant)
        number = _average(value, total, scores.count, judged if settings.complete else None)
        form = _number_format(settings, value)
        if form == "whole":
            shown = b"%d" % int(number)
        else:
            (shown,) = fixed([number if form == "signed" else signed(value, number)])
        text.append(_prefix(settings, value) + b"all\t" + shown + b"\n")
    return b"".join(text)


def _prefix(settings: Settings, value: Value) -> bytes:
    mark = b"" if settings.zscores is None or value.row.name == "relstring" else b"Z"
    return mark + b"%-22b\t" % value.name


def _number_format(settings: Settings, value: Value) -> str:
    if settings.zscores is not None:
        return "signed"
    if value.row.whole:
        return "whole"
    return "logarithm" if value.is_logarithm else "real"


def _average(value: Value, total: float, evaluated: int, judged: int | None) -> float:
    """Return the aggregate of a sum over topics; `judged` if all judged topics count."""
    count = evaluated if judged is None else judged
    average = value.row.average
    if value.row.name == "num_q":
        return float(count)
    if average == "geometric":
        # Topics that are missing from the run count with the lowest value.
        total += (count - evaluated) * log(LEAST)
        try:
            return exp(total / count)
        except OverflowError:
            return float("inf")
    return total / count if average == "mean" else total


def _sum_values(scores: Scores) -> list[float]:
    """Return the sums of all values, added from the first topic to the last."""
    table = scores.topics
    sums: list[float] = []
    quick: dict[int, float] = {}
    logarithms: dict[int, float] = {}
    if not isinstance(table, list) and scores.count == len(table):
        columns = [source for source in scores.sources if isinstance(source, int)]
        quick = dict(zip(columns, table.sums(columns), strict=True))
        columns = [source.column for source in scores.sources if isinstance(source, Logarithms)]
        logarithms = dict(zip(columns, table.sums(columns, LEAST), strict=True))
    for source in scores.sources:
        if isinstance(source, int) and source in quick:
            sums.append(quick[source])
            continue
        if isinstance(source, Logarithms) and source.column in logarithms:
            sums.append(logarithms[source.column])
            continue
        if source is None:
            sums.append(0.0)
            continue
        total = 0.0
        for number in scores.numbers(source):
            if isinstance(number, bytes):
                break
            total += number
        sums.append(total)
    return sums


class Output:
    """The standard output."""

    def __init__(self) -> None:
        self._bytes: Any = getattr(sys.stdout, "buffer", None)
        # With PYTHONUNBUFFERED the file is unbuffered, and may write only a part.
        self._bare = isinstance(self._bytes, io.RawIOBase)
        if self._bare:
            self._bytes = io.BufferedWriter(self._bytes)

    def write(self, text: bytes) -> None:
        """Write bytes."""
        if sys.stdout is None:
            raise OSError("a closed stream")
        if self._bytes is None:
            sys.stdout.write(os.fsdecode(text))
        else:
            self._bytes.write(text)

    def finish(self) -> None:
        """Flush the output; nothing can be written afterwards."""
        stream = sys.stdout if self._bytes is None else self._bytes
        if stream is not None:
            stream.flush()
        if self._bare:
            self._bytes.detach()

    def forget(self) -> None:
        """Discard buffered output, which Python would write at exit."""
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        except (OSError, AttributeError):
            pass  # The stream is not a file, so nothing is buffered.

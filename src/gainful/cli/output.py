"""Where a command's output goes: the standard output, or a file written whole or not at all."""

from __future__ import annotations

import io
import os
import sys

import click

from gainful.errors import SourceError
from gainful.quoting import printable
from gainful.writing import pieces, unwritten, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import BinaryIO

    from gainful.formats.table import Table
    from gainful.results import Result

#: What a shell reports of a program whose reader went away: 128 and the number of SIGPIPE.
READER_GONE = 141

STDOUT = "standard output"

#: Where a context keeps whether ``--spreadsheet`` is given.
SPREADSHEET = "gainful.spreadsheet"

#: Where a context keeps whether ``--notes`` is given.
NOTES = "gainful.notes"


def write(
    result: Result,
    style: str,
    output: str | None,
    *,
    records: str | None = None,
    tables: Sequence[Table] | None = None,
    document: dict[str, object] | None = None,
) -> None:
    """Write a result in a format to a file or the standard output.

    Parameters
    ----------
    result, style, records, tables, document
        As for `gainful.formats.saving.encoded`.
    output : str or None
        The file; the standard output for None and ``-``.
    """
    notes = _given(NOTES)
    if style == "table" and output in (None, "-") and on_terminal():
        from gainful.formats.console import drawn

        text = (
            result._drawn(notes=notes)
            if tables is None
            else drawn(*tables, heading=result._heading(), notes=notes)
        )
        deliver([f"{text.rstrip()}\n"], output)
        return
    from gainful.formats.saving import encoded

    send(
        encoded(
            result,
            style,
            records=records,
            tables=tables,
            document=document,
            spreadsheet=_given(SPREADSHEET),
            notes=notes,
        ),
        output,
    )


def on_terminal() -> bool:
    """Say whether the standard output is a terminal that wants colours.

    NO_COLOR (https://no-color.org) and a terminal that calls itself dumb want none.
    """
    return (
        not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
        and sys.stdout is not None
        and sys.stdout.isatty()
    )


def deliver(chunks: Iterable[str], output: str | None) -> None:
    """Write text to the standard output, or to a file.

    A file is written beside its place under another name and moved there when it is complete, so
    that a full disk or Ctrl-C leaves what was there before. Ids that are not valid UTF-8 are
    written as the bytes that they were read as.

    Raises
    ------
    SourceError
        If it cannot be written.
    """
    send((chunk.encode("utf-8", "surrogateescape") for chunk in chunks), output)


def send(chunks: Iterable[bytes], output: str | None) -> None:
    """Write bytes as `deliver` writes text."""
    if output is None or output == "-":
        _to_stdout(chunks)
    else:
        write_whole(output, chunks)


def delimited(style: str) -> Callable[..., Iterable[str]]:
    """Return what writes rows as TSV or CSV, with ``--spreadsheet`` for a spreadsheet."""
    from functools import partial

    from gainful.formats.delimited import WRITERS

    return partial(WRITERS[style], spreadsheet=_given(SPREADSHEET))


def _given(option: str) -> bool:
    """Return whether the command in progress was given an option that its context keeps."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(option))


def say(text: str) -> None:
    """Write a note to the standard error, without codes that a terminal would obey."""
    try:
        click.echo(printable(text), err=True)
    except OSError:
        pass  # Nobody reads it.


def _to_stdout(chunks: Iterable[bytes]) -> None:
    check_open()
    sys.stdout.flush()
    stream: BinaryIO = sys.stdout.buffer
    # Under PYTHONUNBUFFERED it is the bare file, which may write a part and say so.
    bare = isinstance(stream, io.RawIOBase)
    writer = io.BufferedWriter(stream) if bare else stream
    try:
        writer.writelines(pieces(chunks))
        writer.flush()
    except KeyboardInterrupt:
        # What is left must not wait for a reader that takes nothing.
        forget(sys.stdout)
        raise
    except BrokenPipeError:
        forget(sys.stdout)
        raise click.exceptions.Exit(READER_GONE) from None
    except OSError as error:
        forget(sys.stdout)
        raise unwritten(STDOUT, error) from error
    if isinstance(writer, io.BufferedWriter) and bare:
        writer.detach()


def check_open() -> None:
    """Refuse to write to a standard output that is closed.

    Raises
    ------
    SourceError
        If it is, as under ``>&-``.
    """
    if sys.stdout is None:
        raise SourceError(file=STDOUT, found="a closed stream", expected="an open one")


def forget(stream: object) -> None:
    """Let what a stream still holds go nowhere, for Python writes it out when it ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[attr-defined]
        os.close(nowhere)
    except (OSError, AttributeError):
        pass  # It is no file, so nothing will be written out.


def folder(path: str) -> Callable[[str], str]:
    """Make a folder if there is none, and return what gives the paths of files in it.

    Raises
    ------
    SourceError
        If it cannot be made.
    """
    try:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        raise SourceError(file=path, found="a file", expected="a folder") from None
    except OSError as error:
        raise unwritten(path, error) from error
    return lambda name: os.path.join(path, name)

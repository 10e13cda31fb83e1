"""Write a command's output to the standard output, or atomically to a file."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager
from warnings import catch_warnings, simplefilter

import click

from gainful.cli.option_groups import INPUTS
from gainful.errors import LossWarning, SourceError
from gainful.exit_statuses import READER_GONE
from gainful.quoting import printable
from gainful.writing import pieces, write_error, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, BinaryIO

    from gainful.formats.table import Table
    from gainful.input_files import InputFiles
    from gainful.results import Result

STDOUT = "standard output"

#: Where a context keeps whether ``--spreadsheet`` is given.
SPREADSHEET = "gainful.spreadsheet"

#: Where a context keeps whether ``--notes`` is given.
NOTES = "gainful.notes"

#: Where a context keeps the file of ``--plot``.
PLOT = "gainful.plot"


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
    draw(result)
    if style == "json":
        document = {**(result.to_dict() if document is None else document), **input_fields()}
    notes = _given(NOTES)
    if style == "table" and output in (None, "-") and on_terminal():
        from gainful.formats.console import drawn

        text = (
            result._drawn(notes=notes)
            if tables is None
            else drawn(*tables, heading=result._heading(), notes=notes)
        )
        deliver([f"{text.rstrip()}\n"], output, has_colors=True)
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


def input_fields() -> dict[str, Any]:
    """Return the field with the digests of the files that the command in progress has read."""
    context = click.get_current_context(silent=True)
    files: InputFiles | None = None if context is None else context.meta.get(INPUTS)
    return {} if files is None else {"inputs": files.digests()}


def draw(result: Result) -> None:
    """Draw a result to the file of ``--plot``, if it is given."""
    context = click.get_current_context(silent=True)
    path = None if context is None else context.meta.get(PLOT)
    if path is not None:
        result.plot().save(path)


def on_terminal() -> bool:
    """Return whether the standard output is a terminal with colors, and Rich is installed.

    NO_COLOR (https://no-color.org) and dumb terminals turn colors off.
    """
    if (
        os.environ.get("NO_COLOR")
        or os.environ.get("TERM") == "dumb"
        or sys.stdout is None
        or not sys.stdout.isatty()
    ):
        return False
    from importlib.util import find_spec

    return find_spec("rich") is not None


def deliver(chunks: Iterable[str], output: str | None, *, has_colors: bool = False) -> None:
    """Write text to the standard output, or to a file.

    On a terminal control characters are escaped, unless the text has colors of its own. A file is
    written under a temporary name and moved to its place when it is complete, so that a full disk
    or Ctrl-C leaves the previous file. Ids that are not valid UTF-8 are written as the bytes that
    were read.

    Raises
    ------
    SourceError
        If the output cannot be written.
    """
    encoded = (chunk.encode("utf-8", "surrogateescape") for chunk in chunks)
    send(encoded, output, has_colors=has_colors)


def send(chunks: Iterable[bytes], output: str | None, *, has_colors: bool = False) -> None:
    """Write bytes as `deliver` writes text."""
    if output is None or output == "-":
        check_open()
        _to_stdout(chunks if has_colors or not sys.stdout.isatty() else _printable(chunks))
    else:
        write_whole(output, chunks)


def delimited_writer(style: str) -> Callable[..., Iterable[str]]:
    """Return a writer of rows as TSV or CSV, which follows ``--spreadsheet``."""
    from functools import partial

    from gainful.formats.delimited import WRITERS

    return partial(WRITERS[style], spreadsheet=_given(SPREADSHEET))


def _given(option: str) -> bool:
    """Return whether the command in progress was given an option that its context keeps."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(option))


def say(text: str) -> None:
    """Write a note to the standard error, without control characters."""
    try:
        click.echo(printable(text), err=True)
    except OSError:
        pass  # The standard error is closed.


@contextmanager
def say_losses() -> Iterator[None]:
    """Write the warnings of a written run to the standard error as notes."""
    with catch_warnings(record=True) as caught:
        simplefilter("always", LossWarning)
        yield
    for warning in caught:
        say(str(warning.message))


def _printable(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Escape control characters and invalid UTF-8."""
    from codecs import getincrementaldecoder

    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    for chunk in chunks:
        text = printable(decoder.decode(chunk), tabs=True)
        yield text.encode("utf-8", "backslashreplace")


def _to_stdout(chunks: Iterable[bytes]) -> None:
    sys.stdout.flush()
    if not hasattr(sys.stdout, "buffer"):
        # A program has replaced it by a stream of text, such as StringIO.
        for chunk in chunks:
            sys.stdout.write(chunk.decode("utf-8", "surrogateescape"))
        return
    stream: BinaryIO = sys.stdout.buffer
    # With PYTHONUNBUFFERED the stream is the raw file, whose writes may be partial.
    bare = isinstance(stream, io.RawIOBase)
    writer = io.BufferedWriter(stream) if bare else stream
    try:
        writer.writelines(pieces(chunks))
        writer.flush()
    except KeyboardInterrupt:
        # The rest must not wait for a reader that does not read.
        forget(sys.stdout)
        raise
    except BrokenPipeError:
        forget(sys.stdout)
        raise click.exceptions.Exit(READER_GONE) from None
    except OSError as error:
        forget(sys.stdout)
        raise write_error(STDOUT, error) from error
    if isinstance(writer, io.BufferedWriter) and bare:
        writer.detach()


def check_open() -> None:
    """Check that the standard output is open.

    Raises
    ------
    SourceError
        If it is closed, as with ``>&-``.
    """
    if sys.stdout is None:
        raise SourceError("the stream is closed", file=STDOUT)


def forget(stream: object) -> None:
    """Discard what a stream has buffered, which Python would write at exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[attr-defined]
        os.close(nowhere)
    except (OSError, AttributeError):
        pass  # A stream without a file writes nothing at exit.


def make_folder(path: str) -> Callable[[str], str]:
    """Create a folder if needed, and return a function from file names to paths in it.

    Raises
    ------
    SourceError
        If the folder cannot be created.
    """
    try:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        raise SourceError("not a folder", file=path) from None
    except OSError as error:
        raise write_error(path, error) from error
    return lambda name: os.path.join(path, name)

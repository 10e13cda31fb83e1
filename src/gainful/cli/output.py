"""Write a command's output to the standard output, or atomically to a file; tables of means."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager
from warnings import catch_warnings, simplefilter

from gainful.cli.arguments import check_records
from gainful.cli.command import current
from gainful.errors import READER_GONE, Code, LossWarning, SourceError
from gainful.parameters import Combined, Group, Parameter
from gainful.quoting import printable
from gainful.writing import pieces, write_error, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, BinaryIO

    from gainful.cli.command import Values
    from gainful.formats.table import Table
    from gainful.results import Result

__all__ = ["LAYOUT", "check_layout", "comparison_layout", "table_options", "write_evaluation"]

STDOUT = "standard output"


class Exit(Exception):  # noqa: N818
    """The end of the program before the end of its command.

    Parameters
    ----------
    status : int
        The exit status.
    """

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def write(
    result: Result,
    style: str,
    output: str | None,
    *,
    records: str | None = None,
    tables: Sequence[Table] | None = None,
    document: dict[str, object] | None = None,
) -> None:
    """Write a result in a format to a file or the standard output."""
    draw(result)
    if style == "methods":
        deliver([result.methods().rendered(output)], output)
        return
    if style == "json":
        document = {**(result.to_dict() if document is None else document), **input_fields()}
    notes = _is_given("notes")
    if style == "table" and output in (None, "-") and on_terminal():
        from gainful.results import printed

        text = printed(result, tables, notes=notes, has_colors=True)
        deliver([f"{text.rstrip()}\n"], output, has_colors=True)
        return
    if style == "table" and output in (None, "-"):
        from gainful.formats.text import WIDTH
        from gainful.results import printed

        text = printed(result, tables, notes=notes, columns=page_width(WIDTH))
        deliver([text if text.endswith("\n") else f"{text}\n"], output)
        return
    from gainful.results import encoded

    send(
        encoded(
            result,
            style,
            records=records,
            tables=tables,
            document=document,
            spreadsheet=_is_given("spreadsheet"),
            notes=notes,
        ),
        output,
    )


def write_list(
    values: Values,
    entries: object,
    tables: Sequence[Table],
    shown: Iterable[str] | None = None,
    *,
    has_colors: bool = False,
) -> None:
    """Write a list, such as the measures, in the format of a command."""
    if values.style == "json":
        from gainful.formats.delimited import text as json

        deliver([json(entries, indent=2)], values.output)
    elif values.style == "markdown":
        from gainful.formats.markup import markdown

        deliver(["\n".join(map(markdown, tables))], values.output)
    else:
        from gainful.formats.text import text

        lines = (f"{text(table)}\n" for table in tables) if shown is None else shown
        deliver(lines, values.output, has_colors=has_colors)


def is_drawn(values: Values) -> bool:
    """Return whether a command writes for a terminal with colors."""
    return values.output in (None, "-") and on_terminal()


def input_fields() -> dict[str, Any]:
    """Return the field with the digests of the files that the command in progress has read."""
    values = current()
    return {} if values is None else {"inputs": values.input_files.digests()}


def draw(result: Result) -> None:
    """Draw the picture that the file of ``--plot`` is named after, else the first."""
    values = current()
    path = None if values is None else values.raw.get("plot")
    if path is not None:
        stem = os.path.splitext(os.path.basename(path))[0].replace("-", "_")
        result.plot(stem if stem in result.PICTURES else None).save(path)


def page_width(widest: int) -> int:
    """Return the columns of plain text on the standard output: at most those of a terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        return widest
    from gainful.formats.console import terminal_width

    return min(widest, terminal_width())


def on_terminal() -> bool:
    """Return whether tables are drawn, which needs Rich: on a terminal, and with FORCE_COLOR."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    if not is_terminal and os.environ.get("FORCE_COLOR", "0") in ("", "0"):
        return False
    from importlib.util import find_spec

    return find_spec("rich") is not None


def deliver(chunks: Iterable[str], output: str | None, *, has_colors: bool = False) -> None:
    """Write text to the standard output, or to a file.

    On a terminal control characters are escaped, unless the text has colors of its own. A file is
    written under a temporary name and moved to its place when it is complete, so that a full disk
    or Ctrl-C leaves the previous file. Ids that are not valid UTF-8 are written as the bytes that
    were read.
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

    return partial(WRITERS[style], spreadsheet=_is_given("spreadsheet"))


def _is_given(option: str) -> bool:
    """Return whether a flag of the command in progress was given."""
    values = current()
    return values is not None and bool(values.raw.get(option))


def echo(text: str) -> None:
    """Write a line to the standard output."""
    deliver([f"{text}\n"], None)


def confirm(question: str) -> bool:
    """Ask a question on the terminal; the answer is yes or, by default, no."""
    while True:
        sys.stderr.write(f"{printable(question)} [y/N]: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise KeyboardInterrupt
        answer = line.strip().lower()
        if answer in ("y", "yes"):
            return True
        if answer in ("", "n", "no"):
            return False
        _to_stderr("Error: invalid input")


def say(text: str) -> None:
    """Write a note to the standard error, without control characters, unless with ``--quiet``."""
    if not _is_given("quiet"):
        _to_stderr(text)


def _to_stderr(text: str) -> None:
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{printable(text)}\n")
        sys.stderr.flush()
    except OSError:
        pass  # The standard error is closed.


@contextmanager
def writing_rows(output: str) -> Iterator[None]:
    """Say what a table that is being written loses; a reader that is gone ends the program."""
    if output == "-":
        check_open()
    try:
        with catch_warnings(record=True) as caught:
            simplefilter("always", LossWarning)
            yield
    except SourceError as error:
        if output != "-" or error.code != Code.CLOSED_PIPE:
            raise
        raise Exit(READER_GONE) from None
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
        raise Exit(READER_GONE) from None
    except OSError as error:
        forget(sys.stdout)
        raise write_error(STDOUT, error) from error
    if isinstance(writer, io.BufferedWriter) and bare:
        writer.detach()


def check_open() -> None:
    """Check that the standard output is open."""
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
    """Create a folder if needed, and return a function from file names to paths in it."""
    try:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        raise SourceError("not a folder", file=path) from None
    except OSError as error:
        raise write_error(path, error) from error
    return lambda name: os.path.join(path, name)


#: The options, for commands that refuse them.
LAYOUT = "wide digits sort percent"

#: The formats that the options change.
STYLES = ("table", "markdown", "latex")


class TableLayout:
    """The given options of a table.

    Parameters
    ----------
    wide : bool or None
        Whether systems × measures was requested, or one row for each mean; None for the default.
    digits, sort, percent
        As for `gainful.Evaluation.tables`.
    """

    __slots__ = ("look", "wide")

    def __init__(
        self, wide: bool | None, digits: int | None, sort: str | None, percent: bool
    ) -> None:
        self.wide = wide
        self.look: dict[str, Any] = {"digits": digits, "sort": sort, "percent": percent}


def comparison_layout(values: Values, *, is_wide: bool) -> dict[str, Any]:
    """Return the arguments of `gainful.comparison.Comparison.tables`."""
    wide = values.style == "latex" and is_wide if values.wide is None else values.wide
    if not wide or values.style not in ("markdown", "latex"):
        names = LAYOUT if wide else "digits sort percent"
        values.refuse(names, "works with --format latex, and --wide --format markdown")
        return {}
    return {"wide": True, **values.layout.look}


def check_layout(values: Values) -> None:
    """Refuse an option that a format with numbers in full precision does not have."""
    if values.per_query:
        # The only layout of rows of queries that it checks.
        if values.wide is False:
            check_records("--per-query --long", values.style)
    elif values.style not in STYLES:
        hint = f"add --format {', '.join(STYLES[:-1])} or {STYLES[-1]}"
        values.refuse(LAYOUT, f"does not work with --format {values.style}", hint=hint)


DIGITS = Parameter(
    "digits",
    int,
    group=Group.OUTPUT,
    range="[0, 15]",
    help="Digits of the means after the point. Default: 4, or 2 with --percent.",
)

SORT = Parameter(
    "sort",
    group=Group.OUTPUT,
    metavar="MEASURE",
    help="Sort the systems by this measure, the highest first, or by `name`. Default: the order of"
    " the runs.",
)

PERCENT = Parameter(
    "percent",
    bool,
    group=Group.OUTPUT,
    help="Show the means of measures from 0 to 1 as percentages.",
)


def table_options(wide: str) -> Combined:
    """Declare the options of tables of means; the value is the `TableLayout`."""
    switch = Parameter("wide", bool, None, flags=("--wide/--long",), group=Group.OUTPUT, help=wide)
    return Combined("layout", TableLayout, switch, DIGITS, SORT, PERCENT)


def write_evaluation(result: Any, values: Values) -> None:
    """Write what ``gainful evaluate`` computed, also to the file of ``--publish``."""
    from gainful.evaluation import Evaluation
    from gainful.evaluation.data import is_wide

    style, per_query, layout = values.style, values.per_query, values.layout
    is_evaluation = isinstance(result, Evaluation)
    has_rows = is_evaluation or len(values.conventions) > 1
    if has_rows and (style == "jsonl" or (style == "json" and per_query)):
        from gainful.evaluation.records import json_chunks
        from gainful.evaluation.several import json_chunks_by_convention

        draw(result)
        further = input_fields() if style == "json" else None
        write_chunks = json_chunks if is_evaluation else json_chunks_by_convention
        send(write_chunks(result, style, per_query=per_query, further=further), values.output)
    else:
        tables = None
        if has_rows and per_query:
            tables = result.tables(per_query=True) if style in (*STYLES, "html") else None
        elif is_evaluation and style in STYLES:
            is_paper = style != "table"
            wide = (is_paper and is_wide(result)) if layout.wide is None else layout.wide
            tables = result.tables(wide=wide, marks=is_paper, **layout.look)
        write(result, style, values.output, records=_records(values), tables=tables)
    if values.publish is not None:
        from gainful.published import summarize_published, write_published

        # Estimates from a sample and several conventions refuse the option.
        scores = summarize_published(result, collection=values.collection)
        write_published(values.publish, scores)


def _records(values: Values) -> str:
    """Return the name of the records in TSV, CSV and Parquet."""
    if not values.per_query:
        return "summary"
    return "values" if values.wide is False else "queries"

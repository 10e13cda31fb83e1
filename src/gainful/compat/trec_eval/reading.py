"""Read files and numbers as the C code of trec_eval does, and stop as it does."""

from __future__ import annotations

import os
import sys

from gainful import _kernel
from gainful.compat.trec_eval.settings import FILES, Stop, refuse
from gainful.errors import Code, DuplicateError, FormatError, GainfulError, SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.compat.trec_eval.settings import Settings


#: The causes of malformed lines in trec_eval.
_MALFORMED = (Code.FIELD_COUNT, Code.LONG_LINE, Code.LOOKS_LIKE_RUN)
#: For each format of judgments: the names of trec_eval's reader in messages about lines and about
#: files, its name of the file, and the format for the kernel.
FORMATS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "qrels": ("get_qrels", "get_qrels", "qrels", {}),
    "qrels_jg": ("get_qrels_jg", "get_qrels_jg", "qrels", {"labels": "one"}),
    "prefs": ("get_prefs", "get_prefs", "prefs", {"format": "prefs", "labels": "two"}),
    "qrels_prefs": (
        "get_qrels_prefs",
        "get_prefs",
        "prefs",
        {"labels": "one", "dialect": "trec_eval_levels"},
    ),
}

STANDARD_INPUT = "-"


class Judgments:
    """The judgments.

    Attributes
    ----------
    rows : Rows
        All rows.
    repeated : bool
        Whether a topic has duplicate documents.
    """

    __slots__ = ("repeated", "rows")

    def __init__(self, rows: _kernel.Rows, *, repeated: bool) -> None:
        self.rows = rows
        self.repeated = repeated


def read_judgments(settings: Settings) -> Judgments:
    """Read the judgments."""
    name = settings.judgments_format
    if name not in FORMATS:
        raise Stop(FILES, f"trec_eval: Illegal rel_format '{name}'\n")
    if settings.judgments == settings.run == STANDARD_INPUT:
        refuse("found - for both files, expected it once: the standard input is read once")
    line_reader, file_reader, noun, more = FORMATS[name]
    texts = _Texts(
        settings.judgments,
        f"{file_reader}: Cannot read {noun} file",
        f"{line_reader}: Malformed line",
        comments=settings.version > 9,
        blank=False,
    )
    source = _source(settings.judgments)
    # Groups of preferences may contain duplicate documents.
    duplicates = "error" if noun == "qrels" else "count"
    try:
        return Judgments(_read(source, settings, "qrels", duplicates, more), repeated=False)
    except DuplicateError as error:
        if name == "qrels_jg":
            text = f"trec_eval.get_qrels: duplicate docs {error.document}\n"
            raise texts.quit(text) from None
        return Judgments(_read(source, settings, "qrels", "count", more), repeated=True)
    except GainfulError as error:
        raise texts.stop(error) from None


def run_texts(settings: Settings) -> _Texts:
    """Return the messages about a run that cannot be read."""
    return _Texts(
        settings.run,
        "get_results: Cannot read results file",
        "get_results: Malformed line",
        comments=settings.version > 9,
        blank=True,
    )


def check_run_format(settings: Settings) -> None:
    """Refuse an unknown format of runs."""
    name = settings.run_format
    if name != "trec_results":
        raise Stop(FILES, f"trec_eval: Illegal retrieval results format '{name}'\n")


def read_run(settings: Settings) -> _kernel.Rows | None:
    """Read the complete run, with duplicates; None if it is empty.

    Raises
    ------
    Stop
        If it cannot be read.
    """
    try:
        return _read(_source(settings.run), settings, "run", "count")
    except GainfulError as error:
        texts = run_texts(settings)
        if texts.is_blank(error):
            return None
        raise texts.stop(error) from None


def can_be_read_again(path: str) -> bool:
    """Return whether a path is a file, not a pipe or a terminal."""
    return path != STANDARD_INPUT and os.path.isfile(path)


def _source(path: str) -> str | bytes:
    """Return a path, or the content of a file that can be read only once."""
    if path == STANDARD_INPUT or not os.path.exists(path):
        return path
    if os.path.isfile(path) or os.path.isdir(path):
        return path
    with open(path, "rb") as stream:
        return stream.read()


def _read(
    source: str | bytes,
    settings: Settings,
    table: str,
    duplicates: str,
    more: Mapping[str, str] | None = None,
) -> _kernel.Rows:
    options = {
        "format": "trec",
        "comments": settings.version > 9,
        "dialect": "trec_eval",
        "duplicates": duplicates,
        **(more or {}),
    }
    if isinstance(source, bytes):
        path = settings.judgments if table == "qrels" else settings.run
        return _kernel.read_bytes(source, path, table, options)
    return _kernel.read([source], table, options)


class _Texts:
    """The error messages of trec_eval for a file."""

    def __init__(
        self, path: str, unreadable: str, malformed: str, *, comments: bool, blank: bool
    ) -> None:
        self.path = path
        self.unreadable = unreadable
        self.malformed = malformed
        self.comments = comments
        # Whether blank lines are skipped.
        self.blank = blank

    def is_blank(self, error: GainfulError) -> bool:
        """Return whether the error is about a file with bytes but no line."""
        return (
            isinstance(error, FormatError)
            and error.line is None
            and self.blank
            and self.path != STANDARD_INPUT
            and os.path.getsize(self.path) > 0
        )

    def stop(self, error: GainfulError) -> Stop:
        """Return the error with trec_eval's message; raise our own if trec_eval has none."""
        what = ""
        if isinstance(error, SourceError) or (
            isinstance(error, FormatError) and error.line is None
        ):
            what = f"trec_eval.{self.unreadable} '{self.path}'"
        elif error.code in _MALFORMED:
            what = f"trec_eval.{self.malformed} {self._record(error.line or 0)}"
        if not what:
            refuse(str(error))
        return self.quit(f"{what}\n")

    def quit(self, text: str) -> Stop:
        """Return the error with a text and the name of the file."""
        return Stop(FILES, f"{text}trec_eval: Quit in file '{self.path}'\n")

    def _record(self, line: int) -> int:
        """Return the number of a line, without skipped lines."""
        if not can_be_read_again(self.path):
            return line
        passed = 0
        comment = False
        with open(self.path, "rb") as stream:
            for _, text in zip(range(line - 1), stream, strict=False):
                bare = text.lstrip() if self.blank else text
                # In judgments, the line after a comment is always data.
                data = comment and not self.blank
                comment = self.comments and bare.startswith(b"#") and not data
                passed += not bare or comment
        return line - passed


def standard_error(text: str) -> None:
    """Write to the standard error, as bytes if possible."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        stream.flush()
        raw = getattr(stream, "buffer", None)
        if raw is None:
            stream.write(text)
        else:
            raw.write(os.fsencode(text))
            raw.flush()
    except OSError:
        pass  # The reader of the pipe has exited.

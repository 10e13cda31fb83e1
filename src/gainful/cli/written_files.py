"""Check before a command runs that its files replace no input and nothing of another kind."""

from __future__ import annotations

import os
from enum import Enum

from gainful.errors import GainfulError, ParameterError, SourceError
from gainful.input_files import is_same_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, TypeAlias

    Values: TypeAlias = Mapping[str, Any]
    #: A file that is written with another one, and whether the beginning of an existing file
    #: shows that this command wrote it.
    Companion: TypeAlias = tuple[str, Callable[[bytes], bool]]

__all__ = [
    "Content",
    "Output",
    "check_outputs",
    "check_standard_input",
    "content_of_file",
    "is_special",
    "paths_in",
]

#: The number of bytes that show what a file contains.
_HEAD = 1 << 16

_SQLITE = b"SQLite format 3\0"
_SNAPSHOT = b'"schema": "gainful.snapshot/'
_CLOSINGS = ("", "}", "]", "}}", "]}", "}]")


class Content(Enum):
    """What a file contains."""

    RUN = "a run"
    JUDGMENTS = "judgments"
    TABLE = "judgments or a run"
    DATABASE = "an SQLite database"
    SNAPSHOT = "a snapshot"
    RESULT = "a result"

    def replaces(self, other: Content) -> bool:
        """Return whether a file with this content replaces one with the other."""
        tables = (Content.RUN, Content.JUDGMENTS)
        return self is other or (self, other) in {
            pair for table in tables for pair in ((table, Content.TABLE), (Content.TABLE, table))
        }


class Output:
    """What an option or argument writes.

    Parameters
    ----------
    content : Content or callable
        The content, or a function of the command's values that returns it. None for a file that
        is updated, whose reader refuses other files.
    companions : callable, optional
        A function of the path and the command's values, which returns the other files.
    path : callable, optional
        A function from a value to the path in it. Default: the value is a path.
    reads : str, optional
        The option whose file may be the same, because the command updates it.
    is_folder : bool
        Whether the path is a folder, and all files are companions.
    """

    __slots__ = ("companions", "content", "is_folder", "path", "reads")

    def __init__(
        self,
        content: Content | Callable[[Values], Content] | None = Content.RESULT,
        *,
        companions: Callable[[str, Values], Iterable[Companion]] | None = None,
        path: Callable[[str], str] | None = None,
        reads: str | None = None,
        is_folder: bool = False,
    ) -> None:
        self.content = content
        self.companions = companions
        self.path = path
        self.reads = reads
        self.is_folder = is_folder


def check_outputs(
    outputs: Iterable[tuple[str, str, Output]],
    inputs: Iterable[tuple[str, str]],
    values: Values,
    *,
    force: bool,
) -> None:
    """Check that files can be written, and that they replace nothing that would be lost."""
    read = [(name, path) for name, word in inputs for path in paths_in(word)]
    outputs = list(outputs)
    _check_streams({name: output for name, path, output in outputs if path == "-"})
    places: dict[str, str] = {}
    for name, path, output in outputs:
        if path == "-" or is_special(path):
            continue
        others = list(output.companions(path, values) if output.companions else ())
        if not output.is_folder:
            _check_folder(name, path)
        for file in (*(() if output.is_folder else (path,)), *(file for file, _ in others)):
            _check_distinct((name, output.reads), file, read, places)
        if force:
            continue
        if not output.is_folder:
            _check_content(name, path, output, values)
            _check_folders(path, read)
        for file, was_written in others:
            if os.path.exists(file) and not was_written(_head(file)):
                raise ParameterError(
                    f"{name} would replace {file}, which this command did not write",
                    hint="choose another place, or add --force",
                )


def check_standard_input(words: Iterable[str]) -> None:
    """Check that the standard input is read at most once.

    Words are ``-``, ``-:COLUMN`` for a column of it, and ``NAME=-``.
    """
    times = sum(word == "-" or word.startswith("-:") or word.endswith("=-") for word in words)
    if times > 1:
        raise ParameterError(
            f"the standard input (-) is given {times} times, but can be read only once"
        )


def content_of_file(path: str) -> Content | None:
    """Return the content of an existing file, by its beginning; None if it is none of these."""
    try:
        head = _head(path)
        if head.startswith(_SQLITE):
            return Content.DATABASE
        if _SNAPSHOT in head[:200]:
            return Content.SNAPSHOT
        return _table_in(path, head)
    except (GainfulError, OSError):
        return None


def _check_streams(streams: Mapping[str, Output]) -> None:
    """Check that a run or judgments are alone on the standard output."""
    names = list(streams)
    if len(names) > 1 and any(output.content is not Content.RESULT for output in streams.values()):
        raise ParameterError(f"{names[1]} and {names[0]} both write to the standard output")


def _check_folder(name: str, path: str) -> None:
    if not path:
        raise ParameterError(f"{name} needs the name of a file")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise SourceError(file=path, found="the output folder does not exist")
    if os.path.isdir(path):
        raise SourceError(file=path, found="is a directory, not a file")
    if not os.access(folder, os.W_OK):
        raise SourceError(file=path, found="no permission to write to the folder")


def _check_distinct(
    names: tuple[str, str | None],
    file: str,
    read: Iterable[tuple[str, str]],
    places: dict[str, str],
) -> None:
    name = names[0]
    other = places.setdefault(os.path.normcase(os.path.realpath(file)), name)
    if other == name:
        same = (by for by, path in read if by not in names and is_same_file(file, path))
        other = next(same, name)
    if other != name:
        raise ParameterError(f"{name} and {other} are the same file, {file}")


def _check_content(name: str, path: str, output: Output, values: Values) -> None:
    if output.content is None or not os.path.isfile(path):
        return
    existing = content_of_file(path)
    content = output.content if isinstance(output.content, Content) else output.content(values)
    if existing is not None and not content.replaces(existing):
        raise ParameterError(
            f"{path} contains {existing.value}, which {name} would replace",
            hint="write to another file, or add --force",
        )


def _check_folders(path: str, read: Iterable[tuple[str, str]]) -> None:
    """Check that a file is not part of a collection in a folder."""
    if _format(path) != "jsonl":
        return
    place = os.path.realpath(path)
    for name, folder in read:
        if os.path.isdir(folder) and place.startswith(os.path.join(os.path.realpath(folder), "")):
            raise ParameterError(
                f"{path} is in the folder of {name}, which the command reads",
                hint="write to another file, or add --force",
            )


def paths_in(word: str) -> Iterator[str]:
    """Yield the existing files and folders, ``-``, and addresses without credentials in a word.

    Words are paths, patterns, ``NAME=PATH`` and ``PATH:COLUMN``.
    """
    from gainful.data.paths import as_paths

    parts = [word[index + 1 :] for index, char in enumerate(word) if char == "="]
    parts += [word[:index] for index, char in enumerate(word) if char == ":"]
    for part in (word, *parts):
        for path in as_paths(part) or () if part else ():
            if hasattr(path, "expand"):
                from gainful.data.remote import shown

                yield shown(path)
            elif path == "-" or os.path.exists(path):
                yield path
            elif any(mark in path for mark in "*?["):
                from glob import iglob

                yield from iglob(path, recursive=True)


def is_special(path: str) -> bool:
    """Return whether a path is a device or pipe, which has no contents to lose."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _head(path: str) -> bytes:
    """Return the first bytes of a file, decompressed."""
    from gainful.data.text_files import opened

    try:
        with opened(path) as (_, stream):
            return stream.read(_HEAD)
    except GainfulError:
        return b""


def _format(path: str) -> str | None:
    from gainful import _kernel

    try:
        return _kernel.detect(path, "run")
    except GainfulError:
        return None


def _table_in(path: str, head: bytes) -> Content | None:
    """Return whether a file contains a run, judgments, or what may be either."""
    from gainful.data.judgment_lists.reading import listed_formats

    is_read = {table: _is_table(path, table, head) for table in ("run", "qrels")}
    first = head.split(b"\n", 1)[0]
    if all(is_read.values()):
        # Scores are also read as grades.
        return Content.RUN if b"score" in first else Content.TABLE
    if any(is_read.values()):
        return Content.RUN if is_read["run"] else Content.JUDGMENTS
    # Results have systems; judgments of other tools do not.
    is_result = b"system" in first or b'"schema": "gainful.' in head[:200]
    return Content.JUDGMENTS if not is_result and listed_formats([path]) else None


def _is_table(path: str, table: str, head: bytes) -> bool:
    """Return whether the beginning of a file is read as a run or as judgments."""
    from gainful import _kernel
    from gainful.data.columns import COLUMNAR
    from gainful.data.inputs import open_columnar
    from gainful.data.read_options import ReadOptions

    try:
        format = _kernel.detect(path, table)
        options = ReadOptions(format=format, duplicates="count")
        if format in COLUMNAR:
            open_columnar([path], table, ReadOptions(format=format))
        else:
            _kernel.read_bytes(_whole(head, format), path, table, options.spec())
    except GainfulError:
        return False
    return True


def _whole(head: bytes, format: str) -> bytes:
    """Return the beginning of a text without the part of a line or of a JSON value at its end."""
    if len(head) < _HEAD:
        return head
    if format != "json":
        return head[: head.rfind(b"\n") + 1]
    import json

    text, end = head.decode("utf-8", "replace"), len(head)
    for _ in range(8):
        end = text.rfind(",", 0, end)
        for closing in _CLOSINGS:
            try:
                json.loads(text[:end] + closing)
            except ValueError:
                continue
            return (text[:end] + closing).encode()
    return head

"""Read titles, texts and queries by id from collections.

The readers fetch the texts of some ids in one pass, without keeping the collection in memory: JSON
lines, CSV and TSV, TREC markup, one JSON object, a zip of any of these, a BEIR folder; compressed
(gzip, bzip2, xz, zstandard) or not. Documents may also be the text files of a folder.
"""

from __future__ import annotations

import os
import struct
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from gainful.data.corpus_fields import DOCUMENT, QUERY, Fields, Text
from gainful.data.corpus_records import records
from gainful.data.decompressed import beginning, damage_errors, decompressed, limit_size
from gainful.data.paths import check_path
from gainful.data.text_folders import TEXT_SUFFIXES, read_text_files, text_files
from gainful.data.unchanged import unchanged
from gainful.errors import (
    ArgumentError,
    FormatError,
    GainfulError,
    SourceError,
    SourceNotFoundError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Generator,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from os import PathLike
    from typing import Any, TypeAlias, TypeVar

    Parsed = TypeVar("Parsed")

    Stream: TypeAlias = Iterable[bytes]
    Path: TypeAlias = str | PathLike[str]
    TextsLike: TypeAlias = "Path | Sequence[Path] | Mapping[str, Any] | Texts"

__all__ = [
    "Text",
    "Texts",
    "each_document",
    "find_in_folder",
    "read_documents",
    "read_file",
    "read_queries",
]


@dataclass(frozen=True)
class Texts:
    """The texts that were found, by id.

    Attributes
    ----------
    found : dict of str to Text
        A `Text` by id; ids that are not in the collection are missing.
    duplicates : int
        The number of repeated records of these ids; the first is kept.

    Examples
    --------
    >>> texts = read_documents("docs.jsonl", ["r01", "r99"])
    >>> texts.found["r01"].title, "r99" in texts.found, texts.duplicates
    ('Lentil soup with cumin', False, 0)
    """

    found: dict[str, Text]
    duplicates: int = 0

    def __repr__(self) -> str:
        return f"<Texts of {len(self.found)} ids>"


def read_documents(
    source: TextsLike, ids: Collection[str] | None = None, *, all_fields: bool = False
) -> Texts:
    """Read titles and texts of documents.

    Parameters
    ----------
    source : path, several paths, mapping or Texts
        A file or folder, or data in memory: ``{id: text}`` or ``{id: {"title": ...}}``. In a folder
        of text files, ids are paths. Elsewhere the id is
        in a field or column named ``_id``, ``doc_id``, ``docno``, ``id`` or similar, or in
        ``<DOCNO>``; titles and texts are in fields such as ``title`` and ``text``.
    ids : collection of str, optional
        The documents to return. Default: all.
    all_fields : bool
        Whether to keep the other fields of records too.

    Returns
    -------
    Texts
        The texts, the first of each id.

    Raises
    ------
    ColumnError, FormatError
        If ids are missing, or a line does not match its format.
    SourceError
        If a file cannot be read.

    Examples
    --------
    >>> read_documents("docs.jsonl", ["r05"]).found["r05"]
    Text(title='Red lentil dal', text='A thin dal of red lentils, turmeric and fried garlic.')
    """
    return _read(source, ids, replace(DOCUMENT, keeps_others=all_fields))


def each_document(source: TextsLike) -> Iterator[tuple[str, Text]]:
    """Yield the id and text of each document, without keeping them in memory.

    Parameters
    ----------
    source : path, several paths, mapping or Texts
        As for `read_documents`. An id that is repeated is yielded again.

    Raises
    ------
    ColumnError, FormatError
        If ids are missing, or a line does not match its format.
    SourceError
        If a file cannot be read.

    Examples
    --------
    >>> next(each_document("docs.jsonl"))
    ('r01', Text(title='Lentil soup with cumin', text='Red lentils, ...'))
    """
    if isinstance(source, Texts):
        yield from source.found.items()
    else:
        yield from _read_sources(source, DOCUMENT, None)


def read_queries(
    source: TextsLike, ids: Collection[str] | None = None, *, all_fields: bool = False
) -> Texts:
    """Read the texts of queries.

    Parameters
    ----------
    source : path, several paths, mapping or Texts
        As for `read_documents`; also files with an id, a tab and the text per line, and TREC
        topics, whose title is the text.
    ids : collection of str, optional
        The queries to return. Default: all.

    Returns
    -------
    Texts
        The texts; titles are empty.

    Raises
    ------
    ColumnError, FormatError
        If ids are missing, or a line does not match its format.
    SourceError
        If a file cannot be read.

    Examples
    --------
    >>> read_queries("queries.jsonl", ["q2"]).found["q2"].text
    'bread without yeast'
    """
    return _read(source, ids, replace(QUERY, keeps_others=all_fields))


def _read(source: TextsLike, ids: Collection[str] | None, fields: Fields) -> Texts:
    wanted = None if ids is None else frozenset(ids)
    if isinstance(source, Texts):
        return source
    found: dict[str, Text] = {}
    duplicates = 0
    for identifier, text in _read_sources(source, fields, wanted):
        # A topic's number may have leading zeros, which judgments omit.
        if wanted is not None and identifier not in wanted:
            identifier = identifier.lstrip("0") if identifier.isdigit() else ""
            if identifier not in wanted:
                continue
        if identifier in found:
            duplicates += 1
        else:
            found[identifier] = text
    return Texts(found, duplicates)


def _read_sources(
    source: TextsLike, fields: Fields, wanted: frozenset[str] | None
) -> Iterator[tuple[str, Text]]:
    values = getattr(source, "items", None)
    if values is not None:
        for identifier, value in values():
            text = fields.text(value)
            if text is None:
                raise ArgumentError(
                    where=f"the {fields.what} {identifier!r}",
                    found=type(value).__name__,
                    expected="text, or a mapping with fields such as title and text",
                )
            yield str(identifier), text
        return
    paths: object = source
    if _is_path(source):
        paths = [source]
    entries = paths if isinstance(paths, (list, tuple)) else ()
    strange = next((f" of {type(each).__name__}" for each in entries if not _is_path(each)), "")
    if strange or not isinstance(paths, (list, tuple)):
        raise ArgumentError(
            found=f"{type(source).__name__}{strange} as the texts of {fields.what}s",
            expected="a path, several paths, or a mapping of ids to texts",
        )
    for path in paths:
        names = _text_files(path, fields)
        if names:
            yield from read_text_files(os.fspath(path), names)
        else:
            parse = partial(records, fields=fields, wanted=wanted)
            yield from read_file(path, fields, parse)


def _is_path(source: object) -> bool:
    return isinstance(source, str) or hasattr(source, "__fspath__")


def _text_files(path: Path, fields: Fields) -> list[str]:
    """Return the text files that are the documents of a folder, if it is no BEIR folder."""
    folder = os.fspath(path)
    if fields.what != DOCUMENT.what or not os.path.isdir(folder):
        return []
    try:
        find_in_folder(folder, fields)
    except SourceNotFoundError as error:
        names = text_files(folder)
        if not names:
            hint = f"a folder may have text files ({', '.join(TEXT_SUFFIXES)})"
            raise error.replace(hint=hint) from None
        return names
    return []


def read_file(
    path: Path, fields: Fields, parse: Callable[[Stream, str], Iterator[Parsed]]
) -> Iterator[Parsed]:
    """Yield what a function parses of the streams of a file or folder, given their names."""
    name = os.fspath(path)
    if os.path.isdir(name):
        name = find_in_folder(name, fields)
    try:
        for label, stream in (found := _streams(name, fields)):
            try:
                yield from parse(stream, label)
            except GainfulError as error:
                found.throw(error)  # Lets it check whether the file changed.
    except FileNotFoundError as error:
        raise SourceNotFoundError(file=name, found="no such file") from error
    except SourceError:
        raise
    except damage_errors() as error:
        raise SourceError(f"cannot read the file ({error})", file=name) from error


def find_in_folder(folder: str, fields: Fields) -> str:
    """Return the path of the documents or queries in a BEIR folder."""
    endings = ("", ".gz", ".bz2", ".xz", ".zst")
    names = [f"{stem}{end}" for stem in fields.files for end in endings]
    for name in names:
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise SourceNotFoundError(file=folder, found=f"no {' or '.join(fields.files)} in the folder")


def _streams(name: str, fields: Fields) -> Generator[tuple[str, Stream], None, None]:
    """Open a file, or the matching members of a zip, decompressed."""
    check_path(name)
    piped = name == "-"
    raw: Any = sys.stdin.buffer if piped else open(name, "rb")  # noqa: SIM115
    label = "standard input" if piped else name
    try:
        with unchanged(raw, label):
            magic, whole = beginning(raw)
            if magic.startswith(b"PK\x03\x04"):
                yield from _open_archive(whole, label, fields)
            else:
                with decompressed(whole, magic, label) as stream:
                    yield label, stream
    finally:
        if not piped:
            raw.close()


@contextmanager
def _unpacking(label: str) -> Iterator[None]:
    """Convert exceptions of `zipfile` for an invalid archive to errors of Gainful."""
    try:
        yield
    # RuntimeError: an encrypted member; its subclass NotImplementedError: an unknown compression.
    except (RuntimeError, ValueError, OverflowError, struct.error) as error:
        raise SourceError(
            f"the archive cannot be unpacked: {error}",
            file=label,
            hint="use a zip without a password, stored or deflated",
        ) from error


def _open_archive(raw: Any, label: str, fields: Fields) -> Iterator[tuple[str, Stream]]:
    """Open the matching members of a zip."""
    from zipfile import ZipFile

    with _unpacking(label):
        archive = ZipFile(raw)
    with archive:
        size = raw.seek(0, 2)
        for member in _members(archive.namelist(), label, fields):
            name = f"{label}/{member}"
            compressed = min(archive.getinfo(member).compress_size, size)
            with _unpacking(label):
                opened = archive.open(member)
            with opened as stream:
                yield name, limit_size(stream, compressed, name)


def _members(names: list[str], label: str, fields: Fields) -> list[str]:
    """Return the members of an archive that match the fields, by name."""
    files = [name for name in names if not name.endswith("/") and "__MACOSX" not in name]
    named = [name for name in files if any(word in _base_name(name) for word in fields.members)]
    if named or len(files) == 1:
        return named or files
    raise FormatError(
        f"the archive contains {len(files)} files ({', '.join(files[:5])})",
        file=label,
        hint=f"use an archive of one file, or a file name with {', '.join(fields.members)}",
    )


def _base_name(name: str) -> str:
    return name.rpartition("/")[2].lower()

"""Read titles, texts and queries by id from collections.

The readers fetch the texts of some ids in one pass, without keeping the collection in memory: JSON
lines, CSV and TSV, TREC markup, one JSON object, a zip of any of these, a BEIR folder; compressed
(gzip, bzip2, xz, zstandard) or not. Documents may also be the text files of a folder.
"""

from __future__ import annotations

import os
import re
import struct
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from html import unescape
from itertools import chain

from gainful._kernel import names_of, names_with
from gainful.data.column_names import find_column, missing_column, refuse_repeated
from gainful.data.records import (
    DOCUMENT,
    QUERY,
    Fields,
    Text,
    has_lone_surrogate,
    json_lines,
    json_value,
    readable,
)
from gainful.data.text_files import (
    beginning,
    delimiter_of,
    limit_size,
    named_rows,
    opened,
    parse_cells,
    text_from,
)
from gainful.errors import (
    ArgumentError,
    FormatError,
    SourceError,
    SourceNotFoundError,
)
from gainful.quoting import names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from os import PathLike
    from typing import Any, TypeAlias, TypeVar

    from gainful.data.text_files import Lines

    Records: TypeAlias = Iterator[tuple[str, Text]]

    Wanted: TypeAlias = frozenset[str] | None

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
    "text_files",
    "topics",
]


_OPEN = re.compile(r"<(doc|top|topic|query)(?=[\s>])", re.IGNORECASE)
# Adjacent parts of a pattern never match the same text, or damaged files would take hours.
_DOCNO = re.compile(r"<docno>([^<]*)</docno>", re.IGNORECASE)
_TITLE = re.compile(r"<(title|headline|hl|ttl|ti|h3)\b[^<>]*>", re.IGNORECASE)
_BODY = re.compile(r"<(text|body|abstract|contents)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")

# Topics of the 1990s have no closing tags: a field ends at the next tag.
_NUMBER = re.compile(r"<num(?:ber)?>\s*+(?:number\s*+:\s*+)?([^\s<]+)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"<\w+[^<>]*?\b(?:number|id|qid)\s*+=\s*+[\"']([^\"'<>]+)", re.IGNORECASE)
_QUERY_TEXT = re.compile(
    r"<(?:query|title|text)\b[^<>]*>\s*+(?:topic\s*+:\s*+)?([^<\s][^<]*)", re.IGNORECASE
)
_FIELD = re.compile(
    r"<(\w+)\b[^<>]*>\s*+(?:(?:description|narrative)\s*+:\s*+)?([^<\s][^<]*)", re.IGNORECASE
)
_FULL_NAMES = {"desc": "description", "narr": "narrative"}
_NO_FIELDS = frozenset(("num", "number", "top", "topic", "doc", "subtopic"))
_DESCRIPTION = re.compile(r"<desc[^<>]*>(?:\s*+description\s*+:)?([^<]+)", re.IGNORECASE)


def markup(lines: Lines, label: str, fields: Fields, wanted: Wanted) -> Records:
    """Yield id and text of each wanted document, or of each topic; others are not parsed."""
    if fields.what == QUERY.what:
        for _, identifier, text, others in topics(lines, label):
            yield identifier, Text("", text, tuple(others.items()) if fields.keeps_others else ())
        return
    described = ("<DOCNO>", "markup: no <DOC>, <top> or <topic>")
    for _, identifier, element in _identified(lines, label, _DOCNO.search, *described):
        if wanted is None or identifier in wanted or identifier.lstrip("0") in wanted:
            yield identifier, _document(element)


def topics(lines: Lines, label: str) -> Iterator[tuple[int, str, str, dict[str, str]]]:
    """Yield line, id, text and the other fields of each topic."""
    described = ("<num>, or an attribute number or id", "topics: no <top> or <topic>")
    for line, identifier, element in _identified(lines, label, _find_number, *described):
        match = _QUERY_TEXT.search(element) or _DESCRIPTION.search(element)
        # A topic of one text, as those of clinical trials, is all text but for the id.
        text = _words(match[1] if match else _NUMBER.sub(" ", element))
        yield line, identifier, text, _fields(element, text)


def _find_number(element: str) -> re.Match[str] | None:
    return _NUMBER.search(element) or _ATTRIBUTE.match(element)


def _identified(
    lines: Lines,
    label: str,
    find: Callable[[str], re.Match[str] | None],
    expected: str,
    kind: str,
) -> Iterator[tuple[int, str, str]]:
    """Yield line, id and content of each element."""
    element = None
    for line, element in elements(lines):
        match = find(element)
        identifier = match and match[1].strip()
        if not identifier:
            raise FormatError(
                f"no id in the element {element[:40].strip()!r}",
                file=label,
                line=line,
                hint=f"expected {expected}",
            )
        yield line, identifier, element
    if element is None:
        raise FormatError(f"not TREC {kind}", file=label)


def _fields(element: str, text: str) -> dict[str, str]:
    """Return a topic's other fields, by element name."""
    fields: dict[str, str] = {}
    for match in _FIELD.finditer(element):
        name = match[1].lower()
        name = _FULL_NAMES.get(name, name)
        words = _words(match[2])
        # Subtopics do not describe the whole query.
        if name not in _NO_FIELDS and words and words != text:
            fields.setdefault(name, words)
    return fields


def elements(lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield each element with the number of its first line; a line has at most one."""
    parts: list[str] = []
    start, closing = 0, ""
    for number, line in lines:
        if not parts:
            opened = _OPEN.search(line)
            if opened is None:
                continue
            start, closing = number, f"</{opened[1].lower()}>"
            line = line[opened.start() :]
        parts.append(line)
        if closing in line.lower():
            yield start, "".join(parts)
            parts = []
    if parts:
        yield start, "".join(parts)


def _document(element: str) -> Text:
    titles, rest = _contents(element, _TITLE)
    bodies, _ = _contents(element, _BODY)
    title = " ".join(map(_words, titles))
    if not bodies:
        bodies = [_DOCNO.sub(" ", rest)]
    return Text(title, " ".join(map(_words, bodies)))


def _contents(element: str, opening: re.Pattern[str]) -> tuple[list[str], str]:
    """Return the contents of some tags, and the element without them."""
    content, rest = [], []
    lower = element.lower()
    start = 0
    unclosed: set[str] = set()
    for match in opening.finditer(element):
        closing = f"</{match[1].lower()}>"
        if match.start() < start or closing in unclosed:
            continue
        end = lower.find(closing, match.end())
        if end < 0:
            unclosed.add(closing)
            continue
        content.append(element[match.end() : end])
        rest.append(element[start : match.start()])
        start = end + len(closing)
    rest.append(element[start:])
    return content, " ".join(rest)


def _words(text: str) -> str:
    return readable(" ".join(unescape(_TAG.sub(" ", text)).split()))


def records(stream: Iterable[bytes], label: str, fields: Fields, wanted: Wanted) -> Records:
    """Yield id and text of each record of a stream, detecting the format."""
    empty = f"the file is empty, expected {fields.what} texts"
    first, document = text_from(stream, label, empty)
    start = first[1].lstrip()[0]
    if start in "{[":
        yield from _json(document, label, fields)
    elif start == "<":
        yield from markup(document, label, fields, wanted)
    else:
        yield from _delimited(document, label, fields)


def _json(lines: Lines, label: str, fields: Fields) -> Records:
    """Yield the records of JSON lines or of one document, a list or a mapping by id."""
    first = next(lines)
    second = next((line for line in lines if line[1].strip()), None)
    record = json_value(first[1], label, first[0])
    if not isinstance(record, dict) or (second is None and fields.identifier(record) is None):
        rest = "" if second is None else second[1] + "".join(line for _, line in lines)
        yield from _one_document(first[1] + rest, label, fields)
        return
    read = [line for line in (first, second) if line is not None]
    for number, cells in json_lines(chain(read, lines), label):
        yield _record(cells, label, fields, number)


def _one_document(text: str, label: str, fields: Fields) -> Records:
    document = json_value(text, label)
    if not isinstance(document, (dict, list)):
        raise FormatError("not JSON lines, nor one JSON document", file=label)
    values = document.items() if isinstance(document, dict) else ((None, v) for v in document)
    for identifier, value in values:
        yield _record(value, label, fields, None, identifier)


def _record(
    record: object, label: str, fields: Fields, line: int | None, identifier: str | None = None
) -> tuple[str, Text]:
    """Return the id and the text of a record, or of the value with an id."""
    is_named = identifier is not None
    text = fields.text(record) if is_named or isinstance(record, dict) else None
    if isinstance(record, dict) and identifier is None:
        identifier = fields.identifier(record)
    if text is None or identifier is None:
        content = f"the value of {shown(identifier)}" if is_named else type(record).__name__
        content = f"the fields {names_shown(record)}" if isinstance(record, dict) else content
        accepted = ", ".join(names_of(f"{fields.what}.id"))
        expected = f"a record with the {fields.what}'s id ({accepted})"
        raise FormatError(file=label, line=line, found=content, expected=expected)
    if has_lone_surrogate(identifier):  # half a character
        problem = f"the {fields.what}'s id {shown(identifier)} has a lone surrogate"
        raise FormatError(problem, file=label, line=line)
    return identifier, text


def _delimited(lines: Lines, label: str, fields: Fields) -> Records:
    """Yield the rows of CSV or TSV with a header, or with two columns: id and text."""
    parts = [f"{fields.what}.{part}" for part in ("id", "title", "text")]

    def unnamed(cells: Sequence[str]) -> Sequence[str] | None:
        known = any(names_with(list(cells), part) for part in parts)
        return None if known or len(cells) != 2 else ("id", "text")

    first = next(lines)
    delimiter = delimiter_of(first[1], label) or ","
    rows = parse_cells(chain([first], lines), label, delimiter)
    names, table = named_rows(rows, label, unnamed)
    if find_column(names, parts[0], label) is None:
        raise missing_column(names, parts[0], f"{fields.what} ids", label)
    for part in parts[1:]:
        find_column(names, part, label)
    if fields.keeps_others:
        refuse_repeated(names, label)
    for number, row in table:
        identifier, text = _record(row, label, fields, number)
        yield identifier.strip(), text


TEXT_SUFFIXES = (".txt", ".text", ".md", ".markdown", ".mdx", ".rst", ".adoc", ".org", ".html")


def text_files(folder: str) -> list[str]:
    """Return the text files in a folder and its folders, relative to it, in order of their names.

    Hidden files and folders are left out.
    """
    names = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inner = os.path.relpath(place, folder)
        names += [
            os.path.normpath(os.path.join(inner, name)).replace(os.sep, "/")
            for name in files
            if name.lower().endswith(TEXT_SUFFIXES) and not name.startswith(".")
        ]
    return sorted(names)


def read_text_files(folder: str, names: Iterable[str]) -> Iterator[tuple[str, Text]]:
    """Yield the id and text of each file; the id is its path in the folder.

    Line ends are kept, and a byte-order mark is removed.
    """
    for name in names:
        with opened(os.path.join(folder, name)) as (label, stream):
            content = b"".join(stream)
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise FormatError("UTF-16 is not supported", file=label, hint="save the file as UTF-8")
        text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        yield name, Text("", readable(text))


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

    Examples
    --------
    >>> read_documents("docs.jsonl", ["r05"]).found["r05"]
    Text(title='Red lentil dal', text='A thin dal of red lentils, turmeric and fried garlic.')
    """
    return _read(source, ids, replace(DOCUMENT, keeps_others=all_fields))


def each_document(source: TextsLike) -> Iterator[tuple[str, Text]]:
    """Yield the id and text of each document, without keeping them in memory.

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
    texts: dict[str, Text] = {}
    duplicates = 0
    for identifier, text in _read_sources(source, fields, wanted):
        # A topic's number may have leading zeros, which judgments omit.
        if wanted is not None and identifier not in wanted:
            identifier = identifier.lstrip("0") if identifier.isdigit() else ""
            if identifier not in wanted:
                continue
        if identifier in texts:
            duplicates += 1
        else:
            texts[identifier] = text
    return Texts(texts, duplicates)


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
    paths: object = [source] if _is_path(source) else source
    entries: Sequence[Any] = paths if isinstance(paths, (list, tuple)) else [None]
    if not all(map(_is_path, entries)):
        strange = next((type(entry).__name__ for entry in entries if not _is_path(entry)), "")
        of = f" of {strange}" if entries is paths else ""
        raise ArgumentError(
            found=f"{type(source).__name__}{of} as the texts of {fields.what}s",
            expected="a path, several paths, or a mapping of ids to texts",
        )
    for path in entries:
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
    with opened(name) as (label, stream):
        magic, whole = beginning(stream)
        streams: Iterable[tuple[str, Stream]] = [(label, whole)]
        if magic.startswith(b"PK\x03\x04"):
            streams = _open_archive(whole, label, fields)
        for place, content in streams:
            yield from parse(content, place)


def find_in_folder(folder: str, fields: Fields) -> str:
    """Return the path of the documents or queries in a BEIR folder."""
    endings = ("", ".gz", ".bz2", ".xz", ".zst")
    names = [f"{stem}{end}" for stem in fields.files for end in endings]
    for name in names:
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise SourceNotFoundError(file=folder, found=f"no {' or '.join(fields.files)} in the folder")


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
    bases = [(name, name.rpartition("/")[2].lower()) for name in files]
    named = [name for name, base in bases if any(word in base for word in fields.members)]
    if named or len(files) == 1:
        return named or files
    raise FormatError(
        f"the archive contains {len(files)} files ({', '.join(files[:5])})",
        file=label,
        hint=f"use an archive of one file, or a file name with {', '.join(fields.members)}",
    )

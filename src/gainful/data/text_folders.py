"""Folders of plain text files: one document per file."""

from __future__ import annotations

import os

from gainful.data.corpus_fields import Text, readable
from gainful.data.decompressed import opened
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["TEXT_SUFFIXES", "read_text_files", "text_files"]

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

    Raises
    ------
    SourceError
        If a file cannot be read.
    FormatError
        For UTF-16.
    """
    for name in names:
        with opened(os.path.join(folder, name)) as (label, stream):
            content = b"".join(stream)
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise FormatError("UTF-16 is not supported", file=label, hint="save the file as UTF-8")
        text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        yield name, Text("", readable(text))

"""What the page shows of a session: guidelines, queries, documents and their images."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from urllib.parse import quote

from gainful._kernel import names_with
from gainful.errors import SourceError
from gainful.packages import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gainful.data import Run
    from gainful.data.corpus import Text
    from gainful.judging import Assignment, Pair, PracticeDocument, Session

__all__ = [
    "IMAGE_TYPES",
    "Images",
    "Mode",
    "Site",
    "describe_assignment",
    "describe_pair",
    "describe_practice",
    "read_guidelines",
    "version_of",
]

#: The largest file in bytes.
_LARGEST = 1_000_000


def read_guidelines(path: str) -> str:
    """Return the text of a file of guidelines."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise SourceError("the guidelines have more than a megabyte", file=path)
        return content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot read the guidelines ({error})", file=path) from error


def version_of(text: str) -> str:
    """Return a short digest of guidelines, which is stored with each label; empty for none.

    Examples
    --------
    >>> version_of("# Relevance")
    'dde867262193'
    """
    return sha256(text.encode()).hexdigest()[:12] if text else ""


def _render_markdown(text: str, *, breaks: bool = False) -> str:
    r"""Return Markdown as HTML, in which HTML of the text is escaped and images are links.

    Examples
    --------
    >>> _render_markdown("*Good*: <b>fits</b> [x](javascript:alert(1))")
    '<p><em>Good</em>: &lt;b&gt;fits&lt;/b&gt; [x](javascript:alert(1))</p>\n'
    """
    package = load_package("markdown_it", where="Markdown", package="markdown-it-py", extra="judge")
    parser = package.MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": breaks})
    return str(parser.enable("table").disable("image").render(text))


#: The types of images by suffix. SVG is missing, since it can contain scripts.
IMAGE_TYPES = {
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
}

#: Fields that would show a judge what systems or others think of a document.
_HIDDEN = ("grade", "rank", "score", "system")


class Images:
    """A folder of images.

    Parameters
    ----------
    folder : str or None
        The folder; None if there are no images.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = None if folder is None else os.path.realpath(folder)

    def find(self, name: str) -> str | None:
        """Return the path of an image inside the folder; None if it is not one."""
        suffix = os.path.splitext(name)[1].lower()
        if self._folder is None or suffix not in IMAGE_TYPES or "\0" in name:
            return None
        try:
            path = os.path.realpath(os.path.join(self._folder, name))
            inside = os.path.commonpath([path, self._folder]) == self._folder
            return path if inside and os.path.isfile(path) else None
        except (OSError, ValueError):
            return None


@dataclass(frozen=True)
class Display:
    """How documents are shown.

    Attributes
    ----------
    images : Images
        The images of documents.
    is_markdown : bool
        Whether their texts are Markdown.
    """

    images: Images
    is_markdown: bool = False


def describe_assignment(found: Assignment, display: Display) -> dict[str, Any]:
    """Return an assignment as JSON values."""
    return {
        "query_id": found.query_id,
        "doc_id": found.doc_id,
        "query": _describe_query(found.query_id, found.query),
        "document": _describe_document(found.document, display),
        "kind": found.kind,
        "grade": found.grade,
        "note": found.note,
        "expectation": found.expectation,
        "remaining": found.remaining,
        "suggestion": found.suggestion,
    }


def describe_practice(found: PracticeDocument, display: Display) -> dict[str, Any]:
    """Return a practice document as JSON values."""
    return {
        "query_id": found.query_id,
        "doc_id": found.doc_id,
        "query": _describe_query(found.query_id, found.query),
        "document": _describe_document(found.document, display),
        "grade": found.grade,
        "expected": found.expected,
    }


def describe_pair(found: Pair, display: Display) -> dict[str, Any]:
    """Return two documents as JSON values."""
    return {
        "query_id": found.query_id,
        "query": _describe_query(found.query_id, found.query),
        "left_id": found.left_id,
        "right_id": found.right_id,
        "left": _describe_document(found.left, display),
        "right": _describe_document(found.right, display),
        "expectation": found.expectation,
        "compared": found.compared,
        "most": found.most,
    }


def _describe_query(identifier: str, text: Text | None) -> dict[str, Any]:
    if text is None:
        return {"text": identifier, "fields": []}
    return {
        "text": text.snippet or identifier,
        "fields": [field for field in text.fields if not _is_hidden(field[0])],
    }


def _is_hidden(name: str) -> bool:
    return any(names_with([name], part) for part in _HIDDEN)


def _describe_document(text: Text | None, display: Display) -> dict[str, Any] | None:
    """Return a document as JSON values: title, text, fields, links and images."""
    if text is None:
        return None
    images = display.images
    described: dict[str, Any] = {
        "title": text.title,
        "text": text.text,
        "html": _render_markdown(text.text, breaks=True) if display.is_markdown else None,
    }
    fields: list[tuple[str, str]] = []
    links: list[tuple[str, str]] = []
    pictures: list[str] = []
    for name, value in text.fields:
        if _is_hidden(name):
            continue
        words = [value] if images.find(value) else value.split()
        local = [word for word in words if images.find(word)]
        remote = [word for word in words if word.lower().startswith(("http://", "https://"))]
        pictures += [f"/images/{quote(word, safe='/')}" for word in local]
        if words and len(remote) == len(words):
            links += [(name, word) for word in remote]
        elif len(local) < len(words):
            fields.append((name, value))
    return {**described, "fields": fields, "links": links, "images": pictures}


class Mode(StrEnum):
    """What judges do first.

    Attributes
    ----------
    GRADES
        Grade one document after the other.
    LIST
        Grade all documents of a query in a list.
    PAIRS
        Compare two documents.
    """

    GRADES = "grades"
    LIST = "list"
    PAIRS = "pairs"


@dataclass(frozen=True)
class Site:
    """A session, and what the page shows of it.

    Attributes
    ----------
    session : Session
        The session.
    title : str
        The title of the page.
    guidelines : str
        The guidelines in Markdown.
    images : Images
        The images of documents.
    is_markdown : bool
        Whether the texts of documents are Markdown.
    mode : Mode
        What judges do first.
    runs : mapping of str to Run
        The systems on which an owner sees the effect of the labels.
    judged : mapping of str to mapping
        Judgments that exist already, by query and document.
    measure : str or None
        The measure of the effect. Default: nDCG@10.
    add_documents : callable, optional
        Adds further documents to the session if nothing is left, and returns their number.
    stop : callable, optional
        Stops the page, if no further labels can be stored.
    """

    session: Session
    title: str = "Judging"
    guidelines: str = ""
    images: Images = field(default_factory=lambda: Images(None))
    is_markdown: bool = False
    mode: Mode = Mode.GRADES
    runs: Mapping[str, Run] = field(default_factory=dict)
    judged: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    measure: str | None = None
    add_documents: Callable[[], int] | None = None
    stop: Callable[[], object] | None = None

    def check_end(self) -> None:
        """Stop the page if no further labels can be stored."""
        if self.stop is not None and self.session.end is not None:
            self.stop()

    @cached_property
    def display(self) -> Display:
        """How documents are shown."""
        return Display(self.images, self.is_markdown)

    @cached_property
    def guidelines_html(self) -> str:
        """The guidelines as HTML."""
        return _render_markdown(self.guidelines)

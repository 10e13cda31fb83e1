"""What the page shows of queries and documents, and the images of documents."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import quote

from gainful._kernel import names_with
from gainful.judging_page.guidelines import render_markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.data.corpus import Text
    from gainful.judging import Assignment, Pair, PracticeDocument

__all__ = [
    "IMAGE_TYPES",
    "Display",
    "Images",
    "describe_assignment",
    "describe_document",
    "describe_pair",
    "describe_practice",
]

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
        "document": describe_document(found.document, display),
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
        "document": describe_document(found.document, display),
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
        "left": describe_document(found.left, display),
        "right": describe_document(found.right, display),
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


def describe_document(text: Text | None, display: Display) -> dict[str, Any] | None:
    """Return a document as JSON values: title, text, fields, links and images."""
    if text is None:
        return None
    images = display.images
    described: dict[str, Any] = {
        "title": text.title,
        "text": text.text,
        "html": render_markdown(text.text, breaks=True) if display.is_markdown else None,
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

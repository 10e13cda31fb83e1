"""TREC markup: documents in ``<DOC>``, topics in ``<top>`` or ``<topic>``."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from gainful.data.corpus_fields import Fields, Text, readable
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.data.corpus_records import Records, Wanted
    from gainful.data.delimited import Lines

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
    """Yield id and text of each wanted element; others are not parsed."""
    found = False
    for line, element in elements(lines):
        found = True
        documents = fields.what == "document"
        identifier = _identifier(element, documents)
        if identifier is None:
            expected = "<DOCNO>" if documents else "<num>, or an attribute number or id"
            raise _missing_id(label, line, element, expected)
        if wanted is None or identifier in wanted or identifier.lstrip("0") in wanted:
            text = _document(element) if documents else _topic(element)
            if fields.keeps_others and not documents:
                text = replace(text, fields=tuple(_fields(element, text.text).items()))
            yield identifier, text
    if not found:
        raise FormatError("not TREC markup: no <DOC>, <top> or <topic>", file=label)


def topics(lines: Lines, label: str) -> Iterator[tuple[int, str, str, dict[str, str]]]:
    """Yield line, id, text and the other fields of each topic.

    Parameters
    ----------
    lines : iterator of (int, str)
        With line numbers.
    label : str
        The file's name, for messages.

    Raises
    ------
    FormatError
        For a topic without an id, and for a file without topics.
    """
    found = False
    for line, element in elements(lines):
        found = True
        identifier = _identifier(element, documents=False)
        if identifier is None:
            raise _missing_id(label, line, element, "<num>, or an attribute number or id")
        text = _topic(element).text
        yield line, identifier, text, _fields(element, text)
    if not found:
        raise FormatError("not TREC topics: no <top> or <topic>", file=label)


def _fields(element: str, text: str) -> dict[str, str]:
    """Return a topic's other fields, by element name."""
    found: dict[str, str] = {}
    for match in _FIELD.finditer(element):
        name = match[1].lower()
        name = _FULL_NAMES.get(name, name)
        words = _words(match[2])
        # Subtopics do not describe the whole query.
        if name not in _NO_FIELDS and words and words != text:
            found.setdefault(name, words)
    return found


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


def _missing_id(label: str, line: int, element: str, expected: str) -> FormatError:
    return FormatError(
        f"no id in the element {element[:40].strip()!r}",
        file=label,
        line=line,
        hint=f"expected {expected}",
    )


def _identifier(element: str, documents: bool) -> str | None:
    if documents:
        match = _DOCNO.search(element)
    else:
        match = _NUMBER.search(element) or _ATTRIBUTE.match(element)
    return match[1].strip() or None if match else None


def _document(element: str) -> Text:
    titles, rest = _contents(element, _TITLE)
    bodies, _ = _contents(element, _BODY)
    title = " ".join(map(_words, titles))
    if not bodies:
        bodies = [_DOCNO.sub(" ", rest)]
    return Text(title, " ".join(map(_words, bodies)))


def _contents(element: str, opening: re.Pattern[str]) -> tuple[list[str], str]:
    """Return the contents of some tags, and the element without them."""
    found, rest = [], []
    lower = element.lower()
    at = 0
    unclosed: set[str] = set()
    for match in opening.finditer(element):
        closing = f"</{match[1].lower()}>"
        if match.start() < at or closing in unclosed:
            continue
        end = lower.find(closing, match.end())
        if end < 0:
            unclosed.add(closing)
            continue
        found.append(element[match.end() : end])
        rest.append(element[at : match.start()])
        at = end + len(closing)
    rest.append(element[at:])
    return found, " ".join(rest)


def _topic(element: str) -> Text:
    match = _QUERY_TEXT.search(element) or _DESCRIPTION.search(element)
    # In topics of one text, such as those of clinical trials, everything but the id is the text.
    return Text("", _words(match[1] if match else _NUMBER.sub(" ", element)))


def _words(text: str) -> str:
    return readable(" ".join(unescape(_TAG.sub(" ", text)).split()))

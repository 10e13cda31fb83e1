"""Texts of a collection, and the field names that collections use."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import lru_cache

from gainful._kernel import names_with


@dataclass(frozen=True)
class Text:
    """The text of a document or query.

    Attributes
    ----------
    title : str
        Empty if there is none.
    text : str
        Body, abstract or description of a document, or the words of a query.
    fields : tuple of (str, str)
        The other fields by name, if they were requested: brand, narrative, url.

    Examples
    --------
    >>> Text("Tomato soup", "Roasted tomatoes and basil.").snippet
    'Tomato soup – Roasted tomatoes and basil.'
    """

    title: str = ""
    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def snippet(self) -> str:
        """The title and text on one line, with white space collapsed."""
        parts = (" ".join(part.split()) for part in (self.title, self.text))
        return " – ".join(part for part in parts if part)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Text):
            return NotImplemented
        return self._contents == other._contents

    def __hash__(self) -> int:
        return hash(self._contents)

    @property
    def _contents(self) -> tuple[object, ...]:
        return (self.title, self.text, self.fields)

    def __repr__(self) -> str:
        return f"Text(title={self.title!r}, text={self.text!r})"


@dataclass(frozen=True)
class Fields:
    """The fields of a collection of documents or of queries.

    Parameters
    ----------
    what : str
        "document" or "query".
    files : tuple of str
        Names in a BEIR folder.
    members : tuple of str
        Words in the member names of archives.
    keeps_others : bool
        Whether to keep the fields that are not an id, title or text.
    """

    what: str
    _: KW_ONLY
    files: tuple[str, ...]
    members: tuple[str, ...]
    keeps_others: bool = False

    def text(self, value: object) -> Text | None:
        """Return the text of a record or string, or ``None`` for other values."""
        if isinstance(value, Text):
            return value
        if isinstance(value, str):
            return Text("", readable(value))
        if not isinstance(value, dict):
            return None
        names = self._names(value)
        parts = [[name for name in part if value[name]][:1] for part in names[1:]]
        title, text = ("".join(field_text(value[name]) for name in part) for part in parts)
        if not self.keeps_others:
            return Text(title, text)
        used = {*names[0], *parts[0], *parts[1]}
        others = ((str(name), field_text(each)) for name, each in value.items() if name not in used)
        return Text(title, text, tuple((name, each) for name, each in others if each))

    def identifier(self, record: dict[str, object]) -> str | None:
        """Return the id of a record, or ``None``."""
        for name in self._names(record)[0]:
            value = record[name]
            if isinstance(value, str) and value:
                return value
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
        return None

    def _names(self, record: dict[str, object]) -> tuple[list[str], list[str], list[str]]:
        """Return the fields of the id, the title and the text, best first."""
        return _fields(self.what, tuple(map(str, record)))


# Records of a collection mostly have the same fields.
@lru_cache(1024)
def _fields(what: str, names: tuple[str, ...]) -> tuple[list[str], list[str], list[str]]:
    parts = (names_with(list(names), f"{what}.{part}") for part in ("id", "title", "text"))
    ids, titles, texts = parts
    return ids, titles, texts


DOCUMENT = Fields(
    "document",
    files=("corpus.jsonl", "documents.jsonl", "corpus.tsv"),
    members=("corpus", "docs", "document", "collection", "passages", "products"),
)
QUERY = Fields(
    "query",
    files=("queries.jsonl", "queries.tsv", "topics.tsv"),
    members=("quer", "topic", "claim"),
)


def field_text(value: object) -> str:
    """Return a field's value as text: lists are joined, other types give an empty text."""
    if isinstance(value, str):
        return readable(value)
    parts: list[str] = []
    # Not by recursion: JSON may nest lists deeper than calls can.
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (list, tuple)):
            waiting.extend(reversed(each))
        elif isinstance(each, str):
            parts.append(readable(each))
        else:
            parts.append(str(each) if isinstance(each, (int, float)) else "")
    return " ".join(parts)


def readable(text: str) -> str:
    r"""Replace bytes that are not UTF-8, and lone surrogates, by U+FFFD.

    JSON escapes can encode lone surrogates, which are half a character.

    Examples
    --------
    >>> readable(b"caf\xe9".decode("utf-8", "surrogateescape")), readable("half \ud83d here")
    ('caf\ufffd', 'half \ufffd here')
    """
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return text.translate(dict.fromkeys(range(0xD800, 0xE000), "\ufffd"))


def has_lone_surrogate(text: str) -> bool:
    r"""Return whether a text has a lone surrogate; bytes that are not UTF-8 do not count as one.

    Examples
    --------
    >>> [has_lone_surrogate(text) for text in ("\ud83d", "\U0001f600", "\udcff")]
    [True, False, False]
    """
    if text.isascii():
        return False
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False

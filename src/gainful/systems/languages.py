"""Filters of placeholders: a value made safe inside a text of another language.

``{{query|lucene}}`` stands in a query string of Lucene as the words that were typed, whatever
signs are among them. A filter takes any value and returns text; ``words`` alone returns a list.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FILTERS", "plain_text"]

# What Lucene's classic query parser reads as syntax; a backslash before makes it a letter.
_LUCENE = re.compile(r'[\\+\-!():^\[\]"{}~*?|&/=]')
# Elasticsearch and OpenSearch read < and > as ranges, and know no way to escape them.
_UNESCAPABLE = re.compile(r"[<>]")
_OPERATORS = re.compile(r"(?<!\S)(AND|OR|NOT|TO)(?!\S)")
_LETTER = re.compile(r"\w")
_WORD = re.compile(r"[^\W_]+")
_LIKE = re.compile(r"[\\%_]")


def plain_text(value: object) -> str:
    """Return a single value as text: numbers and truth values as JSON writes them.

    Raises
    ------
    TypeError
        For anything that is no text, number or truth value.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return json.dumps(value, allow_nan=False)
    raise TypeError(f"{type(value).__name__} inside a text")


def _lucene(value: object) -> str:
    return _solr(_UNESCAPABLE.sub(" ", plain_text(value)))


def _solr(value: object) -> str:
    escaped = _LUCENE.sub(r"\\\g<0>", plain_text(value))
    # An escaped letter is that letter, in a word that is no operator any more.
    # Nothing at all would be a syntax error; an empty phrase finds nothing.
    return _OPERATORS.sub(r"\\\g<0>", escaped) if escaped.strip() else '""'


def _words(value: object) -> list[str]:
    """Return what stands between white space, without what is signs alone."""
    return [word for word in plain_text(value).split() if _LETTER.search(word)]


def _fts5(joint: str) -> Callable[[object], str]:
    def escape(value: object) -> str:
        quoted = ['"' + word.replace("\0", "").replace('"', '""') + '"' for word in _words(value)]
        # An empty text is a syntax error of FTS5; an empty phrase finds nothing.
        return joint.join(quoted) or '""'

    return escape


def _tsquery(joint: str) -> Callable[[object], str]:
    def escape(value: object) -> str:
        return joint.join(
            "'" + word.replace("\0", "").replace("\\", "\\\\").replace("'", "''") + "'"
            for word in _words(value)
        )

    return escape


def _like(value: object) -> str:
    return _LIKE.sub(r"\\\g<0>", plain_text(value))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _lower(value: object) -> str:
    return plain_text(value).lower()


def _each_word(value: object) -> list[str]:
    """Return the different runs of letters and digits, in lower case."""
    return list(dict.fromkeys(_WORD.findall(plain_text(value).lower())))


#: Name by name, what a placeholder may be followed by after a bar.
FILTERS: dict[str, Callable[[object], str | list[str]]] = {
    "fts5": _fts5(" "),
    "fts5_any": _fts5(" OR "),
    "json": _json,
    "like": _like,
    "lower": _lower,
    "lucene": _lucene,
    "solr": _solr,
    "tsquery": _tsquery(" & "),
    "tsquery_any": _tsquery(" | "),
    "words": _each_word,
}

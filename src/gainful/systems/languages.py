"""Filters of placeholders, which escape a value for a query language.

``{{query|lucene}}`` inserts a query into Lucene syntax as plain words, whatever characters it has.
A filter takes any value and returns text; only ``words`` returns a list.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FILTERS", "plain_text"]

# Syntax of Lucene's classic query parser, which a backslash escapes.
_LUCENE = re.compile(r'[\\+\-!():^\[\]"{}~*?|&/=]')
# Elasticsearch and OpenSearch read < and > as ranges, which cannot be escaped.
_UNESCAPABLE = re.compile(r"[<>]")
_OPERATORS = re.compile(r"(?<!\S)(AND|OR|NOT|TO)(?!\S)")
_LETTER = re.compile(r"\w")
_WORD = re.compile(r"[^\W_]+")
_LIKE = re.compile(r"[\\%_]")


def plain_text(value: object) -> str:
    """Return a scalar as text: numbers and booleans as in JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return json.dumps(value, allow_nan=False)
    raise TypeError(f"a {type(value).__name__} cannot be part of a text")


def _lucene(value: object) -> str:
    return _solr(_UNESCAPABLE.sub(" ", plain_text(value)))


def _solr(value: object) -> str:
    escaped = _LUCENE.sub(r"\\\g<0>", plain_text(value))
    # Escaping a letter does not change it, but the word is no longer an operator.
    # An empty text would be a syntax error; an empty phrase finds nothing.
    return _OPERATORS.sub(r"\\\g<0>", escaped) if escaped.strip() else '""'


def _words(value: object) -> list[str]:
    """Split at white space, and drop parts without letters and digits."""
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
    """Return the distinct runs of letters and digits, in lower case."""
    return list(dict.fromkeys(_WORD.findall(plain_text(value).lower())))


#: The filters by name.
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

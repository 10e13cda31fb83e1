"""Differences between a search and the one of the same name in a journal."""

from __future__ import annotations

import json

__all__ = ["changes", "short"]

#: Characters of a value that a message shows.
_LENGTH = 60


def short(value: object) -> str:
    """Return a value for a message, shortened if it is long.

    Examples
    --------
    >>> short("red  shoes"), short({"title": 2})
    ("'red shoes'", '{"title": 2}')
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    text = text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1]}…"
    return repr(text) if isinstance(value, str) else text


def changes(before: object, after: object, place: str = "") -> list[str]:
    """Return the differences between two JSON values, key by key.

    Examples
    --------
    >>> changes({"url": "a", "boost": {"title": 1}}, {"url": "a", "boost": {"title": 2}})
    ['boost.title: 1 → 2']
    """
    if isinstance(before, dict) and isinstance(after, dict):
        found = []
        for key in sorted({*before, *after}):
            inner = f"{place}.{key}" if place else key
            if key not in before:
                found.append(f"{inner}: none → {short(after[key])}")
            elif key not in after:
                found.append(f"{inner}: {short(before[key])} → none")
            else:
                found += changes(before[key], after[key], inner)
        return found
    # Compare as text, because NaN does not equal itself.
    if json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True):
        return []
    return [f"{place or 'the system'}: {short(before)} → {short(after)}"]

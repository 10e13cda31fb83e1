"""Counters and caches of Python systems, which are not settings."""

from __future__ import annotations

import ast
import inspect
import weakref
from textwrap import dedent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["first_seen", "is_note", "notes_of"]

#: Methods that modify their object.
_WRITING = frozenset(
    ("add", "append", "clear", "extend", "pop", "popitem", "remove", "setdefault", "update")
)
_KINDS = (int, float, list, dict, set, bytearray)
#: The first digested state of counters and caches, by the object's address.
_SEEN: dict[int, tuple[weakref.ref[Any], dict[str, Any]]] = {}


def first_seen(holder: Any, name: str, value: Any, rendered: Any) -> Any:
    """Return the first digested state of a counter or cache; None for an empty one.

    Within a process, changes of counters and caches do not change the identity. In another process,
    their content counts like other data.
    """
    key = id(holder)
    known, notes = _SEEN.get(key, (None, {}))
    if known is None or known() is not holder:
        notes = {}
        try:
            _SEEN[key] = weakref.ref(holder, lambda _: _SEEN.pop(key, None)), notes
        except TypeError:
            return rendered  # Without weak references, its end is unknown.
    return notes.setdefault(name, rendered if value else None)


def notes_of(function: Callable[..., Any], owner: Any = None) -> set[str]:
    """Return the variables and attributes that a function and its owner's methods modify.

    Examples
    --------
    >>> def make():
    ...     cache, titles = {}, {"d1": "tea"}
    ...     def search(text, k):
    ...         cache[text] = list(titles)
    ...     return search
    >>> notes_of(make()) <= {"cache"}  # Nothing where the source is not known, as here.
    True
    """
    found: set[str] = set()
    waiting, seen = [function], set()
    while waiting:
        tree = _tree(waiting.pop())
        for node in ast.walk(tree) if tree is not None else ():
            found.update(_written(node))
            called = getattr(type(owner), getattr(node, "attr", ""), None)
            if inspect.isfunction(called) and called not in seen:
                seen.add(called)
                waiting.append(called)
    return found


def is_note(value: Any) -> bool:
    """Return whether a value may be a counter or a cache."""
    return isinstance(value, _KINDS)


def _tree(function: Any) -> ast.Module | None:
    """Return the syntax tree of a function; None without source."""
    try:
        return ast.parse(dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError):
        # The source of a lambda within a call is the whole line.
        return None


def _written(node: ast.AST) -> Iterator[str]:
    """Yield the names that a piece of source increments or modifies."""
    if isinstance(node, (ast.Nonlocal, ast.Global)):
        yield from node.names
        return
    place: ast.expr | None = None
    if isinstance(node, ast.AugAssign):
        place = node.target.value if isinstance(node.target, ast.Subscript) else node.target
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        place = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        place = node.func.value if node.func.attr in _WRITING else None
    if isinstance(place, ast.Name):
        yield place.id
    elif isinstance(place, ast.Attribute):
        yield place.attr

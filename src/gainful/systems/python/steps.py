"""Steps into the results of systems: dotted paths, keys, attributes, types."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Picker: TypeAlias = Callable[[Any], Any]

__all__ = [
    "ABSENT",
    "describe",
    "is_identifier",
    "is_mapping",
    "is_number",
    "path_of",
    "signed",
    "step",
]

#: Marks a missing field, because None may be a value.
ABSENT: Any = object()


def signed(path: str) -> tuple[float, str]:
    """Return the sign of a path, and the path without it."""
    return (-1.0, path[1:]) if path.startswith("-") else (1.0, path)


def path_of(path: str | None) -> Picker | None:
    """Return a function that follows a dotted path.

    Examples
    --------
    >>> pick = path_of("hits.0.distance")
    >>> pick({"hits": [{"distance": 0.5}]}), pick({"hits": []}) is ABSENT
    (0.5, True)
    """
    if path is None:
        return None
    sign, bare = signed(path)
    steps = bare.split(".")

    def pick(item: Any) -> Any:
        for name in steps:
            item = step(item, name)
            if item is ABSENT or item is None:
                return item
        return -item if sign < 0 and is_number(item) else item

    return pick


def step(item: Any, name: str) -> Any:
    """Return the value of a key, an attribute or an element; else `ABSENT`."""
    if item is ABSENT:
        return ABSENT
    if isinstance(item, dict):
        return item.get(name, ABSENT)
    if is_mapping(item):
        try:
            return item[name]
        except (LookupError, TypeError):
            return ABSENT
    if isinstance(item, (list, tuple)) and name.isdigit():
        return item[int(name)] if int(name) < len(item) else ABSENT
    if isinstance(item, (str, bytes)):
        return ABSENT
    return getattr(item, name, ABSENT)


# --- kinds --------------------------------------------------------------------------------------


def is_mapping(found: Any) -> bool:
    """Return whether an object has keys, like dictionaries and database rows."""
    return isinstance(found, dict) or (hasattr(found, "keys") and hasattr(found, "__getitem__"))


def is_number(found: Any) -> bool:
    """Return whether an object is a number, including NumPy's but not booleans."""
    if isinstance(found, bool):
        return False
    if isinstance(found, (int, float)):
        return True
    return hasattr(found, "__float__") and hasattr(found, "__add__") and not hasattr(found, "keys")


def is_identifier(found: Any) -> bool:
    """Return whether an object may be an id: a text, a whole number or a UUID."""
    return isinstance(found, (str, int)) or (
        hasattr(found, "__index__") or type(found).__name__ == "UUID"
    )


def describe(found: Any) -> str:
    """Describe an object without its content, which may be long or secret."""
    kind = type(found)
    name = kind.__qualname__ if kind.__module__ == "builtins" else _full_name(kind)
    if is_mapping(found):
        names = [str(name) for name in list(found.keys())[:8]]
        return f"a {name} with {', '.join(names)}" if names else f"an empty {name}"
    if isinstance(found, (bool, int, float)) or found is None:
        return repr(found)
    return f"a {name}" + (f" of {len(found)}" if isinstance(found, (list, tuple)) else "")


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"

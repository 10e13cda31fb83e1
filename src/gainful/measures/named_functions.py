"""Functions as the gain or the discount of a measure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


__all__ = ["NamedFunction"]

#: The functions by name, for notation and for pickled measures. The last of a name counts.
_FUNCTIONS: dict[str, NamedFunction] = {}


class NamedFunction(str):
    """The name of a function, which is what notation and results have, with the function.

    Examples
    --------
    >>> def root(grade):
    ...     return grade ** 0.5
    >>> name = NamedFunction.of(root)
    >>> name, name.function is root, NamedFunction.of("root") is name
    ('root', True, True)
    """

    function: Callable[[Any], object] | None

    @classmethod
    def of(cls, value: object) -> NamedFunction:
        """Return a function with its name, or the function that has a name.

        Raises
        ------
        ValueError
            For a function without a name, such as a lambda, and for an unknown name.
        """
        if isinstance(value, cls):
            return value
        if not callable(value):
            if not isinstance(value, str) or value not in _FUNCTIONS:
                raise ValueError("no function")
            return _FUNCTIONS[value]
        name = getattr(value, "__name__", "")
        if not name.isidentifier():
            raise ValueError("no name")
        known = _FUNCTIONS.get(name)
        if known is not None and known.function is value:
            return known
        named = cls(name)
        named.function = value
        _FUNCTIONS[name] = named
        return named

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NamedFunction):
            return str.__eq__(self, other) and self.function is other.function
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __deepcopy__(self, memory: object) -> NamedFunction:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (str(self),)


def _restored(name: str) -> NamedFunction:
    """Return a pickled function; without its definition, only the name."""
    if name not in _FUNCTIONS:
        restored = NamedFunction(name)
        restored.function = None
        return restored
    return _FUNCTIONS[name]

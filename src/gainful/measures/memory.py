"""What is remembered of families and functions by name, until one of them changes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["MEMORY"]


class Memory:
    """Results of functions that depend on names of families or functions, until one changes."""

    __slots__ = ("results",)

    #: The most results; a search over conventions has many that are not needed again.
    LIMIT = 512

    results: dict[tuple[object, ...], Any]

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forget all results, also those that are being computed."""
        self.results = {}

    def keep(self, results: dict[tuple[object, ...], Any], key: Any, result: object) -> None:
        """Add a result to what `results` was when its computation began."""
        if len(results) >= self.LIMIT:
            results.clear()
        results[key] = result


MEMORY = Memory()

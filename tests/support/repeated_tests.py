"""Tests that try many values in one case, since a case takes longer than most of these tests."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

__all__ = ["for_each"]


def for_each(name: str, values: Iterable[Any]) -> Callable[[Callable[..., None]], Any]:
    """Call a test with each value of a parameter, one after the other in one case."""
    values = list(values)

    def repeat(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def call(**fixtures: Any) -> None:
            for value in values:
                try:
                    test(**fixtures, **{name: value})
                except BaseException as error:
                    error.add_note(f"{name}: {value!r}")
                    raise

        signature = inspect.signature(test)
        others = [own for own in signature.parameters.values() if own.name != name]
        call.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return call

    return repeat

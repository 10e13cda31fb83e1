"""Tests that try many values in one case, since a case takes longer than most of these tests."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

__all__ = ["for_each"]


def for_each(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Any], Any]:
    """Call a test with each value of a parameter, or of several, in one case.

    It is skipped if it is for every value.
    """
    several = (names,) if isinstance(names, str) else names
    rows = [(value,) if isinstance(names, str) else tuple(value) for value in values]

    def repeat(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def call(**fixtures: Any) -> None:
            skips = []
            for row in rows:
                try:
                    test(**fixtures, **dict(zip(several, row, strict=True)))
                except pytest.skip.Exception as skip:
                    skips.append(skip)
                except BaseException as error:
                    error.add_note(f"{several}: {row!r}")
                    raise
            if len(skips) == len(rows):
                raise skips[0]

        signature = inspect.signature(test)
        others = [own for own in signature.parameters.values() if own.name not in several]
        call.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return call

    return repeat

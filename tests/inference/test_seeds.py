"""Functions without a seed draw with seed 0, so that published numbers can be reproduced."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import gainful.inference


def seeds() -> dict[str, object]:
    """Return the default seed of each function and class of `gainful.inference`."""
    found = {}
    for module in pkgutil.iter_modules(gainful.inference.__path__):
        name = f"{gainful.inference.__name__}.{module.name}"
        for function, value in vars(import_module(name)).items():
            if getattr(value, "__module__", None) != name or not callable(value):
                continue
            seed = inspect.signature(value).parameters.get("seed")
            if seed is not None and seed.default is not seed.empty:
                found[f"{module.name}.{function}"] = seed.default
    return found


def test_the_default_seed_is_0() -> None:
    found = seeds()
    assert len(found) > 10
    assert {name for name, seed in found.items() if seed != 0} == set()

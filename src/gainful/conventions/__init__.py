"""Conventions: how tools compute measures, by name.

>>> import gainful
>>> gainful.conventions["trec_eval-9.0.8"].missing
'skip'
>>> "trec_eval" in gainful.conventions
True
>>> list(gainful.conventions)[:3]
['gainful-1', 'trec_eval-9.0.8', 'trec_eval-10.0-rc3']

The module itself is the collection.
"""

from __future__ import annotations

import sys

from gainful._lazy import load_on_use
from gainful.conventions.convention import Convention, describe, get, presets
from gainful.conventions.presets import Preset, find
from gainful.errors import GainfulError
from gainful.policies import POLICIES, Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from gainful.conventions.difference import diff
    from gainful.conventions.project import read
if not TYPE_CHECKING:
    ModuleType = type(sys)

__all__ = [
    "POLICIES",
    "Convention",
    "Policy",
    "Preset",
    "describe",
    "diff",
    "get",
    "presets",
    "read",
]

# Load the comparison of conventions, and those of projects, only when they are used.
load_on_use(globals(), {"difference": ["diff"], "project": ["read"]})


class Conventions(ModuleType):
    """The module as a collection of its presets.

    ``gainful.conventions`` is declared with this type, since type checkers cannot index a module.
    """

    if TYPE_CHECKING:
        POLICIES = POLICIES
        describe = staticmethod(describe)
        diff = staticmethod(diff)
        get = staticmethod(get)
        presets = staticmethod(presets)
        read = staticmethod(read)

    def __getitem__(self, name: str) -> Convention:
        return get(name)

    def __iter__(self) -> Iterator[str]:
        return iter([preset.name for preset in presets()])

    def __len__(self) -> int:
        return len(presets())

    def __contains__(self, name: object) -> bool:
        try:
            find(name)
        except GainfulError:
            return False
        return True


sys.modules[__name__].__class__ = Conventions

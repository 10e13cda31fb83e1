"""Conventions: how numbers are made, by name.

>>> import gainful.conventions
>>> gainful.conventions["trec_eval-9.0.8"].missing
'skip'
>>> "trec_eval" in gainful.conventions
True
>>> list(gainful.conventions)[:3]
['gainful-1', 'trec_eval-9.0.8', 'trec_eval-10.0-rc3']

The module itself is the collection; `get` is the same for type checkers, to which a module is
nothing that can be indexed.
"""

from __future__ import annotations

import sys

from gainful.conventions.convention import Convention
from gainful.conventions.policies import POLICIES, Policy
from gainful.conventions.presets import PRESETS as _PRESETS
from gainful.conventions.presets import Preset, find, load
from gainful.errors import GainfulError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
else:
    ModuleType = type(sys)

__all__ = ["POLICIES", "Convention", "Policy", "Preset", "describe", "get", "presets"]


def get(convention: str | Convention = "gainful-1") -> Convention:
    """Return the convention of a name; a `Convention` is returned as it is.

    Parameters
    ----------
    convention : str or Convention
        ``"trec_eval-9.0.8"``, or a shorter name, which means the newest stable version:
        ``"trec_eval"``.

    Raises
    ------
    ConventionError
        If no convention goes by this name; the message says which names are close.

    Examples
    --------
    >>> get("trec_eval").name
    'trec_eval-9.0.8'
    """
    return convention if isinstance(convention, Convention) else find(convention).convention


def describe(name: str) -> Preset:
    """Return a preset: its convention, summary, evidence and source.

    Examples
    --------
    >>> describe("trec_eval").evidence
    'run'
    """
    return find(name)


def presets() -> list[Preset]:
    """Return every preset, the default convention's first.

    Examples
    --------
    >>> [preset.name for preset in presets()][0]
    'gainful-1'
    """
    return [load(name) for name in _PRESETS]


class _Conventions(ModuleType):
    """The module as the collection of its presets."""

    def __getitem__(self, name: str) -> Convention:
        return find(name).convention

    def __iter__(self) -> Iterator[str]:
        return iter(_PRESETS)

    def __len__(self) -> int:
        return len(_PRESETS)

    def __contains__(self, name: object) -> bool:
        try:
            find(name)
        except GainfulError:
            return False
        return True


sys.modules[__name__].__class__ = _Conventions

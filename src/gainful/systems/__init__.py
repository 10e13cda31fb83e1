"""What produces a run: callables, search engines over HTTP, databases and baselines.

``search`` asks a system every query and makes a `Run` of what it answers.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.sweeps.points import Range
    from gainful.systems.call import search
    from gainful.systems.fetching.account import Account
    from gainful.systems.loading import as_system, load_system
    from gainful.systems.protocol import Answer, Query, System
    from gainful.systems.queries import Queries

__all__ = [
    "Account",
    "Answer",
    "Queries",
    "Query",
    "Range",
    "System",
    "as_system",
    "load_system",
    "search",
]

# Name by name, where it stands: a system over HTTP loads nothing of databases.
_PLACES = {
    "Account": "gainful.systems.fetching.account",
    "Answer": "gainful.systems.protocol",
    "Queries": "gainful.systems.queries",
    "Query": "gainful.systems.protocol",
    "Range": "gainful.sweeps.points",
    "System": "gainful.systems.protocol",
    "as_system": "gainful.systems.loading",
    "load_system": "gainful.systems.loading",
    "search": "gainful.systems.call",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'gainful.systems' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""What produces a run: callables, search engines over HTTP, databases and baselines.

`gainful.search` asks a system every query and makes a `Run` of what it answers.
"""

from __future__ import annotations

__all__ = ["Account", "Answer", "Queries", "Query", "System", "load_system", "search"]

# Name by name, where it stands: each is loaded when it is first used.
_PLACES = {
    "Account": "account",
    "Answer": "protocol",
    "Queries": "queries",
    "Query": "protocol",
    "System": "protocol",
    "load_system": "description",
    "search": "call",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.account import Account
    from gainful.systems.call import search
    from gainful.systems.protocol import Answer, Query, System


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'gainful.systems' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"gainful.systems.{_PLACES[name]}"), name)
    globals()[name] = value
    return value

"""Systems that produce runs: callables, search engines over HTTP, databases, baselines.

``search`` sends every query to a system and collects the answers in a `Run`.
"""

from __future__ import annotations

from gainful._lazy import load_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.call import search as search
    from gainful.systems.fetching.account import Account as Account
    from gainful.systems.loading import Inspection as Inspection
    from gainful.systems.loading import as_system as as_system
    from gainful.systems.loading import inspect_description as inspect_description
    from gainful.systems.loading import load_system as load_system
    from gainful.systems.protocol import Answer as Answer
    from gainful.systems.protocol import Query as Query
    from gainful.systems.protocol import System as System
    from gainful.systems.queries import Queries as Queries

load_on_use(
    globals(),
    {
        "call": ["search"],
        "fetching.account": ["Account"],
        "loading": ["Inspection", "inspect_description", "as_system", "load_system"],
        "protocol": ["Answer", "Query", "System"],
        "queries": ["Queries"],
    },
)

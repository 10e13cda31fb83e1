"""Measures: notation, families, and what is known about each family.

Every family is an attribute of this module, such as `gainful.measures.nDCG`. Parameters and a
cutoff make a measure from it:

>>> from gainful.measures import AP, nDCG, parse_measures
>>> nDCG @ 10, nDCG(gain="exponential") @ 10, AP(rel=2)
(nDCG@10, nDCG(gain='exponential')@10, AP(rel=2))
>>> parse_measures("ndcg_cut_10 MAP mrr@10")
[nDCG@10, AP, RR@10]

Each group of families is declared in a file of `gainful.measures.definitions`:

>>> from gainful.measures import describe
>>> describe("ERR").summary
'Expected reciprocal rank: reciprocal rank at which a user is satisfied'
"""

from __future__ import annotations

from gainful.measures import index
from gainful.measures.algebra import Measure
from gainful.measures.catalogue import families

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Family
    from gainful.measures.names import *  # noqa: F403
    from gainful.measures.notation import describe, parse_measure, parse_measures
    from gainful.measures.own import Ranking, Rankings, declare, define
    from gainful.measures.parameters import Parameter

__all__ = [
    "Family",
    "Measure",
    "Parameter",
    "Ranking",
    "Rankings",
    "declare",
    "define",
    "describe",
    "families",
    "parse_measure",
    "parse_measures",
]
__all__ += index.__all__

_ELSEWHERE = {
    "Family": "family",
    "Parameter": "parameters",
    "Ranking": "own",
    "Rankings": "own",
    "declare": "own",
    "define": "own",
    "describe": "notation",
    "parse_measure": "notation",
    "parse_measures": "notation",
}


# Hidden from type checkers, which would accept every name otherwise.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # The file of a family is read on its first use.
        if name in index.FAMILIES:
            value: object = Measure(name)
        elif name in _ELSEWHERE:
            module = __import__(f"{__name__}.{_ELSEWHERE[name]}", fromlist=[name])
            value = getattr(module, name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

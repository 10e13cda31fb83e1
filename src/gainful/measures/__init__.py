"""What can be asked for: measures, their notation, and what is known about each family.

Every family is an attribute of this module, `gainful.measures.nDCG` and so on. A measure is made
from it by parameters and a cutoff:

>>> from gainful.measures import AP, nDCG, parse_measures
>>> nDCG @ 10, nDCG(gain="exponential") @ 10, AP(rel=2)
(nDCG@10, nDCG(gain='exponential')@10, AP(rel=2))
>>> parse_measures("ndcg_cut_10 MAP mrr@10")
[nDCG@10, AP, RR@10]

A family's declaration, one file each in `gainful.measures.definitions`, says what it is:

>>> from gainful.measures import describe
>>> describe("ERR").summary
'The expected reciprocal rank at which a user who reads downwards is satisfied'
"""

from __future__ import annotations

from gainful.measures import index
from gainful.measures.algebra import Measure
from gainful.measures.catalogue import families

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Family
    from gainful.measures.index import *  # noqa: F403
    from gainful.measures.notation import describe, parse_measure, parse_measures
    from gainful.measures.parameters import Parameter

__all__ = [
    "Family",
    "Measure",
    "Parameter",
    "describe",
    "families",
    "parse_measure",
    "parse_measures",
]
__all__ += index.__all__

_ELSEWHERE = {
    "Family": "family",
    "Parameter": "parameters",
    "describe": "notation",
    "parse_measure": "notation",
    "parse_measures": "notation",
}


# Hidden from type checkers, which would else believe in every name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # Each family is declared in a file of its own, which is read when the family is first used.
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

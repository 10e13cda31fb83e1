"""Translate measures of pytrec_eval, with the keys of their values."""

from __future__ import annotations

from gainful.measures import Measure
from gainful.measures.catalogue import trec_name
from gainful.measures.index import TREC_NAMES
from gainful.measures.notation import parse_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["columns"]

#: Values of pytrec_eval for outputs of trec_eval that are not per query.
_CONSTANTS = {"runid": 0.0, "num_q": 1.0, "relstring": 0.0}


def columns(
    chosen: Mapping[str, tuple[float, ...]], level: float
) -> Iterable[tuple[str, Measure | float]]:
    """Yield the keys of a query's values, each with its measure or a constant.

    Parameters
    ----------
    chosen : mapping of str to tuple of float
        Names with their numbers, as in `gainful.compat.pytrec_eval.names.chosen`.
    level : float
        The lowest relevant grade.

    Examples
    --------
    >>> list(columns({"num_q": (), "P": (5, 10), "set_F": (2,)}, 1))
    [('num_q', 1.0), ('P_5', P@5), ('P_10', P@10), ('set_F', F(weight=2))]
    """
    for name, numbers in chosen.items():
        if name in _CONSTANTS:
            yield name, _CONSTANTS[name]
            continue
        trec = trec_name(name)
        if trec.takes == "cutoffs":
            for cutoff in numbers or trec.cutoffs:
                measure = Measure(TREC_NAMES[name], trec.params, int(cutoff))
                yield f"{name}_{cutoff}", _at(measure, level)
        elif trec.takes == "points":
            for point in numbers or trec.points:
                yield f"{name}_{point:.2f}", _at(parse_measure(f"{name}_{point}"), level)
        else:
            behind = f"_{','.join(map(str, numbers))}" if numbers else ""
            yield name, _at(parse_measure(name + behind), level)


def _at(measure: Measure, level: float) -> Measure:
    """Return a measure with the lowest relevant grade, if it has that parameter."""
    if level == 1 or all(each.name != "rel" for each in measure.declaration.parameters):
        return measure
    return measure(rel=level)

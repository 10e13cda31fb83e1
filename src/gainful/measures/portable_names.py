"""Names of measures for programs that allow only letters, digits, ``_``, ``-`` and ``.``."""

from __future__ import annotations

import re

from gainful.errors import MeasureError
from gainful.measures.notation import parse_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.measures.algebra import Measure

__all__ = ["name_in_trec_eval", "portable"]


def name_in_trec_eval(measure: Measure) -> str:
    """Return trec_eval's name of a measure, or a similar one if trec_eval does not have it.

    Examples
    --------
    >>> from gainful.measures import parse_measures
    >>> [name_in_trec_eval(each) for each in parse_measures("nDCG@10 AP RR@10 ERR@20 RBP(p=0.5)")]
    ['ndcg_cut_10', 'map', 'RR_10', 'ERR_20', 'rbp_0.5']
    """
    for name in _candidates(measure):
        if portable(name) == name:
            try:
                measures = parse_measures(name)
            except MeasureError:
                continue
            if measures == [measure]:
                return name
    return portable(repr(measure))


def portable(name: str) -> str:
    """Return a name with one ``_`` for each run of other characters, and none at the end.

    Examples
    --------
    >>> portable("bm25 (k1=0.9)"), portable("nDCG(gain='exponential')@10")
    ('bm25_k1_0.9', 'nDCG_gain_exponential_10')
    """
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_") or "_"


def _candidates(measure: Measure) -> Iterator[str]:
    values = [value for value in measure.params.values() if isinstance(value, (int, float))]
    if measure.cutoff is not None:
        values.append(measure.cutoff)
    for name in measure.declaration.trec_names:
        yield name
        for value in values:
            yield f"{name}_{value}"
            if isinstance(value, float):
                yield f"{name}_{value:.2f}"

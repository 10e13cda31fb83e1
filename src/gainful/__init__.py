"""Gainful measures how good a ranking is.

nDCG and its kin, with every convention named, exact and fast.

>>> import gainful
>>> gainful.dcg([3, 0, 2])
4.0
>>> round(gainful.ndcg([3, 0, 2]), 4)
0.9386

`evaluate` takes judgments and runs, `explain` shows where one query's number comes from, `contrast`
what the choice between two conventions does to it, `reconcile` finds the convention of a number,
`gainful.measures` holds the measures, `gainful.conventions` the conventions, and `gainful.compat`
stand-ins for other tools.
"""

__version__ = "0.1.0"

__all__ = [
    "Contrast",
    "Convention",
    "Evaluation",
    "Explanation",
    "GainfulError",
    "Measure",
    "Qrels",
    "Reconciliation",
    "Run",
    "__version__",
    "cg",
    "compare_measures",
    "compare_online",
    "compat",
    "contrast",
    "conventions",
    "dcg",
    "errors",
    "evaluate",
    "explain",
    "idcg",
    "measures",
    "ndcg",
    "power_analysis",
    "read_qrels",
    "read_run",
    "reconcile",
]

# Name by name, where it stands: importing gainful imports nothing else.
_PLACES = {
    "Contrast": "gainful.contrasts",
    "Convention": "gainful.conventions",
    "Evaluation": "gainful.evaluation",
    "Explanation": "gainful.explanation",
    "GainfulError": "gainful.errors",
    "Measure": "gainful.measures",
    "Qrels": "gainful.data",
    "Reconciliation": "gainful.reconciliation",
    "Run": "gainful.data",
    "cg": "gainful.formulas",
    "compare_measures": "gainful.agreement",
    "compare_online": "gainful.agreement",
    "compat": "",
    "contrast": "gainful.contrasts",
    "conventions": "",
    "dcg": "gainful.formulas",
    "errors": "",
    "evaluate": "gainful.evaluation",
    "explain": "gainful.explanation",
    "idcg": "gainful.formulas",
    "measures": "",
    "ndcg": "gainful.formulas",
    "power_analysis": "gainful.agreement",
    "read_qrels": "gainful.data",
    "read_run": "gainful.data",
    "reconcile": "gainful.reconciliation",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful import compat, conventions, errors, measures
    from gainful.agreement import (
        compare_measures,
        compare_online,
        power_analysis,
    )
    from gainful.contrasts import Contrast, contrast
    from gainful.conventions import Convention
    from gainful.data import Qrels, Run, read_qrels, read_run
    from gainful.errors import GainfulError
    from gainful.evaluation import Evaluation, evaluate
    from gainful.explanation.account import Explanation
    from gainful.explanation.explain import explain
    from gainful.formulas import cg, dcg, idcg, ndcg
    from gainful.measures import Measure
    from gainful.reconciliation import Reconciliation, reconcile


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'gainful' has no attribute {name!r}")
    from importlib import import_module

    place = _PLACES[name]
    value = getattr(import_module(place), name) if place else import_module(f"gainful.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

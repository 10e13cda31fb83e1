"""Gainful measures how good a ranking is.

nDCG and its kin, with every convention named, exact and fast.

>>> import gainful
>>> gainful.dcg([3, 0, 2])
4.0
>>> round(gainful.ndcg([3, 0, 2]), 4)
0.9386

`evaluate` takes judgments and runs, `compare` says whether one system is better than another,
`explain` shows where one query's number comes from, `contrast` what the choice between two
conventions does to it, `reconcile` finds the convention of a number, `gainful.measures` holds the
measures, `gainful.conventions` the conventions, and `gainful.compat` stand-ins for other tools.
"""

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Contrast",
    "Convention",
    "Evaluation",
    "Explanation",
    "GainfulError",
    "GateResult",
    "JudgmentQuality",
    "Measure",
    "Qrels",
    "Ratings",
    "Reconciliation",
    "Run",
    "Suite",
    "Sweep",
    "__version__",
    "baselines",
    "cg",
    "compare",
    "compare_evaluations",
    "compare_measures",
    "compare_online",
    "compat",
    "contrast",
    "conventions",
    "dcg",
    "errors",
    "evaluate",
    "evaluate_suite",
    "explain",
    "gate",
    "headroom",
    "idcg",
    "judgment_quality",
    "make_baseline",
    "measures",
    "ndcg",
    "power_analysis",
    "read_qrels",
    "read_ratings",
    "read_run",
    "reconcile",
    "sample_labels",
    "search",
    "sweep",
    "unjudged_documents",
]

# Name by name, where it stands: importing gainful imports nothing else.
_PLACES = {
    "Comparison": "gainful.comparison",
    "Contrast": "gainful.contrasts",
    "Convention": "gainful.conventions",
    "Evaluation": "gainful.evaluation",
    "Explanation": "gainful.explanation",
    "GainfulError": "gainful.errors",
    "JudgmentQuality": "gainful.judging",
    "GateResult": "gainful.gates",
    "Measure": "gainful.measures",
    "Qrels": "gainful.data",
    "Ratings": "gainful.judging",
    "Reconciliation": "gainful.reconciliation",
    "Run": "gainful.data",
    "Suite": "gainful.suite",
    "Sweep": "gainful.sweeps",
    "baselines": "",
    "cg": "gainful.formulas",
    "compare": "gainful.comparison",
    "compare_evaluations": "gainful.comparison",
    "compare_measures": "gainful.agreement",
    "compare_online": "gainful.agreement",
    "compat": "",
    "contrast": "gainful.contrasts",
    "conventions": "",
    "dcg": "gainful.formulas",
    "errors": "",
    "evaluate": "gainful.evaluation",
    "evaluate_suite": "gainful.suite",
    "explain": "gainful.explanation",
    "gate": "gainful.gates",
    "headroom": "gainful.bounds",
    "idcg": "gainful.formulas",
    "judgment_quality": "gainful.judging",
    "make_baseline": "gainful.gates",
    "measures": "",
    "ndcg": "gainful.formulas",
    "power_analysis": "gainful.agreement",
    "read_qrels": "gainful.data",
    "read_ratings": "gainful.judging",
    "read_run": "gainful.data",
    "reconcile": "gainful.reconciliation",
    "sample_labels": "gainful.unjudged",
    "search": "gainful.systems",
    "sweep": "gainful.sweeps",
    "unjudged_documents": "gainful.unjudged",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful import baselines, compat, conventions, errors, measures
    from gainful.agreement import (
        compare_measures,
        compare_online,
        power_analysis,
    )
    from gainful.bounds import headroom
    from gainful.comparison import Comparison, compare, compare_evaluations
    from gainful.contrasts import Contrast, contrast
    from gainful.conventions import Convention
    from gainful.data import Qrels, Run, read_qrels, read_run
    from gainful.errors import GainfulError
    from gainful.evaluation import Evaluation, evaluate
    from gainful.explanation.account import Explanation
    from gainful.explanation.explain import explain
    from gainful.formulas import cg, dcg, idcg, ndcg
    from gainful.gates import GateResult, gate, make_baseline
    from gainful.judging import JudgmentQuality, Ratings, judgment_quality, read_ratings
    from gainful.measures import Measure
    from gainful.reconciliation import Reconciliation, reconcile
    from gainful.suite import Suite, evaluate_suite
    from gainful.sweeps import Sweep, sweep
    from gainful.systems import search
    from gainful.unjudged import sample_labels, unjudged_documents


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

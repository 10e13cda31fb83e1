"""A drop-in replacement for pytrec_eval.

``import gainful.compat.pytrec_eval as pytrec_eval`` gives the values of pytrec_eval 0.5.11
(pytrec-eval-terrier, around trec_eval 9.0.8) to the last bit, with the same keys in the same order,
and raises exceptions where pytrec_eval ends the process. To replace it in libraries that import
pytrec_eval, use `gainful.compat.install`.

>>> import gainful.compat.pytrec_eval as pytrec_eval
>>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
>>> evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.5,10"})
>>> evaluator.evaluate({"q1": {"d2": 1.5, "d1": 1.0}})
{'q1': {'map': 0.5, 'ndcg_cut_5': 0.6309297535714575, 'ndcg_cut_10': 0.6309297535714575}}
"""

from gainful.compat.pytrec_eval.evaluator import (
    RelevanceEvaluator,
    compute_aggregated_measure,
    parse_qrel,
    parse_run,
    supported_measures,
    supported_nicknames,
)

#: The version of pytrec_eval (pytrec-eval-terrier) that is reproduced.
__version__ = "0.5.11"

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

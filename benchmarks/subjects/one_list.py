"""In process: nDCG of one list of five grades, in rank order.

Usage: one_list.py gainful|scikit-learn|pytrec_eval|python
"""

from __future__ import annotations

import sys
from math import log2

import gainful_calls
import worker

GRADES = [3, 2, 3, 0, 1]
DISCOUNTS = [1 / log2(rank + 1) for rank in range(1, 6)]


def ndcg(grades: list[int]) -> float:
    """Return nDCG in short and fast plain Python."""
    gained = sum([grade * discount for grade, discount in zip(grades, DISCOUNTS)])  # noqa: B905
    best = sorted(grades, reverse=True)
    ideal = sum([grade * discount for grade, discount in zip(best, DISCOUNTS)])  # noqa: B905
    return gained / ideal if ideal else 0.0


def main(subject: str) -> None:
    """Prepare the subject, then serve the calls."""
    names: dict[str, object] = {"grades": GRADES}
    statement = "ndcg(grades)"
    if subject == "gainful":
        names["ndcg"] = gainful_calls.ndcg()
    elif subject == "python":
        names["ndcg"] = ndcg
    elif subject == "scikit-learn":
        from sklearn.metrics import ndcg_score

        names |= {"ndcg_score": ndcg_score, "labels": [GRADES], "scores": [[5, 4, 3, 2, 1]]}
        statement = "ndcg_score(labels, scores)"
    else:
        import pytrec_eval

        documents = [f"d{place}" for place in range(1, 6)]
        qrels = {"q": dict(zip(documents, GRADES, strict=True))}
        names["evaluate"] = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg"}).evaluate
        names["run"] = {"q": {name: 5.0 - place for place, name in enumerate(documents)}}
        statement = "evaluate(run)['q']['ndcg']"
    worker.serve_statement(statement, names, [float(eval(statement, names))])


if __name__ == "__main__":
    main(*sys.argv[1:])

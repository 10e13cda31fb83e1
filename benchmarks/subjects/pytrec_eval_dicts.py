"""In process: `RelevanceEvaluator.evaluate` on dicts of dicts, pytrec_eval's or Gainful's.

The evaluator is created once, and every call measures the run. With `small` the run is one query
with ten documents, and the call is timed in a loop.

Usage: pytrec_eval_dicts.py gainful|pytrec_eval QRELS RUN MEASURES [small]
"""

from __future__ import annotations

import sys

import gainful_calls
import trec_text
import worker

SMALL = 10


def main(subject: str, qrels_path: str, run_path: str, measures: str, size: str = "") -> None:
    """Read the files, then serve the calls."""
    qrels, run = trec_text.read_qrels(qrels_path), trec_text.read_run(run_path)
    if subject == "gainful":
        evaluator = gainful_calls.relevance_evaluator(qrels, measures.split())
    else:
        import pytrec_eval

        evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures.split())
    if size != "small":
        worker.serve(lambda: evaluator.evaluate(run), means)
        return
    # A query with a relevant document among its ten, so that the values are not 0.
    tops = {query: dict(list(scores.items())[:SMALL]) for query, scores in run.items()}
    query = next(query for query, top in tops.items() if any(map(qrels.get(query, {}).get, top)))
    run = {query: tops[query]}
    names = {"evaluate": evaluator.evaluate, "run": run}
    worker.serve_statement("evaluate(run)", names, means(evaluator.evaluate(run)))


def means(result: dict[str, dict[str, float]]) -> list[float]:
    """Return the mean of each measure over the queries, in the order of the keys."""
    rows = [values.values() for values in result.values()]
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


if __name__ == "__main__":
    main(*sys.argv[1:])

"""An evaluator for Sentence Transformers that adds confidence intervals."""

from __future__ import annotations

from importlib.util import find_spec

from gainful.data import Qrels
from gainful.evaluation import evaluate
from gainful.packages import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.data.qrels import QrelsLike

__all__ = ["make_evaluator"]

#: Its names, where it takes their cutoffs from, and Gainful's measures.
_METRICS = (
    ("accuracy@k", "accuracy_at_k", "Success"),
    ("precision@k", "precision_recall_at_k", "P"),
    ("recall@k", "precision_recall_at_k", "R"),
    ("ndcg@k", "ndcg_at_k", "nDCG"),
    ("mrr@k", "mrr_at_k", "RR"),
    ("map@k", "map_at_k", "AP"),
)


def make_evaluator(
    queries: Mapping[str, Any], corpus: Mapping[str, Any], qrels: QrelsLike, **options: Any
) -> Any:
    """Make an evaluator for ``evaluator=`` of `SentenceTransformerTrainer`, or to call directly.

    It is an `InformationRetrievalEvaluator` of Sentence Transformers, with the same names and
    numbers, and the ends of their 95% intervals as ``NAME_low`` and ``NAME_high``.

    Parameters
    ----------
    queries, corpus : mapping of str to text
        The queries and the documents.
    qrels : path, mapping, data frame or Qrels
        The judgments, as for `gainful.evaluate`. Documents with a grade above 0 are relevant.
    **options
        The other arguments of `InformationRetrievalEvaluator`, such as ``ndcg_at_k`` and ``name``.

    Returns
    -------
    sentence_transformers.evaluation.InformationRetrievalEvaluator
        After a call, `evaluations` and `runs` have a `gainful.Evaluation` and a mapping of the
        ranked documents by score function, for reports and comparisons of models.

    Raises
    ------
    MissingPackageError
        If sentence-transformers is not installed.

    Examples
    --------
    >>> corpus = {"d1": "Red lentil soup", "d2": "Bread without yeast"}
    >>> evaluator = make_evaluator({"q1": "soup"}, corpus, {"q1": {"d1": 2, "d2": 0}}, name="soup")
    >>> evaluator.relevant_docs
    {'q1': {'d1'}}
    """
    relevant = {
        str(query): {str(document) for document, grade in grades.items() if grade > 0}
        for query, grades in Qrels(qrels).to_dict().items()
    }
    base = _evaluation_module().InformationRetrievalEvaluator

    class RankingEvaluator(base):  # type: ignore[misc, valid-type]
        """An evaluator that adds confidence intervals."""

        def __call__(self, *arguments: Any, **keywords: Any) -> dict[str, float]:
            self._found: list[tuple[Any, Any]] = []
            metrics: dict[str, float] = super().__call__(*arguments, **keywords)
            # compute_metrics is called for the score functions in their order.
            results = dict(zip(self.score_functions, self._found, strict=True))
            self.runs = {name: run for name, (run, _) in results.items()}
            self.evaluations = {name: evaluation for name, (_, evaluation) in results.items()}
            return metrics

        def compute_metrics(self, queries_result_list: Any) -> dict[str, dict[int, float]]:
            """Return means and the ends of intervals by metric and cutoff."""
            run = {
                query: {hit["corpus_id"]: hit["score"] for hit in hits}
                for query, hits in zip(self.queries_ids, queries_result_list, strict=True)
            }
            named = [
                (name, cutoff, f"{measure}@{cutoff}")
                for name, cutoffs, measure in _METRICS
                for cutoff in getattr(self, cutoffs)
            ]
            judged = {query: dict.fromkeys(self.relevant_docs[query], 1) for query in run}
            evaluation = evaluate(
                judged,
                runs={self.name or "model": run},
                measures=[measure for *_, measure in named],
                convention="sentence-transformers",
            )
            self._found.append((run, evaluation))
            values: dict[str, dict[int, float]] = {}
            for name, cutoff, measure in named:
                summary = evaluation.summary(measure)
                values.setdefault(name, {})[cutoff] = summary.mean
                for end, value in zip(("low", "high"), summary.interval or (), strict=False):
                    values.setdefault(f"{name}_{end}", {})[cutoff] = value
            return values

    return RankingEvaluator(queries, corpus, relevant, **options)


def _evaluation_module() -> Any:
    """Return its module of evaluators, which moved in version 6."""
    name = "sentence_transformers"
    moved = f"{name}.sentence_transformer"
    module = moved if find_spec(name) and find_spec(moved) else name
    return load_package(
        f"{module}.evaluation", where="make_evaluator", package="sentence-transformers"
    )

"""Estimate the full ranking of a query whose candidates were sampled."""

from __future__ import annotations

from gainful.data.table import kernel_rows
from gainful.evaluation.call import evaluate_runs
from gainful.explanation.rows import FullRank, FullRanking
from gainful.policies import sample_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.data import Qrels
    from gainful.explanation.result import Explanation

__all__ = ["estimate_full_ranking"]


def estimate_full_ranking(explanation: Explanation, judgments: Qrels) -> FullRanking | None:
    """Return an estimate for a ranking of all documents; None if their number is unknown.

    With n sampled documents of the M - R that are not relevant, and b of them above a relevant
    document, b (M - R) / n is an unbiased estimate of how many of all are above it. For one
    relevant document at rank r the estimated rank is 1 + (r - 1) (M - 1) / n.

    Walid Krichene and Steffen Rendle: On sampled metrics for item recommendation. KDD 2020. Dong
    Li, Ruoming Jin, Jing Gao and Zhi Liu: On sampling top-K recommendation evaluation. KDD 2020.
    """
    drawn, documents = sample_of(explanation.convention.candidates) or (0, None)
    if documents is None or kernel_rows(judgments).labelled:
        return None
    grades = judgments[explanation.query]
    relevant = {document for document, grade in grades.items() if grade > 0}
    retrieved = sorted(
        (document.rank, document.document)
        for document in explanation.documents
        if document.rank is not None and document.document in relevant
    )
    ranks = []
    for above, (rank, document) in enumerate(retrieved):
        others = rank - 1 - above
        full = 1 + above + others * max(documents - len(relevant), 0) / drawn
        ranks.append(FullRank(document=document, rank=rank, full_rank=full))
    return FullRanking(
        documents=documents,
        sampled=drawn,
        ranks=tuple(ranks),
        value=_value(explanation, ranks, grades),
    )


def _value(explanation: Explanation, ranks: list[FullRank], grades: Mapping[str, float]) -> float:
    """Return the measure of a ranking with relevant documents at their estimated ranks."""
    last = max((int(rank.full_rank) for rank in ranks), default=0)
    cutoff = explanation.resolved.cutoff
    depth = last if cutoff is None else min(last, cutoff)
    # No id of a document begins with a null byte.
    ranking = [f"\0{place}" for place in range(depth)]
    for rank in ranks:
        if rank.full_rank < depth + 1:
            ranking[int(rank.full_rank) - 1] = rank.document
    convention = explanation.convention.replace(order="given", ties="given", candidates="all")
    query = explanation.query
    runs = {"full": {query: ranking}}
    result = evaluate_runs({query: dict(grades)}, runs, [explanation.measure], convention)
    return next(iter(result.per_query().values()), float("nan"))

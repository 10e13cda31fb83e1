"""What the demo does: three systems are asked, evaluated and compared, and a query is explained."""

from __future__ import annotations

from gainful.comparison import Comparison, compare_evaluations
from gainful.demo.collection import products_path, qrels, queries_path
from gainful.demo.search import runs
from gainful.evaluation import Evaluation, evaluate
from gainful.explanation import Explanation, explain, worst_query

__all__ = ["Demonstration", "demonstrate"]

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "Judged@10")

#: The system whose worst query is explained.
EXPLAINED = "fts5-tuned"


class Demonstration:
    """What came out.

    Attributes
    ----------
    judgments : dict of str to dict of str to int
        Grades by document by query.
    rankings : dict of str to dict of str to list of (str, float)
        By system and query, documents and scores.
    evaluation : Evaluation
        Of all systems.
    comparison : Comparison
        Of all pairs, on the first measure.
    explanation : Explanation
        Of the query on which the tuned system loses most.
    """

    __slots__ = ("comparison", "evaluation", "explanation", "judgments", "rankings")

    def __init__(
        self,
        judgments: dict[str, dict[str, int]],
        rankings: dict[str, dict[str, list[tuple[str, float]]]],
        evaluation: Evaluation,
        comparison: Comparison,
        explanation: Explanation,
    ) -> None:
        self.judgments = judgments
        self.rankings = rankings
        self.evaluation = evaluation
        self.comparison = comparison
        self.explanation = explanation


def demonstrate() -> Demonstration:
    """Ask the demo's systems all queries, and evaluate, compare and explain what they return.

    Raises
    ------
    GainfulError
        Python's SQLite was built without FTS5.

    Examples
    --------
    >>> for pair in demonstrate().comparison.pairs:
    ...     print(pair.system, "is", pair.verdict, "beside", pair.baseline)
    fts5-tuned is better beside fts5-plain
    title-words is inconclusive beside fts5-plain
    title-words is worse beside fts5-tuned
    """
    judgments, rankings = qrels(), runs()
    evaluation = evaluate(judgments, runs=rankings, measures=MEASURES)
    comparison = compare_evaluations(evaluation, MEASURES[0])
    explanation = explain(
        judgments,
        rankings[EXPLAINED],
        worst_query(judgments, rankings[EXPLAINED], MEASURES[0]),
        MEASURES[0],
        docs=products_path(),
        queries=queries_path(),
    )
    return Demonstration(judgments, rankings, evaluation, comparison, explanation)

"""What the demo does: three systems are asked, evaluated and compared, and a query is explained."""

from __future__ import annotations

from gainful.demo.collection import products_path, qrels, queries_path
from gainful.demo.search import runs
from gainful.evaluation import Evaluation, evaluate
from gainful.explanation import Explanation, explain, worst_query
from gainful.inference import mean_interval

__all__ = ["Demonstration", "Pair", "demonstrate"]

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "Judged@10")

#: What is compared, and with what.
PAIRS = (
    ("fts5-tuned", "fts5-plain"),
    ("title-words", "fts5-tuned"),
    ("title-words", "fts5-plain"),
)

#: The system whose worst query is explained.
EXPLAINED = "fts5-tuned"

#: Each of three intervals at this level, so that all three hold together in 95 % of samples
#: (Bonferroni).
LEVEL = 1 - 0.05 / len(PAIRS)


class Pair:
    """How one system does beside another on the same queries.

    Attributes
    ----------
    system, baseline : str
        Their names.
    difference : float
        The mean over queries of the system's value less the baseline's.
    low, high : float
        Student's t interval for it, at the level `LEVEL`.
    wins, ties, losses : int
        Queries on which the system is better, equal and worse.
    """

    __slots__ = ("baseline", "difference", "high", "losses", "low", "system", "ties", "wins")

    def __init__(self, system: str, baseline: str, differences: list[float]) -> None:
        n = len(differences)
        self.system = system
        self.baseline = baseline
        self.difference = sum(differences) / n
        squares = sum((each - self.difference) ** 2 for each in differences)
        interval = mean_interval(self.difference, (squares / (n - 1)) ** 0.5, n, level=LEVEL)
        assert interval is not None
        self.low, self.high = interval
        self.wins = sum(each > 0 for each in differences)
        self.losses = sum(each < 0 for each in differences)
        self.ties = n - self.wins - self.losses

    @property
    def verdict(self) -> str:
        """``better`` or ``worse`` where the interval leaves out 0, else ``inconclusive``."""
        if self.low > 0:
            return "better"
        return "worse" if self.high < 0 else "inconclusive"

    def __repr__(self) -> str:
        return f"<{self.system} is {self.verdict} beside {self.baseline}: {self.difference:+.4f}>"


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
    pairs : list of Pair
        On the first measure.
    explanation : Explanation
        Of the query on which the tuned system loses most.
    """

    __slots__ = ("evaluation", "explanation", "judgments", "pairs", "rankings")

    def __init__(
        self,
        judgments: dict[str, dict[str, int]],
        rankings: dict[str, dict[str, list[tuple[str, float]]]],
        evaluation: Evaluation,
        pairs: list[Pair],
        explanation: Explanation,
    ) -> None:
        self.judgments = judgments
        self.rankings = rankings
        self.evaluation = evaluation
        self.pairs = pairs
        self.explanation = explanation


def demonstrate() -> Demonstration:
    """Ask the demo's systems all queries, and evaluate, compare and explain what they return.

    Raises
    ------
    GainfulError
        Python's SQLite was built without FTS5.

    Examples
    --------
    >>> for pair in demonstrate().pairs:
    ...     print(pair.system, "is", pair.verdict, "beside", pair.baseline)
    fts5-tuned is better beside fts5-plain
    title-words is worse beside fts5-tuned
    title-words is inconclusive beside fts5-plain
    """
    judgments, rankings = qrels(), runs()
    evaluation = evaluate(judgments, runs=rankings, measures=MEASURES)
    values = {name: evaluation.per_query(MEASURES[0], name) for name in rankings}
    pairs = [
        Pair(
            system,
            baseline,
            [value - values[baseline][query] for query, value in values[system].items()],
        )
        for system, baseline in PAIRS
    ]
    explanation = explain(
        judgments,
        rankings[EXPLAINED],
        worst_query(judgments, rankings[EXPLAINED], MEASURES[0]),
        MEASURES[0],
        docs=products_path(),
        queries=queries_path(),
    )
    return Demonstration(judgments, rankings, evaluation, pairs, explanation)

"""The handbook of a workshop in three chunkings, and 40 questions with quotes as evidence."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gainful.baselines import bm25
from gainful.comparison import Comparison, compare
from gainful.data import Qrels, Run
from gainful.demo.collection import handbook_path, questions_path
from gainful.evaluation import Evaluation, evaluate
from gainful.explanation import Explanation, explain
from gainful.location import Location, locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BUDGET",
    "CHUNKINGS",
    "MEASURES",
    "RANKS",
    "Chunkings",
    "chunk",
    "compare_chunkings",
    "handbook",
]

#: The recall of the text of five chunks, and of the first 500 characters.
RANKS, BUDGET = "SpanR@5", "SpanR(budget=500)"

MEASURES = (
    "SpanUnits@5",
    RANKS,
    "FullRecall@5",
    BUDGET,
    "SpanR(budget=1000)",
    "SpanR(budget=2000)",
    "SpanU",
)

#: The size and the overlap of the chunks, in characters.
CHUNKINGS = {"chunks-200": (200, 0), "chunks-400": (400, 200), "chunks-1000": (1000, 0)}

#: Number of chunks per question.
DEPTH = 30

#: Number of ranks that are explained.
EXPLAINED = 3


@dataclass(frozen=True)
class Chunkings:
    """The same search in the same texts, cut into chunks in three ways.

    Attributes
    ----------
    texts, questions : dict of str to str
        The documents and the questions by id.
    location : Location
        Where the quotes of the questions are in the documents.
    sizes : dict of str to int
        The number of chunks by chunking.
    runs : dict of str to Run
        The chunks that BM25 finds, by chunking.
    evaluation : Evaluation
        All measures of all chunkings.
    comparison : Comparison
        By the budget: the others vs. the chunking that five chunks name best.
    explanations : tuple of Explanation
        The first ranks of one question in the lists of `winners`.
    """

    texts: dict[str, str]
    questions: dict[str, str]
    location: Location
    sizes: dict[str, int]
    runs: dict[str, Run]
    evaluation: Evaluation
    comparison: Comparison
    explanations: tuple[Explanation, ...]

    @property
    def winners(self) -> tuple[str, str]:
        """The best chunking by the first five chunks, and by the first 500 characters."""
        return best(self.evaluation, RANKS), best(self.evaluation, BUDGET)


def handbook() -> dict[str, str]:
    """Return the texts of the handbook by the names of their files.

    Examples
    --------
    >>> texts = handbook()
    >>> len(texts), texts["printers.txt"].count("resin") > 0
    (10, True)
    """
    with handbook_path().open(encoding="utf-8") as lines:
        return {row["doc_id"]: row["text"] for row in map(json.loads, lines)}


def chunk(texts: Mapping[str, str], size: int, overlap: int = 0) -> dict[str, str]:
    """Cut texts into chunks whose ids are their places.

    Examples
    --------
    >>> chunk({"a.txt": "Red lentils"}, 6, overlap=2)
    {'a.txt#char=0,6': 'Red le', 'a.txt#char=4,10': 'lentil', 'a.txt#char=8,11': 'ils'}
    """
    return {
        f"{document}#char={start},{min(start + size, len(text))}": text[start : start + size]
        for document, text in texts.items()
        for start in range(0, max(len(text) - overlap, 1), size - overlap)
    }


def compare_chunkings() -> Chunkings:
    """Locate the evidence, search in each chunking, and compare the results.

    Examples
    --------
    >>> shown = compare_chunkings()
    >>> shown.winners
    ('chunks-1000', 'chunks-400')
    """
    texts = handbook()
    with questions_path().open(encoding="utf-8") as lines:
        questions = {row["query_id"]: row["question"] for row in map(json.loads, lines)}
    location = locate(texts, questions_path())
    gold = Qrels(location.records())
    sizes, runs = {}, {}
    for name, (size, overlap) in CHUNKINGS.items():
        chunks = chunk(texts, size, overlap)
        sizes[name] = len(chunks)
        runs[name] = bm25(chunks, questions, DEPTH)
    evaluation = evaluate(gold, runs=runs, measures=MEASURES)
    winners = best(evaluation, RANKS), best(evaluation, BUDGET)
    by_ranks, by_budget = (evaluation.per_query(BUDGET, name) for name in winners)
    query = max(by_budget, key=lambda query: by_budget[query] - by_ranks[query])
    return Chunkings(
        texts,
        questions,
        location,
        sizes,
        runs,
        evaluation,
        compare(evaluation, measures=BUDGET, baseline=winners[0]),
        tuple(
            explain(gold, runs[name], query, BUDGET, queries=questions, depth=EXPLAINED)
            for name in winners
        ),
    )


def best(evaluation: Evaluation, measure: str) -> str:
    """Return the system with the highest mean."""
    return max(evaluation.systems, key=lambda system: evaluation.mean(measure, system))

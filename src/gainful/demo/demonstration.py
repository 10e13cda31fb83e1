"""What the demo does: systems are asked, evaluated and compared, and a query is explained."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from gainful.bounds import Headroom, headroom
from gainful.comparison import Comparison, compare
from gainful.demo.collection import description_path, products, products_path, qrels, queries_path
from gainful.demo.search import Index
from gainful.explanation import Explanation, explain, worst_query
from gainful.systems.call import search
from gainful.systems.loading import load_system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.data import Run
    from gainful.evaluation import Evaluation

__all__ = ["BASELINES", "Demonstration", "demonstrate"]

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "Judged@10")

#: How many products are asked for.
DEPTH = 50

#: The system whose worst query is explained.
EXPLAINED = "fts5-tuned"

#: What anybody has for nothing, where the packages of the extra are.
BASELINES = ("bm25", "tfidf")


@dataclass(frozen=True)
class Demonstration:
    """What came out.

    Attributes
    ----------
    judgments : dict of str to dict of str to int
        Grades by document by query.
    runs : dict of str to Run
        What each system answered.
    headroom : Headroom
        Where all systems stand, between a random order of the products and the ideal one.
    comparison : Comparison
        On the first measure: of all systems beside BM25, or else of all pairs.
    explanation : Explanation
        Of the query on which the tuned system loses most.
    """

    judgments: dict[str, dict[str, int]]
    runs: dict[str, Run]
    headroom: Headroom
    comparison: Comparison
    explanation: Explanation

    @property
    def evaluation(self) -> Evaluation:
        """Of all systems."""
        return self.headroom.evaluation

    @property
    def baselines(self) -> list[str]:
        """The baselines that were asked; none without the packages they need."""
        return [name for name in BASELINES if name in self.runs]


def demonstrate() -> Demonstration:
    """Ask the demo's systems all queries, and evaluate, compare and explain what they return.

    Raises
    ------
    GainfulError
        Python's SQLite was built without FTS5.

    Examples
    --------
    >>> shown = demonstrate()
    >>> for pair in shown.comparison.pairs:
    ...     print(pair.system, "is", pair.verdict, "beside", pair.baseline)
    fts5-plain is worse beside bm25
    fts5-tuned is better beside bm25
    title-words is worse beside bm25
    tfidf is inconclusive beside bm25
    """
    judgments, runs = qrels(), {str(run.name): run for run in _runs()}
    reference = BASELINES[0] if BASELINES[0] in runs else None
    found = headroom(judgments, runs, MEASURES, baseline=reference, documents=len(products()))
    comparison = compare(found.evaluation, measures=MEASURES[0], baseline=reference)
    explanation = explain(
        judgments,
        runs[EXPLAINED],
        worst_query(judgments, runs[EXPLAINED], MEASURES[0]),
        MEASURES[0],
        docs=products_path(),
        queries=queries_path(),
    )
    return Demonstration(judgments, runs, found, comparison, explanation)


def _runs() -> Iterator[Run]:
    with Index() as index, TemporaryDirectory() as folder:
        index.save(Path(folder) / "shop.db")
        description = shutil.copy(description_path(), folder)
        yield _asked("fts5-plain", index.plain)
        yield _asked("fts5-tuned", description)
        yield _asked("title-words", index.title_words)
    for name in BASELINES if _installed() else ():
        yield _asked(name, load_system({"engine": name, "corpus": str(products_path())}))


def _asked(name: str, system: Any) -> Run:
    return search(system, queries_path(), DEPTH, name=name, on_failure="raise")


def _installed() -> bool:
    return all(find_spec(package) for package in ("bm25s", "Stemmer"))

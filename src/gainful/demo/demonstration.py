"""Run, evaluate and compare the demo's systems, and explain a query."""

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

__all__ = ["BASELINES", "SYSTEMS", "Demonstration", "demonstrate"]

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "Judged@10")

#: Number of products per query.
DEPTH = 50

#: The system whose worst query is explained.
EXPLAINED = "fts5-tuned"

#: The baselines; they require the extra `baselines`.
BASELINES = ("bm25", "tfidf")
#: The systems that always run.
SYSTEMS = ("fts5-plain", "fts5-tuned", "title-words")


@dataclass(frozen=True)
class Demonstration:
    """The results of the demo.

    Attributes
    ----------
    judgments : dict of str to dict of str to int
        Grades by query and document.
    runs : dict of str to Run
        The run of each system.
    headroom : Headroom
        The scores of the systems between random order and ideal order.
    comparison : Comparison
        For the first measure: all systems vs. BM25, or all pairs without it.
    explanation : Explanation
        The query with the lowest score of the tuned system.
    """

    judgments: dict[str, dict[str, int]]
    runs: dict[str, Run]
    headroom: Headroom
    comparison: Comparison
    explanation: Explanation

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of all systems."""
        return self.headroom.evaluation

    @property
    def baselines(self) -> list[str]:
        """The names of the baselines; empty without the packages they need."""
        return [name for name in BASELINES if name in self.runs]


def demonstrate() -> Demonstration:
    """Run all queries, and evaluate, compare and explain the results.

    Examples
    --------
    >>> shown = demonstrate()
    >>> for pair in shown.comparison.pairs:
    ...     print(f"{pair.system} vs. {pair.baseline}: {pair.verdict}")
    fts5-plain vs. bm25: worse
    fts5-tuned vs. bm25: better
    title-words vs. bm25: worse
    tfidf vs. bm25: inconclusive
    """
    judgments, runs = qrels(), {str(run.name): run for run in _runs()}
    reference = BASELINES[0] if BASELINES[0] in runs else None
    bounds = headroom(judgments, runs, MEASURES, baseline=reference, documents=len(products()))
    comparison = compare(bounds.evaluation, measures=MEASURES[0], baseline=reference)
    explanation = explain(
        judgments,
        runs[EXPLAINED],
        worst_query(judgments, runs[EXPLAINED], MEASURES[0]),
        MEASURES[0],
        docs=products_path(),
        queries=queries_path(),
    )
    return Demonstration(judgments, runs, bounds, comparison, explanation)


def _runs() -> Iterator[Run]:
    with Index() as index, TemporaryDirectory() as folder:
        index.save(Path(folder) / "shop.db")
        description = shutil.copy(description_path(), folder)
        for name, system in zip(
            SYSTEMS, (index.plain, description, index.title_words), strict=True
        ):
            yield _search(name, system)
    for name in BASELINES if _installed() else ():
        yield _search(name, load_system({"engine": name, "corpus": str(products_path())}))


def _search(name: str, system: Any) -> Run:
    return search(system, queries_path(), DEPTH, name=name, on_failure="raise")


def _installed() -> bool:
    return all(find_spec(package) for package in ("bm25s", "Stemmer"))

"""Runs of tools on the collections in `tests/conventions/tool_runs`, for the checks of presets.

A function of `RUNS` takes a collection and returns the tool's mean of each measure by Gainful's
name. It imports only the tool, so `python tests/tools/tool_runs.py PRESET ...` records output in
any environment. `tests/conventions/test_checks.py` compares the records with Gainful.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

RECORDS = Path(__file__).resolve().parents[1] / "conventions" / "tool_runs"
CUTOFFS = (1, 3, 10)


class Collection(NamedTuple):
    """Judgments and a run whose queries are the same; lists are by descending score."""

    qrels: dict[str, dict[str, float]]
    run: dict[str, dict[str, float]]

    def ranked(self, query: str) -> list[str]:
        """Return the documents of a query in rank order; ties have the order of the run."""
        scores = self.run[query]
        return sorted(scores, key=lambda name: -scores[name])

    def relevant(self, query: str) -> list[str]:
        """Return the documents with a grade above 0."""
        return [name for name, grade in self.qrels[query].items() if grade > 0]

    def has_fractions(self) -> bool:
        """Return whether a grade is not a whole number."""
        return any(grade % 1 for judged in self.qrels.values() for grade in judged.values())

    def rows(self, query: str) -> tuple[list[float], list[float]]:
        """Return the grades and scores of a list, with 0 for unjudged documents."""
        judged, scores = self.qrels[query], self.run[query]
        return [float(judged.get(name, 0)) for name in scores], list(scores.values())


class Run(NamedTuple):
    """How to run a tool."""

    #: The name in `tests/support/requirements.py`; "" if nothing installs the tool for the tests.
    needs: str
    collections: tuple[str, ...]
    call: Callable[[Collection], dict[str, float]]


RUNS: dict[str, Run] = {}
Measured = Callable[[Collection], dict[str, float]]


def runs(preset: str, needs: str, *collections: str) -> Callable[[Measured], Measured]:
    """Declare a function that runs the tool of a preset on these collections."""

    def declare(call: Measured) -> Measured:
        RUNS[preset] = Run(needs, collections or ("binary", "graded", "fractional"), call)
        return call

    return declare


def collections() -> dict[str, Collection]:
    """Return the collections by name."""
    stored = json.loads((RECORDS / "collections.json").read_text(encoding="utf-8"))
    return {name: Collection(**each) for name, each in stored.items()}


def mean(values: Iterable[float]) -> float:
    """Return the mean of the values of queries."""
    listed = [float(value) for value in values]
    return sum(listed) / len(listed)


def means(
    collection: Collection,
    metrics: dict[str, Callable[[str], float]],
    *,
    only_relevant: bool = False,
) -> dict[str, float]:
    """Return the mean of each metric over queries, or over those with relevant documents."""
    queries = [query for query in collection.run if collection.relevant(query) or not only_relevant]
    return {name: mean(map(metric, queries)) for name, metric in metrics.items()}


def record(preset: str) -> Path:
    """Run the tool of a preset and write its output."""
    found = collections()
    run = RUNS[preset]
    values = {name: run.call(found[name]) for name in run.collections}
    path = RECORDS / f"{preset}.json"
    path.write_text(json.dumps(values, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return path


def load_runs() -> None:
    """Import the modules that declare the runs."""
    for kind in ("lists", "rag", "recommenders", "search"):
        import_module(f"tool_runs_of_{kind}")


if __name__ == "__main__":
    # The modules of runs import this one by its name.
    import tool_runs

    tool_runs.load_runs()
    for each in sys.argv[1:]:
        print(tool_runs.record(each))

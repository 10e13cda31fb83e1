"""Count how many invented numbers `reconcile` explains, and how many numbers of tools."""

from __future__ import annotations

import random

import gainful
from evidence.queries import ROBUST
from evidence.tables import Table, monte_carlo_error, percent
from gainful.errors import GainfulError
from gainful.reconciliation import Reconciliation

SEED = 11
MEASURES = ("nDCG@10", "nDCG@20", "AP@100", "P@10", "RR@10")
TOOLS = ("trec_eval", "gdeval", "torchmetrics", "sentence-transformers", "lightgbm")
#: Runs of the demo.
RUNS = ("title-words", "fts5-tuned")
#: Invented numbers are at most this far from trec_eval's.
RANGE = 0.06
#: The largest expected share of invented numbers that are explained, and the smallest share of
#: numbers of tools.
MOST_INVENTED, LEAST_OF_TOOLS = 0.05, 0.85

#: With fewer simulations only the demo is used, so that a test takes seconds.
FEW = 5

Collection = tuple[str, gainful.Qrels, gainful.Run]


def study(simulations: int) -> Table:
    """Return the shares of invented numbers and of numbers of tools that are explained."""
    headings = [
        *("judgments and run", "invented numbers", "with a match", "explained"),
        *("numbers of tools", "explained", "first match right"),
    ]
    rows, failures = [], []
    for name, qrels, run in _collections(only_demo=simulations < FEW):
        invented = _invented(qrels, run, simulations)
        explained = sum(found.explained for found in invented) / len(invented)
        matched = sum(bool(found.matches) for found in invented) / len(invented)
        tools = _of_tools(qrels, run, min(simulations, len(TOOLS)))
        known = sum(found.explained for found, _ in tools) / len(tools)
        right = sum(is_right for _, is_right in tools) / len(tools)
        shares = percent(matched), percent(explained)
        right_shares = percent(known), percent(right)
        rows.append([name, str(len(invented)), *shares, str(len(tools)), *right_shares])
        error = monte_carlo_error(MOST_INVENTED, len(invented))
        if explained > MOST_INVENTED + error:
            failures.append(f"{name}: {percent(explained)} of invented numbers are explained")
        if min(known, right) < LEAST_OF_TOOLS:
            failures.append(f"{name}: {percent(min(known, right))} of the tools' numbers are found")
    return Table(headings, rows, failures)


def _collections(*, only_demo: bool) -> list[Collection]:
    from gainful.demo import collection, search

    qrels = gainful.read_qrels(collection.qrels_path())
    found: list[Collection] = []
    for name in RUNS:
        rows = search.runs()[name]
        run = gainful.Run({query: dict(documents) for query, documents in rows.items()})
        found.append((f"demo, {name}", qrels, run))
    if ROBUST.is_dir() and not only_demo:
        judged = gainful.read_qrels(ROBUST / "qrels.robust03.txt.gz")
        run = gainful.read_run(ROBUST / "input.pircRBa1.gz")
        found.append(("Robust 2003, pircRBa1", judged, run))
    passages = ROBUST.parent / "dl19-passage"
    if passages.is_dir() and not only_demo:
        judged = gainful.read_qrels(passages / "qrels.dl19-passage.txt")
        run = gainful.read_run(passages / "bm25-default.run.gz")
        found.append(("TREC DL 2019 passages, BM25", judged, run))
    return found


def _invented(qrels: gainful.Qrels, run: gainful.Run, count: int) -> list[Reconciliation]:
    chance = random.Random(SEED)
    means = [gainful.evaluate(qrels, run, measure).mean() for measure in MEASURES]
    found = []
    for at in range(count):
        mean, measure = means[at % len(means)], MEASURES[at % len(MEASURES)]
        text = f"{mean + chance.uniform(-RANGE, RANGE):.4f}"
        found.append(gainful.reconcile(qrels, run, text, measure))
    return found


def _of_tools(
    qrels: gainful.Qrels, run: gainful.Run, count: int
) -> list[tuple[Reconciliation, bool]]:
    """Return the results for numbers of tools, and whether the first match is the tool's."""
    found = []
    for tool in TOOLS[:count]:
        for measure in MEASURES[:count]:
            try:
                value = gainful.evaluate(qrels, run, measure, convention=tool).mean()
            except GainfulError:
                continue  # The tool does not have the measure, or rejects the data.
            result = gainful.reconcile(qrels, run, f"{value:.4f}", measure)
            found.append((result, _starts_with(tool, value, result)))
    return found


def _starts_with(tool: str, value: float, result: Reconciliation) -> bool:
    """Return whether the first match has the tool's value, or names the tool.

    A preset that rounds means has another value than the tools that it is equal to otherwise.
    """
    if not result.matches:
        return False
    first = result.matches[0]
    return abs(first.value - value) < 1e-9 or any(name.startswith(tool) for name in first.also)

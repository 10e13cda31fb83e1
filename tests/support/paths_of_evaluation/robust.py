"""The runs of TREC 2003's Robust track: 100 queries, up to 100,000 rows per run."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path as Folder

from paths_of_evaluation.collections import Collection, Judgment, Row

#: Conventions with each tie policy: by id in both directions, with 32-bit scores, by rank, in file
#: order, at random, and averaged over orders or ranks.
CONVENTIONS = (
    *("gainful-1", "trectools-0.0.50", "trec_eval-9.0.8", "ndeval-4.5", "ranx-0.3.21"),
    *("tensorflow-ranking-0.5.5", "scikit-learn-1.9.1", "evidently-0.7.23"),
)


def robust(folder: Folder, run: str) -> Collection:
    """Return the judgments and one run of a folder."""
    qrels = tuple(
        Judgment(query, document, float(grade))
        for query, _, document, grade in _words(folder / "qrels.robust03.txt.gz")
    )
    rows = tuple(
        Row(query, document, int(rank), float(score))
        for query, _, document, rank, score, _ in _words(folder / f"input.{run}.gz")
    )
    return Collection(run, qrels, rows)


#: The runs of the documentation page: 10 and 100 rows per query.
PAGE_RUNS = ("NLPR03vb10", "humR03dc")


def runs(folder: Folder) -> list[str]:
    """Return the names of the runs in a folder."""
    return sorted(path.name.split(".")[1] for path in folder.glob("input.*.gz"))


def _words(path: Folder) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="ascii") as file:
        for line in file:
            yield line.split()

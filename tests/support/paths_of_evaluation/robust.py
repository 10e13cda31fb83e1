"""The runs of TREC 2003's Robust track: a hundred queries, up to 100,000 rows a run."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path as Folder

from paths_of_evaluation.collections import Collection, Judgment, Row

#: Under which they are measured: equal scores put in order by ids, in both directions, with scores
#: in 32 bits, by ranks, as listed, at random, and averaged over their orders or ranks.
CONVENTIONS = (
    *("gainful-1", "trectools-0.0.50", "trec_eval-9.0.8", "ndeval-4.5", "ranx-0.3.21"),
    *("tensorflow-ranking-0.5.5", "scikit-learn-1.9.1", "evidently-0.7.23"),
)


def robust(folder: Folder, run: str) -> Collection:
    """Return the judgments and one of the runs in a folder."""
    qrels = tuple(
        Judgment(query, document, float(grade))
        for query, _, document, grade in _words(folder / "qrels.robust03.txt.gz")
    )
    rows = tuple(
        Row(query, document, int(rank), float(score))
        for query, _, document, rank, score, _ in _words(folder / f"input.{run}.gz")
    )
    return Collection(run, qrels, rows)


#: Those of the page: ten rows a query, and a hundred.
PAGE_RUNS = ("NLPR03vb10", "humR03dc")


def runs(folder: Folder) -> list[str]:
    """Return the names of the runs in a folder."""
    return sorted(path.name.split(".")[1] for path in folder.glob("input.*.gz"))


def _words(path: Folder) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="ascii") as file:
        for line in file:
            yield line.split()

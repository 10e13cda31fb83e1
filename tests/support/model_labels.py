"""Judgments of people for a random sample of queries, of a model for all, and two runs."""

from __future__ import annotations

import random
from pathlib import Path

import gainful

Labels = dict[str, dict[str, float]]


def collection(judged: int = 30, queries: int = 120) -> tuple[Labels, Labels, dict[str, Labels]]:
    """Return judgments of people and of a model, and two runs."""
    draw = random.Random(4)
    true: Labels = {
        f"q{n}": {f"d{m}": draw.choice([0, 0, 0, 1, 2]) for m in range(12)} for n in range(queries)
    }
    model: Labels = {
        query: {
            each: grade if draw.random() < 0.7 else draw.choice([0, 1, 2])
            for each, grade in own.items()
        }
        for query, own in true.items()
    }
    runs: dict[str, Labels] = {
        name: {
            query: {each: grade + draw.gauss(0, noise) for each, grade in own.items()}
            for query, own in true.items()
        }
        for name, noise in (("good", 1.0), ("poor", 3.0))
    }
    sample = draw.sample(sorted(true), judged)
    return {query: true[query] for query in sample}, model, runs


def easy_where_judged(people: Labels, model: Labels) -> Labels:
    """Return judgments of the model by which people judged easy queries."""
    return {
        query: own if query in people else {**own, **dict.fromkeys(list(own)[3:], 0)}
        for query, own in model.items()
    }


def write_collection(folder: Path) -> None:
    """Write human.qrels, llm.qrels, good.run and poor.run."""
    people, model, runs = collection()
    for name, labels in (("human.qrels", people), ("llm.qrels", model)):
        lines = (f"{q} 0 {d} {grade}" for q, own in labels.items() for d, grade in own.items())
        (folder / name).write_text("\n".join(lines) + "\n")
    for name, run in runs.items():
        gainful.Run(run).write(folder / f"{name}.run")

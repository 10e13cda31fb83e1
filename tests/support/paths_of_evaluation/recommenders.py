"""Scores of all items for all users, and held-out items in a sparse matrix."""

from __future__ import annotations

from pathlib import Path as Folder

from gainful.conventions import Convention, get, presets
from gainful.evaluation.partition import order_dependence
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.outcome import Rows, of_evaluation
from paths_of_evaluation.path import Ask, Measures, Path


def dense(collection: Collection, folder: Folder) -> Ask:
    """Build a matrix of scores (−inf for items not returned) and sparse judgments."""
    import numpy as np

    from gainful.backends.recommendations import evaluate_recommendations

    users = list(dict.fromkeys(row.query for row in collection.qrels))
    items = list(dict.fromkeys(row.document for row in (*collection.qrels, *collection.run)))
    at = {item: column for column, item in enumerate(items)}
    scores = np.full((len(users), len(items)), -np.inf)
    for row in collection.run:
        scores[users.index(row.query), at[row.document]] = row.score
    grades: list[list[tuple[int, float]]] = [[] for _ in users]
    for query, document, grade, _ in collection.qrels:
        grades[users.index(query)].append((at[document], grade))
    stored = [pair for own in grades for pair in sorted(own)]
    held_out = (
        np.cumsum([0, *map(len, grades)]),
        np.array([column for column, _ in stored]),
        np.array([grade for _, grade in stored], dtype=float),
    )

    def ask(measures: Measures, convention: Convention) -> Rows:
        result = evaluate_recommendations(
            held_out,
            scores,
            measures,
            convention=convention,
            user_ids=users,
            item_ids=items,
            ratings="grades",
            top=len(items),
        )
        return of_evaluation(result)

    return ask


PATHS = (
    Path(
        "recommender's scores, held-out items",
        dense,
        lacks=frozenset({"ranks", "duplicates", "subtopics"}),
        # Items are in the order of their columns, not in that of a run.
        follows=tuple(
            preset.name
            for preset in presets()
            if not order_dependence("NumRet", get(preset.name))
            and get(preset.name).unretrieved != "last"
            and get(preset.name).order == "score"
        ),
        collections=("no ties", "all judged"),
    ),
)

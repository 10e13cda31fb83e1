"""Evaluations that were pickled, concatenated or computed under several conventions."""

from __future__ import annotations

import pickle
import random
from pathlib import Path as Folder

import gainful
from gainful.conventions import Convention
from gainful.evaluation.several import evaluate_each
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.files import trec
from paths_of_evaluation.objects import rows
from paths_of_evaluation.outcome import Rows, of_evaluation
from paths_of_evaluation.path import Ask, Measures, Path


def pickled(collection: Collection, folder: Folder) -> Ask:
    """Evaluate, pickle and unpickle."""
    qrels, run = trec(collection, folder)()

    def ask(measures: Measures, convention: Convention) -> Rows:
        result = gainful.evaluate(qrels, run, measures, convention=convention)
        return of_evaluation(pickle.loads(pickle.dumps(result)))

    return ask


def under_several(collection: Collection, folder: Folder) -> Ask:
    """Evaluate under two conventions at once."""
    both = trec(collection, folder)()

    def ask(measures: Measures, convention: Convention) -> Rows:
        # It says nothing where no query has a weight.
        other = "nothing" if convention.unweighted == "no-relevant" else "no-relevant"
        both_conventions = (convention.replace(unweighted=other, name="other"), convention)
        return of_evaluation(
            evaluate_each(*both, measures, conventions=both_conventions).evaluations[1]
        )

    return ask


def parts(collection: Collection) -> list[Collection]:
    """Split a collection at random; each part has a query with judgments and results."""
    source = random.Random(collection.name)
    judged, returned = ({row[0] for row in side} for side in (collection.qrels, collection.run))
    whole = sorted(judged & returned)
    source.shuffle(whole)
    found = [{query} for query in whole[:3]]
    for query in [*whole[3:], *sorted(judged ^ returned)]:
        source.choice(found).add(query)
    return [collection.part(queries) for queries in found]


def concat(collection: Collection, folder: Folder) -> Ask:
    """Evaluate random parts, pickle one, and concatenate them in another order."""
    both = [rows(part) for part in parts(collection)]

    def ask(measures: Measures, convention: Convention) -> Rows:
        evaluated = [
            gainful.evaluate(qrels, runs={"own": run}, measures=measures, convention=convention)
            for qrels, run in both
        ]
        evaluated[0] = pickle.loads(pickle.dumps(evaluated[0]))
        return of_evaluation(gainful.Evaluation.concat(reversed(evaluated)))

    return ask


PATHS = (
    Path("pickled evaluation", pickled),
    Path("two conventions at once", under_several),
    Path("Evaluation.concat of random parts", concat, lacks=frozenset({"ranks", "first error"})),
)

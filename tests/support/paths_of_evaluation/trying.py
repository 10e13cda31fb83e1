"""Compare a path with the reference, for a collection and each convention."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path as Folder
from typing import NamedTuple

from gainful.errors import GainfulError
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.conventions import all_conventions, measures_of
from paths_of_evaluation.outcome import Outcome, Refusal, Rows, difference, farthest, refusal
from paths_of_evaluation.path import Ask, Measures, Path
from paths_of_evaluation.program import ProgramError

#: The error for a run without ranks under a convention that orders by rank.
NO_RANKS = Refusal("ConventionError", None, None, "order=rank needs a run with ranks")


def outcome(ask: Ask, label: str, measures: Measures) -> Outcome:
    """Return the rows or the error of a path under one of `all_conventions`."""
    try:
        return ask(measures, all_conventions()[label])
    except GainfulError as error:
        return refusal(error)
    except ProgramError as exit:
        return Refusal("", None, None, str(exit))


#: The errors with which a path rejects a convention or a measure.
CANNOT = ("ConventionError", "MeasureError")


class Reference:
    """The outcomes of the reference path, each computed once.

    Parameters
    ----------
    path
        The reference path.
    folder
        A function that creates an empty folder.
    """

    def __init__(self, path: Path, folder: Callable[[], Folder]) -> None:
        self._path = path
        self._folder = folder
        self._asks: dict[str, Ask] = {}
        self._found: dict[tuple[str, str, Measures], Outcome] = {}

    def __call__(self, collection: Collection, label: str, measures: Measures) -> Outcome:
        """Return the outcome for a collection under a convention."""
        if collection.name not in self._asks:
            self._asks[collection.name] = self._path.open(collection, self._folder())
        key = collection.name, label, measures
        if key not in self._found:
            self._found[key] = outcome(self._asks[collection.name], label, measures)
        return self._found[key]


class Tried(NamedTuple):
    """The result of comparing a path with the reference on a collection.

    Attributes
    ----------
    wrong
        The differences from the reference, by convention.
    refused
        The messages with which the path rejects a convention, by convention.
    values
        The number of compared values that agree.
    farthest
        The largest difference of a value from the reference.
    """

    wrong: dict[str, str]
    refused: dict[str, str | None]
    values: int
    farthest: float


def tried(
    path: Path,
    collection: Collection,
    reference: Reference,
    folder: Folder,
    labels: Iterable[str] | None = None,
) -> Tried:
    """Compare a path with the reference, on a collection and under conventions."""
    ask = path.open(collection, folder)
    wrong: dict[str, str] = {}
    refused: dict[str, str | None] = {}
    values, gap = 0, 0.0
    for label in labels or path.conventions or all_conventions():
        if label not in (path.follows or all_conventions()):
            continue
        measures = tuple(filter(path.measures, measures_of(label, collection)))
        if not measures:
            continue
        expected = reference(collection, label, measures)
        if isinstance(expected, Refusal) and "errors" in path.lacks:
            continue
        found = outcome(ask, label, measures)
        if "ranks" in path.lacks and all_conventions()[label].order == "rank":
            # What is wrong with the judgments comes before that.
            expected = expected if found == expected and isinstance(found, Refusal) else NO_RANKS
        differs = difference(
            expected, found, any_error="first error" in path.lacks, tolerance=path.tolerance
        )
        if differs and path.tolerance and isinstance(found, Refusal) and found.kind in CANNOT:
            refused[label] = found.found
        elif differs:
            wrong[label] = differs
        elif isinstance(found, Rows):
            values += len(found.rows) * len(found.columns)
            gap = max(gap, farthest(expected, found)) if path.tolerance else gap
    return Tried(wrong, refused, values, gap)

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

#: What a run that has no ranks says under a convention that orders by them.
NO_RANKS = Refusal("ConventionError", None, None, "order=rank needs a run with ranks")


def outcome(ask: Ask, label: str, measures: Measures) -> Outcome:
    """Return the rows that a path gives under one of `all_conventions`, or what it refuses."""
    try:
        return ask(measures, all_conventions()[label])
    except GainfulError as error:
        return refusal(error)
    except ProgramError as exit:
        return Refusal("", None, None, str(exit))


#: How a path says that it cannot follow a convention or a measure.
CANNOT = ("ConventionError", "MeasureError")


class Reference:
    """What the path gives that the others are compared with, each asked once.

    Parameters
    ----------
    path
        That path.
    folder
        Makes an empty folder.
    """

    def __init__(self, path: Path, folder: Callable[[], Folder]) -> None:
        self._path = path
        self._folder = folder
        self._asks: dict[str, Ask] = {}
        self._found: dict[tuple[str, str, Measures], Outcome] = {}

    def __call__(self, collection: Collection, label: str, measures: Measures) -> Outcome:
        """Return its outcome for a collection under a convention."""
        if collection.name not in self._asks:
            self._asks[collection.name] = self._path.open(collection, self._folder())
        key = collection.name, label, measures
        if key not in self._found:
            self._found[key] = outcome(self._asks[collection.name], label, measures)
        return self._found[key]


class Tried(NamedTuple):
    """What came of a path on a collection.

    Attributes
    ----------
    wrong
        What it gives that the reference does not, by convention.
    refused
        What it says that it cannot follow, by convention.
    values
        How many values were compared, of those that agree.
    farthest
        How far the furthest of them is from the reference.
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
    """Hold a path to the reference, on a collection and under conventions."""
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

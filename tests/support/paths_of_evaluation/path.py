"""The declaration of a path: one way to compute rows from judgments and a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as Folder
from typing import Any, NamedTuple, TypeAlias

from gainful.conventions import Convention
from gainful.measures import Measure
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.outcome import Rows

Measures: TypeAlias = tuple[Measure, ...]
#: From measures and a convention to rows.
Ask: TypeAlias = Callable[[Measures, Convention], Rows]


def _any(measure: Measure) -> bool:
    return True


class Path(NamedTuple):
    """A way to compute the rows of a collection.

    Attributes
    ----------
    name
        The name in tables of paths.
    open
        A function from a collection and an empty folder to a function that computes rows.
    needs
        Names of requirements in ``tests/support/requirements.py``.
    lacks
        What the path cannot represent: ``"ranks"`` next to scores; ``"duplicates"`` of documents;
        ``"subtopics"``; ``"first error"``, the first of several errors; ``"errors"``, any error.
    conventions, collections
        The tested conventions and collections, if all would take too long.
    follows
        The supported conventions; None for all.
    tolerance
        The allowed difference from the reference; None for equality bit for bit.
    measures
        A function that returns whether a measure is supported.
    """

    name: str
    open: Callable[[Collection, Folder], Ask]
    needs: tuple[str, ...] = ()
    lacks: frozenset[str] = frozenset()
    conventions: tuple[str, ...] | None = None
    collections: tuple[str, ...] | None = None
    follows: tuple[str, ...] | None = None
    tolerance: float | None = None
    measures: Callable[[Measure], bool] = _any

    def takes(self, collection: Collection) -> bool:
        """Return whether the path can represent a collection."""
        return not (
            (collection.has_duplicates and "duplicates" in self.lacks)
            or (collection.subtopics and "subtopics" in self.lacks)
            or (self.collections is not None and collection.name not in self.collections)
        )


#: From a collection to the judgments and run for `gainful.evaluate`. Called for each evaluation,
#: since a stream can be read only once.
Held: TypeAlias = Callable[[Collection, Folder], Callable[[], tuple[Any, Any]]]

"""What a path is: a way from judgments and a run to the rows of their queries."""

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
    """A way from a collection to rows.

    Attributes
    ----------
    name
        What a table of paths calls it.
    open
        Takes a collection and an empty folder, and returns what is asked for rows, any number of
        times.
    needs
        What a machine may lack, as ``tests/support/requirements.py`` calls it.
    lacks
        What it cannot carry: ``"ranks"`` and scores; ``"duplicates"``, a document twice;
        ``"subtopics"``; ``"first error"``, which of several errors comes first; ``"errors"``, any.
    conventions, collections
        Those that it is tried under and on, where all would take too long.
    follows
        The conventions that it can be asked at all, where those are not all.
    tolerance
        How far a value may be from that of the reference; None for not by a bit.
    measures
        Says whether it can follow a measure.
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
        """Whether it can carry a collection."""
        return not (
            (collection.has_duplicates and "duplicates" in self.lacks)
            or (collection.subtopics and "subtopics" in self.lacks)
            or (self.collections is not None and collection.name not in self.collections)
        )


#: From a collection to what `gainful.evaluate` takes as judgments and run. Called for each
#: evaluation, as a stream is read once.
Held: TypeAlias = Callable[[Collection, Folder], Callable[[], tuple[Any, Any]]]

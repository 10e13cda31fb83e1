"""The result of a sweep."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches

from gainful.errors import ParameterError
from gainful.results import Records, Result, as_records
from gainful.sweeps.files import write_runs
from gainful.sweeps.idle import find_idle_settings
from gainful.sweeps.notes import account_line
from gainful.sweeps.records import point_rows, to_dict
from gainful.sweeps.tables import tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

    from gainful.comparison import Comparison
    from gainful.data import Run
    from gainful.evaluation import Evaluation
    from gainful.formats.table import Table
    from gainful.plots import Plot
    from gainful.sweeps.choosing import Choice
    from gainful.sweeps.points import Point

__all__ = ["Sweep"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Sweep(Result):
    """The result of `sweep`.

    ``print`` and notebooks show it as tables; it exports the Arrow C stream with one row per point
    and measure, so ``polars.DataFrame(sweep)`` works.

    Attributes
    ----------
    points : tuple of Point
        In the order of the searches; a baseline outside the grid comes first.
    settings : tuple of str
        The varied settings.
    runs : mapping of str to Run
        The run of each point, by name.
    baseline : str or None
        The point that the others are compared with.
    comparison : Comparison
        The comparison of all points.
    choice : Choice or None
        The best point, and its estimated value on other queries. None without common queries.
    sampled : int or None
        The requested number of random points; None for the whole grid.
    k : int
        Number of documents to retrieve per query.
    skipped : int
        Queries without judgments, which were not run.

    Examples
    --------
    >>> import gainful
    >>> shelf = {"red": ["d1", "d2", "d3"], "blue": ["d3", "d1"], "green": ["d2", "d1"]}
    >>> def shelves(skip):
    ...     return lambda text, k: shelf[text][skip:]
    >>> qrels = {"red": {"d2": 1}, "blue": {"d1": 1}, "green": {"d1": 1}}
    >>> result = gainful.sweep(shelves, list(shelf), qrels, {"skip": [0, 1]}, "RR")
    >>> result
    <Sweep of skip: 2 points, best skip=1>
    >>> result.runs["skip=1"]["red"]
    [('d2', None), ('d3', None)]
    >>> print(result)
    RR, 3 queries, 2 points
    skip    mean  ...
    """

    RECORDS = {"points": None}
    PICTURES = ("differences",)

    points: tuple[Point, ...]
    settings: tuple[str, ...]
    runs: Mapping[str, Run] = field(hash=False)
    baseline: str | None
    comparison: Comparison
    choice: Choice | None
    sampled: int | None
    k: int
    skipped: int = 0

    @property
    def best(self) -> Point:
        """The point with the best mean of the first measure; the first of equal ones.

        Raises
        ------
        ParameterError
            If no query counts for all points.
        """
        if self.choice is None:
            raise ParameterError(
                "no query counts at every point",
                where="best",
                hint="missing=empty counts queries that a run lacks",
            )
        return self.point(self.choice.best)

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of the points."""
        return self.comparison.evaluations[0]

    def point(self, name: str) -> Point:
        """Return a point by its name.

        Raises
        ------
        ParameterError
            For an unknown name.
        """
        for point in self.points:
            if point.name == name:
                return point
        close = get_close_matches(name, [point.name for point in self.points], n=1)
        raise ParameterError(
            where="point",
            found=repr(name),
            expected="the name of a point",
            hint=f"did you mean {close[0]}?" if close else None,
        )

    @property
    def idle(self) -> tuple[str, ...]:
        """The varied settings without effect on any answer."""
        return find_idle_settings(self)

    def account_line(self, journal: str | None = None) -> str:
        """Describe the searches: number of answers and latency."""
        return account_line(self, journal)

    def write_runs(self, folder: str | PathLike[str]) -> dict[str, str]:
        """Write the runs to a folder, as files named after their points.

        They are TREC text, or TSV if a query id contains spaces. Failed queries and those without
        results are missing from them.

        Returns
        -------
        dict of str to str
            The path of each point's run.

        Raises
        ------
        FormatError, SourceError
            If a run cannot be written.
        """
        return write_runs(self, folder)

    def to_dict(self) -> dict[str, Any]:
        """Return the sweep as the JSON contract ``gainful.sweep/1``."""
        return to_dict(self)

    def tables(self) -> list[Table]:
        """Return the points under each measure, and the choice, as tables."""
        return tables(self)

    def __repr__(self) -> str:
        best = "" if self.choice is None else f", best {self.choice.best}"
        return f"<Sweep of {', '.join(self.settings)}: {len(self.points)} points{best}>"

    def _contents(self) -> object:
        # Leave out the latency.
        return [(each.name, each.settings) for each in self.points], self.comparison._contents()

    def _picture(self, name: str, **options: Any) -> Plot:
        return self.comparison.plot(name, **options)

    def _records(self, name: str) -> Records:
        return as_records(*point_rows(self))

"""The snapshot: saved values and rankings of a run, to check later runs against."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from os import fspath

from gainful.gates.contract import fields, lines
from gainful.gates.rankings import run_of
from gainful.input_files import check_output
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.data.paths import Path
    from gainful.input_files import Digest
    from gainful.measures import Measure

__all__ = ["Look", "Snapshot", "SnapshotQuery"]


@dataclass(frozen=True, slots=True)
class SnapshotQuery:
    """A query of a snapshot.

    Attributes
    ----------
    values : tuple of float or None
        The value of each measure; None if the convention leaves the query out or returns NaN.
    judgments : str
        The first 12 hexadecimal digits of the digest of the query's judgments.
    documents : tuple of str or None
        The saved part of the ranking, in the order of the run; None if the run lacks the query.
    scores, ranks : tuple of float or None
        One per document. None for a ranking without scores; ranks are saved if the convention
        orders by them.
    """

    values: tuple[float | None, ...]
    judgments: str
    documents: tuple[str, ...] | None = None
    scores: tuple[float, ...] | None = None
    ranks: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A run that was checked against the snapshot.

    Attributes
    ----------
    run : str
        The `Run.digest` of the run.
    system, verdict : str
        The name of the run, and the verdict.
    alpha : float or None
        The error rate of the look; None in files of early versions.
    """

    run: str
    system: str
    verdict: str
    alpha: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Snapshot:
    """A run's values and rankings, with the measures and the convention.

    `make_snapshot` makes it, `write` and `read_snapshot` store it, `gate` checks a run against it.

    Attributes
    ----------
    system : str
        The name of the run.
    convention : Convention
        The convention of the values.
    measures, resolved : tuple of Measure
        The measures as requested, and with every parameter set.
    queries : mapping of str to SnapshotQuery
        The evaluated queries, in byte order of their ids.
    depth : int or None
        Number of saved ranks, with all documents tied with the last; None for whole rankings.
    judgments, run : str
        Digests of the judgments and of the run.
    looks : tuple of Look
        The different runs that were checked against it.
    budget : int or None
        The declared number of looks.
    spending : bool
        Whether the error rate is spent over any number of looks (`gainful.gates.look_alpha`).
    anchor : Snapshot or None
        The first snapshot of a series of replaced ones, evaluated with the judgments, measures and
        convention of this one; None if this one is the first.
    version : str
        The version of Gainful that made it.
    inputs : list of dict
        The paths and SHA-256 digests of the files that it was made from, for `gainful.verify`.
    file : str or None
        The file that it was read from.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> snapshot
    <Snapshot bm25: nDCG@10 of 6 queries, 0 looks>
    >>> round(snapshot.queries["q1"].values[0], 4)
    0.8829
    """

    system: str
    convention: Convention
    measures: tuple[Measure, ...]
    queries: Mapping[str, SnapshotQuery] = field(hash=False)
    depth: int | None
    judgments: str
    run: str
    looks: tuple[Look, ...] = ()
    budget: int | None = None
    spending: bool = False
    anchor: Snapshot | None = None
    version: str
    inputs: list[Digest] = field(default_factory=list, compare=False)
    file: str | None = field(default=None, compare=False)

    @property
    def resolved(self) -> tuple[Measure, ...]:
        """The measures with every parameter set."""
        return tuple(measure.resolve(self.convention) for measure in self.measures)

    def values(self, measure: Measure) -> dict[str, float]:
        """Return the values of a resolved measure, for the queries that have one."""
        at = self.resolved.index(measure)
        return {
            query: value
            for query, kept in self.queries.items()
            if (value := kept.values[at]) is not None
        }

    @property
    def first(self) -> Snapshot:
        """The anchor, or this snapshot if it is the first."""
        return self.anchor or self

    def ranking(self) -> Run:
        """Return the saved rankings as a run."""
        return run_of(self)

    def look_number(self, run: str) -> int | None:
        """Return the number of the look at a run, counted from 1; None if there was none."""
        for number, look in enumerate(self.looks, 1):
            if look.run == run:
                return number
        return None

    def with_look(self, look: Look) -> Snapshot:
        """Return the snapshot with one more look; unchanged if the run has one already."""
        if self.look_number(look.run) is not None:
            return self
        return replace(self, looks=(*self.looks, look))

    def to_dict(self) -> dict[str, Any]:
        """Return the snapshot as the JSON contract ``gainful.snapshot/1``."""
        return fields(self)

    def write(self, path: Path) -> None:
        """Write it to a file atomically: JSON with one line per query, for version control.

        Raises
        ------
        ParameterError
            If the file is one of the inputs.
        SourceError
            If it cannot be written.
        """
        check_output(fspath(path), (str(file["path"]) for file in self.inputs))
        encoded = (line.encode("utf-8", "backslashreplace") for line in lines(self))
        write_whole(fspath(path), encoded)

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        count = len(self.queries)
        queries = "1 query" if count == 1 else f"{count:,} queries"
        looks = "1 look" if len(self.looks) == 1 else f"{len(self.looks)} looks"
        return f"<Snapshot {self.system}: {measures} of {queries}, {looks}>"

"""The snapshot: what is kept of a run, so that later runs can be checked against it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from os import fspath

from gainful.gates.contract import fields, lines
from gainful.gates.rankings import run_of
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.data.paths import Path
    from gainful.measures import Measure

__all__ = ["Look", "Snapshot", "SnapshotQuery"]


@dataclass(frozen=True, slots=True)
class SnapshotQuery:
    """What is kept of one query.

    Attributes
    ----------
    values : tuple of float or None
        Its value of each measure; None where the convention leaves the query out, or says NaN.
    judgments : str
        The first 12 hexadecimal digits of the digest of the query's judgments.
    documents : tuple of str or None
        The ranking, as deep as the snapshot keeps it, in the order in which the run lists it; None
        for a query that the run lacks.
    scores, ranks : tuple of float or None
        One a document. None for a ranking without scores; ranks are kept where the convention
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
        Its `Run.digest`.
    system, verdict : str
        What it was called, and what came out.
    """

    run: str
    system: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Snapshot:
    """What is kept of a run: its values, its rankings, and what made them.

    `make_snapshot` makes it, `write` and `read_snapshot` keep it in a file, `gate` holds a run
    against it.

    Attributes
    ----------
    system : str
        What the run was called.
    convention : Convention
        Under which the values were made.
    measures, resolved : tuple of Measure
        As they were asked for, and with every parameter set.
    queries : mapping of str to SnapshotQuery
        The queries that were evaluated, in byte order of their ids.
    depth : int or None
        How deep rankings are kept, with all that tie with the last; None for whole ones.
    judgments, run : str
        Digests of the judgments and of the run.
    looks : tuple of Look
        The runs that were checked against it, each once.
    budget : int or None
        How many looks were declared beforehand.
    version : str
        Of Gainful.
    file : str or None
        Where it was read from.

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
    version: str
    file: str | None = field(default=None, compare=False)

    @property
    def resolved(self) -> tuple[Measure, ...]:
        """The measures with every parameter set."""
        return tuple(measure.resolve(self.convention) for measure in self.measures)

    def values(self, measure: Measure) -> dict[str, float]:
        """Return the values of one of the measures, as resolved, of the queries that have one."""
        at = self.resolved.index(measure)
        return {
            query: value
            for query, kept in self.queries.items()
            if (value := kept.values[at]) is not None
        }

    def ranking(self) -> Run:
        """Return the rankings that were kept, as a run."""
        return run_of(self)

    def looked(self, run: str) -> int | None:
        """Return the number of the look at a run, counted from 1; None if it had none yet."""
        for number, look in enumerate(self.looks, 1):
            if look.run == run:
                return number
        return None

    def with_look(self, look: Look) -> Snapshot:
        """Return the snapshot with one look more; as it is, if the run was looked at before."""
        if self.looked(look.run) is not None:
            return self
        return replace(self, looks=(*self.looks, look))

    def to_dict(self) -> dict[str, object]:
        """Return the snapshot as the JSON contract ``gainful.snapshot/1`` has it."""
        return fields(self)

    def write(self, path: Path) -> None:
        """Write it to a file, whole or not at all: JSON with a line a query, made to be versioned.

        Raises
        ------
        SourceError
            If it cannot be written.
        """
        encoded = (line.encode("utf-8", "backslashreplace") for line in lines(self))
        write_whole(fspath(path), encoded)

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        count = len(self.queries)
        queries = "1 query" if count == 1 else f"{count:,} queries"
        looks = "1 look" if len(self.looks) == 1 else f"{len(self.looks)} looks"
        return f"<Snapshot {self.system}: {measures} of {queries}, {looks}>"

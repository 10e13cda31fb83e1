"""The snapshot: saved values and rankings of a run, to check later runs against."""

from __future__ import annotations

import json
from os import fspath

from gainful import _kernel
from gainful.data import Run
from gainful.data.table import kernel_rows, table_of_rows
from gainful.input_files import check_output
from gainful.measures.own import OwnFamily
from gainful.records import Record, derived, field
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.data.paths import Path
    from gainful.measures import Measure

__all__ = [
    "DIGEST",
    "VERDICTS",
    "Look",
    "Snapshot",
    "SnapshotQuery",
    "cut_rankings",
    "depth_needed",
    "lines",
]


#: Ideals of nDCG that depend on documents below the cutoff.
_WHOLE_LIST = ("list", "given-order")


def depth_needed(measures: Iterable[Measure], convention: Convention) -> int | None:
    """Return how many ranks to save for resolved measures; None for whole rankings.

    This is the largest cutoff. Whole rankings are needed if a measure has no cutoff or depends on
    ranks below it: if the ideal is built from the whole list, if policies remove documents so that
    others move up, or if ties are drawn at random.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> from gainful.measures import AP, nDCG
    >>> plain = get("gainful-1")
    >>> depth_needed([nDCG @ 10, nDCG @ 20], plain), depth_needed([nDCG @ 10, AP], plain)
    (20, None)
    """
    removes_documents = convention.unjudged == "condense" or convention.negative == "drop"
    if (
        removes_documents
        or convention.ties.startswith("random")
        or convention.duplicates == "copies"
    ):
        return None
    depth = 0
    for measure in measures:
        needs_all = measure.params.get("judged_only") or measure.params.get("ideal") in _WHOLE_LIST
        if measure.cutoff is None or needs_all:
            return None
        depth = max(depth, measure.cutoff)
    return depth


def cut_rankings(
    run: Run, queries: Iterable[str], depth: int | None, order: str
) -> dict[str, dict[str, Any]]:
    """Return documents, scores and ranks of the queries in the run, down to a depth."""
    rows = kernel_rows(run) if depth is None else kernel_rows(run).head(depth, order)
    rankings = {}
    for query in queries:
        columns = rows.columns(query)
        if columns is None:
            continue
        documents, scores, ranks = columns
        is_ranked = ranks is not None and scores is not None and order == "rank"
        rankings[query] = {
            "documents": tuple(documents),
            "scores": None if scores is None else tuple(scores),
            "ranks": tuple(ranks or ()) if is_ranked else None,
        }
    return rankings


def run_of(snapshot: Snapshot) -> Run:
    """Return the rankings of a snapshot as a run."""
    retrieved = {
        q: query_data
        for q, query_data in snapshot.queries.items()
        if query_data.documents is not None
    }
    if any(query_data.ranks is not None for query_data in retrieved.values()):
        return table_of_rows(Run, _with_ranks(retrieved), name=snapshot.system)
    rankings: dict[str, list[str] | list[tuple[str, float]]] = {}
    for query, query_data in retrieved.items():
        documents = query_data.documents or ()
        if query_data.scores is None:
            rankings[query] = list(documents)
        else:
            rankings[query] = list(zip(documents, query_data.scores, strict=True))
    rows = _kernel.rows_from_mapping(rankings, "run", duplicates="count")
    return table_of_rows(Run, rows, name=snapshot.system)


def _with_ranks(retrieved: Mapping[str, SnapshotQuery]) -> _kernel.Rows:
    queries: list[str] = []
    documents: list[str] = []
    scores: list[float] = []
    ranks: list[float] = []
    for query, query_data in retrieved.items():
        queries += [query] * len(query_data.documents or ())
        documents += query_data.documents or ()
        scores += query_data.scores or ()
        ranks += query_data.ranks or ()
    return _kernel.rows_from_columns(queries, documents, scores, ranks, "run", duplicates="count")


VERDICTS = ("pass", "fail", "inconclusive")
DIGEST = {"pattern": "^sha256:[0-9a-f]{64}$"}
_INPUT = {
    "type": "object",
    "required": ["path", "sha256"],
    "properties": {
        "path": {"description": "The path of a file.", "type": "string"},
        "sha256": {
            "description": "Its SHA-256 digest; null if it is unknown.",
            "type": ["string", "null"],
            "pattern": "^[0-9a-f]{64}$",
        },
    },
}


class SnapshotQuery(Record):
    """A query of a snapshot."""

    values: tuple[float | None, ...]
    """The value of each measure; None if the convention leaves the query out or returns NaN."""
    judgments: str = field(json={"pattern": "^[0-9a-f]{12}$"})
    """The first 12 hexadecimal digits of the digest of the query's judgments."""
    documents: tuple[str, ...] | None = field(default=None, optional=True)
    """The saved part of the ranking, in the order of the run; absent if the run lacks the query."""
    scores: tuple[float, ...] | None = field(default=None, optional=True)
    """One per document; absent for a ranking without scores."""
    ranks: tuple[float, ...] | None = field(default=None, optional=True)
    """One per document; absent unless the convention orders by them."""


class Look(Record):
    """A run that was checked against the snapshot."""

    run: str = field(json=DIGEST)
    """The `Run.digest` of the run."""
    system: str
    """The name of the run."""
    verdict: str = field(json={"enum": list(VERDICTS)})
    """The verdict."""
    alpha: float = field(json={"minimum": 0, "maximum": 0.5})
    """The error rate of the look."""


class Anchor(Record):
    """The part of an anchor that a snapshot does not share with it."""

    version: str = field(key="gainful")
    """The version of Gainful that made it."""
    system: str
    """The name of its run."""
    depth: int | None = field(json={"minimum": 1})
    """The number of saved ranks, as in the snapshot."""
    run: str = field(json=DIGEST)
    """The digest of its run."""
    queries: Mapping[str, SnapshotQuery]
    """The evaluated queries."""


class Snapshot(Record):
    """A run's values and rankings, with the measures and the convention.

    `make_snapshot` makes it, `write` and `read_snapshot` store it, `gate` checks a run against it.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> snapshot
    <Snapshot bm25: nDCG@10 of 6 queries, 0 looks>
    >>> round(snapshot.queries["q1"].values[0], 4)
    0.8829
    """

    SCHEMA = "gainful.snapshot/1"
    FILE = "`gainful gate --save` and Snapshot.write() write"

    version: str = field(key="gainful")
    """The version of Gainful that made it."""
    system: str
    """The name of the run."""
    convention: Convention
    """The convention of the values."""
    measures: tuple[Measure, ...] = field(key="")
    """The measures as requested."""
    _resolved: Mapping[str, str] = derived(
        lambda snapshot: {
            repr(measure): repr(measure.resolve(snapshot.convention))
            for measure in snapshot.measures
        },
        key="measures",
        json={"minProperties": 1},
    )
    """The measures as requested, each with every parameter set."""
    _declared: tuple[dict[str, Any], ...] | None = derived(
        lambda snapshot: (
            tuple(
                family.declared()
                for family in (measure.declaration for measure in snapshot.measures)
                if isinstance(family, OwnFamily)
            )
            or None
        ),
        key="declared",
        optional=True,
    )
    """The declarations of measures that are not Gainful's: name, range and direction."""
    depth: int | None = field(json={"minimum": 1})
    """The number of saved ranks, with all documents tied with the last; None for whole rankings."""
    judgments: str = field(json=DIGEST)
    """The digest of the judgments, which does not depend on the order of their rows."""
    run: str = field(json=DIGEST)
    """The digest of the run."""
    inputs: Sequence[Mapping[str, str | None]] = field(default=(), json={"items": _INPUT})
    """The paths and SHA-256 digests of the files that it was made from, for `gainful.verify`."""
    selection: Mapping[str, str | None] | None = field(
        default=None, optional=True, json={"additionalProperties": {"type": ["string", "null"]}}
    )
    """The digests of the pairs that are excluded and of the classes of documents; a function has
    none."""
    budget: int | None = field(default=None, json={"minimum": 1})
    """The declared number of looks."""
    spending: bool = False
    """Whether the error rate is spent over any number of looks (`gainful.gates.look_alpha`)."""
    looks: tuple[Look, ...] = ()
    """The different runs that were checked against it."""
    _anchor: Anchor | None = derived(lambda snapshot: _part(snapshot.anchor), key="anchor")
    """The first snapshot of a series of replaced ones, evaluated with the judgments, measures and
    convention of this one; None if this one is the first."""
    anchor: Snapshot | None = field(default=None, key="")
    """The same as a snapshot."""
    queries: Mapping[str, SnapshotQuery]
    """The evaluated queries, in byte order of their ids."""
    file: str | None = field(default=None, key="")
    """The file that it was read from."""

    @property
    def resolved(self) -> tuple[Measure, ...]:
        """The measures with every parameter set."""
        return tuple(measure.resolve(self.convention) for measure in self.measures)

    def values(self, measure: Measure) -> dict[str, float]:
        """Return the values of a resolved measure, for the queries that have one."""
        index = self.resolved.index(measure)
        return {
            query: value
            for query, kept in self.queries.items()
            if (value := kept.values[index]) is not None
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
        return self.replace(looks=(*self.looks, look))

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

    def __eq__(self, other: object) -> bool:
        # The files that it was made and read from do not matter.
        return isinstance(other, Snapshot) and Record.__eq__(
            self.replace(inputs=(), file=None), other.replace(inputs=(), file=None)
        )

    def __hash__(self) -> int:
        return hash((self.run, self.judgments, self.measures))

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        count = len(self.queries)
        queries = "1 query" if count == 1 else f"{count:,} queries"
        looks = "1 look" if len(self.looks) == 1 else f"{len(self.looks)} looks"
        return f"<Snapshot {self.system}: {measures} of {queries}, {looks}>"


def _part(anchor: Snapshot | None) -> Anchor | None:
    if anchor is None:
        return None
    return Anchor(
        version=anchor.version,
        system=anchor.system,
        depth=anchor.depth,
        run=anchor.run,
        queries=anchor.queries,
    )


def lines(snapshot: Snapshot) -> Iterator[str]:
    """Yield the text of the file, with one line per look and query."""
    yield from _lines(snapshot.to_dict(), "")
    yield "\n"


def _lines(values: dict[str, Any], indent: str) -> Iterator[str]:
    yield "{\n"
    for index, (name, value) in enumerate(values.items()):
        yield f"{indent}  {_json(name)}: "
        if name == "anchor" and value:
            yield from _lines(value, f"{indent}  ")
        elif name in ("looks", "queries") and value:
            opening, closing = "[]" if name == "looks" else "{}"
            entries = (
                map(_json, value)
                if name == "looks"
                else (f"{_json(query)}: {_json(values)}" for query, values in value.items())
            )
            inside = f",\n{indent}    ".join(entries)
            yield f"{opening}\n{indent}    {inside}\n{indent}  {closing}"
        else:
            yield _json(value)
        yield "\n" if index == len(values) - 1 else ",\n"
    yield f"{indent}}}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

"""The result of `find_unjudged`: unjudged documents, pairs of systems, and their tables."""

from __future__ import annotations

from gainful.evaluation.notes import describe_convention, list_grades
from gainful.evaluation.summary_tables import format_figure
from gainful.formats.numbers import percent, with_sign
from gainful.formats.table import Column, Note, Table
from gainful.records import Interval, Record, as_columns, derived, field
from gainful.records.tables import columns_of, table_of, table_of_columns
from gainful.references import refer
from gainful.results import Records, Result
from gainful.unjudged.samples import describe_samples, interval_heading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Literal

    from gainful.conventions import Convention
    from gainful.evaluation import Evaluation
    from gainful.plots import Plot
    from gainful.unjudged.samples import LabelSamples

__all__ = ["NEAR", "BoundedMean", "ContestedPair", "Unjudged", "UnjudgedDocument", "UnjudgedSlice"]

#: Smaller differences are rounding errors.
NEAR = 1e-12

_FROM_ONE = {"minimum": 1}


class BoundedMean(Record):
    """The mean of a system, and its bounds over labels."""

    low: float = derived(
        lambda mean: mean.interval.low, key="", tables="systems slices", show=format_figure
    )
    """The lowest mean."""
    value: float = field(
        tables="systems slices",
        label="{figure}",
        show=format_figure,
        json={"type": ["number", "null"]},
    )
    """The mean (or sum) with unjudged documents not relevant."""
    high: float = derived(
        lambda mean: mean.interval.high, key="", tables="systems slices", show=format_figure
    )
    """The highest mean."""
    interval: Interval
    """The lowest and highest mean over the labels of all these documents, including those that only
    other systems retrieved."""
    n: int = field(tables="systems", label="queries")
    """The number of queries that count."""


class SystemMean(BoundedMean):
    """The mean of a system over all queries, and its bounds over labels."""

    judged: float | None = field(tables="systems", show=percent, json={"minimum": 0, "maximum": 1})
    """The share of the top k with a judgment."""


class UnjudgedDocument(Record):
    """An unjudged document, and how far its label could change a result."""

    COLUMNS = {
        "documents": ("query query_text document impact system best_rank systems title"),
    }

    query: str = field(key="query_id", label="query_id")
    """The id of the query."""
    document: str = field(key="doc_id", label="doc_id")
    """The id of the document."""
    value: float = field(json={"minimum": 0})
    """The range of the difference between `system` and `baseline` over the grades of this document
    alone. For a single system, the range of its mean."""
    impact: float = derived(lambda document: document.value, key="")
    """The value, under the name that tables have."""
    system: str = field(
        label="pair", cell=lambda document: f"{document.system} vs. {document.baseline}"
    )
    """The system whose difference from `baseline` it changes most."""
    baseline: str | None
    """What that system is compared with; None for a single system."""
    systems: int = derived(lambda document: len(document.ranks), json=_FROM_ONE)
    """The number of systems that retrieved it."""
    best_rank: int = derived(
        lambda document: min(document.ranks.values()), label="rank", json=_FROM_ONE
    )
    """Its best rank in any system."""
    query_text: str | None = field(
        default=None,
        key="query",
        optional=True,
        label="query",
        cell=lambda document: document.query_text or "",
        if_any=True,
        fit="end",
        json={"type": ["string", "null"]},
    )
    """The text of the query, if known."""
    title: str | None = field(
        default=None,
        optional=True,
        cell=lambda document: document.title or document.text or "",
        if_any=True,
        fit="end",
        json={"type": ["string", "null"]},
    )
    """The title of the document, if known."""
    text: str | None = field(default=None, optional=True, json={"type": ["string", "null"]})
    """The text of the document, if known."""
    ranks: dict[str, int] = field(json={"additionalProperties": {"type": "integer", "minimum": 1}})
    """Its rank in each system that retrieved it within the depth."""


class ContestedPair(Record):
    """Two systems, and whether labels could reverse their order."""

    system: str = field(tables="contests effect")
    """The name of the system."""
    baseline: str = field(tables="contests effect", label="vs.")
    """The name of the other system."""
    difference: float = field(tables="contests effect", label="{difference}", show=with_sign)
    """The mean of the system minus the baseline's, with unjudged documents not relevant."""
    interval: Interval = field(tables="contests effect", label="{range}", show=with_sign)
    """Bounds of the difference over all labels, including those of documents below the depth, which
    change the ideal. They are exact if each query has at most 1,024 labelings of the documents up
    to the depth, and runs have one ideal. Otherwise they combine the bounds of the two systems, and
    may be wider."""
    worst: float = field(tables="contests", label="worst found", show=with_sign)
    """The difference under the most adverse labels found. It is exact if each query has at most
    1,024 labelings."""
    labels: int | None
    """A number of labels that reverse the order; None if all of these labels together do not.
    Labels of grade 0 do not count, since unjudged documents are not relevant."""
    is_minimum: bool = False
    """Whether `labels` is the minimum: it is if each query has at most 1,024 labelings. Otherwise
    fewer labels may suffice."""
    depth: int | None = field(default=None, key="")
    """The rank up to which documents have labels, if labels of deeper ones would change more than
    the ideal, as without a cutoff."""
    verdict: Literal["settled", "open", "unknown"] = derived(lambda contest: _verdict(contest))
    """``settled`` (no labels reverse the order), ``open`` (some do) or ``unknown``."""
    verdict_text: str = derived(
        lambda contest: _verdict_text(contest),
        key="",
        tables="contests effect",
        label="verdict",
        fit="whole",
    )
    """The verdict as text, with the number of labels."""


class UnjudgedSlice(Record):
    """Systems and their pairs on a slice of the queries."""

    systems: dict[str, BoundedMean]
    """By system, its mean over the queries of the slice that count, and the lowest and highest mean
    over the labels of their documents."""
    contests: tuple[ContestedPair, ...]
    """The pairs: each system vs. the baseline, or vs. the next by mean in the slice."""


class MeasureNames(Record):
    """The names of a measure."""

    name: str
    """As requested."""
    resolved: str
    """With every parameter set."""


class Unjudged(Result):
    """Unjudged documents, and how far their labels could change the results.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.find_unjudged("qrels.txt", ["bm25.run", "dense.run"])
    >>> found.documents[0].document, found.contests[0].verdict_text
    ('r12', 'labels cannot reverse it')
    """

    SCHEMA = "gainful.unjudged/1"
    COMMAND = "find-unjudged"
    RECORDS = {
        "documents": UnjudgedDocument,
        "systems": None,
        "contests": ContestedPair,
        "slices": None,
    }
    PICTURES = ("means",)

    evaluation: Evaluation = field(key="")
    """The evaluation of the systems."""
    convention: Convention = derived(lambda unjudged: unjudged.evaluation.convention)
    """The policies of the numbers."""
    measure: MeasureNames = derived(
        lambda unjudged: MeasureNames(
            name=repr(unjudged.evaluation.measures[0]),
            resolved=repr(unjudged.evaluation.resolved[0]),
        )
    )
    """The measure."""
    depth: int = field(json=_FROM_ONE)
    """The maximum rank of the documents. Other unjudged documents count as not relevant."""
    scale: tuple[float, ...] = derived(lambda unjudged: tuple(unjudged.evaluation.scale or ()))
    """The possible grades of a document."""
    systems: dict[str, SystemMean] = field(json={"minProperties": 1})
    """By system, its mean, and the lowest and highest mean over the labels of all documents."""
    contests: tuple[ContestedPair, ...]
    """The pairs: each system vs. the baseline, or vs. the next by mean."""
    documents: tuple[UnjudgedDocument, ...] = field(key="")
    """The documents by descending value."""
    _rows: tuple[UnjudgedDocument, ...] = derived(
        lambda unjudged: [
            {**row, "ranks": document.ranks}
            for row, document in zip(unjudged.rows(), unjudged.documents, strict=True)
        ],
        key="documents",
    )
    """The documents by descending value."""
    attribute: str | None = field(default=None, key="by", optional=True)
    """The name of the slices' attribute; None without slices."""
    slices: dict[str, UnjudgedSlice] | None = field(default=None, optional=True)
    """The systems and pairs of each slice of the queries; None without slices."""
    samples: LabelSamples | None = field(default=None, optional=True)
    """Means over sampled labels of all queries, if requested."""

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[UnjudgedDocument]:
        return iter(self.documents)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one dictionary per document, for annotation tools.

        Its keys are ``query_id``, ``doc_id``, ``value``, ``system``, ``baseline``, ``systems`` (how
        many retrieved it), ``best_rank``, and if known ``query``, ``title`` and ``text``.
        """
        columns = self._records("documents")
        for values in zip(*columns.values(), strict=True):
            yield dict(zip(columns, values, strict=True))

    def tables(self, top: int = 20) -> list[Table]:
        """Return tables: the systems, the pairs, the slices, and the first documents.

        Parameters
        ----------
        top : int
            The maximum number of documents.
        """
        tables = [_systems_table(self)]
        if self.contests:
            tables.append(_contests_table(self))
        if self.slices:
            tables.append(_slices_table(self, self.slices))
        if top < 1 and self.documents:
            return tables
        return [*tables, _documents_table(self, top)]

    def _picture(self, name: str) -> Plot:
        """Draw the mean of each system with its bounds over all labels."""
        from gainful import plots
        from gainful.evaluation.pictures import mean_rows

        measure = self.evaluation.measures[0]
        rows = [
            {**row, "low": low, "high": high}
            for row in mean_rows(self.evaluation, measure)
            for low, high in [self.systems[row["system"]].interval]
        ]
        return plots.means(rows, f"{measure!r}, bounds over the labels of unjudged documents")

    def _records(self, name: str) -> Records:
        if name == "systems":
            columns = as_columns(SystemMean, list(self.systems.values()))
            return {"system": list(self.systems), **columns}
        if name == "slices":
            parts = [
                (name, system, mean)
                for name, part in (self.slices or {}).items()
                for system, mean in part.systems.items()
            ]
            return {
                "slice": [name for name, _, _ in parts],
                "system": [system for _, system, _ in parts],
                **as_columns(BoundedMean, [mean for _, _, mean in parts]),
            }
        columns = super()._records(name)
        if name == "documents":
            for item in UnjudgedDocument.FIELDS.values():
                if item.is_optional and all(value is None for value in columns[item.keys[0]]):
                    del columns[item.keys[0]]
        return columns

    def __repr__(self) -> str:
        names = ", ".join(self.evaluation.systems)
        return f"<Unjudged of {names}: {len(self.documents)} documents>"


def _verdict(contest: ContestedPair) -> str:
    if contest.labels is not None:
        return "open"
    low, high = contest.interval
    settled = low >= -NEAR if contest.difference >= 0 else high <= NEAR
    return "settled" if settled else "unknown"


def _verdict_text(contest: ContestedPair) -> str:
    if contest.labels is not None:
        most = "" if contest.is_minimum else "at most "
        return f"{most}{contest.labels} label{'s' * (contest.labels != 1)} could reverse it"
    if contest.verdict != "settled":
        return "no reversal found"
    which = "labels" if contest.depth is None else f"labels up to rank {contest.depth}"
    return f"{which} cannot reverse it"


# --- tables ---------------------------------------------------------------------------------------


def _mean_columns(
    unjudged: Unjudged, means: Sequence[BoundedMean], table: str
) -> list[tuple[Column, list[object]]]:
    """Return the columns of means with their bounds; sums are integers."""
    is_sum = unjudged.evaluation.measures[0].aggregate == "sum"

    def figure(value: float) -> str:
        return format_figure(round(value) if is_sum else value)

    show: dict[str, Callable[[Any], str]] = dict.fromkeys(("low", "value", "high"), figure)
    labels = {"figure": "sum" if is_sum else "mean"}
    return columns_of(means, table, labels=labels, show=show)


def _systems_table(unjudged: Unjudged) -> Table:
    """Return one row per system: its mean and its bounds over all labels."""
    evaluation, samples = unjudged.evaluation, unjudged.samples
    measure, systems = evaluation.measures[0], list(unjudged.systems)
    bounds = (
        f"low and high: bounds over all grades ({list_grades(evaluation)}) of unjudged documents up"
        f" to rank {unjudged.depth} of any system. Other unjudged documents count as not relevant."
    )
    columns = _mean_columns(unjudged, list(unjudged.systems.values()), "systems")
    notes = [Note("low", bounds, explains=True)]
    if samples is not None:
        means = [samples.summary(measure, system) for system in systems]
        columns[3:3] = columns_of(means, "systems", labels={"draws": interval_heading(samples)})
        notes.append(Note("mean", describe_samples(samples)))
    return table_of_columns(
        [(Column("system"), systems), *columns],
        title=f"{measure!r}: bounds over the labels of {_count(unjudged.documents)}",
        notes=[*notes, Note("convention", describe_convention(evaluation))],
    )


def _contests_table(unjudged: Unjudged) -> Table:
    """Return one row per pair of systems: whether labels could reverse their order."""
    evaluation = unjudged.evaluation
    measure = evaluation.measures[0]
    places = 0 if measure.aggregate == "sum" else 4
    queries = {
        frozenset(evaluation.values_by_text_id(measure, name)) for name in evaluation.systems
    }

    def signed(value: float) -> str:
        return with_sign(value, places)

    notes = [
        Note("difference", "difference: mean over the queries that count for both systems."),
        Note(
            "worst",
            "worst found: difference under the most adverse labels found. It is possible, not"
            " necessarily likely.",
            explains=True,
        ),
    ]
    return table_of(
        unjudged.contests,
        "contests",
        title="Could labels reverse the order?",
        notes=notes if len(queries) > 1 else notes[1:],
        labels={"difference": "difference", "range": "possible range"},
        show=dict.fromkeys(("difference", "interval", "worst"), signed),
    )


def _slices_table(unjudged: Unjudged, slices: dict[str, UnjudgedSlice]) -> Table:
    """Return one row per slice and system: the mean, its bounds, and whether the order is safe."""
    rows: list[tuple[str, str, BoundedMean, tuple[str, str]]] = []
    for name, part in slices.items():
        texts = {pair.system: (pair.baseline, pair.verdict_text) for pair in part.contests}
        order = sorted(part.systems, key=lambda system: -part.systems[system].value)
        for system in order:
            label = name if system == order[0] else ""
            rows.append((label, system, part.systems[system], texts.get(system, ("", ""))))
    means = [mean for _, _, mean, _ in rows]
    columns: list[tuple[Column, Sequence[object]]] = [
        (Column("slice", unjudged.attribute or "slice"), [label for label, _, _, _ in rows]),
        (Column("n", "queries", str), [mean.n for mean in means]),
        (Column("system"), [system for _, system, _, _ in rows]),
        *_mean_columns(unjudged, means, "slices"),
    ]
    if any(part.contests for part in slices.values()):
        columns.append((Column("baseline", "vs."), [text[0] for _, _, _, text in rows]))
        columns.append((Column("verdict", fit="whole"), [text[1] for _, _, _, text in rows]))
    title = f"{unjudged.evaluation.measures[0]!r}, by {unjudged.attribute or 'slice'}"
    return table_of_columns(columns, title=title)


def _documents_table(unjudged: Unjudged, top: int) -> Table:
    """Return the first documents, each with the impact of its label."""
    if not unjudged.documents:
        return Table([Column("document", "")], [], title="Every document is judged.")
    listed = unjudged.documents[:top]
    what = "the difference of the pair" if unjudged.contests else "the mean"
    absent = set() if unjudged.contests else {"systems"}
    if len({(document.system, document.baseline) for document in listed}) < 2:
        absent.add("system")
        if unjudged.contests:
            what = f"the difference of {listed[0].system} and {listed[0].baseline}"
    notes = [
        Note(
            "impact",
            f"impact: how much this label alone can change {what}. rank: the best of all systems.",
            explains=True,
        )
    ]
    left = len(unjudged.documents) - len(listed)
    if left:
        more_rows = refer("top", "N", python="tables(top=N)")
        everything = refer("records", "tsv, csv or jsonl", python="records()")
        more = f"{left:,} more documents: use {more_rows}, or {everything} for all."
        notes.append(Note("left_out", more))
    places = (Column("place", "", str), range(1, len(listed) + 1))
    table = table_of_columns(
        [places, *columns_of(listed, "documents")], title="Judge these first", notes=notes
    )
    return table.only(lambda column: column.key not in absent)


def _count(documents: Sequence[UnjudgedDocument]) -> str:
    return f"{len(documents):,} unjudged document{'s' * (len(documents) != 1)}"

"""The result of `find_unjudged`."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful.results import Records, Result, as_records
from gainful.unjudged.rendering import document_rows, rows_of, tables, to_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.evaluation import Evaluation
    from gainful.formats.table import Table
    from gainful.plots import Plot
    from gainful.unjudged.samples import LabelSamples

__all__ = ["NEAR", "Contest", "Unjudged", "UnjudgedDocument", "UnjudgedSlice"]

#: Smaller differences are rounding errors.
NEAR = 1e-12


@dataclass(frozen=True, slots=True)
class UnjudgedDocument:
    """An unjudged document, and how far its label could change a result.

    Attributes
    ----------
    query, document : str
        Their ids.
    value : float
        The range of the difference between `system` and `baseline` over the grades of this document
        alone. For a single system, the range of its mean.
    system, baseline : str or None
        The systems whose difference it changes most; `baseline` is None for a single system.
    ranks : dict of str to int
        Its rank in each system that retrieved it within the depth.
    title, text, query_text : str or None
        Title and text of the document, and text of the query, if known.
    """

    query: str
    document: str
    value: float
    system: str
    baseline: str | None
    ranks: dict[str, int]
    title: str | None = None
    text: str | None = None
    query_text: str | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """Two systems, and whether labels could reverse their order.

    Attributes
    ----------
    system, baseline : str
        The names of the systems.
    difference : float
        The mean of the system minus the baseline's, with unjudged documents not relevant.
    low, high : float
        Bounds of the difference over all labels, including those of documents below the depth,
        which change the ideal. They are exact if each query has at most 1,024 labelings of the
        documents up to the depth, and runs have one ideal. Otherwise they combine the bounds of the
        two systems, and may be wider.
    worst : float
        The difference under the most adverse labels found. It is exact if each query has at most
        1,024 labelings.
    labels : int or None
        A number of labels that reverse the order; None if all of these labels together do not.
        Labels of grade 0 do not count, since unjudged documents are not relevant.
    is_minimum : bool
        Whether `labels` is the minimum: it is if each query has at most 1,024 labelings. Otherwise
        fewer labels may suffice.
    depth : int or None
        The rank up to which documents have labels, if labels of deeper ones would change more than
        the ideal, as without a cutoff.
    """

    system: str
    baseline: str
    difference: float
    low: float
    high: float
    worst: float
    labels: int | None
    is_minimum: bool = False
    depth: int | None = None

    @property
    def verdict(self) -> str:
        """``settled`` (no labels reverse the order), ``open`` (some do) or ``unknown``."""
        if self.labels is not None:
            return "open"
        settled = self.low >= -NEAR if self.difference >= 0 else self.high <= NEAR
        return "settled" if settled else "unknown"

    @property
    def verdict_text(self) -> str:
        """The verdict as text, with the number of labels."""
        if self.labels is not None:
            most = "" if self.is_minimum else "at most "
            return f"{most}{self.labels} label{'s' * (self.labels != 1)} could reverse it"
        if self.verdict != "settled":
            return "no reversal found"
        which = "labels" if self.depth is None else f"labels up to rank {self.depth}"
        return f"{which} cannot reverse it"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnjudgedSlice:
    """Systems and their pairs on a slice of the queries.

    Attributes
    ----------
    queries : dict of str to int
        The number of queries of the slice that count, by system.
    values : dict of str to float
        The mean (or sum) of each system over these queries.
    bounds : dict of str to (float, float)
        By system, the lowest and highest mean over the labels of the documents of the slice.
    contests : tuple of Contest
        The pairs: each system vs. the baseline, or vs. the next by mean in the slice.
    """

    queries: dict[str, int]
    values: dict[str, float]
    bounds: dict[str, tuple[float, float]]
    contests: tuple[Contest, ...]


@dataclass(frozen=True, eq=False)
class Unjudged(Result):
    """Unjudged documents, and how far their labels could change the results.

    Attributes
    ----------
    evaluation : Evaluation
        The evaluation of the systems. Its ``scale`` has the possible grades.
    depth : int
        The maximum rank of the documents.
    documents : tuple of UnjudgedDocument
        The documents by descending value.
    contests : tuple of Contest
        The pairs: each system vs. the baseline, or vs. the next by mean.
    bounds : dict of str to (float, float)
        By system, the lowest and highest mean over the labels of all these documents, including
        those that only other systems retrieved.
    samples : LabelSamples or None
        Means over sampled labels of all queries, if requested.
    slices : dict of str to UnjudgedSlice
        The systems and pairs of each slice of the queries; empty without slices.
    attribute : str or None
        The name of the slices' attribute.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.find_unjudged("qrels.txt", ["bm25.run", "dense.run"])
    >>> found.documents[0].document, found.contests[0].verdict_text
    ('r12', 'labels cannot reverse it')
    """

    RECORDS = {"documents": None, "systems": None, "contests": None, "slices": None}
    PICTURES = ("means",)

    evaluation: Evaluation
    depth: int
    documents: tuple[UnjudgedDocument, ...]
    contests: tuple[Contest, ...]
    bounds: dict[str, tuple[float, float]]
    samples: LabelSamples | None = None
    slices: dict[str, UnjudgedSlice] = field(default_factory=dict)
    attribute: str | None = None

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[UnjudgedDocument]:
        return iter(self.documents)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one dictionary per document, for annotation tools.

        Its keys are ``query_id``, ``doc_id``, ``value``, ``system``, ``baseline``, ``systems`` (how
        many retrieved it), ``best_rank``, and if known ``query``, ``title`` and ``text``.
        """
        texts = [
            (name, field)
            for name, field in (("query", "query_text"), ("title", "title"), ("text", "text"))
            if any(getattr(each, field) is not None for each in self.documents)
        ]
        for each in self.documents:
            yield {
                "query_id": each.query,
                "doc_id": each.document,
                "value": each.value,
                "system": each.system,
                "baseline": each.baseline,
                "systems": len(each.ranks),
                "best_rank": min(each.ranks.values()),
                **{name: getattr(each, field) for name, field in texts},
            }

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract ``gainful.unjudged/1``."""
        return to_dict(self)

    def tables(self, top: int = 20) -> list[Table]:
        """Return tables: the systems, the pairs, and the first documents."""
        return tables(self, top)

    def _picture(self, name: str) -> Plot:
        """Draw the mean of each system with its bounds over all labels."""
        from gainful import plots
        from gainful.evaluation.pictures import mean_rows

        measure = self.evaluation.measures[0]
        rows = [
            {**row, "low": low, "high": high}
            for row in mean_rows(self.evaluation, measure)
            for low, high in [self.bounds[row["system"]]]
        ]
        return plots.means(rows, f"{measure!r}, bounds over the labels of unjudged documents")

    def _records(self, name: str) -> Records:
        return as_records(*(document_rows(self) if name == "documents" else rows_of(self, name)))

    def __repr__(self) -> str:
        names = ", ".join(self.evaluation.systems)
        return f"<Unjudged of {names}: {len(self.documents)} documents>"

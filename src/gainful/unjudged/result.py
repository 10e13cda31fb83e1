"""What unjudged documents could change, as a value."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.results import Records, Result, as_records
from gainful.unjudged.rendering import document_rows, rows_of, tables, to_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.evaluation import Evaluation
    from gainful.formats.table import Table
    from gainful.unjudged.samples import LabelSamples

__all__ = ["NEAR", "Contest", "Unjudged", "UnjudgedDocument"]

#: Differences that are this near to 0 are rounding.
NEAR = 1e-12


@dataclass(frozen=True, slots=True)
class UnjudgedDocument:
    """A document that nobody judged for a query, and what its label could change.

    Attributes
    ----------
    query, document : str
        Their ids.
    value : float
        How far its label alone can move the difference of `system` and `baseline`: the greatest
        less the least difference of the means over its grades, all other documents as they are. Of
        a single system, how far it can move its mean.
    system, baseline : str or None
        The two systems whose difference it moves most; `baseline` is None for a single system.
    ranks : dict of str to int
        By system, the rank at which it was retrieved, where that is within the depth.
    title, text, asked : str or None
        Of the document its title and text, and what was searched for, where these were given.
    """

    query: str
    document: str
    value: float
    system: str
    baseline: str | None
    ranks: dict[str, int]
    title: str | None = None
    text: str | None = None
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """Two systems, and whether the labels could turn which is ahead.

    Attributes
    ----------
    system, baseline : str
        Their names.
    difference : float
        The mean of the system less the baseline's, the unjudged documents not relevant.
    low, high : float
        No labels take the difference beyond. Of a query with at most 1,024 labellings they are its
        extremes; of others made of those that the two systems have on their own, so that they need
        not be reached.
    found : float
        The difference under the labels that were found to draw it to the other side of 0 most. Of
        queries with few labellings no others do so more.
    labels : int or None
        How many of these labels turn the order, the most effective first; None where even all of
        them do not. There may be fewer that do.
    """

    system: str
    baseline: str
    difference: float
    low: float
    high: float
    found: float
    labels: int | None

    @property
    def verdict(self) -> str:
        """``settled``: no labels turn it; ``open``: labels were found that do; or ``unknown``."""
        if self.labels is not None:
            return "open"
        settled = self.low >= -NEAR if self.difference >= 0 else self.high <= NEAR
        return "settled" if settled else "unknown"

    @property
    def words(self) -> str:
        """What `verdict` says, with the number of labels."""
        if self.labels is not None:
            return f"{self.labels} label{'s' * (self.labels != 1)} can turn it"
        return "no labels turn it" if self.verdict == "settled" else "not found to turn"


@dataclass(frozen=True, eq=False)
class Unjudged(Result):
    """What the labels of unjudged documents could change, and the documents.

    Attributes
    ----------
    evaluation : Evaluation
        Of the systems; its ``scale`` holds the grades that the documents may have.
    depth : int
        Down to which rank documents were looked at.
    documents : tuple of UnjudgedDocument
        The most valuable first.
    contests : tuple of Contest
        Each system beside the baseline, or beside the next in the order of means.
    bounds : dict of str to (float, float)
        By system, the least and the greatest mean over the labels of all these documents, those
        that only others retrieved included.
    samples : LabelSamples or None
        Means over labels drawn at random, where these were asked for.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.find_unjudged("qrels.txt", ["bm25.run", "dense.run"])
    >>> found.documents[0].document, found.contests[0].words
    ('r12', 'no labels turn it')
    """

    RECORDS = ("documents", "systems", "contests")

    evaluation: Evaluation
    depth: int
    documents: tuple[UnjudgedDocument, ...]
    contests: tuple[Contest, ...]
    bounds: dict[str, tuple[float, float]]
    samples: LabelSamples | None = None

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[UnjudgedDocument]:
        return iter(self.documents)

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield one dictionary a document, as tools for judging read them.

        Its keys are ``query_id``, ``doc_id``, ``value``, ``system``, ``baseline``, ``systems`` (how
        many retrieved it), ``best_rank``, and where they are known ``query``, ``title`` and
        ``text``.
        """
        texts = [
            (name, field)
            for name, field in (("query", "asked"), ("title", "title"), ("text", "text"))
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

    def to_dict(self) -> dict[str, object]:
        """Return it as the JSON contract ``gainful.unjudged/1`` has it."""
        return to_dict(self)

    def tables(self, top: int = 20) -> list[Table]:
        """Return tables of text: the systems, who could overtake whom, and the first documents."""
        return tables(self, top)

    def _records(self, name: str) -> Records:
        return as_records(*(document_rows(self) if name == "documents" else rows_of(self, name)))

    def __repr__(self) -> str:
        names = ", ".join(self.evaluation.systems)
        return f"<Unjudged of {names}: {len(self.documents)} documents>"

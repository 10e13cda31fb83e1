"""The data of an explanation: its fields, ranks and documents."""

from __future__ import annotations

from gainful.conventions import Convention
from gainful.measures import Measure
from gainful.records import Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.data.records import Text

    Number = float | None

__all__ = [
    "DocumentText",
    "ExplainedDocument",
    "ExplainedGroup",
    "ExplainedRank",
    "ExplanationData",
    "FullRank",
    "FullRanking",
    "LeftOut",
]

_RANK = {"minimum": 1}


class ExplainedRank(Record):
    """One rank of the ranking and of the ideal ranking."""

    rank: int = field(json=_RANK)
    """The rank, from 1."""
    document: str | None = None
    """The document; None below the end of the ranking."""
    score: Number = None
    """The score in the run; None in a ranking without scores."""
    grade: Number = None
    """The judged grade; None for an unjudged document."""
    tie: int | None = field(default=None, json=_RANK)
    """The number of its group of equal scores, from 1; None for a unique score."""
    gain: Number = None
    """For sums of gains (CG, DCG, IDCG, nDCG): the gain of the grade."""
    discount: Number = None
    """For sums of gains: the discount factor of the rank, 0 below the cutoff."""
    contribution: Number = None
    """For sums of gains: gain × discount, rounded if the convention rounds terms; under
    ``ties=expected`` the mean gain of the tied group × discount."""
    running: Number = None
    """The DCG at this rank; for other measures the measure's value at this rank."""
    relevant: bool | None = None
    """For measures that are not sums of gains: whether the document is relevant."""
    precision: Number = None
    """For AP: the precision at the rank of a relevant document."""
    new_units: int | None = field(default=None, optional=True)
    """With spans: the units of the chunk that no chunk above it has."""
    repeated_units: int | None = field(default=None, optional=True)
    """With spans: the units of the chunk that chunks above it have."""
    covered: Number = field(default=None, optional=True)
    """With spans: the share of the relevant text that the chunks down to this rank cover."""
    ideal_document: str | None = None
    """The document at this rank of the ideal ranking; None if the ideal consists of grades without
    documents."""
    ideal_grade: Number = None
    """Its grade."""
    ideal_gain: Number = None
    """Its gain."""
    ideal_contribution: Number = None
    """Its gain × discount."""
    ideal_running: Number = None
    """The IDCG at this rank."""
    cost: Number = None
    """`ideal_contribution` - `contribution`. The costs of all ranks sum to IDCG - DCG. It is
    negative if the rank contributes more than in the ideal ranking."""


class ExplainedDocument(Record):
    """A document that counts in the ranking, in the ideal ranking, or in both."""

    document: str
    """Its id."""
    grade: Number
    """Its grade; None for an unjudged document, which counts if the convention gives it a grade."""
    gain: Number
    """The gain of the grade; None for measures that are not sums of gains."""
    rank: int | None = field(json=_RANK)
    """Its rank in the whole ranking; None if it was not retrieved."""
    ideal_rank: int | None = field(json=_RANK)
    """Its rank in the ideal ranking; None if it is not in the ideal ranking."""
    contribution: Number
    """Its term of the DCG: gain × discount of its rank, or 0. Under ``ties=expected``, gain × the
    mean discount of its possible ranks."""
    ideal_contribution: Number
    """Its term of the IDCG."""
    cost: Number
    """`ideal_contribution` - `contribution`. The costs of all documents sum to IDCG - DCG. It is
    negative for a document above its ideal rank."""


class ExplainedGroup(Record):
    """A group of alternatives, of which one document or span is needed."""

    group: str
    """Its name."""
    weight: float = field(json={"minimum": 0})
    """Its weight, 1 unless the judgments have weights."""
    rank: int | None = field(json=_RANK)
    """The rank at which it is found; None if the ranking lacks it."""


class FullRank(Record):
    """A relevant document among sampled candidates, and the estimate among all documents."""

    document: str
    """Its id."""
    rank: int = field(json=_RANK)
    """Its rank among the candidates."""
    full_rank: float = field(json=_RANK)
    """The estimated rank: 1 + relevant documents above it + other candidates above it × all other
    documents / sampled ones."""


class FullRanking(Record):
    """An estimate of what a ranking of all documents would give, from sampled candidates."""

    documents: int = field(json=_RANK)
    """The number of all documents."""
    sampled: int = field(json=_RANK)
    """The number of sampled documents that are not relevant."""
    ranks: tuple[FullRank, ...]
    """The retrieved relevant documents by rank."""
    value: float = field(json={"type": ["number", "null"]})
    """The measure with these documents at their estimated ranks, rounded down."""


class LeftOut(Record):
    """A document that the convention removed from the ranking."""

    document: str
    """Its id."""
    reason: str = field(json={"enum": ["unjudged", "duplicate", "negative", "same-id"]})
    """The policy that removed it: ``unjudged=condense`` (or a measure's ``judged_only``),
    ``duplicates``, ``negative=drop`` or ``same_id=drop``."""


class DocumentText(Record):
    """The title and the text of a document."""

    title: str
    """Its title."""
    text: str
    """Its text."""


class ExplanationData(Record):
    """The fields of an explanation; see `Explanation`."""

    query: str
    """The query's id; empty for a plain list of grades."""
    query_text: str | None = None
    """The query's text, if known."""
    measure: Measure
    """The measure as requested."""
    resolved: Measure
    """The measure with every parameter set."""
    convention: Convention
    """The convention of the numbers."""
    value: float = field(json={"type": ["number", "null"]})
    """The measure's value for the query, bit for bit that of `evaluate`; null for NaN."""
    dcg: float | None
    """The sum of the ranking; None for measures that are not sums of gains."""
    idcg: float | None
    """The sum of the ideal ranking."""
    loss: float | None = derived(
        lambda worked: None if worked.dcg is None else worked.idcg - worked.dcg
    )
    """IDCG - DCG; None for measures without these sums."""
    no_relevant: bool
    """Whether the query has no relevant documents, so that the convention sets the value."""
    skipped: bool
    """Whether the convention excludes the query from the mean."""
    retrieved: int
    """Number of documents in the evaluated ranking."""
    judged: int
    """Number of documents judged for the query."""
    ranks: tuple[ExplainedRank, ...]
    """From rank 1 to the cutoff, or to the requested depth."""
    documents: tuple[ExplainedDocument, ...]
    """The documents that count in the ranking or in the ideal, by descending cost. For measures
    without an ideal ranking: the relevant documents, by grade."""
    _missing_ids: tuple[str, ...] = derived(
        lambda worked: tuple(document.document for document in worked.missing), key="missing"
    )
    """Ids of relevant documents that are not retrieved or below the cutoff."""
    groups: tuple[ExplainedGroup, ...] = ()
    """The groups of which a document or span is needed, if the judgments have groups and the
    measure uses them."""
    left_out: tuple[LeftOut, ...]
    """The documents that the convention removed from the ranking."""
    _texts: dict[str, DocumentText] = derived(lambda worked: _known_texts(worked), key="texts")
    """Known titles and texts by document."""
    full_ranking: FullRanking | None = None
    """With ``candidates=sampled(N of M)``, an estimate for a ranking of all M documents. None with
    other candidates."""
    notes: tuple[str, ...] = ()
    """Remarks on the texts, for instance that some are missing."""
    texts: Mapping[str, Text] = field(default={}, key="")
    """The known titles and texts of documents."""

    @property
    def misplaced(self) -> tuple[ExplainedDocument, ...]:
        """The documents with a cost, by descending cost."""
        return tuple(document for document in self.documents if document.cost)

    @property
    def missing(self) -> tuple[ExplainedDocument, ...]:
        """The relevant documents that do not count: not retrieved, or below the cutoff."""
        if self.dcg is not None:
            return tuple(
                document
                for document in self.documents
                if document.ideal_rank and not document.contribution
            )
        last = self.resolved.cutoff or self.retrieved
        return tuple(
            document for document in self.documents if document.rank is None or document.rank > last
        )

    @property
    def missing_groups(self) -> tuple[ExplainedGroup, ...]:
        """The groups that the ranking does not find above the cutoff."""
        last = self.resolved.cutoff or self.retrieved
        return tuple(group for group in self.groups if group.rank is None or group.rank > last)

    @property
    def has_spans(self) -> bool:
        """Whether judgments and run have offsets."""
        return any(rank.new_units is not None for rank in self.ranks)

    @property
    def ties(self) -> tuple[tuple[int, int], ...]:
        """First and last rank of each group of equal scores among the listed ranks."""
        groups: dict[int, tuple[int, int]] = {}
        for rank in self.ranks:
            if rank.tie is not None:
                groups[rank.tie] = (groups.get(rank.tie, (rank.rank, 0))[0], rank.rank)
        return tuple(groups.values())


def _known_texts(worked: ExplanationData) -> dict[str, DocumentText]:
    """Return the texts of the documents that the explanation lists."""
    listed = {name for rank in worked.ranks for name in (rank.document, rank.ideal_document)}
    listed |= {document.document for document in worked.documents}
    return {
        name: DocumentText(title=text.title, text=text.text)
        for name, text in worked.texts.items()
        if name in listed
    }

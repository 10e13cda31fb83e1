"""The rows of an explanation: ranks and documents."""

from __future__ import annotations

from gainful.records import Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Number = float | None

__all__ = [
    "DocumentText",
    "ExplainedDocument",
    "ExplainedGroup",
    "ExplainedRank",
    "FullRank",
    "FullRanking",
    "LeftOut",
]


_RANK = {"minimum": 1}
_UNITS = {"minimum": 0}


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
    new_units: int | None = field(default=None, optional=True, json=_UNITS)
    """With spans: the units of the chunk that no chunk above it has."""
    repeated_units: int | None = field(default=None, optional=True, json=_UNITS)
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


def ranks_of(account: dict[str, Any]) -> Iterator[ExplainedRank]:
    """Yield the kernel's ranks, each with the ideal one."""
    ranks, ideals, parts = account["ranks"], account["ideal"], account["parts"]
    running = ideal_running = 0.0
    # Beyond the end of the ranking, ideal ranks without a contribution are omitted.
    last = max((index for index, ideal in enumerate(ideals, start=1) if ideal[3]), default=0)
    for index in range(max(len(ranks), last)):
        ranks_of_query: tuple[Any, ...] = ranks[index] if index < len(ranks) else ()
        ideal: tuple[Any, ...] = ideals[index] if index < len(ideals) else ()
        document, score, grade, tie, gain, discount, adds, sum_, relevant, precision, read = (
            ranks_of_query
            or (*(None, None, None, None, None, None, 0.0, running, None, None, None),)
        )
        new, repeated, covered = read or (None, None, None)
        ideal_document, ideal_grade, ideal_gain, ideal_adds, ideal_sum = ideal or (
            *(None, None, None, 0.0, ideal_running),
        )
        if parts is None:
            ideal_adds = ideal_sum = None
        else:
            running, ideal_running = sum_, ideal_sum
        yield ExplainedRank(
            rank=index + 1,
            document=document,
            score=score,
            grade=grade,
            tie=tie or None,
            gain=gain,
            discount=discount,
            contribution=adds,
            running=sum_,
            relevant=relevant,
            precision=precision,
            new_units=new,
            repeated_units=repeated,
            covered=covered,
            ideal_document=ideal_document,
            ideal_grade=ideal_grade,
            ideal_gain=ideal_gain,
            ideal_contribution=ideal_adds,
            ideal_running=ideal_sum,
            cost=None if parts is None else ideal_adds - adds,
        )


def documents_of(account: dict[str, Any]) -> Iterator[ExplainedDocument]:
    """Yield the kernel's documents with their costs."""
    for document, grade, gain, rank, ideal_rank, adds, ideal_adds in account["documents"]:
        yield ExplainedDocument(
            document=document,
            grade=grade,
            gain=gain,
            rank=rank,
            ideal_rank=ideal_rank,
            contribution=adds,
            ideal_contribution=ideal_adds,
            cost=None if adds is None else ideal_adds - adds,
        )

"""What an explanation is made of: a row a rank, and the documents that are out of their place."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Number = float | None

__all__ = ["ExplainedDocument", "ExplainedRank", "LeftOut"]


@dataclass(frozen=True, slots=True)
class ExplainedRank:
    """One rank: what stands there, and what would stand there in the ideal ranking.

    Attributes
    ----------
    rank : int
        Counted from 1.
    document : str or None
        ``None`` below the end of the ranking.
    score : float or None
        As the run gives it; ``None`` in a ranking without scores.
    grade : float or None
        As the judgments give it; ``None`` for an unjudged document.
    tie : int or None
        Documents of equal score stand in groups, numbered from 1; ``None`` outside of any.
    gain, weight, contribution, running : float or None
        For sums of gains (CG, DCG, IDCG, nDCG): the gain of the grade, the weight of the rank (0
        below the cutoff), what the rank adds (gain times weight, rounded where the convention
        rounds; under ``ties=expected`` the mean gain of the group times weight), and the DCG
        down to here. For other measures only `running`: the measure's value cut at this rank.
    relevant : bool or None
        For other measures: whether the document counts as relevant.
    precision : float or None
        For AP: the precision at the rank of a relevant document.
    ideal_document, ideal_grade, ideal_gain, ideal_contribution, ideal_running
        The same of the ideal ranking, where there is one; `ideal_document` is ``None`` where the
        ideal is made of grades and not of documents.
    cost : float or None
        `ideal_contribution` - `contribution`: what the DCG loses at this rank. The costs of all
        ranks sum to IDCG - DCG; a rank that holds more than the ideal one does costs less than 0.
    """

    rank: int
    document: str | None = None
    score: Number = None
    grade: Number = None
    tie: int | None = None
    gain: Number = None
    weight: Number = None
    contribution: Number = None
    running: Number = None
    relevant: bool | None = None
    precision: Number = None
    ideal_document: str | None = None
    ideal_grade: Number = None
    ideal_gain: Number = None
    ideal_contribution: Number = None
    ideal_running: Number = None
    cost: Number = None


@dataclass(frozen=True, slots=True)
class ExplainedDocument:
    """A document that counts in the ranking, in the ideal, or in both.

    Attributes
    ----------
    document : str
        Its id.
    grade : float or None
        ``None`` for an unjudged document, which can count where the convention gives it a grade.
    gain : float or None
        The gain of the grade; ``None`` for measures that are no sums of gains.
    rank : int or None
        Where it stands in the whole ranking; ``None`` if it was not retrieved.
    ideal_rank : int or None
        Where it stands in the ideal ranking; ``None`` if it does not.
    contribution, ideal_contribution : float or None
        What it adds to the DCG and to the IDCG: its gain times the weight of its rank, 0 where it
        does not count. Under ``ties=expected``, times the mean weight of the ranks it may have.
    cost : float or None
        `ideal_contribution` - `contribution`. The costs of all documents sum to IDCG - DCG; one
        that stands higher than it does in the ideal ranking costs less than 0.
    """

    document: str
    grade: Number
    gain: Number
    rank: int | None
    ideal_rank: int | None
    contribution: Number
    ideal_contribution: Number
    cost: Number


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row that the convention took out of the ranking.

    Attributes
    ----------
    document : str
        Its id.
    reason : {"unjudged", "duplicate", "negative", "same-id"}
        The policy that did it: ``unjudged=condense`` (or a measure's ``judged_only``),
        ``duplicates``, ``negative=drop`` or ``same_id=drop``.
    """

    document: str
    reason: str


def ranks_of(account: dict[str, Any]) -> Iterator[ExplainedRank]:
    """Yield the engine's ranks with the ideal ones beside them."""
    ranks, ideals, parts = account["ranks"], account["ideal"], account["parts"]
    running = ideal_running = 0.0
    # Below the end of the ranking, ideal ranks that add nothing have nothing to tell.
    last = max((index for index, ideal in enumerate(ideals, start=1) if ideal[3]), default=0)
    for index in range(max(len(ranks), last)):
        own: tuple[Any, ...] = ranks[index] if index < len(ranks) else ()
        ideal: tuple[Any, ...] = ideals[index] if index < len(ideals) else ()
        document, score, grade, tie, gain, weight, adds, sum_, relevant, precision = own or (
            *(None, None, None, None, None, None, 0.0, running, None, None),
        )
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
            weight=weight,
            contribution=adds,
            running=sum_,
            relevant=relevant,
            precision=precision,
            ideal_document=ideal_document,
            ideal_grade=ideal_grade,
            ideal_gain=ideal_gain,
            ideal_contribution=ideal_adds,
            ideal_running=ideal_sum,
            cost=None if parts is None else ideal_adds - adds,
        )


def documents_of(account: dict[str, Any]) -> Iterator[ExplainedDocument]:
    """Yield the engine's documents with what they cost."""
    for document, grade, gain, rank, ideal_rank, adds, ideal_adds in account["documents"]:
        cost = None if adds is None else ideal_adds - adds
        yield ExplainedDocument(document, grade, gain, rank, ideal_rank, adds, ideal_adds, cost)

"""The rows of an explanation: ranks and documents."""

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
    """One rank of the ranking and of the ideal ranking.

    Attributes
    ----------
    rank : int
        The rank, from 1.
    document : str or None
        ``None`` below the end of the ranking.
    score : float or None
        The score in the run; ``None`` in a ranking without scores.
    grade : float or None
        The judged grade; ``None`` for an unjudged document.
    tie : int or None
        The number of its group of equal scores, from 1; ``None`` for a unique score.
    gain, discount, contribution, running : float or None
        For sums of gains (CG, DCG, IDCG, nDCG): the gain of the grade, the discount factor of the
        rank (0 below the cutoff), gain × discount (rounded if the convention rounds terms; under
        ``ties=expected`` the mean gain of the tied group × discount), and the DCG at this rank.
        For other measures only `running`: the measure's value at this rank.
    relevant : bool or None
        For other measures: whether the document is relevant.
    precision : float or None
        For AP: the precision at the rank of a relevant document.
    ideal_document, ideal_grade, ideal_gain, ideal_contribution, ideal_running
        The same for the ideal ranking. `ideal_document` is ``None`` if the ideal consists of grades
        without documents.
    cost : float or None
        `ideal_contribution` - `contribution`. The costs of all ranks sum to IDCG - DCG. It is
        negative if the rank contributes more than in the ideal ranking.
    """

    rank: int
    document: str | None = None
    score: Number = None
    grade: Number = None
    tie: int | None = None
    gain: Number = None
    discount: Number = None
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
    """A document that counts in the ranking, in the ideal ranking, or in both.

    Attributes
    ----------
    document : str
        Its id.
    grade : float or None
        ``None`` for an unjudged document, which counts if the convention gives it a grade.
    gain : float or None
        The gain of the grade; ``None`` for measures that are not sums of gains.
    rank : int or None
        Its rank in the whole ranking; ``None`` if it was not retrieved.
    ideal_rank : int or None
        Its rank in the ideal ranking; ``None`` if it is not in the ideal ranking.
    contribution, ideal_contribution : float or None
        Its term of the DCG and of the IDCG: gain × discount of its rank, or 0. Under
        ``ties=expected``, gain × the mean discount of its possible ranks.
    cost : float or None
        `ideal_contribution` - `contribution`. The costs of all documents sum to IDCG - DCG. It is
        negative for a document above its ideal rank.
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
    """A document that the convention removed from the ranking.

    Attributes
    ----------
    document : str
        Its id.
    reason : {"unjudged", "duplicate", "negative", "same-id"}
        The policy that removed it: ``unjudged=condense`` (or a measure's ``judged_only``),
        ``duplicates``, ``negative=drop`` or ``same_id=drop``.
    """

    document: str
    reason: str


def ranks_of(account: dict[str, Any]) -> Iterator[ExplainedRank]:
    """Yield the kernel's ranks, each with the ideal one."""
    ranks, ideals, parts = account["ranks"], account["ideal"], account["parts"]
    running = ideal_running = 0.0
    # Beyond the end of the ranking, ideal ranks without a contribution are omitted.
    last = max((index for index, ideal in enumerate(ideals, start=1) if ideal[3]), default=0)
    for index in range(max(len(ranks), last)):
        own: tuple[Any, ...] = ranks[index] if index < len(ranks) else ()
        ideal: tuple[Any, ...] = ideals[index] if index < len(ideals) else ()
        document, score, grade, tie, gain, discount, adds, sum_, relevant, precision = own or (
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
            discount=discount,
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
    """Yield the kernel's documents with their costs."""
    for document, grade, gain, rank, ideal_rank, adds, ideal_adds in account["documents"]:
        cost = None if adds is None else ideal_adds - adds
        yield ExplainedDocument(document, grade, gain, rank, ideal_rank, adds, ideal_adds, cost)

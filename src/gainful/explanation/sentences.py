"""The headline, summary and remarks of an explanation."""

from __future__ import annotations

from gainful.explanation.cells import describe_rank, figure, sum_, title
from gainful.formats.numbers import digits
from gainful.formats.table import cut, shown
from gainful.policies import sample_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.explanation.result import Explanation
    from gainful.explanation.rows import ExplainedDocument

_TITLE = 40
_NAMED = 5


def headline(explanation: Explanation) -> str:
    """Return the score and its parts."""
    measure, value = explanation.measure, explanation.value
    text = f"{measure} = {digits(value)}"
    dcg, idcg = sum_(explanation.dcg), sum_(explanation.idcg)
    if explanation.no_relevant and measure.family not in ("CG", "DCG"):
        policy = _policy(explanation.convention.no_relevant)
        text += f" (no relevant documents; policy no_relevant={policy})"
    elif measure.family == "nDCG":
        text += f" = {dcg} / {idcg} (DCG / IDCG)"
    elif measure.family == "IDCG":
        text += f" (DCG of the ranking: {dcg})"
    elif explanation.dcg is not None:
        text += f" (ideal: {idcg})"
    return text


def describe_query(explanation: Explanation) -> str:
    """Return the query's id and text."""
    text = shown(explanation.query_text or "")
    if not explanation.query:
        return text
    name = f"query {shown(explanation.query)}"
    return f"{name}: {text}" if text else name


def summary(explanation: Explanation) -> str:
    """Return the largest loss in one sentence."""
    if explanation.dcg is None:
        return _hits(explanation)
    costly = [document for document in explanation.misplaced if (document.cost or 0.0) > 0]
    if costly:
        return f"Largest loss: {_loss(explanation, costly[0])}"
    loss = explanation.loss or 0.0
    if not explanation.idcg and not explanation.dcg:
        return "No judged document has a gain, so no ranking can score higher."
    if loss <= 0:
        return "No document is misplaced: the ranking contributes as much as the ideal."
    worst = max(explanation.ranks, key=lambda rank: rank.cost or 0.0)
    return (
        f"Largest loss: rank {worst.rank} contributes {sum_(worst.contribution)} instead of"
        f" {sum_(worst.ideal_contribution)}."
    )


def _loss(explanation: Explanation, document: ExplainedDocument) -> str:
    text = shown(document.document)
    words = title(explanation, document.document)
    if words:
        text += f" “{cut(words, _TITLE)}”"
    text += f" (grade {figure(document.grade) or '–'})"
    text += " was " if document.rank is None else " is at rank "
    text += f"{describe_rank(explanation, document)}. At rank {document.ideal_rank} it would"
    text += f" contribute {sum_(document.ideal_contribution)}"
    if document.contribution:
        text += f" instead of {sum_(document.contribution)}"
    return f"{text}."


def _hits(explanation: Explanation) -> str:
    if explanation.ranks and explanation.ranks[0].relevant is None:
        return f"{explanation.retrieved} documents were retrieved."
    relevant = len(explanation.documents)
    if not relevant:
        return "No judged document is relevant, so no ranking can score higher."
    above = relevant - len(explanation.missing)
    kind, where = ("spans", "found") if explanation.has_spans else ("documents", "retrieved")
    if explanation.resolved.cutoff is not None:
        where = "found above the cutoff" if explanation.has_spans else "above the cutoff"
    text = f"{above} of {relevant} relevant {kind} {'is' if above == 1 else 'are'} {where}"
    first = min(
        (document.rank for document in explanation.documents if document.rank), default=None
    )
    text = f"{text}; the first is at rank {first}." if first else f"{text}."
    missing = [shown(group.group) for group in explanation.missing_groups]
    if missing:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        text += f" Missing groups: {', '.join(missing[:_NAMED])}{more}."
    return text


def remarks(explanation: Explanation) -> list[str]:
    """Return remarks on ties, missing grades and removed documents, one sentence each."""
    lines = []
    convention = explanation.convention
    if not explanation.retrieved and not explanation.left_out:
        lines.append("The ranking is empty: no documents were retrieved.")
    # A group of which only the first document is listed continues below the table.
    ties = [
        f"{first}–{last}" if first < last else f"{first} and below"
        for first, last in explanation.ties
    ]
    if ties:
        more = ", …" if len(ties) > 5 else ""
        lines.append(f"= equal scores, ranks {', '.join(ties[:5])}{more} (ties={convention.ties}).")
    duplicates = _duplicates(explanation)
    if duplicates:
        lines.append(f"– no grade: {duplicates} duplicate (duplicates=blank).")
    unjudged = sum(rank.document is not None and rank.grade is None for rank in explanation.ranks)
    unjudged -= duplicates
    if unjudged and not explanation.has_spans:
        lines.append(f"– no grade: {unjudged} unjudged (unjudged={_policy(convention.unjudged)}).")
    lines += _left_out(explanation)
    last = explanation.ranks[-1].running if explanation.ranks else 0.0
    if explanation.dcg is not None and last is not None and abs(last - explanation.dcg) > 1e-12:
        lines.append(f"The listed ranks contribute {sum_(last)} of DCG {sum_(explanation.dcg)}.")
    lines += _sampled(explanation)
    if explanation.skipped:
        lines.append("The convention excludes this query from the mean.")
    return [*lines, *explanation.notes]


def _sampled(explanation: Explanation) -> list[str]:
    """Return what sampled candidates mean for the value."""
    sampled = sample_of(explanation.convention.candidates)
    if sampled is None:
        return []
    full = explanation.full_ranking
    if full is None:
        return [
            f"Candidates: {sampled[0]:,} sampled documents, so this is no value of a full ranking."
            f" candidates='sampled({sampled[0]} of M)' estimates that of M documents."
        ]
    if not full.ranks:
        return [
            f"Candidates: {full.sampled:,} sampled documents, none of the relevant ones retrieved."
        ]
    listed = full.ranks[:5]
    ranks = ", ".join(f"{rank.rank} → {rank.full_rank:,.2f}" for rank in listed)
    more = ", …" if len(full.ranks) > len(listed) else ""
    return [
        f"Estimate for all {full.documents:,} documents: {explanation.measure} ≈"
        f" {digits(full.value)}, from the expected ranks of relevant documents, rounded down"
        f" ({ranks}{more})."
        f" With {full.sampled:,} sampled candidates it is imprecise for a single query."
    ]


def _policy(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _duplicates(explanation: Explanation) -> int:
    """Count the listed ranks with a duplicate document, which has no grade."""
    if explanation.convention.duplicates != "blank":
        return 0
    listed = [rank.document for rank in explanation.ranks if rank.document is not None]
    return len(listed) - len(set(listed))


def _left_out(explanation: Explanation) -> list[str]:
    reasons = {
        "unjudged": "unjudged",
        "duplicate": "duplicate",
        "negative": "with a negative grade",
        "same-id": "with the query's own id",
    }
    counts: dict[str, int] = {}
    for document in explanation.left_out:
        counts[document.reason] = counts.get(document.reason, 0) + 1
    if not counts:
        return []
    parts = [f"{count} {reasons[reason]}" for reason, count in counts.items()]
    return [f"Removed from the ranking: {', '.join(parts)}."]

"""An explanation in sentences: the line above the account, and those below it."""

from __future__ import annotations

from gainful.explanation.cells import figure, stands, sum_, title
from gainful.formats.numbers import digits
from gainful.formats.table import cut, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.explanation.account import Explanation
    from gainful.explanation.rows import ExplainedDocument

_TITLE = 40


def headline(explanation: Explanation) -> str:
    """Return the number and what it is made of."""
    measure, value = explanation.measure, explanation.value
    text = f"{measure} = {digits(value)}"
    dcg, idcg = sum_(explanation.dcg), sum_(explanation.idcg)
    if explanation.no_relevant and measure.family not in ("CG", "DCG"):
        policy = explanation.convention.no_relevant
        said = policy if isinstance(policy, str) else f"{policy:g}"
        text += f" (nothing relevant; the convention has no_relevant={said})"
    elif measure.family == "nDCG":
        text += f" = {dcg} / {idcg} (DCG / IDCG)"
    elif measure.family == "IDCG":
        text += f", of which the ranking reaches {dcg}"
    elif explanation.dcg is not None:
        text += f" of an ideal {idcg}"
    return text


def who(explanation: Explanation) -> str:
    """Return the query's id and words."""
    text = shown(explanation.query_text or "")
    if not explanation.query:
        return text
    name = f"query {shown(explanation.query)}"
    return f"{name}: {text}" if text else name


def summary(explanation: Explanation) -> str:
    """Return the most important thing in one sentence."""
    if explanation.dcg is None:
        return _hits(explanation)
    costly = [each for each in explanation.misplaced if (each.cost or 0.0) > 0]
    if costly:
        return f"Largest loss: {_loss(explanation, costly[0])}"
    loss = explanation.loss or 0.0
    if not explanation.idcg and not explanation.dcg:
        return "No judged document gains anything, so no ranking could do better."
    if loss <= 0:
        return "Nothing is out of place: no ranking of the ideal's documents does better."
    worst = max(explanation.ranks, key=lambda each: each.cost or 0.0)
    return (
        f"Largest loss: at rank {worst.rank} the ideal adds {sum_(worst.ideal_contribution)}, "
        f"the ranking {sum_(worst.contribution)}."
    )


def _loss(explanation: Explanation, document: ExplainedDocument) -> str:
    text = shown(document.document)
    words = title(explanation, document.document)
    if words:
        text += f" “{cut(words, _TITLE)}”"
    text += f" (grade {figure(document.grade) or '–'})"
    place = stands(explanation, document)
    text += f" {'was' if document.rank is None else 'stands at'} {place}"
    text += f"; at rank {document.ideal_rank} it would add {sum_(document.ideal_contribution)}"
    if document.contribution:
        text += f" instead of {sum_(document.contribution)}"
    return f"{text}."


def _hits(explanation: Explanation) -> str:
    if explanation.ranks and explanation.ranks[0].relevant is None:
        return f"{explanation.retrieved} documents were retrieved."
    relevant = len(explanation.documents)
    if not relevant:
        return "No judged document is relevant, so no ranking could do better."
    above = relevant - len(explanation.missing)
    where = "retrieved" if explanation.resolved.cutoff is None else "above the cutoff"
    text = f"{above} of {relevant} relevant documents {'is' if above == 1 else 'are'} {where}"
    first = min((each.rank for each in explanation.documents if each.rank), default=None)
    return f"{text}; the first stands at rank {first}." if first else f"{text}."


def remarks(explanation: Explanation) -> list[str]:
    """Return what else must be known, one sentence each."""
    told = []
    if not explanation.retrieved and not explanation.left_out:
        told.append("Nothing was retrieved: the ranking is empty.")
    # A group of which only the first document is listed goes on below.
    ties = [
        f"{first}–{last}" if first < last else f"{first} and below"
        for first, last in explanation.ties
    ]
    if ties:
        many = ", …" if len(ties) > 5 else ""
        told.append(
            f"= equal scores, ranks {', '.join(ties[:5])}{many}: "
            f"the convention has ties={explanation.convention.ties}."
        )
    again = _blanks(explanation)
    if again:
        told.append(
            f"– no grade: {again} listed a second time; the convention has duplicates=blank."
        )
    unjudged = sum(each.document is not None and each.grade is None for each in explanation.ranks)
    unjudged -= again
    if unjudged:
        policy = explanation.convention.unjudged
        said = policy if isinstance(policy, str) else f"{policy:g}"
        told.append(f"– no grade: {unjudged} not judged; the convention has unjudged={said}.")
    told += _left_out(explanation)
    last = explanation.ranks[-1].running if explanation.ranks else 0.0
    if explanation.dcg is not None and last is not None and abs(last - explanation.dcg) > 1e-12:
        told.append(f"The ranks listed add {sum_(last)} of the DCG of {sum_(explanation.dcg)}.")
    if explanation.skipped:
        told.append("The convention leaves this query out of the mean.")
    return [*told, *explanation.notes]


def _blanks(explanation: Explanation) -> int:
    """Count the ranks whose document stands in the ranking already, for nothing."""
    if explanation.convention.duplicates != "blank":
        return 0
    listed = [each.document for each in explanation.ranks if each.document is not None]
    return len(listed) - len(set(listed))


def _left_out(explanation: Explanation) -> list[str]:
    words = {
        "unjudged": "unjudged",
        "duplicate": "a second time the same document",
        "negative": "with a negative grade",
        "same-id": "with the query's own id",
    }
    counts: dict[str, int] = {}
    for each in explanation.left_out:
        counts[each.reason] = counts.get(each.reason, 0) + 1
    if not counts:
        return []
    parts = [f"{count} {words[reason]}" for reason, count in counts.items()]
    return [f"Left out of the ranking: {', '.join(parts)}."]

"""The headline, remarks and cells of an explanation, for all output formats."""

from __future__ import annotations

from gainful.formats.numbers import digits
from gainful.formats.table import cut, shown
from gainful.policies import sample_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gainful.explanation.data import ExplainedDocument, ExplainedRank, ExplanationData

_SHORT = {"document": "doc"}

# Further misplaced documents are summed up in one row.
MOST_MISPLACED = 10


class RankColumn:
    """A column of the table of ranks.

    Attributes
    ----------
    header, cells : str, list of str
        The heading, and one text per rank.
    short : str
        The header for narrow pages.
    align : {"l", "r"}
        Alignment.
    panel : {"rank", "ranking", "ideal", "cost"}
        The part of the table: the rank, the ranking, the ideal ranking, or the difference.
    ids : list of str or None
        For a column of documents: their full ids, "" for no document.
    """

    __slots__ = ("align", "cells", "header", "ids", "panel", "short")

    def __init__(
        self,
        header: str,
        cells: list[str],
        panel: str,
        *,
        align: str = "r",
        ids: list[str] | None = None,
        short: str = "",
    ) -> None:
        self.header = header
        self.short = short or header
        self.cells = cells
        self.panel = panel
        self.align = align
        self.ids = ids


def columns(explanation: ExplanationData) -> list[RankColumn]:
    """Return the columns of the table of ranks, one cell per rank."""
    ranks = explanation.ranks
    tied = any(rank.tie is not None for rank in ranks)
    marks = [f"{rank.rank}{'=' if rank.tie is not None else ' ' * tied}" for rank in ranks]

    def make_column(
        header: str, cell: Callable[[ExplainedRank], str], panel: str = "ranking", short: str = ""
    ) -> RankColumn:
        return RankColumn(header, [cell(rank) for rank in ranks], panel, short=short)

    table = [RankColumn("rank" + " " * tied, marks, "rank", short="#" + " " * tied)]
    table.append(_documents("document", "ranking", [rank.document for rank in ranks]))
    grade = make_column("grade", lambda row: _grade(row.grade, row.document), short="gr")
    if explanation.dcg is None:
        return [*table, *_hit_columns(explanation, make_column, grade)]
    table.append(grade)
    if any(rank.gain != (rank.grade or 0.0) for rank in ranks if rank.document is not None):
        table.append(make_column("gain", lambda row: figure(row.gain)))
    table.append(make_column("discount", lambda row: figure(row.discount, places=4), short="disc"))
    table.append(make_column("discounted", _term, short="adds"))
    table.append(make_column("DCG", lambda row: sum_(row.running)))
    if any(rank.ideal_document is not None for rank in ranks):
        table.append(_documents("ideal", "ideal", [rank.ideal_document for rank in ranks]))
    table.append(
        make_column("grade", lambda row: _grade(row.ideal_grade, row.ideal_gain), "ideal", "gr")
    )
    if any(rank.ideal_gain not in (rank.ideal_grade or 0.0, None) for rank in ranks):
        table.append(make_column("gain", lambda row: figure(row.ideal_gain), "ideal"))
    table.append(make_column("discounted", _ideal_term, "ideal", short="adds"))
    table.append(make_column("IDCG", lambda row: sum_(row.ideal_running), "ideal"))
    table.append(make_column("cost", lambda row: sum_(row.cost), "cost"))
    return table


def _hit_columns(
    explanation: ExplanationData,
    make_column: Callable[[str, Callable[[ExplainedRank], str]], RankColumn],
    grade: RankColumn,
) -> Iterator[RankColumn]:
    ranks = explanation.ranks
    if any(rank.score is not None for rank in ranks):
        yield make_column("score", lambda row: "" if row.score is None else f"{row.score:.6g}")
    if explanation.has_spans:
        yield make_column("new", lambda row: figure(row.new_units))
        yield make_column("repeated", lambda row: figure(row.repeated_units))
        yield make_column("covered", lambda row: sum_(row.covered))
    else:
        yield grade
    if any(rank.relevant is not None for rank in ranks):
        yield make_column("relevant", lambda row: "yes" if row.relevant else "")
    if any(rank.precision is not None for rank in ranks):
        yield make_column("P@rank", lambda row: digits(row.precision) if row.relevant else "")
    family = explanation.measure.family
    name = "P@rank" if family == "Rprec" else f"{family}@rank"
    yield make_column(name, lambda row: "" if row.running is None else sum_(row.running))


def _term(rank: ExplainedRank) -> str:
    return "" if rank.document is None else sum_(rank.contribution)


def _ideal_term(rank: ExplainedRank) -> str:
    return "" if rank.ideal_gain is None else sum_(rank.ideal_contribution)


def _documents(header: str, panel: str, ids: list[str | None]) -> RankColumn:
    whole = [name or "" for name in ids]
    cells = [shown(name) for name in whole]
    return RankColumn(header, cells, panel, align="l", ids=whole, short=_SHORT.get(header, ""))


def _grade(grade: float | None, document: object) -> str:
    return "" if document is None else figure(grade) or "–"


def sum_(value: float | None) -> str:
    """Format a sum or a term with four digits, and exactly 0 as "0"."""
    if value == 0:
        return "0"
    if value is not None and abs(value) < 0.00005:
        return f"{value:.1e}"
    return digits(value)


def figure(value: float | None, places: int = 0) -> str:
    """Format a grade, gain or discount: integers as they are, others with four digits.

    Examples
    --------
    >>> figure(3.0), figure(0.63093), figure(1.0, places=4), figure(None)
    ('3', '.6309', '1.0000', '')
    """
    if value is None:
        return ""
    if not value or (not places and value == int(value)):
        return str(int(value))
    return digits(value)


# --- misplaced documents --------------------------------------------------------------------------


def misplaced(explanation: ExplanationData) -> tuple[list[str], list[list[str]], list[str]]:
    """Return headers, rows and ids of the misplaced documents.

    The last row is the sum. The row before it sums up the documents that are not listed.
    """
    cumulative = explanation.dcg is not None
    documents = explanation.misplaced if cumulative else explanation.missing
    listed = documents[:MOST_MISPLACED]
    headers = ["document", "grade", "actual rank"]
    rows = [
        [shown(entry.document), figure(entry.grade) or "–", describe_rank(explanation, entry)]
        for entry in listed
    ]
    ids = [entry.document for entry in listed]
    others = documents[len(listed) :]
    if others:
        rows.append([f"{len(others)} more", "", ""])
    if cumulative:
        headers += ["ideal rank", "cost"]
        for row, listed_row in zip(rows, listed, strict=False):
            place = str(listed_row.ideal_rank or "not in the ideal")
            row += [place, sum_(listed_row.cost)]
        if others:
            rows[-1] += ["", sum_(sum(other.cost or 0.0 for other in others))]
        if rows:
            rows.append(["IDCG - DCG", "", "", "", sum_(explanation.loss)])
    return headers, rows, ids


def describe_rank(explanation: ExplanationData, document: ExplainedDocument) -> str:
    """Return the actual rank of a document as text."""
    if document.rank is None:
        return "not covered" if explanation.has_spans else "not retrieved"
    return _place(explanation, document.rank)


def _place(explanation: ExplanationData, rank: int) -> str:
    below = explanation.resolved.cutoff is not None and rank > explanation.resolved.cutoff
    return f"{rank}{', below the cutoff' if below else ''}"


def groups(explanation: ExplanationData) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of the groups of alternatives."""
    weighted = any(group.weight != 1 for group in explanation.groups)
    headers = ["group", *(["weight"] if weighted else []), "found at rank"]
    rows = [
        [
            shown(group.group),
            *([figure(group.weight)] if weighted else []),
            "missing" if group.rank is None else _place(explanation, group.rank),
        ]
        for group in explanation.groups
    ]
    return headers, rows


# --- text -----------------------------------------------------------------------------------------


def title(explanation: ExplanationData, document: str) -> str:
    """Return the title of a document on one line, or its text if it has none."""
    text = explanation.texts.get(document)
    return "" if text is None else shown(text.title.strip() or text.text)


def words(explanation: ExplanationData, document: str) -> str:
    """Return title and text of a document on one line."""
    text = explanation.texts.get(document)
    return "" if text is None else shown(text.snippet)


_TITLE = 40

_NAMED = 5


def headline(explanation: ExplanationData) -> str:
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


def describe_query(explanation: ExplanationData) -> str:
    """Return the query's id and text."""
    text = shown(explanation.query_text or "")
    if not explanation.query:
        return text
    name = f"query {shown(explanation.query)}"
    return f"{name}: {text}" if text else name


def summary(explanation: ExplanationData) -> str:
    """Return the largest loss in one sentence."""
    if explanation.dcg is None:
        return _describe_hits(explanation)
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


def _loss(explanation: ExplanationData, document: ExplainedDocument) -> str:
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


def _describe_hits(explanation: ExplanationData) -> str:
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


def remarks(explanation: ExplanationData) -> list[str]:
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


def _sampled(explanation: ExplanationData) -> list[str]:
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


def _duplicates(explanation: ExplanationData) -> int:
    """Count the listed ranks with a duplicate document, which has no grade."""
    if explanation.convention.duplicates != "blank":
        return 0
    listed = [rank.document for rank in explanation.ranks if rank.document is not None]
    return len(listed) - len(set(listed))


def _left_out(explanation: ExplanationData) -> list[str]:
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

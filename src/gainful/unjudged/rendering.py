"""What unjudged documents could change, for people, tools for judging, and programs."""

from __future__ import annotations

from gainful.evaluation.words import convention_line, percent, scale_words
from gainful.formats.json import text
from gainful.formats.table import TextTable, digits, width, with_sign
from gainful.formats.table import cut as shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.unjudged.result import Unjudged, UnjudgedDocument
    from gainful.unjudged.samples import LabelSamples

__all__ = ["document_rows", "json", "json_lines", "samples_table", "tables", "to_dict"]

#: Columns that a table takes at most.
WIDTH = 100

#: Of rows for tools for judging, texts apart.
_COLUMNS = ("query_id", "doc_id", "value", "system", "baseline", "systems", "best_rank")


def tables(found: Unjudged, top: int = 20) -> list[TextTable]:
    """Return the systems, who could overtake whom, and the first documents.

    Parameters
    ----------
    found : Unjudged
        What to show.
    top : int
        How many documents.
    """
    shown = [systems_table(found)]
    if found.contests:
        shown.append(contests_table(found))
    if top < 1 and found.documents:
        return shown
    return [*shown, documents_table(found, top)]


def systems_table(found: Unjudged) -> TextTable:
    """Return a row a system: its mean, and how far labels can move it."""
    evaluation, drawn = found.evaluation, found.samples
    measure = evaluation.measures[0]
    places = 0 if measure.aggregate == "sum" else 4
    rows = []
    for system in evaluation.systems:
        summary = evaluation.summary(measure, system)
        low, high = found.bounds[system]
        row = [system, digits(low, places), digits(summary.value, places), digits(high, places)]
        if drawn is not None:
            own = drawn.summary(measure, system)
            row += [digits(own.mean), f"{digits(own.low)} to {digits(own.high)}"]
        rows.append([*row, str(summary.n), percent(summary.judged)])
    headers = ["system", "low", "sum" if places == 0 else "mean", "high"]
    notes = []
    if drawn is not None:
        headers += ["drawn", f"{drawn.level:.0%} of draws".replace("%", " %")]
        notes.append(_drawn_line(drawn))
    return TextTable(
        [*headers, "queries", "judged"],
        rows,
        align="l" + "r" * (len(headers) + 1),
        title=f"{measure!r}: what labels of {_documents(len(found.documents))} can change",
        notes=[
            f"low and high: over the labels ({scale_words(evaluation)}) of the documents that"
            f" nobody judged and that a system has down to rank {found.depth}; all others are taken"
            " for not relevant.",
            *notes,
            convention_line(evaluation),
        ],
    )


def contests_table(found: Unjudged) -> TextTable:
    """Return a row a pair of systems: whether labels can turn which is ahead."""
    evaluation = found.evaluation
    measure = evaluation.measures[0]
    places = 0 if measure.aggregate == "sum" else 4
    queries = {frozenset(evaluation._values(measure, name)) for name in evaluation.systems}
    notes = (
        ["difference: over the queries that count for both systems."] if len(queries) > 1 else []
    )
    rows = [
        [
            each.system,
            each.baseline,
            with_sign(each.difference, places),
            f"{with_sign(each.low, places)} to {with_sign(each.high, places)}",
            with_sign(each.found, places),
            each.words,
        ]
        for each in found.contests
    ]
    return TextTable(
        ["system", "beside", "difference", "no labels go beyond", "found", "verdict"],
        rows,
        align="llrrrl",
        title="Can labels turn the order?",
        notes=[
            *notes,
            "found: the difference under the labels that were found to draw it to the other side"
            " most. An order that can turn is not one that will.",
        ],
    )


def documents_table(found: Unjudged, top: int) -> TextTable:
    """Return the first documents, each with what its label can move."""
    if not found.documents:
        return TextTable([""], [], title="Every document is judged.")
    listed = found.documents[:top]
    columns: dict[str, list[str]] = {
        "": [str(number) for number in range(1, len(listed) + 1)],
        "query_id": [each.query for each in listed],
        "query": [each.asked or "" for each in listed],
        "doc_id": [each.document for each in listed],
        "moves": [digits(each.value) for each in listed],
        "difference of": [f"{each.system}, {each.baseline}" for each in listed],
        "rank": [str(min(each.ranks.values())) for each in listed],
        "systems": [str(len(each.ranks)) for each in listed],
        "title": [each.title or each.text or "" for each in listed],
    }
    for name in ("query", "title"):
        if not any(columns[name]):
            del columns[name]
    what = "the mean"
    if found.contests:
        what = "the difference"
    else:
        del columns["systems"]
    if len(set(columns["difference of"])) < 2:
        if found.contests:
            what = f"the difference of {' and '.join(columns['difference of'][0].split(', '))}"
        del columns["difference of"]
    right = ("", "moves", "rank", "systems")
    notes = [
        f"moves: how far the label alone can move {what}, from its least to its greatest; rank: the"
        " best."
    ]
    left = len(found.documents) - len(listed)
    if left:
        notes.append(
            f"{left:,} more; --top shows more, and --format tsv, csv or jsonl all of them."
        )
    return TextTable(
        list(columns),
        _fitted(columns, ("query", "title", "difference of")),
        align="".join("r" if name in right else "l" for name in columns),
        title="Judge these first",
        notes=notes,
    )


def samples_table(drawn: LabelSamples) -> TextTable:
    """Return a row a system and measure: the mean without labels, and over drawn ones."""
    evaluation = drawn.evaluation
    several = len(evaluation.systems) > 1
    rows = []
    for system in evaluation.systems:
        for measure in evaluation.measures:
            one = drawn.summary(measure, system)
            places = 0 if measure.aggregate == "sum" else 4
            rows.append(
                [
                    *([system] if several else []),
                    repr(measure),
                    digits(one.value, places),
                    digits(one.mean),
                    f"{digits(one.low)} to {digits(one.high)}",
                    percent(one.judged),
                ]
            )
    middle = f"{drawn.level:.0%} of draws".replace("%", " %")
    return TextTable(
        [*(["system"] if several else []), "measure", "mean", "drawn", middle, "judged"],
        rows,
        align="l" * (1 + several) + "rrrr",
        title="" if several else evaluation.systems[0],
        notes=[_drawn_line(drawn), convention_line(evaluation)],
    )


def document_rows(found: Unjudged) -> tuple[Sequence[str], Iterator[Sequence[object]]]:
    """Return headers and a row a document, for tools for judging."""
    rows = list(found.rows())
    headers = list(rows[0]) if rows else list(_COLUMNS)
    return headers, (tuple(row.values()) for row in rows)


def rows_of(found: Unjudged, name: str) -> tuple[Sequence[str], list[Sequence[object]]]:
    """Return headers and one row per system, or per pair of systems (``"contests"``)."""
    document = to_dict(found)
    if name == "contests":
        contests: list[dict[str, object]] = document["contests"]  # type: ignore[assignment]
        return _CONTEST, [tuple(each[key] for key in _CONTEST) for each in contests]
    systems: dict[str, dict[str, object]] = document["systems"]  # type: ignore[assignment]
    return ("system", *_SYSTEM), [
        (system, *(each[key] for key in _SYSTEM)) for system, each in systems.items()
    ]


_SYSTEM = ("value", "low", "high", "n", "judged")
_CONTEST = ("system", "baseline", "difference", "low", "high", "found", "labels", "verdict")


def to_dict(found: Unjudged) -> dict[str, object]:
    """Return it as the JSON contract ``gainful.unjudged/1`` has it."""
    evaluation = found.evaluation
    measure = evaluation.measures[0]
    whole: dict[str, object] = {
        "schema": "gainful.unjudged/1",
        "convention": {**evaluation.convention.to_dict(), "text": str(evaluation.convention)},
        "measure": {"name": repr(measure), "resolved": repr(evaluation.resolved[0])},
        "depth": found.depth,
        "scale": list(evaluation.scale or ()),
        "systems": {
            system: {
                "value": summary.value,
                "low": found.bounds[system][0],
                "high": found.bounds[system][1],
                "n": summary.n,
                "judged": summary.judged,
            }
            for system in evaluation.systems
            for summary in (evaluation.summary(measure, system),)
        },
        "contests": [
            {
                "system": each.system,
                "baseline": each.baseline,
                "difference": each.difference,
                "low": each.low,
                "high": each.high,
                "found": each.found,
                "labels": each.labels,
                "verdict": each.verdict,
            }
            for each in found.contests
        ],
        "documents": [{**row, "ranks": each.ranks} for row, each in _told(found)],
    }
    if found.samples is not None:
        whole["samples"] = found.samples.to_dict()
    return whole


def json(found: Unjudged) -> Iterator[str]:
    """Yield it as one JSON object."""
    yield text(to_dict(found), indent=2)


def json_lines(found: Unjudged) -> Iterator[str]:
    """Yield a JSON object a document."""
    for row in found.rows():
        yield text(row)


def _told(found: Unjudged) -> Iterator[tuple[dict[str, object], UnjudgedDocument]]:
    return zip(found.rows(), found.documents, strict=True)


def _drawn_line(drawn: LabelSamples) -> str:
    priors = {
        "run": "grades as likely as among what the run has there and is judged",
        "pool": "grades as likely as among all that is judged for the query",
    }
    if isinstance(drawn.prior, str):
        prior = priors[drawn.prior]
    else:
        prior = "grades " + ", ".join(f"{g:g} with {p:g}" for g, p in drawn.prior.items())
    return (
        f"drawn: the mean over {_labellings(drawn.samples)} of what stands above the cutoff,"
        f" {prior} (seed {drawn.seed})."
    )


def _labellings(count: int) -> str:
    return "1 random labelling" if count == 1 else f"{count:,} random labellings"


def _documents(count: int) -> str:
    return f"{count:,} unjudged document{'s' * (count != 1)}"


def _fitted(columns: dict[str, list[str]], cut: Sequence[str]) -> list[list[str]]:
    """Return rows, texts of some columns shortened so that the table is no wider than it may be."""
    widths = {name: max(map(width, (name, *cells))) for name, cells in columns.items()}
    over = sum(widths.values()) + 2 * (len(widths) - 1) - WIDTH
    own = dict(columns)
    for name in sorted(set(cut) & set(columns), key=lambda name: -widths[name]):
        if over <= 0:
            break
        room = max(widths[name] - over, 13)
        over -= widths[name] - room
        own[name] = [shortened(cell, room) for cell in columns[name]]
    return [list(row) for row in zip(*own.values(), strict=True)]

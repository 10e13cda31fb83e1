"""What unjudged documents could change, for people, tools for judging, and programs."""

from __future__ import annotations

from gainful.evaluation.notes import describe_convention, list_grades
from gainful.evaluation.tables import format_figure, round_sum
from gainful.formats.json import text
from gainful.formats.numbers import digits, percent, spans, with_sign
from gainful.formats.table import Column, Note, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.unjudged.result import Unjudged, UnjudgedDocument
    from gainful.unjudged.samples import LabelSamples

__all__ = ["document_rows", "json_lines", "samples_table", "tables", "to_dict"]

#: Of rows for tools for judging, texts apart.
_COLUMNS = ("query_id", "doc_id", "value", "system", "baseline", "systems", "best_rank")


def tables(found: Unjudged, top: int = 20) -> list[Table]:
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


def systems_table(found: Unjudged) -> Table:
    """Return a row a system: its mean, and how far labels can move it."""
    evaluation, drawn = found.evaluation, found.samples
    measure = evaluation.measures[0]
    summed = measure.aggregate == "sum"
    rows: list[tuple[object, ...]] = []
    for system in evaluation.systems:
        summary = evaluation.summary(measure, system)
        low, high = (round_sum(end, summed) for end in found.bounds[system])
        draws = drawn.summary(measure, system) if drawn is not None else None
        rows.append(
            (
                *(system, low, round_sum(summary.value, summed), high),
                *((draws.mean, (draws.low, draws.high)) if draws else (None, None)),
                *(summary.n, summary.judged),
            )
        )
    words = (
        f"low and high: over the labels ({list_grades(evaluation)}) of the documents that nobody"
        f" judged and that a system has down to rank {found.depth}; all others are taken for not"
        " relevant."
    )
    table = Table(
        [
            Column("system"),
            Column("low", show=format_figure),
            Column("value", "sum" if summed else "mean", format_figure),
            Column("high", show=format_figure),
            Column("drawn", show=digits),
            Column("draws", _of_draws(drawn) if drawn else "", spans()),
            Column("n", "queries", str),
            Column("judged", show=percent),
        ],
        rows,
        title=f"{measure!r}: what labels of {_documents(len(found.documents))} can change",
        notes=[
            Note("bounds", words),
            *([Note("drawn", _drawn_line(drawn))] if drawn is not None else []),
            Note("convention", describe_convention(evaluation)),
        ],
    )
    return table.only(lambda column: drawn is not None or column.key not in ("drawn", "draws"))


def contests_table(found: Unjudged) -> Table:
    """Return a row a pair of systems: whether labels can turn which is ahead."""
    evaluation = found.evaluation
    places = 0 if evaluation.measures[0].aggregate == "sum" else 4
    queries = {
        frozenset(evaluation._values(evaluation.measures[0], name)) for name in evaluation.systems
    }

    def signed(value: float) -> str:
        return with_sign(value, places)

    notes = [
        Note("difference", "difference: over the queries that count for both systems."),
        Note(
            "found",
            "found: the difference under the labels that were found to draw it to the other side"
            " most. An order that can turn is not one that will.",
        ),
    ]
    return Table(
        [
            Column("system"),
            Column("baseline", "beside"),
            Column("difference", show=signed),
            Column("bounds", "no labels go beyond", spans(signed)),
            Column("found", show=signed),
            Column("verdict", fit="whole"),
        ],
        [
            (
                *(each.system, each.baseline, each.difference, (each.low, each.high)),
                *(each.found, each.words),
            )
            for each in found.contests
        ],
        title="Can labels turn the order?",
        notes=notes if len(queries) > 1 else notes[1:],
    )


def documents_table(found: Unjudged, top: int) -> Table:
    """Return the first documents, each with what its label can move."""
    if not found.documents:
        return Table([Column("document", "")], [], title="Every document is judged.")
    listed = found.documents[:top]
    pairs = [f"{each.system}, {each.baseline}" for each in listed]
    titles = [each.title or each.text or "" for each in listed]
    absent = set() if any(each.asked for each in listed) else {"query"}
    absent |= set() if any(titles) else {"title"}
    what = "the difference" if found.contests else "the mean"
    if not found.contests:
        absent.add("systems")
    if len(set(pairs)) < 2:
        absent.add("pair")
        if found.contests:
            what = f"the difference of {listed[0].system} and {listed[0].baseline}"
    notes = [
        Note(
            "moves",
            f"moves: how far the label alone can move {what}, from its least to its greatest;"
            " rank: the best.",
        )
    ]
    left = len(found.documents) - len(listed)
    if left:
        more = f"{left:,} more; --top shows more, and --format tsv, csv or jsonl all of them."
        notes.append(Note("left_out", more))
    table = Table(
        [
            Column("place", "", str),
            Column("query_id"),
            Column("query", fit="end"),
            Column("doc_id"),
            Column("moves", show=digits),
            Column("pair", "difference of"),
            Column("rank", show=str),
            Column("systems", show=str),
            Column("title", fit="end"),
        ],
        [
            (
                *(number, each.query, each.asked or "", each.document, each.value, pair),
                *(min(each.ranks.values()), len(each.ranks), title),
            )
            for number, (each, pair, title) in enumerate(
                zip(listed, pairs, titles, strict=True), start=1
            )
        ],
        title="Judge these first",
        notes=notes,
    )
    return table.only(lambda column: column.key not in absent)


def samples_table(drawn: LabelSamples) -> Table:
    """Return a row a system and measure: the mean without labels, and over drawn ones."""
    evaluation = drawn.evaluation
    several = len(evaluation.systems) > 1
    rows: list[tuple[object, ...]] = []
    for system in evaluation.systems:
        for measure in evaluation.measures:
            one = drawn.summary(measure, system)
            value = round_sum(one.value, measure.aggregate == "sum")
            row = (system, repr(measure), value, one.mean, (one.low, one.high), one.judged)
            rows.append(row)
    table = Table(
        [
            Column("system"),
            Column("measure"),
            Column("value", "mean", format_figure),
            Column("drawn", show=digits),
            Column("draws", _of_draws(drawn), spans()),
            Column("judged", show=percent),
        ],
        rows,
        title="" if several else evaluation.systems[0],
        notes=[
            Note("drawn", _drawn_line(drawn)),
            Note("convention", describe_convention(evaluation)),
        ],
    )
    return table.only(lambda column: several or column.key != "system")


def _of_draws(drawn: LabelSamples) -> str:
    return f"{drawn.level:.0%} of draws"


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

"""Render unjudged documents and sampled means as tables and data."""

from __future__ import annotations

from gainful.evaluation.notes import describe_convention, list_grades
from gainful.evaluation.tables import format_figure, round_sum
from gainful.formats.json import text
from gainful.formats.numbers import digits, percent, spans, with_sign
from gainful.formats.table import Column, Note, Table
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gainful.unjudged.result import Contest, Unjudged
    from gainful.unjudged.samples import LabelSamples

__all__ = ["document_rows", "json_lines", "samples_table", "tables", "to_dict"]

#: Columns of the documents, without texts.
_COLUMNS = ("query_id", "doc_id", "value", "system", "baseline", "systems", "best_rank")


def tables(found: Unjudged, top: int = 20) -> list[Table]:
    """Return tables: the systems, the pairs, and the first documents.

    Parameters
    ----------
    found : Unjudged
        The result.
    top : int
        Maximum number of documents.
    """
    shown = [systems_table(found)]
    if found.contests:
        shown.append(contests_table(found))
    if found.slices:
        shown.append(slices_table(found))
    if top < 1 and found.documents:
        return shown
    return [*shown, documents_table(found, top)]


def systems_table(found: Unjudged) -> Table:
    """Return one row per system: its mean and its bounds over all labels."""
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
    bounds = (
        f"low and high: bounds over all grades ({list_grades(evaluation)}) of unjudged documents up"
        f" to rank {found.depth} of any system. Other unjudged documents count as not relevant."
    )
    table = Table(
        [
            Column("system"),
            Column("low", show=format_figure),
            Column("value", "sum" if summed else "mean", format_figure),
            Column("high", show=format_figure),
            Column("drawn", "sampled", digits),
            Column("draws", _interval_heading(drawn) if drawn else "", spans()),
            Column("n", "queries", str),
            Column("judged", show=percent),
        ],
        rows,
        title=f"{measure!r}: bounds over the labels of {_documents(len(found.documents))}",
        notes=[
            Note("bounds", bounds, explains=True),
            *([Note("drawn", _describe_samples(drawn))] if drawn is not None else []),
            Note("convention", describe_convention(evaluation)),
        ],
    )
    return table.only(lambda column: drawn is not None or column.key not in ("drawn", "draws"))


def contests_table(found: Unjudged) -> Table:
    """Return one row per pair of systems: whether labels could reverse their order."""
    evaluation = found.evaluation
    places = 0 if evaluation.measures[0].aggregate == "sum" else 4
    queries = {
        frozenset(evaluation._values(evaluation.measures[0], name)) for name in evaluation.systems
    }

    def signed(value: float) -> str:
        return with_sign(value, places)

    notes = [
        Note("difference", "difference: mean over the queries that count for both systems."),
        Note(
            "worst",
            "worst found: difference under the most adverse labels found. It is possible, not"
            " necessarily likely.",
            explains=True,
        ),
    ]
    return Table(
        [
            Column("system"),
            Column("baseline", "vs."),
            Column("difference", show=signed),
            Column("bounds", "possible range", spans(signed)),
            Column("worst", "worst found", signed),
            Column("verdict", fit="whole"),
        ],
        [
            (
                *(each.system, each.baseline, each.difference, (each.low, each.high)),
                *(each.worst, each.verdict_text),
            )
            for each in found.contests
        ],
        title="Could labels reverse the order?",
        notes=notes if len(queries) > 1 else notes[1:],
    )


def slices_table(found: Unjudged) -> Table:
    """Return one row per slice and system: the mean, its bounds, and whether the order is safe."""
    summed = found.evaluation.measures[0].aggregate == "sum"
    rows: list[tuple[object, ...]] = []
    for name, part in found.slices.items():
        texts = {each.system: (each.baseline, each.verdict_text) for each in part.contests}
        order = sorted(part.values, key=lambda system: -part.values[system])
        for at, system in enumerate(order):
            low, high = (round_sum(end, summed) for end in part.bounds[system])
            rows.append(
                (
                    *(name if at == 0 else "", part.queries[system], system),
                    *(low, round_sum(part.values[system], summed), high),
                    *texts.get(system, ("", "")),
                )
            )
    table = Table(
        [
            Column("slice", found.attribute or "slice"),
            Column("n", "queries", str),
            Column("system"),
            Column("low", show=format_figure),
            Column("value", "sum" if summed else "mean", format_figure),
            Column("high", show=format_figure),
            Column("baseline", "vs."),
            Column("verdict", fit="whole"),
        ],
        rows,
        title=f"{found.evaluation.measures[0]!r}, by {found.attribute or 'slice'}",
    )
    compared = any(part.contests for part in found.slices.values())
    return table.only(lambda column: compared or column.key not in ("baseline", "verdict"))


def documents_table(found: Unjudged, top: int) -> Table:
    """Return the first documents, each with the impact of its label."""
    if not found.documents:
        return Table([Column("document", "")], [], title="Every document is judged.")
    listed = found.documents[:top]
    pairs = [f"{each.system} vs. {each.baseline}" for each in listed]
    titles = [each.title or each.text or "" for each in listed]
    absent = set() if any(each.query_text for each in listed) else {"query"}
    absent |= set() if any(titles) else {"title"}
    what = "the difference of the pair" if found.contests else "the mean"
    if not found.contests:
        absent.add("systems")
    if len(set(pairs)) < 2:
        absent.add("pair")
        if found.contests:
            what = f"the difference of {listed[0].system} and {listed[0].baseline}"
    notes = [
        Note(
            "moves",
            f"impact: how much this label alone can change {what}. rank: the best of all systems.",
            explains=True,
        )
    ]
    left = len(found.documents) - len(listed)
    if left:
        more_rows = refer("top", "N", python="tables(top=N)")
        everything = refer("records", "tsv, csv or jsonl", python="records()")
        more = f"{left:,} more documents: use {more_rows}, or {everything} for all."
        notes.append(Note("left_out", more))
    table = Table(
        [
            Column("place", "", str),
            Column("query_id"),
            Column("query", fit="end"),
            Column("doc_id"),
            Column("moves", "impact", digits),
            Column("pair"),
            Column("rank", show=str),
            Column("systems", show=str),
            Column("title", fit="end"),
        ],
        [
            (
                *(number, each.query, each.query_text or "", each.document, each.value, pair),
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
    """Return one row per system and measure: means without and with sampled labels."""
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
            Column("drawn", "sampled", digits),
            Column("draws", _interval_heading(drawn), spans()),
            Column("judged", show=percent),
        ],
        rows,
        title="" if several else evaluation.systems[0],
        notes=[
            Note("drawn", _describe_samples(drawn)),
            Note("convention", describe_convention(evaluation)),
        ],
    )
    return table.only(lambda column: several or column.key != "system")


def _interval_heading(drawn: LabelSamples) -> str:
    return f"{drawn.level:.0%} of samples"


def document_rows(found: Unjudged) -> tuple[Sequence[str], Iterator[Sequence[object]]]:
    """Return headers and one row per document, for annotation tools."""
    rows = list(found.rows())
    headers = list(rows[0]) if rows else list(_COLUMNS)
    return headers, (tuple(row.values()) for row in rows)


def rows_of(found: Unjudged, name: str) -> tuple[Sequence[str], list[Sequence[object]]]:
    """Return headers and one row per system, pair (``"contests"``) or system of a slice."""
    document = to_dict(found)
    if name == "contests":
        contests: list[dict[str, object]] = document["contests"]
        return _CONTEST, [tuple(each[key] for key in _CONTEST) for each in contests]
    if name == "slices":
        return ("slice", "system", "value", "low", "high", "n"), [
            (name, system, part.values[system], *part.bounds[system], part.queries[system])
            for name, part in found.slices.items()
            for system in part.values
        ]
    systems: dict[str, dict[str, object]] = document["systems"]
    return ("system", *_SYSTEM), [
        (system, *(each[key] for key in _SYSTEM)) for system, each in systems.items()
    ]


_SYSTEM = ("value", "low", "high", "n", "judged")
_CONTEST = (
    *("system", "baseline", "difference", "low", "high", "worst"),
    *("labels", "is_minimum", "verdict"),
)


def to_dict(found: Unjudged) -> dict[str, Any]:
    """Return the result as the JSON contract ``gainful.unjudged/1``."""
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
        "contests": [_contest(each) for each in found.contests],
        "documents": [
            {**row, "ranks": each.ranks}
            for row, each in zip(found.rows(), found.documents, strict=True)
        ],
    }
    if found.slices:
        whole["by"] = found.attribute
        whole["slices"] = {
            name: {
                "systems": {
                    system: {
                        "value": value,
                        "low": part.bounds[system][0],
                        "high": part.bounds[system][1],
                        "n": part.queries[system],
                    }
                    for system, value in part.values.items()
                },
                "contests": [_contest(each) for each in part.contests],
            }
            for name, part in found.slices.items()
        }
    if found.samples is not None:
        whole["samples"] = found.samples.to_dict()
    return whole


def _contest(contest: Contest) -> dict[str, object]:
    return {key: getattr(contest, key) for key in _CONTEST}


def json_lines(found: Unjudged) -> Iterator[str]:
    """Yield one JSON object per document."""
    for row in found.rows():
        yield text(row)


def _describe_samples(drawn: LabelSamples) -> str:
    priors = {
        "run": "with the grade frequencies of the judged documents in the run",
        "pool": "with the grade frequencies of all judged documents of the query",
    }
    if isinstance(drawn.prior, str):
        prior = priors[drawn.prior]
    else:
        prior = "with P(grade) " + ", ".join(f"{g:g}: {p:g}" for g, p in drawn.prior.items())
    return (
        f"sampled: mean over {_labelings(drawn.samples)} of the documents above the cutoff,"
        f" {prior} (random seed {drawn.seed})."
    )


def _labelings(count: int) -> str:
    return "1 random labeling" if count == 1 else f"{count:,} random labelings"


def _documents(count: int) -> str:
    return f"{count:,} unjudged document{'s' * (count != 1)}"

"""Show a gate's result as a table, as Markdown for a pull request, and as rows."""

from __future__ import annotations

from gainful.formats.markdown import escaped
from gainful.formats.markdown import markdown as written
from gainful.formats.numbers import digits, places_adding_up, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.gates.sentences import advice, headline, remarks, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.gates.gated_measure import GatedMeasure
    from gainful.gates.result import GateResult

__all__ = ["figures", "markdown", "table"]

_FIGURES = (
    *("system", "snapshot", "measure", "verdict", "snapshot_mean", "mean", "difference"),
    *("low", "high", "method", "n", "wins", "losses", "needed", "reference"),
)


def table(result: GateResult) -> Table:
    r"""Return the result as a table.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> shown = table(gainful.gate("qrels.txt", "bm25.run", snapshot))
    >>> from gainful.formats.text import text
    >>> print(*text(shown).splitlines()[:4], sep="\n")
    Gate passed: the run vs. the snapshot of bm25
    measure  before    now  difference  lower  upper  changed  verdict
    ──────────────────────────────────────────────────────────────────
    nDCG@10   .7193  .7193       .0000  .0000  .0000      0/6  pass
    """
    predicted = any(each.worth is not None for each in result.comparisons)
    places = places_adding_up(
        (comparison.snapshot_mean, comparison.mean, comparison.difference)
        for comparison in result.comparisons
    )

    def number(value: float) -> str:
        return digits(value, places)

    def signed(value: float) -> str:
        return with_sign(value, places)

    columns = [
        Column("measure"),
        *([Column("reference", "vs.")] if result.anchored else []),
        Column("snapshot_mean", "before", number),
        Column("mean", "now", number),
        Column("difference", show=signed),
        Column("low", "lower", with_sign),
        Column("high", "upper", with_sign),
        *([Column("people_difference", "people only", with_sign)] if predicted else []),
        *([Column("model_difference", "model only", with_sign)] if predicted else []),
        *([Column("worth", show=lambda value: f"{value:.0f}")] if predicted else []),
        Column("changed", show=lambda counts: f"{counts[0]}/{counts[1]}"),
        Column("verdict", fit="whole"),
    ]
    rows = [
        (
            each.measure,
            *((each.reference,) if result.anchored else ()),
            *(each.snapshot_mean, each.mean, each.difference, each.low, each.high),
            *((each.people_difference, each.model_difference, each.worth) if predicted else ()),
            *((each.changed, each.n), each.verdict),
        )
        for each in result.comparisons
    ]
    notes = noted("verdict", (sentence(each, result) for each in result.comparisons))
    for each in result.measures:
        notes += noted("advice", advice(each) + _describe_losses(each, result))
    for each in result.anchored:
        notes += noted("advice", advice(each))
    notes += noted("remark", remarks(result))
    notes += _describe_predictions(result)
    notes.append(Note("convention", str(result.convention)))
    return Table(columns, rows, title=headline(result), notes=notes)


def _describe_predictions(result: GateResult) -> list[Note]:
    """Return the worth of the judgments of people with predictions, and the conditions."""
    if result.sample is None:
        return []
    from gainful.evaluation.predicted_tables import Worth, condition_notes, describe_worth

    estimates = [
        (
            each.measure,
            Worth(
                *(each.n, each.worth, each.worth_low, each.worth_high),
                *(each.reason or "", each.p_random or 0.0),
            ),
        )
        for each in result.comparisons
        if each.worth is not None
    ]
    worth = Note("worth", describe_worth([each for _, each in estimates]))
    return [worth, *condition_notes(result.sample, estimates)]


def _describe_losses(each: GatedMeasure, result: GateResult) -> list[str]:
    """Return the queries with the largest losses, if the measure did not pass."""
    worst = result.worst(each.measure) if each.verdict != "pass" else []
    named = ", ".join(f"{query} {with_sign(lost)}" for query, lost in worst)
    return [f"Largest losses in {each.measure}: {named}."] if named else []


def markdown(result: GateResult) -> str:
    """Return the result as a comment for a pull request.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> print(markdown(gainful.gate("qrels.txt", "dense.run", snapshot)).splitlines()[0])
    ### ⚪ Gate inconclusive: dense vs. the snapshot of bm25
    """
    shown = table(result)
    # The sign repeats the verdict for readers who skim a list of comments.
    sign = {"pass": "🟢", "fail": "🔴", "inconclusive": "⚪"}[result.verdict]
    *notes, convention = shown.notes
    lines = [f"### {sign} {escaped(shown.title)}", ""]
    lines.append(written(shown.replace(title="", notes=())))
    for note in notes:
        if note.key == "verdict":
            lines += [escaped(note), ""]
    lines += [*(f"- {escaped(note)}" for note in notes if note.key != "verdict"), ""]
    lines += [f"<sub>{escaped(convention)}</sub>"]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def figures(result: GateResult) -> tuple[Sequence[str], Iterator[Sequence[object]]]:
    """Return the headers and one row per comparison, with values in full precision."""
    return _FIGURES, (_row(each, result) for each in result.comparisons)


def _row(each: GatedMeasure, result: GateResult) -> list[object]:
    saved = result.snapshot if each.reference == "snapshot" else result.snapshot.first
    values = {**each.to_dict(), "system": result.system, "snapshot": saved.system}
    return [values[name] for name in _FIGURES]

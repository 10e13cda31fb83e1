"""A gate's result as a table, as Markdown for a pull request, as JSON, and as rows of figures."""

from __future__ import annotations

from gainful.formats.json import text
from gainful.formats.markdown import escaped
from gainful.formats.markdown import markdown as written
from gainful.formats.table import TextTable, digits, with_sign
from gainful.gates.words import advice, headline, remarks, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.gates.measured import GatedMeasure
    from gainful.gates.result import GateResult

__all__ = ["document", "figures", "markdown", "table"]

_FIGURES = (
    *("system", "snapshot", "measure", "verdict", "snapshot_mean", "mean", "difference"),
    *("low", "high", "method", "n", "wins", "losses", "needed"),
)


def table(result: GateResult) -> TextTable:
    r"""Return the result as a table for people.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> shown = table(gainful.gate("qrels.txt", "bm25.run", snapshot))
    >>> print(*str(shown).splitlines()[:4], sep="\n")
    Gate passed: the run vs. the snapshot of bm25
    measure  before    now  difference  lower  upper  changed  verdict
    ──────────────────────────────────────────────────────────────────
    nDCG@10   .7193  .7193       .0000  .0000  .0000      0/6  pass
    """
    headers = ("measure", "before", "now", "difference", "lower", "upper", "changed", "verdict")
    rows = [
        [
            each.measure,
            digits(each.snapshot_mean),
            digits(each.mean),
            with_sign(each.difference),
            with_sign(each.low),
            with_sign(each.high),
            f"{each.changed}/{each.n}",
            each.verdict,
        ]
        for each in result.measures
    ]
    notes = [sentence(each, result) for each in result.measures]
    for each in result.measures:
        notes += advice(each) + _lost(each, result)
    notes += [*remarks(result), str(result.convention)]
    return TextTable(headers, rows, align="lrrrrrrl", title=headline(result), notes=notes)


def _lost(each: GatedMeasure, result: GateResult) -> list[str]:
    """Return the queries that lost most, where a measure did not pass."""
    worst = result.worst(each.measure) if each.verdict != "pass" else []
    named = ", ".join(f"{query} {with_sign(lost)}" for query, lost in worst)
    return [f"{each.measure} lost most on {named}."] if named else []


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
    # The sign says what the word says, for the eye that runs over a list of comments.
    sign = {"pass": "🟢", "fail": "🔴", "inconclusive": "⚪"}[result.verdict]
    told = len(result.measures)
    body = written(shown.told(title="", notes=()))
    lines = [f"### {sign} {escaped(shown.title)}", "", body]
    for note in shown.notes[:told]:
        lines += [escaped(note), ""]
    lines += [*(f"- {escaped(note)}" for note in shown.notes[told:-1]), ""]
    lines += [f"<sub>{escaped(shown.notes[-1])}</sub>"]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def document(result: GateResult) -> Iterator[str]:
    """Yield the result as the JSON contract ``gainful.gate/1``."""
    yield text(result.to_dict(), indent=2)


def figures(result: GateResult) -> tuple[Sequence[str], Iterator[Sequence[object]]]:
    """Return the headers and a row a measure, with figures in full."""
    return _FIGURES, (_row(each, result) for each in result.measures)


def _row(each: GatedMeasure, result: GateResult) -> list[object]:
    told = {**each.to_dict(), "system": result.system, "snapshot": result.snapshot.system}
    return [told[name] for name in _FIGURES]

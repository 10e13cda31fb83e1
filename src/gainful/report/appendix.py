"""The last sections of a page: data checks, convention and reproduction."""

from __future__ import annotations

from html import escape

from gainful import __version__
from gainful.conventions import POLICIES
from gainful.conventions.description import formula
from gainful.evaluation.data_checks import checks_table
from gainful.evaluation.notes import (
    describe_contradictions,
    describe_convention,
    describe_selection,
)
from gainful.measures import describe
from gainful.measures.parameters import format_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.formats.table import Table
    from gainful.report.collecting import ReportData

__all__ = [
    "MOST_NOTES",
    "render_checks",
    "render_convention",
    "render_notes",
    "render_reproduction",
    "render_table",
    "render_titled_table",
]


#: The most notes below a table.
MOST_NOTES = 2


def render_table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], caption: str, align: str
) -> str:
    """Return a table of HTML cells; the first cell of a row is its heading."""
    sides = {"l": "", "r": ' class="number"'}
    head = "".join(
        f'<th scope="col"{sides[side]}>{cell}</th>'
        for cell, side in zip(headers, align, strict=True)
    )
    lines = []
    for first, *others in rows:
        cells = "".join(
            f"<td{sides[side]}>{cell}</td>" for cell, side in zip(others, align[1:], strict=True)
        )
        lines.append(f'<tr><th scope="row">{first}</th>{cells}</tr>')
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="Table: {escape(caption)}">'
        f'<table class="plain"><caption class="hidden">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def render_titled_table(table: Table) -> str:
    """Return a table with its title as a heading and its notes as paragraphs."""
    title = escape(table.title or "")
    return f"<h3>{title}</h3>\n{render_cells(table)}{render_notes(table.notes)}"


def render_cells(table: Table) -> str:
    """Return a table without its title and notes."""
    cells = table.cells()
    rows = [[escape(cell) for cell in row] for row in cells.rows]
    headers = [escape(label) for label in cells.headers]
    return render_table(headers, rows, table.title or "", cells.align)


def render_notes(notes: Sequence[str]) -> str:
    """Return the first two notes of a table as paragraphs, and the others folded."""
    first, rest = (
        "".join(f'<p class="aside">{escape(note)}</p>' for note in part)
        for part in (notes[:MOST_NOTES], notes[MOST_NOTES:])
    )
    return first + (
        f"<details><summary>More about this table</summary>{rest}</details>" * bool(rest)
    )


def render_checks(report: ReportData) -> str:
    """Return the data checks, one row per system."""
    evaluation = report.evaluation
    counts = {system: [evaluation.counts(system)] for system in evaluation.systems}
    checks = checks_table(counts, "system", ("tied", "tied documents"))
    no_relevant = _dict(evaluation.counts(evaluation.systems[0])["no_relevant"])
    lines = []
    for count in sorted({n for n in no_relevant.values() if isinstance(n, int) and n}):
        names = ", ".join(name for name, presets in no_relevant.items() if presets == count)
        queries = "query has" if count == 1 else "queries have"
        lines.append(f"{count:,} {queries} no relevant documents for {names}.")
    lines += [*describe_contradictions(evaluation), *describe_selection(evaluation)]
    if evaluation.weights is not None:
        lines.append("The means are weighted by query.")
    table = render_cells(checks)
    return table + (f"<p>{escape(' '.join(lines))}</p>" if lines else "")


def render_convention(report: ReportData) -> str:
    """Return the convention and the formula of every measure."""
    evaluation = report.evaluation
    policies = evaluation.convention
    parts = [f'<h3>Convention</h3><p class="line">{escape(describe_convention(evaluation))}</p>']
    measures = []
    for measure, resolved in zip(evaluation.measures, evaluation.resolved, strict=True):
        family = describe(measure.family)
        measures.append(
            f"<dt>{escape(repr(measure))}</dt><dd><p>{escape(family.summary)}.</p>"
            f'<p class="formula">= {escape(family.formula)}</p>'
            f'<p class="aside">All parameters: <code>{escape(repr(resolved))}</code><br>'
            f"{escape(family.source)}</p></dd>"
        )
    parts.append(f'<h3>Measures</h3><dl class="terms">{"".join(measures)}</dl>')
    if any(measure.family in ("nDCG", "DCG", "IDCG") for measure in evaluation.measures):
        terms = "".join(
            f'<dt>{escape(term)}</dt><dd class="formula">{escape(text)}</dd>'
            for term, text in formula(policies).items()
        )
        parts.append(
            f"<h3>Formula of nDCG in {escape(policies.label)}</h3><dl class='terms'>{terms}</dl>"
        )
    rows = []
    for policy in POLICIES:
        value = getattr(policies, policy.name)
        cells = (policy.name, format_value(value), policy.meaning(value))
        rows.append([escape(cell) for cell in cells])
    listed = render_table(["policy", "value", "meaning"], rows, "All policies", "lll")
    parts.append(f"<details><summary>All policies of the convention</summary>{listed}</details>")
    return "".join(parts)


def render_reproduction(report: ReportData) -> str:
    """Return the command, the digests of the inputs and the versions."""
    import platform

    parts = []
    if report.command is not None:
        parts.append(
            f'<div class="command"><pre id="command" tabindex="0"><code>{escape(report.command)}'
            '</code></pre><button type="button" data-copies="command">Copy</button></div>'
        )
    rows = [
        [
            escape(source.name if source.role == "run" else source.role),
            escape(source.file or "in memory"),
            f"{source.queries:,}",
            f"{source.rows:,}",
            f'<code class="digest">{escape(source.digest)}</code>',
        ]
        for source in report.sources
    ]
    headers = ["input", "file", "queries", "rows", "digest (independent of the row order)"]
    parts.append(render_table(headers, rows, "Judgments and runs", "llrrl"))
    versions = f"Gainful {__version__}, Python {platform.python_version()}"
    if report.comparison is not None:
        choices = report.comparison.choices
        versions += f"; random seed {choices.seed}, {choices.resamples:,} resamples"
        versions += f", alpha {choices.alpha:g}"
    parts.append(f"<p>{escape(versions)}.</p>")
    return "".join(parts)


def _dict(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return value

"""The end of a page: what was met, the convention and its formulas, and how to make it again."""

from __future__ import annotations

from html import escape

from gainful import __version__
from gainful.conventions import POLICIES
from gainful.conventions.description import formula
from gainful.evaluation.notes import describe_convention
from gainful.measures import describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.report.report import Report

__all__ = ["convention", "met", "reproduce", "testing"]


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], caption: str, align: str) -> str:
    """Return a table; its first cells are headings of their rows, and cells are HTML already."""
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


def met(report: Report) -> str:
    """Return what the evaluation met on its way, a row a system."""
    evaluation = report.evaluation
    rows = []
    cutoffs = list(_dict(evaluation.counts(evaluation.systems[0])["judged_at_cutoff"]))
    for system in evaluation.systems:
        counts = evaluation.counts(system)
        shares, ties = _dict(counts["judged_at_cutoff"]), _dict(counts["ties_at_cutoff"])
        row = [escape(system), *(f"{counts[name]:,}" for name in ("queries", "missing", "extra"))]
        row += [f"{counts[name]:,}" for name in ("duplicates", "tied")]
        for cutoff in cutoffs:
            share = shares[cutoff]
            row.append("–" if share is None else f"{share:.1%}")
            row.append(f"{ties[cutoff]:,}")
        rows.append(row)
    headers = ["system", "queries", "not in the run", "without judgments"]
    headers += ["duplicate rows", "tied documents"]
    for cutoff in cutoffs:
        headers += [f"judged@{cutoff}", f"queries with ties across rank {cutoff}"]
    nothing = _dict(evaluation.counts(evaluation.systems[0])["no_relevant"])
    notes = ""
    for count in sorted({count for count in nothing.values() if isinstance(count, int) and count}):
        names = ", ".join(escape(name) for name, own in nothing.items() if own == count)
        queries = "query has" if count == 1 else "queries have"
        notes += f"<p>{count:,} {queries} nothing relevant for {names}.</p>"
    if evaluation._weights is not None:
        notes += "<p>The means are weighted: not every query counts alike.</p>"
    return table(headers, rows, "What was met", "l" + "r" * (len(headers) - 1)) + notes


def testing(report: Report, measure: int) -> str:
    """Return how the systems were compared on a measure, as paragraphs."""
    from gainful.comparison.notes import notes

    comparison = report.comparison
    if comparison is None:
        return ""
    name = repr(report.evaluation.measures[measure])
    pairs = [pair for pair in comparison.pairs if pair.measure == name]
    # The page has the counts and the convention elsewhere.
    elsewhere = ("counts", "convention")
    told: list[str] = [note for note in notes(comparison, pairs) if note.key not in elsewhere]
    if not comparison.baselines:
        told.append(
            "That two systems cannot be told apart does not carry over to a third: one may share a"
            " letter with two that differ."
        )
    return "".join(f"<p>{escape(line)}</p>" for line in told)


def convention(report: Report) -> str:
    """Return the convention and every formula in full."""
    evaluation = report.evaluation
    policies = evaluation.convention
    parts = [f'<p class="line">{escape(describe_convention(evaluation))}</p>']
    told = []
    for measure, resolved in zip(evaluation.measures, evaluation.resolved, strict=True):
        family = describe(measure.family)
        told.append(
            f"<dt>{escape(repr(measure))}</dt><dd><p>{escape(family.summary)}.</p>"
            f'<p class="formula">= {escape(family.formula)}</p>'
            f'<p class="aside">With every parameter: <code>{escape(repr(resolved))}</code><br>'
            f"{escape(family.source)}</p></dd>"
        )
    parts.append(f'<h3>Measures</h3><dl class="terms">{"".join(told)}</dl>')
    if any(measure.family in ("nDCG", "DCG", "IDCG") for measure in evaluation.measures):
        terms = "".join(
            f'<dt>{escape(term)}</dt><dd class="formula">{escape(text)}</dd>'
            for term, text in formula(policies).items()
        )
        parts.append(
            f"<h3>nDCG as {escape(policies.label)} has it</h3><dl class='terms'>{terms}</dl>"
        )
    rows = []
    for policy in POLICIES:
        value = getattr(policies, policy.name)
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        rows.append([escape(policy.name), escape(shown), escape(policy.meaning(value))])
    listed = table(["policy", "value", "what that means"], rows, "Every policy", "lll")
    parts.append(f"<details><summary>Every policy of the convention</summary>{listed}</details>")
    return "".join(parts)


def reproduce(report: Report) -> str:
    """Return the command, the files with their digests, and the versions."""
    import platform

    parts = []
    if report.command is not None:
        parts.append(
            f'<div class="command"><pre id="command" tabindex="0"><code>{escape(report.command)}'
            '</code></pre><button type="button" data-copies="command">Copy</button></div>'
        )
    rows = [
        [
            escape(source.role if source.role == "judgments" else source.name),
            escape(source.file or "in memory"),
            f"{source.queries:,}",
            f"{source.rows:,}",
            f'<code class="digest">{escape(source.digest)}</code>',
        ]
        for source in report.sources
    ]
    headers = [
        "",
        "file",
        "queries",
        "rows",
        "digest of the content, whatever the order of its rows",
    ]
    parts.append(table(headers, rows, "Judgments and runs", "llrrl"))
    versions = f"Gainful {__version__}, Python {platform.python_version()}"
    if report.comparison is not None:
        choices = report.comparison.choices
        versions += f"; seed {choices.seed}, {choices.resamples:,} resamples, α {choices.alpha:g}"
    parts.append(f"<p>{escape(versions)}.</p>")
    return "".join(parts)


def _dict(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return value

"""The demo as text: what it prints, and the report that it writes."""

from __future__ import annotations

from gainful.table import TextTable, digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.demo.demonstration import Demonstration

FILES = "qrels.txt"


def opening(shown: Demonstration) -> str:
    """Return what was done, in two lines."""
    graded = sum(map(len, shown.judgments.values()))
    systems = len(shown.rankings)
    return (
        f"A small shop, made for this demo: {len(shown.judgments)} queries, {graded:,} judgments"
        f" with grades 0 to 3, {systems} systems on SQLite's\nfull-text engine. fts5-plain wants"
        " every word; fts5-tuned stems words and weighs titles; title-words only counts them."
    )


def how_good(shown: Demonstration) -> TextTable:
    """Return the systems with their means, and the first measure's interval."""
    evaluation = shown.evaluation
    first, *others = evaluation.measures
    rows = []
    for system in evaluation.systems:
        summary = evaluation.summary(first, system)
        means = [digits(evaluation.mean(measure, system)) for measure in others]
        interval = f"{digits(summary.low)} to {digits(summary.high)}"
        rows.append([system, digits(summary.mean), interval, *means])
    return TextTable(
        ["system", repr(first), "95 % interval", *map(repr, others)],
        rows,
        align="l" + "r" * (len(others) + 2),
        title="How good?",
    )


def better(shown: Demonstration) -> TextTable:
    """Return the pairs of systems, each with its difference and verdict."""
    rows = [
        [
            f"{pair.system} beside {pair.baseline}",
            _signed(pair.difference),
            f"{_signed(pair.low)} to {_signed(pair.high)}",
            f"{pair.wins} / {pair.ties} / {pair.losses}",
            pair.verdict,
        ]
        for pair in shown.pairs
    ]
    measure = repr(shown.evaluation.measures[0])
    return TextTable(
        [f"{measure}, query by query", "difference", "interval", "won / tied / lost", "verdict"],
        rows,
        align="lrrrl",
        title="Better?",
        notes=[
            "Student's t on the differences; the three intervals hold together in 95 % of samples"
            " (Bonferroni)."
        ],
    )


def next_steps(folder: str) -> list[str]:
    """Return commands to type next, on the files in a folder."""
    from shlex import quote

    at = quote(folder.rstrip("/") or "/")
    return [
        f"gainful evaluate {at}/qrels.txt {at}/fts5-plain.run {at}/fts5-tuned.run -m 'AP(rel=2)'",
        f"gainful evaluate {at}/qrels.txt {at}/fts5-tuned.run -m nDCG@10 --per-query",
        f"gainful explain {at}/qrels.txt {at}/fts5-plain.run --docs {at}/products.jsonl"
        f" --queries {at}/queries.tsv",
        "gainful measures nDCG",
    ]


def markdown_report(shown: Demonstration) -> Iterator[str]:
    """Yield the report that the demo writes."""
    from gainful.report.markdown import escaped, markdown

    yield "# Three search systems of a small shop\n\n"
    yield escaped(opening(shown).replace("\n", " ")) + "\n\n"
    yield markdown(how_good(shown)) + "\n"
    yield escaped(str(shown.evaluation.convention)) + "\n\n"
    yield markdown(better(shown)) + "\n"
    yield "## Why?\n\n"


def _signed(value: float) -> str:
    text = digits(value)
    return text if text.startswith("-") else f"+{text}"

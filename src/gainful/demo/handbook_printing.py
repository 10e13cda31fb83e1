"""Print the comparison of chunkings, and write the files for its commands."""

from __future__ import annotations

from shlex import quote
from textwrap import wrap

from gainful.demo.handbook import BUDGET, DEPTH, MEASURES, RANKS
from gainful.demo.printing import WIDTH, pairs_table
from gainful.formats.console import drawn
from gainful.formats.delimited import tsv
from gainful.formats.numbers import digits
from gainful.formats.table import Column, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.demo.handbook import Chunkings

__all__ = ["HANDBOOK_FOLDER", "chunkings_table", "render_chunkings", "run_lines"]

#: The folder in the suggested commands, unless the user names another.
HANDBOOK_FOLDER = "gainful-rag"


def describe_chunkings(shown: Chunkings) -> str:
    """Describe the texts, the questions and the chunkings."""
    length = sum(map(len, shown.texts.values()))
    return (
        f"BM25 just answered {len(shown.questions)} questions about the handbook of a workshop"
        f" ({len(shown.texts)} documents, {length:,} characters), which is cut into chunks of 200"
        " characters, of 400 with an overlap of 200, and of 1,000. Each list has up to"
        f" {DEPTH} chunks. The evidence is {shown.location.quotes} quotes from the handbook;"
        " `locate` found where they are. So each chunking is judged by the text that it found, not"
        " by ids of chunks."
    )


def chunkings_table(shown: Chunkings) -> Table:
    """Return the means of the chunkings, one column for each."""

    def show(value: float) -> str:
        return digits(value) if value <= 1 else f"{value:,.0f}"

    rows: list[list[object]] = [["number of chunks", *shown.sizes.values()]]
    for measure in MEASURES:
        rows.append([measure, *(shown.evaluation.mean(measure, name) for name in shown.sizes)])
    columns = [Column("measure"), *(Column(name, show=show) for name in shown.sizes)]
    return Table(columns, rows, title="Evaluate")


def name_winners(shown: Chunkings) -> str:
    """Say which chunking wins by each unit of counting, and why."""
    by_ranks, by_budget = shown.winners

    def mean(measure: str, name: str) -> str:
        return digits(shown.evaluation.mean(measure, name))

    lengths = [shown.evaluation.mean(MEASURES[0], name) for name in (by_ranks, by_budget)]
    return (
        f"The winner changes with the unit. By five chunks it is {by_ranks} ({RANKS}"
        f" {mean(RANKS, by_ranks)} vs. {mean(RANKS, by_budget)}), but its five chunks are"
        f" {lengths[0]:,.0f} characters, those of {by_budget} {lengths[1]:,.0f}. By the first 500"
        f" characters it is {by_budget} ({BUDGET} {mean(BUDGET, by_budget)} vs."
        f" {mean(BUDGET, by_ranks)})."
    )


def next_commands(shown: Chunkings, folder: str) -> list[str]:
    """Return commands to try next, for the files in a folder."""
    at = quote(folder.rstrip("/") or "/")
    gold, runs = f"{at}/gold.tsv", " ".join(f"{at}/{name}.tsv" for name in shown.runs)
    by_ranks, by_budget = shown.winners
    query = shown.explanations[0].query
    explain = f"-m '{BUDGET}' -q {query} --queries {at}/questions.jsonl"
    return [
        f"gainful locate {at}/handbook {at}/questions.jsonl -o {gold}",
        f"gainful evaluate {gold} {runs} -m 'SpanR(budget=4000)' -m SpanP@5 -m 'SpanU(L=2000)'",
        f"gainful compare {gold} {runs} -m '{BUDGET}' --baseline {by_ranks}",
        f"gainful compare {gold} {at}/{by_ranks}.tsv {at}/{by_budget}.tsv --budgets 500:2000",
        f"gainful explain {gold} {at}/{by_ranks}.tsv {explain}",
        f"gainful explain {gold} {at}/{by_budget}.tsv {explain}",
        "gainful measures SpanR",
    ]


def run_lines(shown: Chunkings, name: str) -> Iterable[str]:
    """Yield the lines of a run with the places of its chunks."""
    rows = []
    for query, ranking in shown.runs[name].items():
        for chunk, score in ranking:
            document, _, place = chunk.rpartition("#char=")
            rows.append([query, document, *map(int, place.split(",")), score])
    return tsv(["query_id", "document_id", "start", "end", "score"], rows)


def render_chunkings(
    shown: Chunkings, folder: str | None, *, first: str = "", terminal: bool = False
) -> str:
    """Return the text that the scene prints; the parameters are those of `render_demo`."""
    from gainful.formats.text import text as plain

    def title(word: str) -> str:
        return f"\x1b[1m{word}\x1b[0m" if terminal else word

    def prose(text: str) -> str:
        return "\n".join(wrap(text, WIDTH))

    def table(table: Table) -> str:
        return (drawn(table) if terminal else plain(table)).strip("\n")

    explained = [
        f"{prose(text)}\n{explanation._drawn() if terminal else explanation}".strip("\n")
        for text, explanation in zip(_reasons(shown), shown.explanations, strict=True)
    ]
    parts = [
        f"{title('Search')}\n{prose(describe_chunkings(shown))}",
        table(chunkings_table(shown)),
        prose(name_winners(shown)),
        table(pairs_table(shown.comparison, shown.comparison.pairs)),
        f"{title('Explain')}\n" + "\n\n".join(explained),
    ]
    after = f", after `{first}`" if first else ""
    if folder is None:
        parts.append(f"Try next{after} (the first command writes the files to {HANDBOOK_FOLDER}):")
        steps = [f"gainful demo rag -o {HANDBOOK_FOLDER}", *next_commands(shown, HANDBOOK_FOLDER)]
    else:
        parts.append(f"Handbook, questions, judgments and runs are in {folder}. Try next{after}:")
        steps = next_commands(shown, folder)
    return "\n\n".join(parts) + "\n" + "".join(f"  {step}\n" for step in steps)


def _reasons(shown: Chunkings) -> list[str]:
    """Say for a list of each winner what the first 500 characters contain."""
    return [
        f"{name}: the first 500 characters contain {explanation.value:.0%} of the evidence. The"
        f" first {len(explanation.ranks)} chunks:"
        for name, explanation in zip(shown.winners, shown.explanations, strict=True)
    ]

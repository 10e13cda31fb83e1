"""Print the demo, and write its files."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from textwrap import wrap

from gainful.demo.collection import products
from gainful.demo.handbook import BUDGET, DEPTH, MEASURES, RANKS
from gainful.formats.console import drawn
from gainful.formats.delimited import tsv
from gainful.formats.numbers import digits, spans
from gainful.formats.table import Column, Table, noted
from gainful.results import printed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gainful.comparison import Comparison, Pair
    from gainful.demo.demonstration import Demonstration
    from gainful.demo.handbook import Chunkings
    from gainful.evaluation import Evaluation

__all__ = ["markdown_report", "render_chunkings", "render_demo", "run_lines"]


#: Maximum length of a line of prose.
WIDTH = 100

#: The folder in the suggested commands, unless the user names another.
FOLDER = "gainful-demo"

_SYSTEMS = (
    "fts5-plain and fts5-tuned use SQLite's full-text search: fts5-plain requires all query words,"
    " fts5-tuned stems words and boosts titles. title-words counts the query words in the title."
)
_BASELINES = " bm25 and tfidf are common baselines."


def describe_search(shown: Demonstration) -> str:
    """Describe the collection and the systems that ran its queries."""
    graded = sum(map(len, shown.judgments.values()))
    text = (
        f"{len(shown.runs)} systems just ran the {len(shown.judgments)} queries of a small shop"
        f" with {len(products())} products and {graded:,} judgments (grades 0 to 3). {_SYSTEMS}"
    )
    return text + (_BASELINES if shown.baselines else "")


def evaluation_table(shown: Demonstration) -> Table:
    """Return the means of the systems, between ideal order and random order."""
    headroom = shown.headroom
    first, *others = headroom.measures
    measures = headroom.measures.values()

    def bound(name: str, achieved: float, mean: float | None, *means: float | None) -> list[object]:
        return [name, mean, "", achieved, *means]

    rows = [bound("ideal order", 1.0, *(measure.ceiling for measure in measures))]
    for place in headroom.measures[first].systems.values():
        achieved = place.achieved.value if place.achieved else ""
        means = [headroom.place(measure, place.system).mean for measure in others]
        rows.append([place.system, place.mean, place.interval, achieved, *means])
    rows.append(bound("random order", 0.0, *(measure.floor for measure in measures)))
    notes = [
        "gain achieved: share of the achievable gain, from random (0%) to ideal order (100%).",
        *_without_relevant(headroom.evaluation),
        *_unjudged(shown),
    ]
    return Table(
        [
            Column("system"),
            Column("mean", first, digits),
            Column("interval", "95% CI", spans()),
            Column("achieved", "gain achieved", lambda share: f"{share:.0%}"),
            *(Column(name, show=digits) for name in others),
        ],
        rows,
        title="Evaluate",
        notes=noted("bounds", notes),
    )


def _unjudged(shown: Demonstration) -> list[str]:
    if not shown.baselines:
        return [
            "BM25 and TF-IDF are not included. To add them: pip install 'gainful[baselines]'",
        ]
    names = " and ".join(shown.baselines)
    return [
        f"Unjudged products count as not relevant. {names} return the most of them, so their"
        " means may be too low."
    ]


def _without_relevant(evaluation: Evaluation) -> list[str]:
    first = evaluation.summary(evaluation.measures[0], evaluation.systems[0])
    if not first.no_relevant or evaluation.convention.no_relevant != 0.0:
        return []
    return [f"{first.no_relevant} of the {first.n} queries have no relevant documents and score 0."]


def comparison_table(shown: Demonstration) -> Table:
    """Return the differences of the compared pairs, with their verdicts."""
    # The same order as in the table above, if all have the same baseline.
    pairs = list(shown.comparison.pairs)
    if shown.baselines:
        pairs.sort(key=lambda pair: -shown.evaluation.mean(pair.measure, pair.system))
    return pairs_table(shown.comparison, pairs)


def pairs_table(comparison: Comparison, pairs: Sequence[Pair]) -> Table:
    """Return the differences of pairs of one measure, with their verdicts."""
    from gainful.comparison.notes import notes
    from gainful.comparison.tables import pair_table

    table = pair_table(comparison, pairs, titled=False)
    table = table.only(lambda column: column.key in ("difference", "interval", "wins", "verdict"))
    names = (f"{pair.system} vs. {pair.baseline}" for pair in pairs)
    return table.replace(
        columns=[Column("pair", repr(comparison.measures[0])), *table.columns],
        rows=[[name, *row] for name, row in zip(names, table.rows, strict=True)],
        title="Compare",
        # Only the test and its power; the convention is below the explanation.
        notes=[note for note in notes(comparison, pairs) if note.key in ("verdict", "power")],
    )


def next_steps(folder: str) -> list[str]:
    """Return commands to try next, for the files in a folder."""
    place = quote(folder.rstrip("/") or "/")
    return [
        f"gainful evaluate {place}/qrels.txt {place}/fts5-plain.run {place}/fts5-tuned.run"
        " -m 'AP(rel=2)'",
        f"gainful evaluate {place}/qrels.txt {place}/fts5-tuned.run -m nDCG@10 --per-query",
        f"gainful compare {place}/qrels.txt {place}/fts5-plain.run {place}/fts5-tuned.run"
        " --margin 0.05",
        f"gainful explain {place}/qrels.txt {place}/fts5-plain.run --docs {place}/products.jsonl"
        f" --queries {place}/queries.tsv",
        f"gainful search --system {place}/fts5-tuned.toml {place}/queries.tsv -k 50 -o again.run",
        f"gainful sweep {place}/qrels.txt {place}/queries.tsv --system {place}/fts5-tuned.toml"
        " --set boost.title=1,2,4,8,16",
        "gainful measures nDCG",
    ]


def render_demo(
    shown: Demonstration,
    folder: str | None,
    *,
    first: str = "",
    terminal: bool = False,
    page: bool = False,
) -> str:
    """Return the text that the demo prints."""
    from gainful.formats.text import text as plain

    tables = [evaluation_table(shown), comparison_table(shown)]
    if terminal:
        parts = [drawn(table).rstrip("\n") for table in tables]
        explanation = printed(shown.explanation, has_colors=True)
        parts.append(f"\x1b[1m{_EXPLAIN}\x1b[0m\n{_worst()}\n{explanation}")
    else:
        parts = [*map(plain, tables), f"{_EXPLAIN}\n{_worst()}\n{shown.explanation}"]
    search = "\n".join(wrap(describe_search(shown), WIDTH))
    title = "\x1b[1mSearch\x1b[0m" if terminal else "Search"
    parts = [f"{title}\n{search}", *(part.strip("\n") for part in parts)]
    after = f", after `{first}`" if first else ""
    if folder is None:
        parts.append(
            f"Try next{after} (the first command writes judgments, runs and a report to {FOLDER}):"
        )
        steps = [f"gainful demo -o {FOLDER}", *next_steps(FOLDER)]
    else:
        parts.append(f"Judgments, runs and report.md are in {folder}. Try next{after}:")
        steps = next_steps(folder)
    text = "\n\n".join(parts) + "\n" + "".join(f"  {step}\n" for step in steps)
    return text + _report_line(folder, page) if folder is not None else text


def markdown_report(shown: Demonstration, folder: str) -> Iterator[str]:
    """Yield the Markdown report of the demo."""
    from gainful.formats.markup import escape_markdown, markdown

    yield "# Search systems of a small shop\n\n"
    yield escape_markdown(describe_search(shown)) + "\n\n"
    yield f"## Evaluate\n\n{markdown(evaluation_table(shown).replace(title=''))}\n"
    yield escape_markdown(str(shown.evaluation.convention)) + "\n\n"
    yield f"## Compare\n\n{markdown(comparison_table(shown).replace(title=''))}\n"
    yield f"## {_EXPLAIN}\n\n{_worst()}\n\n{shown.explanation.to_markdown().strip()}\n\n"
    steps = "".join(f"$ {step}\n" for step in next_steps(folder))
    yield f"## Try next\n\n```console\n{steps}```\n"


def _report_line(folder: str, page: bool) -> str:
    """Return the address of the HTML report, or the command that installs its packages."""
    if page:
        address = (Path(folder) / "report.html").resolve().as_uri()
        return f"\nOpen the HTML report in a browser: {address}\n"
    return "\nFor an HTML report: pip install 'gainful[report]'\n"


_EXPLAIN = "Explain"


def _worst() -> str:
    from gainful.demo.demonstration import EXPLAINED

    return f"{EXPLAINED} has its lowest score on this query:"


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
    place = quote(folder.rstrip("/") or "/")
    gold, runs = f"{place}/gold.tsv", " ".join(f"{place}/{name}.tsv" for name in shown.runs)
    by_ranks, by_budget = shown.winners
    query = shown.explanations[0].query
    explain = f"-m '{BUDGET}' -q {query} --queries {place}/questions.jsonl"
    return [
        f"gainful locate {place}/handbook {place}/questions.jsonl -o {gold}",
        f"gainful evaluate {gold} {runs} -m 'SpanR(budget=4000)' -m SpanP@5 -m 'SpanU(L=2000)'",
        f"gainful compare {gold} {runs} -m '{BUDGET}' --baseline {by_ranks}",
        f"gainful compare {gold} {place}/{by_ranks}.tsv {place}/{by_budget}.tsv --budgets 500:2000",
        f"gainful explain {gold} {place}/{by_ranks}.tsv {explain}",
        f"gainful explain {gold} {place}/{by_budget}.tsv {explain}",
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
        f"{prose(text)}\n{printed(explanation, has_colors=terminal)}".strip("\n")
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

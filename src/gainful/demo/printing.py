"""The demo as text: what it prints, and the files that it writes."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from textwrap import wrap

from gainful.formats.console import drawn
from gainful.formats.numbers import digits, spans
from gainful.formats.table import Column, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.demo.demonstration import Demonstration
    from gainful.evaluation import Evaluation

#: Characters of a line of prose.
WIDTH = 100

#: Where the demo's files are said to go when nobody said where.
FOLDER = "gainful-demo"


_SYSTEMS = (
    "fts5-plain and fts5-tuned are SQLite's full-text engine. One wants every word of the query;"
    " the other, described in a file, stems words and weighs titles more. title-words, the naive"
    " one, counts the words that stand in a title."
)
_BASELINES = " bm25 and tfidf are the baselines that anybody has for nothing."


def opening(shown: Demonstration) -> list[str]:
    """Return what was done, in lines."""
    graded = sum(map(len, shown.judgments.values()))
    text = (
        f"A small shop, made for this demo: {len(shown.judgments)} queries as shoppers type them,"
        f" {graded:,} judgments with grades 0 to 3, and {len(shown.runs)} systems, each of which"
        f" was asked every query just now. {_SYSTEMS}"
    )
    return wrap(text + (_BASELINES if shown.baselines else ""), WIDTH)


def how_good(shown: Demonstration) -> Table:
    """Return the systems with their means between the two ends, the first with its interval."""
    found = shown.headroom
    first, *others = map(repr, found.evaluation.measures)

    def end(name: str, way: float, means: dict[str, float]) -> list[object]:
        return [name, means[first], "", way, *(means[each] for each in others)]

    rows = [end("ceiling", 1.0, found.ceilings)]
    for place in found.ordered(first):
        way = place.way.value if place.way else ""
        means = [found.place(place.system, measure).mean for measure in others]
        rows.append([place.system, place.mean, (place.low, place.high), way, *means])
    rows.append(end("floor", 0.0, found.floors))
    notes = [
        "Ceiling: the judged products in their ideal order. Floor: a random order of all, on"
        " average.",
        "Of the way: from floor to ceiling.",
        *_nothing(found.evaluation),
        *_unjudged(shown),
    ]
    return Table(
        [
            Column("system"),
            Column("mean", first, digits),
            Column("interval", "95% CI", spans()),
            Column("way", "of the way", lambda way: f"{way:.0%}"),
            *(Column(name, show=digits) for name in others),
        ],
        rows,
        title="How good?",
        notes=noted("bounds", notes),
    )


def _unjudged(shown: Demonstration) -> list[str]:
    if not shown.baselines:
        return [
            "BM25 and TF-IDF are left out, for want of their packages:"
            " pip install 'gainful[baselines]'"
        ]
    names = " and ".join(shown.baselines)
    return [
        f"Unjudged products count as 0: {names}, with the most of them, may be better than they"
        " look."
    ]


def _nothing(evaluation: Evaluation) -> list[str]:
    first = evaluation.summary(evaluation.measures[0], evaluation.systems[0])
    if not first.no_relevant or evaluation.convention.no_relevant != 0.0:
        return []
    return [f"{first.no_relevant} of the {first.n} queries have nothing relevant, and count as 0."]


def better(shown: Demonstration) -> Table:
    """Return the pairs that were compared, each with its difference and verdict."""
    from gainful.comparison.notes import notes
    from gainful.comparison.tables import pair_table

    found = shown.comparison
    # The order of the table above, where each stands beside the same.
    pairs = list(found.pairs)
    if shown.baselines:
        pairs.sort(key=lambda pair: -shown.evaluation.mean(pair.measure, pair.system))
    table = pair_table(found, pairs, titled=False)
    table = table.only(lambda column: column.key in ("difference", "low", "wins", "verdict"))
    names = (f"{pair.system} beside {pair.baseline}" for pair in pairs)
    return table.replace(
        columns=[Column("pair", repr(found.measures[0])), *table.columns],
        rows=[[name, *row] for name, row in zip(names, table.rows, strict=True)],
        title="Better?",
        # How the verdicts are made; the convention is above.
        notes=[note for note in notes(found, pairs) if note.key in ("verdict", "power")],
    )


def next_steps(folder: str) -> list[str]:
    """Return commands to type next, on the files in a folder."""
    at = quote(folder.rstrip("/") or "/")
    return [
        f"gainful evaluate {at}/qrels.txt {at}/fts5-plain.run {at}/fts5-tuned.run -m 'AP(rel=2)'",
        f"gainful evaluate {at}/qrels.txt {at}/fts5-tuned.run -m nDCG@10 --per-query",
        f"gainful compare {at}/qrels.txt {at}/fts5-plain.run {at}/fts5-tuned.run --margin 0.05",
        f"gainful explain {at}/qrels.txt {at}/fts5-plain.run --docs {at}/products.jsonl"
        f" --queries {at}/queries.tsv",
        f"gainful search --system {at}/fts5-tuned.toml {at}/queries.tsv -k 50 -o again.run",
        f"gainful sweep {at}/qrels.txt {at}/queries.tsv --system {at}/fts5-tuned.toml"
        " --set boost.title=1,2,4,8,16",
        "gainful measures nDCG",
    ]


def printed(
    shown: Demonstration,
    folder: str | None,
    *,
    first: str = "",
    terminal: bool = False,
    page: bool = False,
) -> str:
    """Return what the demo prints.

    Parameters
    ----------
    shown : Demonstration
        What came out.
    folder : str or None
        Where the files were written, if they were.
    first : str
        What has to be typed before the program is found by its name alone.
    terminal : bool
        Whether it is for a terminal, with its codes for colours.
    page : bool
        Whether there is an HTML report in the folder.
    """
    from gainful.formats.text import text as plain

    tables = [how_good(shown), better(shown)]
    if terminal:
        parts = [drawn(table).rstrip("\n") for table in tables]
        parts.append(f"\x1b[1m{_why()}\x1b[0m\n{shown.explanation._drawn()}")
    else:
        parts = [*map(plain, tables), f"{_why()}\n{shown.explanation}"]
    parts = ["\n".join(opening(shown)), *(part.strip("\n") for part in parts)]
    after = f", after `{first}`" if first else ""
    if folder is None:
        parts.append(
            f"Type next{after} (the first writes judgments, runs and a report to {FOLDER}):"
        )
        steps = [f"gainful demo -o {FOLDER}", *next_steps(FOLDER)]
    else:
        parts.append(f"Judgments, runs and report.md are in {folder}. Type next{after}:")
        steps = next_steps(folder)
    text = "\n\n".join(parts) + "\n" + "".join(f"  {step}\n" for step in steps)
    return text + _look(folder, page) if folder is not None else text


def markdown_report(shown: Demonstration, folder: str) -> Iterator[str]:
    """Yield the report that the demo writes."""
    from gainful.formats.markdown import escaped, markdown

    yield "# Search systems of a small shop\n\n"
    yield escaped(" ".join(opening(shown))) + "\n\n"
    yield f"## How good?\n\n{_untitled(markdown(how_good(shown)))}\n"
    yield escaped(str(shown.evaluation.convention)) + "\n\n"
    yield f"## Better?\n\n{_untitled(markdown(better(shown)))}\n"
    yield f"## {_why()}\n\n{shown.explanation.to_markdown().strip()}\n\n"
    yield (
        "## Next\n\n```console\n" + "".join(f"$ {step}\n" for step in next_steps(folder)) + "```\n"
    )


def _look(folder: str, page: bool) -> str:
    """Return the last word: where to look at all of it, or what that takes."""
    if page:
        return f"\nAnd open in a browser: {(Path(folder) / 'report.html').resolve().as_uri()}\n"
    return "\nAn HTML report is written, too, after: pip install 'gainful[report]'\n"


def _why() -> str:
    from gainful.demo.demonstration import EXPLAINED

    return f"Why? The query that {EXPLAINED} serves worst"


def _untitled(text: str) -> str:
    return text.split("\n\n", 1)[1]

"""``gainful explain``: the score of one query, rank by rank."""

from __future__ import annotations

from gainful.cli.arguments import (
    convention_options,
    format_option,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.plots import plot_option
from gainful.cli.reading import reading_options
from gainful.parameters import Parameter
from gainful.parameters.inputs import QRELS, RUN, TEXTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading
    from gainful.conventions import Convention
    from gainful.data import Run


@Command(
    QRELS,
    RUN,
    Parameter(
        "query",
        flags=("-q", "--query"),
        metavar="ID",
        help="The query. Default: the query with the lowest value.",
    ),
    measure_option(multiple=False, default="nDCG@10"),
    TEXTS,
    Parameter("depth", int, help="Number of ranks to list. Default: the cutoff."),
    convention_options(),
    plot_option("the discounted gain of each rank"),
    format_option(),
    reading_options(),
    examples=(
        "gainful explain qrels.txt bm25.run",
        "gainful explain qrels.txt bm25.run --query q1 --docs docs.jsonl --queries queries.jsonl",
        "gainful explain qrels.txt bm25.run -q q1 -m 'nDCG(gain=exponential)@5' --format latex",
    ),
)
def command(
    qrels: str,
    run: str,
    query: str | None,
    measure: str | None,
    convention: Convention,
    docs: str | None,
    queries: str | None,
    depth: int | None,
    style: str,
    output: str | None,
    reading: Reading,
) -> None:
    """Explain a query's score, rank by rank.

    Lists the document at each rank with its grade, gain, discount and contribution, next to the
    ideal ranking, then the cost of each misplaced document and the missing relevant documents. With
    --docs and --queries, titles are shown next to the ids.
    """
    from gainful.cli.output import write
    from gainful.explanation import explain, worst_query
    from gainful.measures.choosing import choose_measure

    asked = choose_measure(measure, convention)
    judged = reading.load_judgments(qrels, convention.duplicates, [asked])
    ranked: str | Run = run
    chosen = query
    if chosen is None:
        ranked = reading.path_to_reread(run, judged)
        chosen = worst_query(judged, ranked, asked, convention=convention)
    result = explain(
        judged,
        reading.load_ranking(ranked, chosen, judged) if isinstance(ranked, str) else ranked,
        chosen,
        asked,
        convention=convention,
        docs=docs,
        queries=queries,
        depth=depth,
    )
    if query is None:
        note = f"Query {chosen} has the lowest value; --query chooses another."
        result = result.replace(notes=(note, *result.notes))
    write(result, style, output)

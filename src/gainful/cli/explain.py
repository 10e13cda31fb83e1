"""``gainful explain``: the score of one query, rank by rank."""

from __future__ import annotations

from gainful.cli.arguments import (
    QUIET,
    convention_options,
    format_option,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.plots import plot_option
from gainful.cli.reading import reading_options
from gainful.parameters import Parameter
from gainful.parameters.inputs import DOCUMENTS, QRELS, RUN, TEXTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


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
    DOCUMENTS,
    Parameter("depth", int, help="Number of ranks to list. Default: the cutoff."),
    convention_options(),
    plot_option("the discounted gain of each rank"),
    format_option(quiet=QUIET.replace(flags=("--quiet",))),
    reading_options(),
    targets=("gainful.explanation:explain",),
    examples=(
        "gainful explain qrels.txt bm25.run",
        "gainful explain qrels.txt bm25.run --query q1 --docs docs.jsonl --queries queries.jsonl",
        "gainful explain qrels.txt bm25.run -q q1 -m 'nDCG(gain=exponential)@5' --format latex",
    ),
)
def command(values: Values) -> None:
    """Explain a query's score, rank by rank.

    Lists the document at each rank with its grade, gain, discount and contribution, next to the
    ideal ranking, then the cost of each misplaced document and the missing relevant documents. With
    --docs and --queries, titles are shown next to the ids.
    """
    from gainful.cli.output import write
    from gainful.evaluation.arguments import settled
    from gainful.explanation import worst_query
    from gainful.measures.choosing import choose_measure, choose_measures

    convention, reading, query = values.convention, values.reading, values.query
    asked = choose_measures(None, convention)
    if values.measure is not None:
        asked = (choose_measure(values.measure, convention),)
    judged = reading.load_judgments(values.qrels, convention.duplicates, asked)
    (measure,) = settled(asked, judged, convention)
    ranked = values.run
    if query is None:
        ranked = reading.path_to_reread(values.run, judged)
        query = worst_query(
            judged,
            ranked,
            measure,
            convention=convention,
            exclude=values.exclude,
            same=values.same,
        )
    if isinstance(ranked, str):
        ranked = reading.load_ranking(ranked, query, judged)
    result = values.call(qrels=judged, run=ranked, query=query, measure=measure)
    if values.query is None:
        note = f"Query {query} has the lowest value; --query chooses another."
        result = result.replace(notes=(note, *result.notes))
    write(result, values.style, values.output)

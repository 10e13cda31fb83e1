"""``gainful explain``, ``headroom`` and ``measure-abstention``: what is behind a score."""

from __future__ import annotations

from gainful.cli.arguments import (
    QUIET,
    STRICT,
    THREADS,
    convention_options,
    format_option,
    measure_option,
    plot_option,
)
from gainful.cli.command import Command
from gainful.cli.reading import read_inputs, reading_options
from gainful.parameters import File, Parameter
from gainful.parameters.inputs import DOCUMENTS, QRELS, QRELS_AND_RUNS, RUN, TEXTS
from gainful.vocabulary import FLOORS

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
def explain(values: Values) -> None:
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


@Command(
    QRELS_AND_RUNS,
    measure_option(multiple=True, default="nDCG@10"),
    Parameter(
        "baseline",
        metavar="NAME",
        help="The run that is the baseline. Default: BM25, if --corpus and --queries are given.",
    ),
    Parameter(
        "corpus",
        File,
        help="The searched documents: JSON lines, CSV, TSV, TREC markup, a BEIR folder or a folder"
        " of text files.",
    ),
    Parameter("queries", File, help="The queries, for BM25: TSV, CSV, JSON lines or TREC topics."),
    Parameter("documents", int, help="The number of searched documents, if there is no --corpus."),
    Parameter(
        "floor",
        choices=FLOORS,
        help="The documents in random order: the whole corpus; the pool of judged and retrieved"
        " documents; or only the judged ones. Default: corpus if its size is known, else pool.",
    ),
    convention_options(),
    plot_option("the means of the first measure"),
    format_option(),
    STRICT,
    THREADS,
    reading_options(),
    targets=("gainful.bounds:headroom",),
    examples=(
        "gainful headroom qrels.txt mine.run --corpus corpus.jsonl --queries queries.tsv",
        "gainful headroom qrels.txt mine.run bm25.run --baseline bm25 --documents 8841823",
        "gainful headroom qrels.txt lambdamart.run --floor judged",
    ),
)
def headroom(values: Values) -> None:
    """Locate systems between random order, baseline and ideal order.

    A mean is hard to read without the range of possible values. The floor is the exact expected
    value of a random order, and the ceiling is the value of the ideal order of the judged
    documents.
    """
    from gainful.cli.output import write

    with read_inputs(values, in_memory=True) as inputs:
        result = values.call(**inputs)
    write(result, values.style, values.output)


def _ids(path: str | None, values: Values) -> list[str] | None:
    """Return the query ids of a file."""
    from gainful.data.text_files import text_lines

    return None if path is None else [line for _, line in text_lines(path)[1]]


@Command(
    QRELS_AND_RUNS,
    measure_option(multiple=False, default="R@10", has_convention=False),
    Parameter(
        "unanswerable",
        File,
        convert=_ids,
        help="The ids of the questions without an answer, one per line. Default: all queries of the"
        " runs without a relevant document in the judgments.",
    ),
    convention_options(),
    format_option(),
    THREADS,
    reading_options(),
    targets=("gainful.abstention:measure_abstention",),
    examples=(
        "gainful measure-abstention golden.jsonl dense.run -m R@10",
        "gainful measure-abstention golden.jsonl dense.run hybrid.run --unanswerable ids.txt",
    ),
)
def measure_abstention(values: Values) -> None:
    """Measure what systems return for questions without an answer.

    For such a question, returning nothing is right. The table shows thresholds on the score: the
    share of these questions for which something is still returned, next to the measure of the
    questions with an answer.
    """
    from gainful.cli.output import write
    from gainful.cli.reading import parse_runs
    from gainful.measures.choosing import choose_measures

    measures = choose_measures([values.measure or "R@10"], values.convention)
    judged, ranked = values.reading.load_all(
        values.qrels, parse_runs(values.runs), values.convention.duplicates, measures
    )
    result = values.call(qrels=judged, runs=ranked, measure=measures[0])
    write(result, values.style, values.output)

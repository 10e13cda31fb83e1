"""``gainful measure-abstention``: questions without an answer in the collection."""

from __future__ import annotations

from gainful.cli.arguments import THREADS, convention_options, format_option, measure_option
from gainful.cli.command import Command
from gainful.cli.reading import reading_options
from gainful.parameters import File, Parameter
from gainful.parameters.inputs import QRELS_AND_RUNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


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
def command(values: Values) -> None:
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

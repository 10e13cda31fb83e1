"""``gainful measure-abstention``: questions without an answer in the collection."""

from __future__ import annotations

from gainful.cli.arguments import THREADS, convention_options, format_option, measure_option
from gainful.cli.command import Command
from gainful.cli.reading import reading_options
from gainful.parameters import File, Parameter
from gainful.parameters.inputs import QRELS_AND_RUNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading
    from gainful.conventions import Convention


@Command(
    QRELS_AND_RUNS,
    measure_option(multiple=False, default="R@10", has_convention=False),
    Parameter(
        "unanswerable",
        File,
        help="The ids of the questions without an answer, one per line. Default: all queries of the"
        " runs without a relevant document in the judgments.",
    ),
    convention_options(),
    format_option(),
    THREADS,
    reading_options(),
    examples=(
        "gainful measure-abstention golden.jsonl dense.run -m R@10",
        "gainful measure-abstention golden.jsonl dense.run hybrid.run --unanswerable ids.txt",
    ),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measure: str | None,
    unanswerable: str | None,
    convention: Convention,
    style: str,
    output: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Measure what systems return for questions without an answer.

    For such a question, returning nothing is right. The table shows thresholds on the score: the
    share of these questions for which something is still returned, next to the measure of the
    questions with an answer.
    """
    from gainful.abstention import measure_abstention
    from gainful.cli.output import write
    from gainful.cli.runs import check_standard_input, parse_runs
    from gainful.measures.choosing import choose_measures

    named = parse_runs(runs)
    check_standard_input(qrels, *named.values(), unanswerable or "")
    (chosen,) = choose_measures([measure or "R@10"], convention)
    read, ranked = reading.load_all(qrels, named, convention.duplicates, (chosen,))
    found = measure_abstention(
        read,
        ranked,
        chosen,
        unanswerable=None if unanswerable is None else _ids(unanswerable),
        convention=convention,
        threads=threads,
    )
    write(found, style, output)


def _ids(path: str) -> list[str]:
    """Return the query ids of a file."""
    from gainful.data.text_lines import text_lines

    return [line for _, line in text_lines(path)[1]]

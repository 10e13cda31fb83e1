"""The options that all baselines share, and the output of their runs."""

from __future__ import annotations

from gainful.cli.arguments import check_writable_table, measure_option
from gainful.cli.output import Exit, check_open, say, write
from gainful.cli.reading import reading_options
from gainful.cli.search_output import write_run
from gainful.cli.written_files import Content, Output
from gainful.data.columns import WRITTEN_RUNS
from gainful.errors import Code, ParameterError, SourceError
from gainful.exit_statuses import READER_GONE
from gainful.parameters import File, Group, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.bounds import Headroom
    from gainful.cli.command import Values
    from gainful.data import Run
    from gainful.parameters import Parameters

__all__ = ["DEPTH", "finish", "run_options"]

DEPTH = Parameter(
    "depth",
    int,
    100,
    flags=("-k",),
    python="k",
    help="Maximum number of documents per query.",
)


def run_options(name: str) -> tuple[Parameters, ...]:
    """Declare ``-o``, ``--format``, ``--name``, ``--qrels``, ``-m`` and the options of reading."""
    return (
        Parameter(
            "output",
            File,
            flags=("-o", "--output"),
            group=Group.OUTPUT,
            validate=check_writable_table,
            writes=Output(Content.RUN),
            help="Write the run to this file. Default: standard output, or no run with --qrels.",
        ),
        Parameter(
            "style",
            flags=("--format",),
            group=Group.OUTPUT,
            choices=WRITTEN_RUNS,
            help="The format of the run. Default: by the suffix of the output file.",
        ),
        Parameter(
            "name",
            default=name,
            group=Group.OUTPUT,
            metavar="NAME",
            help="The name of the run.",
        ),
        Parameter(
            "qrels",
            File,
            help="Judgments: print the score of the run, and its share of the achievable gain.",
        ),
        reading_options(merges=False),
        measure_option(multiple=True, default="nDCG@10", has_convention=False),
    )


def finish(
    run: Run,
    values: Values,
    *,
    words: str,
    documents: int | None = None,
) -> None:
    """Write a run, describe it on the standard error, and print its score.

    Parameters
    ----------
    run
        The run.
    values : Values
        The values of the command, with those of `run_options`.
    words : str
        How the run was made.
    documents : int, optional
        The number of searched documents.
    """
    output, style, qrels = values.output, values.style, values.qrels
    if style is not None and output is None and qrels is not None:
        raise ParameterError(
            "--format needs -o FILE, since --qrels prints the score instead of the run",
            hint="`gainful headroom` prints scores in other formats",
        )
    found: Headroom | None = None
    if qrels is not None:
        from gainful.bounds import headroom

        judged = values.reading.path_or_table(qrels, "qrels")
        found = headroom(judged, run, values.measures or None, documents=documents)
    if output is not None or found is None:
        _write(run, output or "-", style)
    empty = sum(not ranked for ranked in run.values())
    nothing = f", {empty:,} of them without documents" if empty else ""
    queries = f"{len(run):,} quer{'y' if len(run) == 1 else 'ies'}{nothing}"
    say(f"{run.name or 'the run'}: {words}. {queries}; {run.rows:,} rows.")
    if found is None:
        return
    # The standard output is for the run.
    if output == "-":
        say(str(found))
    else:
        write(found, "table", None)


def _write(run: Run, output: str, style: str | None) -> None:
    if output == "-":
        check_open()
    try:
        write_run(run, output, style)
    except SourceError as error:
        if output != "-" or error.code != Code.CLOSED_PIPE:
            raise
        raise Exit(READER_GONE) from None

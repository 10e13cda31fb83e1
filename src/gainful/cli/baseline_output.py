"""The options that all baselines share, and the output of their runs."""

from __future__ import annotations

import click

from gainful.bounds import headroom
from gainful.cli.arguments import measure_option, writable_table
from gainful.cli.option_groups import Group, complete_files, option
from gainful.cli.output import check_open, say, write
from gainful.cli.reading import reading_options
from gainful.cli.search_output import write_run
from gainful.cli.written_files import Content, Output
from gainful.data.formats import WRITTEN_RUNS
from gainful.errors import Code, ParameterError, SourceError
from gainful.exit_statuses import READER_GONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    from gainful.bounds import Headroom
    from gainful.data import Run

    Command = TypeVar("Command", bound=Callable[..., Any])

__all__ = ["depth_option", "finish", "run_options"]


def depth_option(command: Command) -> Command:
    """Add ``-k``."""
    return option(
        "-k",
        "depth",
        type=int,
        default=100,
        metavar="N",
        help="Maximum number of documents per query.",
    )(command)


def run_options(name: str) -> Callable[[Command], Command]:
    """Make ``-o``, ``--format``, ``--name``, ``--qrels``, ``-m`` and ``--documents``."""

    def add(command: Command) -> Command:
        output = option(
            "-o",
            "--output",
            group=Group.OUTPUT,
            callback=writable_table,
            metavar="FILE",
            shell_complete=complete_files,
            writes=Output(Content.RUN),
            help="Write the run to this file. Default: standard output, or no run with --qrels.",
        )
        style = option(
            "--format",
            "style",
            group=Group.OUTPUT,
            type=click.Choice(WRITTEN_RUNS),
            help="The format of the run. Default: by the suffix of the output file.",
        )
        named = option(
            "--name",
            group=Group.OUTPUT,
            default=name,
            metavar="NAME",
            help="The name of the run.",
        )
        qrels = option(
            "--qrels",
            metavar="FILE",
            shell_complete=complete_files,
            help="Judgments: print the score of the run, and its share of the achievable gain.",
        )
        measure = measure_option(multiple=True, default="nDCG@10", has_convention=False)
        return output(style(named(qrels(reading_options(merges=False)(measure(command))))))

    return add


def finish(
    run: Run,
    result: Mapping[str, Any],
    *,
    words: str,
    documents: int | None = None,
) -> None:
    """Write a run, describe it on the standard error, and print its score.

    Parameters
    ----------
    run
        The run.
    result : mapping
        The values of `run_options`.
    words : str
        How the run was made.
    documents : int, optional
        The number of searched documents.
    """
    output, style, qrels = result["output"], result["style"], result["qrels"]
    if style is not None and output is None and qrels is not None:
        raise ParameterError(
            "--format needs -o FILE, since --qrels prints the score instead of the run",
            hint="`gainful headroom` prints scores in other formats",
        )
    found: Headroom | None = None
    if qrels is not None:
        judged = result["reading"].path_or_table(qrels, "qrels")
        found = headroom(judged, run, result["measures"] or None, documents=documents)
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
        raise click.exceptions.Exit(READER_GONE) from None

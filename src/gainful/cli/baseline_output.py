"""What the baselines have in common: options, where their run goes, and what is said of it."""

from __future__ import annotations

import click

from gainful.bounds import headroom
from gainful.cli.arguments import complete_files, measure_option, writable_output
from gainful.cli.output import READER_GONE, check_open, say, write
from gainful.cli.reading import reading_options
from gainful.cli.search_output import write_run
from gainful.data.formats import WRITTEN_RUNS
from gainful.errors import Code, ParameterError, SourceError

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
    return click.option(
        "-k",
        "depth",
        type=int,
        default=100,
        show_default=True,
        metavar="N",
        help="Documents of each query, at most.",
    )(command)


def run_options(name: str) -> Callable[[Command], Command]:
    """Make ``-o``, ``--format``, ``--name``, ``--qrels``, ``-m`` and ``--documents``."""

    def add(command: Command) -> Command:
        output = click.option(
            "-o",
            "--output",
            callback=writable_output,
            metavar="FILE",
            shell_complete=complete_files,
            help="Write the run to this file; its suffix says the format. Without it and --qrels,"
            " the standard output.",
        )
        style = click.option(
            "--format",
            "style",
            type=click.Choice(WRITTEN_RUNS),
            help="The format of the run, if the suffix does not say it.",
        )
        named = click.option(
            "--name",
            default=name,
            show_default=True,
            metavar="NAME",
            help="What the run is called.",
        )
        qrels = click.option(
            "--qrels",
            metavar="FILE",
            shell_complete=complete_files,
            help="Judgments: print the score, too, and where it stands between floor and ceiling.",
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
    """Write a run, say on the standard error what it is, and print where it stands.

    Parameters
    ----------
    run
        What was made.
    result : mapping
        What `run_options` give: where to and in which format, judgments and what is measured.
    words : str
        How the run was made.
    documents : int, optional
        How many documents were searched.
    """
    output, style, qrels = result["output"], result["style"], result["qrels"]
    if style is not None and output is None and qrels is not None:
        raise ParameterError(
            where="--format",
            found=f"{style} for a run that is not written",
            expected="-o, which says where to",
            hint="gainful headroom prints where a run stands in other formats",
        )
    found: Headroom | None = None
    if qrels is not None:
        judged = result["reading"].given(qrels, "qrels")
        found = headroom(judged, run, result["measures"] or None, documents=documents)
    if output is not None or found is None:
        _write(run, output or "-", style)
    empty = sum(not ranked for ranked in run.values())
    nothing = f", {empty:,} of which found nothing" if empty else ""
    queries = f"{len(run):,} quer{'y' if len(run) == 1 else 'ies'}{nothing}"
    say(f"{run.name or 'the run'}: {words}. {queries}; {run.rows:,} rows.")
    if found is None:
        return
    # Aside of the standard output, where that is the run's.
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

"""Arguments and options that several commands share, and how their values are parsed."""

from __future__ import annotations

import click

from gainful.cli.option_groups import Group, complete_files, option
from gainful.cli.written_files import Output
from gainful.errors import ConventionError
from gainful.threads import set_threads_of_command, thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from gainful.conventions import Convention

    Command = TypeVar("Command", bound=Callable[..., Any])


def examples(*lines: str) -> str:
    """Return the examples at the end of a help."""
    # The backspace makes click keep the line breaks.
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


# --- shell completion ---------------------------------------------------------------------------


def complete_measures(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the names of measures, also with cutoff 10 if they take one."""
    from gainful.measures import families

    offers = []
    for family in families():
        offers += [family.name, f"{family.name}@10"] if family.takes_cutoff else [family.name]
    return [offer for offer in offers if offer.lower().startswith(incomplete.lower())]


def complete_conventions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the names of conventions."""
    from gainful.conventions import presets

    return [preset.name for preset in presets() if preset.name.startswith(incomplete)]


def complete_policies(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete policies with their values."""
    from gainful.conventions import POLICIES

    offers = [f"{policy.name}={value}" for policy in POLICIES for value in policy.values]
    offers.append("name=")
    return [offer for offer in offers if offer.startswith(incomplete)]


# --- arguments ----------------------------------------------------------------------------------


def qrels_and_runs(command: Command) -> Command:
    """Add QRELS and RUN..."""
    qrels = click.argument("qrels", metavar="QRELS", shell_complete=complete_files)
    runs = click.argument(
        "runs", metavar="RUN...", nargs=-1, required=True, shell_complete=complete_files
    )
    return qrels(runs(command))


# --- options ------------------------------------------------------------------------------------


def import_measures(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Import the files of measures such as my_metrics.py:mine@10, and return their names."""
    texts = (value,) if isinstance(value, str) else value or ()
    if not any(".py:" in text for text in texts):
        return value
    from gainful.cli.measure_files import without_files

    named = tuple(map(without_files, texts))
    return named[0] if isinstance(value, str) else named


def measure_option(
    *, multiple: bool, default: str, has_convention: bool = True
) -> Callable[[Command], Command]:
    """Make the option ``-m``.

    Parameters
    ----------
    multiple : bool
        Whether the option is repeatable.
    default : str
        What the command measures without it, for the help.
    has_convention : bool
        Whether the default depends on the convention.
    """
    more = " Repeatable." if multiple else ""
    if has_convention:
        default += ", or the measures that the convention is verified for"
    return option(
        "-m",
        "--measure",
        "measures" if multiple else "measure",
        multiple=multiple,
        metavar="MEASURE",
        shell_complete=complete_measures,
        callback=import_measures,
        help="Compute this measure, such as nDCG@10, 'AP(rel=2)' or trec_eval's map. `gainful"
        f" measures` lists all; FILE.py:NAME@10 is one of your own.{more} Default: {default}.",
    )


def prediction_options(where: str = "") -> Callable[[Command], Command]:
    """Make the options ``--predicted`` and ``--sampled``; `where` says where the file is."""
    predicted = option(
        "--predicted",
        group=Group.STATISTICS,
        metavar="FILE",
        shell_complete=complete_files,
        help="Judgments of a model for all queries, if people judged a random sample of them. The"
        f" estimates combine both, and stay right however bad the model is.{where}",
    )
    sampled = option(
        "--sampled",
        group=Group.STATISTICS,
        metavar="POOL",
        help="The pool of `gainful pool --queries`, whose random sample of queries people judged;"
        " the draw is checked. `random` declares that you drew one otherwise.",
    )
    return lambda command: predicted(sampled(command))


def convention_options(
    *, multiple: bool = False, otherwise: str | None = None
) -> Callable[[Command], Command]:
    """Make the options ``--convention`` and ``--policy``.

    Parameters
    ----------
    multiple : bool
        Whether ``--convention`` is repeatable.
    otherwise : str, optional
        The help on the default, if it is not gainful-1. The option is then None by default.
    """
    default = None if otherwise else "gainful-1"
    more = " Repeatable, with one column each." if multiple else ""

    def add(command: Command) -> Command:
        policy = option(
            "--policy",
            "changes",
            group=Group.CONVENTION,
            multiple=True,
            metavar="NAME=VALUE",
            shell_complete=complete_policies,
            help=f"Change one policy of {'each' if multiple else 'the'} convention, such as"
            " no_relevant=skip or ties=expected. Repeatable. name=NAME renames the convention, to"
            " compute measures that its tool is not verified for.",
        )
        convention = option(
            "--convention",
            "conventions" if multiple else "convention",
            group=Group.CONVENTION,
            multiple=multiple,
            default=[default] if multiple else default,
            metavar="NAME",
            shell_complete=complete_conventions,
            help="Convention that defines the numbers, such as trec_eval. `gainful conventions`"
            f" lists all.{more} Default: {otherwise or default}.",
        )
        return convention(policy(command))

    return add


def weights_option(command: Command) -> Command:
    """Add ``--weights``."""
    return option(
        "--weights",
        metavar="FILE",
        shell_complete=complete_files,
        help="Weight the queries in the means: lines of a query id and a number.",
    )(command)


def threads_option(command: Command) -> Command:
    """Add ``--threads``."""
    return option(
        "--threads",
        group=Group.OTHER,
        type=int,
        metavar="N",
        callback=_set_threads,
        help="Number of threads. The result does not depend on it. Default: GAINFUL_THREADS, or all"
        " cores.",
    )(command)


def _set_threads(
    context: click.Context, parameter: click.Parameter, number: int | None
) -> int | None:
    # Some calls, as those that read judgments, have no argument for it.
    set_threads_of_command(None if number is None else thread_count(number))
    context.call_on_close(lambda: set_threads_of_command(None))
    return number


def strict_option(command: Command) -> Command:
    """Add ``--strict``."""
    return option(
        "--strict",
        is_flag=True,
        expose_value=False,
        callback=_set_strict,
        help="Treat data checks that do not pass as errors: missing queries, ties, duplicates.",
    )(command)


def _set_strict(context: click.Context, parameter: click.Parameter, is_strict: bool) -> None:
    if is_strict:
        from gainful.evaluation.strictness import strict

        context.with_resource(strict())


def texts_options(command: Command) -> Command:
    """Add ``--docs`` and ``--queries``."""
    docs = option(
        "--docs",
        metavar="FILE",
        shell_complete=complete_files,
        help="Show titles of documents from this file: JSON lines, CSV, TREC markup or a BEIR"
        " folder.",
    )
    queries = option(
        "--queries",
        metavar="FILE",
        shell_complete=complete_files,
        help="Show the texts of queries from this file, in one of the same formats.",
    )
    return docs(queries(command))


#: What most files of ``-o`` contain.
_RESULT = Output()

#: The formats of every command that prints a result, in the order of the help.
FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex", "html", "parquet")

#: Formats by suffix, in addition to `gainful.formats.saving.SUFFIXES`.
_FURTHER = {".jsonl": "jsonl", ".xml": "junit"}


def format_option(
    *further: str,
    only: Sequence[str] = FORMATS,
    help: str = "Format of the result.",
    writes: Output = _RESULT,
) -> Callable[[Command], Command]:
    """Make the options ``-o``, ``--format``, ``--notes`` and ``--spreadsheet``.

    Parameters
    ----------
    *further : str
        Formats that only this command has.
    only : sequence of str
        The common formats that this command has.
    help : str
        The beginning of the help of ``--format``.
    writes : Output
        What the file of ``-o`` contains.
    """
    formats = (*only, *further)

    def add(command: Command) -> Command:
        from functools import wraps

        from gainful.cli.output import NOTES, SPREADSHEET

        @wraps(command)
        def run(*args: Any, style: str | None, output: str | None, **values: Any) -> Any:
            return command(
                *args, style=choose_format(style, output, formats), output=output, **values
            )

        added: Any = run
        if "csv" in formats:
            added = _stored_flag(
                "--spreadsheet",
                SPREADSHEET,
                "In TSV and CSV, put an apostrophe before text that begins with =, +, - or @, which"
                " a spreadsheet would execute as a formula.",
            )(added)
            added = _stored_flag("--notes", NOTES, "Print all explanatory notes. Default: two.")(
                added
            )
        added = option(
            "--format",
            "style",
            group=Group.OUTPUT,
            type=click.Choice(formats),
            help=f"{help} Default: by the suffix of the output file, else a table.",
        )(added)
        added = _output_option(added, writes=writes)
        done: Command = added
        return done

    return add


def choose_format(style: str | None, output: str | None, formats: Sequence[str]) -> str:
    """Return the format to write, after checking that the output can have it.

    Raises
    ------
    ParameterError
        If it cannot.
    """
    from os.path import splitext

    from gainful.cli.output import SPREADSHEET
    from gainful.data.paths import check_suffix
    from gainful.errors import ParameterError
    from gainful.formats.saving import SUFFIXES

    to_file = output not in (None, "-")
    if style is None:
        named = {**SUFFIXES, **_FURTHER}.get(splitext(output or "")[1].lower(), "table")
        style = named if to_file and named in formats else "table"
    if style == "parquet" and not to_file:
        raise ParameterError("--format parquet needs an output file", hint="add -o FILE")
    if style != "parquet" and output is not None:
        check_suffix(output)
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(SPREADSHEET):
        check_records("--spreadsheet", style, ("tsv", "csv"))
    return style


def check_records(
    option: str, style: str, formats: Sequence[str] = ("tsv", "csv", "parquet")
) -> None:
    """Refuse an option that only formats with records have.

    Raises
    ------
    ParameterError
        If the format is not one of `formats`.
    """
    if style not in formats:
        from gainful.errors import ParameterError

        raise ParameterError(
            f"{option} does not work with --format {style}",
            hint=f"add --format {', '.join(formats[:-1])} or {formats[-1]}",
        )


def _stored_flag(name: str, key: str, help: str) -> Callable[[Any], Any]:
    """Make a flag that is stored in the context under a key, for the code that writes."""

    def store(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        ctx.meta[key] = value

    return option(
        name, group=Group.OUTPUT, is_flag=True, expose_value=False, callback=store, help=help
    )


def writable_output(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse an output file with the suffix of a format that Gainful does not write."""
    if value is not None:
        from gainful.data.paths import check_suffix

        check_suffix(value)
    return value


def writable_table(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse an output file with the suffix of a format in which no table is written."""
    from gainful.data.paths import is_parquet

    if value is not None and not is_parquet(value):
        writable_output(ctx, param, value)
    return value


def output_option(command: Command) -> Command:
    """Add ``-o``, for commands with a single output format."""
    added: Command = _output_option(command, writable_output)
    return added


def _output_option(command: Any, callback: Any = None, writes: Output = _RESULT) -> Any:
    return option(
        "-o",
        "--output",
        group=Group.OUTPUT,
        metavar="FILE",
        shell_complete=complete_files,
        callback=callback,
        writes=writes,
        help="Write to this file, atomically. Default: standard output.",
    )(command)


# --- values of options --------------------------------------------------------------------------


def parse_convention(name: str, changes: Sequence[str]) -> Convention:
    """Return a convention by name, with the changes of ``--policy``."""
    from gainful.conventions import POLICIES, get

    convention = get(name)
    policies: dict[str, str] = {}
    for change in changes:
        policy, equals, value = change.partition("=")
        policy = policy.strip().replace("-", "_")
        if not equals:
            raise ConventionError(
                where="--policy", found=repr(change), expected="NAME=VALUE, as in ties=expected"
            )
        if policy != "name" and policy not in POLICIES:
            from difflib import get_close_matches

            known = [*(each.name for each in POLICIES), "name"]
            close = get_close_matches(policy, known, n=1)
            raise ConventionError(
                f"unknown policy {policy!r}",
                where="--policy",
                hint=f"did you mean {close[0]}?" if close else f"policies are {', '.join(known)}",
            )
        policies[policy] = value.strip()
    return convention.replace(**policies) if policies else convention

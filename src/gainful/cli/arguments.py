"""Options that several commands share, and what their values mean."""

from __future__ import annotations

import click

from gainful.errors import ConventionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from click.shell_completion import CompletionItem

    from gainful.conventions import Convention

    Command = TypeVar("Command", bound=Callable[..., Any])


def examples(*lines: str) -> str:
    """Return the end of a help: lines to type, kept as they are."""
    # The backspace tells click not to fill the lines up.
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


# --- what a shell offers when Tab is pressed ----------------------------------------------------


def complete_files(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let the shell complete the name of a file."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_folders(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let the shell complete the name of a folder."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def complete_measures(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the families of measures, with the usual cutoff where they take one."""
    from gainful.measures import families

    offers = []
    for family in families():
        offers += [family.name, f"{family.name}@10"] if family.takes_cutoff else [family.name]
    return [offer for offer in offers if offer.lower().startswith(incomplete.lower())]


def complete_conventions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the names of the conventions."""
    from gainful.conventions import presets

    return [preset.name for preset in presets() if preset.name.startswith(incomplete)]


def complete_policies(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer every policy with each of its values."""
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


def measure_option(
    *, multiple: bool, default: str, has_convention: bool = True
) -> Callable[[Command], Command]:
    """Make the option ``-m``; the command chooses the default, which the help names."""
    more = " Repeatable." if multiple else ""
    if has_convention:
        default += ", or what the convention is verified for"
    return click.option(
        "-m",
        "--measure",
        "measures" if multiple else "measure",
        multiple=multiple,
        metavar="MEASURE",
        shell_complete=complete_measures,
        help=f"What to measure, such as nDCG@10, 'AP(rel=2)' or trec_eval's map.{more} Default:"
        f" {default}.",
    )


def convention_options(*, multiple: bool = False) -> Callable[[Command], Command]:
    """Make the options ``--convention`` and ``--policy``."""
    whose = "each convention" if multiple else "the convention"
    more = " Given several times, a column each." if multiple else ""

    def add(command: Command) -> Command:
        policy = click.option(
            "--policy",
            "changes",
            multiple=True,
            metavar="NAME=VALUE",
            shell_complete=complete_policies,
            help=f"Change one policy of {whose}, such as no_relevant=skip or ties=expected."
            " name=NAME renames it, so that it measures what its tool is not verified for."
            " Repeatable.",
        )
        convention = click.option(
            "--convention",
            "conventions" if multiple else "convention",
            multiple=multiple,
            default=["gainful-1"] if multiple else "gainful-1",
            show_default=True,
            metavar="NAME",
            shell_complete=complete_conventions,
            help=f"How the numbers are made; `gainful conventions` lists what there is.{more}",
        )
        return convention(policy(command))

    return add


def weights_option(command: Command) -> Command:
    """Add ``--weights``."""
    return click.option(
        "--weights",
        metavar="FILE",
        shell_complete=complete_files,
        help="How much each query counts in the means: lines of a query id and a number.",
    )(command)


def threads_option(command: Command) -> Command:
    """Add ``--threads``."""
    return click.option(
        "--threads",
        type=int,
        metavar="N",
        help="Threads to use; without it GAINFUL_THREADS or all cores. The result does not change.",
    )(command)


def texts_options(command: Command) -> Command:
    """Add ``--docs`` and ``--queries``."""
    docs = click.option(
        "--docs",
        metavar="FILE",
        shell_complete=complete_files,
        help="Titles and texts of the documents: JSON lines, CSV, TREC markup, a BEIR folder.",
    )
    queries = click.option(
        "--queries",
        metavar="FILE",
        shell_complete=complete_files,
        help="What was searched for, in the same formats.",
    )
    return docs(queries(command))


#: What every command that outputs a result can write, in the order of the help.
FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex", "html", "parquet")

#: What the suffix of a file stands for, beyond `gainful.formats.saving.SUFFIXES`.
_FURTHER = {".jsonl": "jsonl", ".xml": "junit"}


def format_option(
    *further: str, only: Sequence[str] = FORMATS, help: str = "How to write the result."
) -> Callable[[Command], Command]:
    """Make the options ``--format`` and ``-o``.

    Parameters
    ----------
    *further : str
        Formats of this command alone.
    only : sequence of str
        The common formats that it has.
    help : str
        What its help says first.
    """
    formats = (*only, *further)

    def add(command: Command) -> Command:
        from functools import wraps

        from gainful.cli.output import NOTES, SPREADSHEET

        @wraps(command)
        def run(*args: Any, style: str | None, output: str | None, **values: Any) -> Any:
            return command(
                *args, style=chosen_format(style, output, formats), output=output, **values
            )

        option = click.option(
            "--format",
            "style",
            type=click.Choice(formats),
            help=f"{help} Default: by the name of the output file, else a table.",
        )
        added: Any = option(_output_option(run))
        if "csv" in formats:
            for kept in (
                _kept_option(
                    "--spreadsheet",
                    SPREADSHEET,
                    "In TSV and CSV, put an apostrophe before text that begins with =, +, - or @,"
                    " which a spreadsheet would run as a formula.",
                ),
                _kept_option(
                    "--notes",
                    NOTES,
                    "Print all notes that explain the tables. Default: two at most.",
                ),
            ):
                added = kept(added)
        done: Command = added
        return done

    return add


def chosen_format(style: str | None, output: str | None, formats: Sequence[str]) -> str:
    """Return the format to write, checked against the output before any work is done.

    Raises
    ------
    ParameterError
        If they do not go together.
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
        raise ParameterError(
            where="--format parquet", found="no output file", expected="one, with -o FILE"
        )
    if style != "parquet" and output is not None:
        check_suffix(output)
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(SPREADSHEET):
        check_records("--spreadsheet", style, ("tsv", "csv"))
    return style


def check_records(
    option: str, style: str, formats: Sequence[str] = ("tsv", "csv", "parquet")
) -> None:
    """Refuse an option that is about records where the format has none.

    Raises
    ------
    ParameterError
        If the format is another.
    """
    if style not in formats:
        from gainful.errors import ParameterError

        raise ParameterError(
            where=option,
            found=f"it with the format {style}",
            expected=f"--format {', '.join(formats[:-1])} or {formats[-1]}",
        )


def _kept_option(name: str, key: str, help: str) -> Callable[[Any], Any]:
    """Make a flag that the context keeps under a key, for what writes the output."""

    def keep(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        ctx.meta[key] = value

    return click.option(name, is_flag=True, expose_value=False, callback=keep, help=help)


def writable_output(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse an output under a suffix of a format that is not written, before any work is done."""
    if value is not None:
        from gainful.data.paths import check_suffix

        check_suffix(value)
    return value


def output_option(command: Command) -> Command:
    """Add ``-o``, for text that has one format."""
    added: Command = _output_option(command, writable_output)
    return added


def _output_option(command: Any, callback: Any = None) -> Any:
    return click.option(
        "-o",
        "--output",
        metavar="FILE",
        shell_complete=complete_files,
        callback=callback,
        help="Write to this file, atomically.",
    )(command)


# --- what they mean -----------------------------------------------------------------------------


def chosen_convention(name: str, changes: Sequence[str]) -> Convention:
    """Return the convention of a name with the policies changed that ``--policy`` names."""
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
                where="--policy",
                found=f"the unknown policy {policy!r}",
                expected=f"one of {', '.join(known)}",
                hint=f"did you mean {close[0]}?" if close else None,
            )
        policies[policy] = value.strip()
    return convention.replace(**policies) if policies else convention

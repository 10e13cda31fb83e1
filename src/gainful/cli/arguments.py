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


def format_option(
    formats: Sequence[str], help: str = "How to write the result."
) -> Callable[[Command], Command]:
    """Make the option ``--format``, of which "table" is the default."""
    option = click.option(
        "--format",
        "style",
        type=click.Choice(formats),
        default="table",
        show_default=True,
        help=help,
    )
    if "csv" not in formats:
        return option
    return lambda command: option(_spreadsheet_option(command))


def _spreadsheet_option(command: Command) -> Command:
    """Add ``--spreadsheet``, which the writers of TSV and CSV look for."""
    from gainful.cli.output import SPREADSHEET

    def keep(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        ctx.meta[SPREADSHEET] = value

    return click.option(
        "--spreadsheet",
        is_flag=True,
        expose_value=False,
        callback=keep,
        help="In TSV and CSV, put an apostrophe before text that begins with =, +, - or @, which a"
        " spreadsheet would run as a formula.",
    )(command)


def writable_output(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse an output under a suffix of a format that is not written, before any work is done."""
    if value is not None:
        from gainful.data.paths import check_suffix

        check_suffix(value)
    return value


def output_option(command: Command) -> Command:
    """Add ``-o``."""
    return click.option(
        "-o",
        "--output",
        metavar="FILE",
        shell_complete=complete_files,
        callback=writable_output,
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

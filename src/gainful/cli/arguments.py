"""Parameters that several commands share, and how their values are parsed."""

from __future__ import annotations

from contextlib import contextmanager

from gainful.cli.written_files import Output
from gainful.errors import ArgumentError, ConventionError
from gainful.parameters import Combined, File, Group, Parameter
from gainful.threads import set_threads_of_command, thread_count
from gainful.vocabulary import SPAN_UNITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.parameters import Parameters

__all__ = ["plot_option"]


def import_measures(value: Any) -> Any:
    """Import the files of measures such as my_metrics.py:mine@10, and return their names."""
    texts = (value,) if isinstance(value, str) else value or ()
    if not any(".py:" in text for text in texts):
        return value
    from gainful.cli.given_values import without_files

    named = tuple(map(without_files, texts))
    return named[0] if isinstance(value, str) else named


def measure_of_file(declared: Parameter) -> Combined:
    """Return the parameter of a single measure, which a file of Python may define."""
    name = declared.name
    return Combined(name, lambda **given: import_measures(given[name]), declared)


BUDGETS = Parameter(
    "budgets",
    metavar="LOW:HIGH",
    help="Compute how much of the relevant text is covered within budgets, SpanR(budget=...): two"
    " per doubling from LOW to HIGH, or a list, such as 500,1000,2000.",
)

BUDGET_UNIT = Parameter(
    "budget_unit",
    choices=SPAN_UNITS,
    help="The unit of --budgets. Default: that of the offsets.",
)


def measure_option(
    *, multiple: bool, default: str, has_convention: bool = True, budgets: bool = False
) -> Combined:
    """Declare ``-m``; the value is the measures in notation."""
    more = " Repeatable." if multiple else ""
    if has_convention:
        default += ", or the measures that the convention is verified for"
    name = "measures" if multiple else "measure"
    declared = Parameter(
        name,
        flags=("-m", "--measure"),
        repeatable=multiple,
        metavar="MEASURE",
        complete="measures",
        help="Compute this measure, such as nDCG@10, 'AP(rel=2)' or trec_eval's map. `gainful"
        f" measures` lists all; FILE.py:NAME@10 is one of your own.{more} Default: {default}.",
    )
    if not budgets:
        return Combined(name, lambda **given: import_measures(given[name]), declared)
    return Combined(name, _with_budgets, declared, BUDGETS, BUDGET_UNIT)


def _with_budgets(
    measures: tuple[str, ...], budgets: str | None, budget_unit: str | None
) -> tuple[str, ...]:
    """Return the measures of ``-m`` and of ``--budgets``."""
    named: tuple[str, ...] = import_measures(measures)
    if budgets is None:
        if budget_unit is not None:
            raise ArgumentError("--budget-unit is the unit of --budgets")
        return named
    from gainful.measures.budgets import budget_measures

    return (*named, *map(repr, budget_measures(budgets, budget_unit)))


POLICY = Parameter(
    "changes",
    flags=("--policy",),
    group=Group.CONVENTION,
    repeatable=True,
    metavar="NAME=VALUE",
    complete="policies",
    help="Change one policy of the convention, such as no_relevant=skip or ties=expected."
    " Repeatable. name=NAME renames the convention, to compute measures that its tool is not"
    " verified for.",
)

CONVENTION = Parameter(
    "convention",
    group=Group.CONVENTION,
    metavar="NAME",
    complete="conventions",
    help="Convention that defines the numbers, such as trec_eval. `gainful conventions` lists all."
    " Default: {}.",
)


def convention_options(
    *, multiple: bool = False, otherwise: str | None = None
) -> tuple[Parameters, ...]:
    """Declare ``--convention`` and ``--policy``."""
    convention = CONVENTION.replace(help=CONVENTION.help.format(otherwise or "gainful-1"))
    if otherwise is not None:
        return (convention, POLICY)
    if not multiple:
        return (Combined("convention", parse_convention, convention, POLICY),)
    conventions = convention.replace(
        name="conventions",
        flags=convention.flags,
        repeatable=True,
        help=convention.help.replace(" Default", " Repeatable, with one column each. Default"),
    )
    policy = POLICY.replace(help=POLICY.help.replace("of the convention", "of each convention"))
    return (Combined("conventions", parse_conventions, conventions, policy),)


@contextmanager
def threads_of_command(number: int) -> Iterator[None]:
    """Set the number of threads, also of calls that have no argument for it."""
    set_threads_of_command(thread_count(number))
    try:
        yield
    finally:
        set_threads_of_command(None)


THREADS = Parameter(
    "threads",
    int,
    group=Group.OTHER,
    around=threads_of_command,
    help="Number of threads. The result does not depend on it. Default: GAINFUL_THREADS, or all"
    " cores.",
)


def _strict(is_strict: bool) -> Any:
    from gainful.evaluation.data_checks import strict

    return strict()


STRICT = Parameter(
    "strict",
    bool,
    around=_strict,
    help="Treat data checks that do not pass as errors: missing queries, ties, duplicates.",
)

#: What most files of ``-o`` contain.
_RESULT = Output()

#: The formats of every command that prints a result, in the order of the help.
FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex", "html", "parquet")

#: The format of a paragraph for papers.
METHODS = "methods"

#: Formats by suffix, in addition to `gainful.formats.saving.SUFFIXES`.
_FURTHER = {".jsonl": "jsonl", ".xml": "junit"}

NOTES = Parameter(
    "notes",
    bool,
    flags=("-v", "--notes"),
    synonyms={"--verbose": True},
    group=Group.OUTPUT,
    help="Print all explanatory notes. Default: two; none in LaTeX.",
)


@contextmanager
def _no_progress(is_quiet: bool) -> Iterator[None]:
    import os

    before = os.environ.get("GAINFUL_PROGRESS")
    os.environ["GAINFUL_PROGRESS"] = "0"
    try:
        yield
    finally:
        del os.environ["GAINFUL_PROGRESS"]
        if before is not None:
            os.environ["GAINFUL_PROGRESS"] = before


QUIET = Parameter(
    "quiet",
    bool,
    flags=("-q", "--quiet"),
    around=_no_progress,
    group=Group.OUTPUT,
    help="Print no progress, and no notes on the standard error.",
)

#: Options that other tools have for a format.
FORMAT_SYNONYMS = {"--output-format": None, "--json": "json"}

SPREADSHEET = Parameter(
    "spreadsheet",
    bool,
    group=Group.OUTPUT,
    help="In TSV and CSV, put an apostrophe before text that begins with =, +, - or @, which a"
    " spreadsheet would execute as a formula.",
)

_OUTPUT = Parameter(
    "output",
    File,
    flags=("-o", "--output"),
    group=Group.OUTPUT,
    writes=_RESULT,
    help="Write to this file, atomically. Default: standard output.",
)


def format_option(
    *further: str,
    only: Sequence[str] = FORMATS,
    help: str = "Format of the result.",
    writes: Output = _RESULT,
    quiet: Parameter = QUIET,
) -> Combined:
    """Declare ``-o``, ``--format``, ``--notes`` and the like; ``style`` is the format."""
    formats = (*only, *further)

    def choose(style: str | None, output: str | None, **options: Any) -> str:
        return choose_format(style, output, formats)

    if METHODS in further:
        help += (
            " `methods` is a paragraph for a paper: LaTeX, BibTeX or Markdown by the suffix of the"
            " output file, .tex, .bib or .md."
        )
    style = Parameter(
        "style",
        flags=("--format",),
        group=Group.OUTPUT,
        choices=formats,
        synonyms=FORMAT_SYNONYMS,
        help=f"{help} --json is short for --format json. Default: by the suffix of the output file,"
        " else a table.",
    )
    flags = (NOTES, quiet, SPREADSHEET) if "csv" in formats else ()
    return Combined("style", choose, _OUTPUT.replace(writes=writes), style, *flags)


def choose_format(style: str | None, output: str | None, formats: Sequence[str]) -> str:
    """Return the format to write, after checking that the output can have it."""
    from os.path import splitext

    from gainful.cli.command import current
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
    values = current()
    if values is not None and values.raw.get("spreadsheet"):
        check_records("--spreadsheet", style, ("tsv", "csv"))
    return style


def check_records(
    option: str, style: str, formats: Sequence[str] = ("tsv", "csv", "parquet")
) -> None:
    """Refuse an option that only formats with records have."""
    if style not in formats:
        from gainful.errors import ParameterError

        raise ParameterError(
            f"{option} does not work with --format {style}",
            hint=f"add --format {', '.join(formats[:-1])} or {formats[-1]}",
        )


def check_writable(path: str) -> None:
    """Refuse an output file with the suffix of a format that Gainful does not write."""
    from gainful.data.paths import check_suffix

    check_suffix(path)


def check_writable_table(path: str) -> None:
    """Refuse an output file with the suffix of a format in which no table is written."""
    from gainful.data.paths import is_parquet

    if not is_parquet(path):
        check_writable(path)


#: ``-o`` of commands with a single output format.
OUTPUT = _OUTPUT.replace(validate=check_writable)

PUBLISH = Parameter(
    "publish",
    File,
    group=Group.OUTPUT,
    writes=Output(),
    help="Also write the means to this JSON file, which --published reads.",
)

COLLECTION = Parameter(
    "collection", metavar="NAME", help="The name of the collection in the file of --publish."
)

PUBLISHED = Parameter(
    "published",
    File,
    repeatable=True,
    help="Show the scores of other systems in this JSON file in the same tables. Repeatable.",
)

# --- values of options --------------------------------------------------------------------------


def parse_conventions(conventions: Sequence[str], changes: Sequence[str]) -> list[Convention]:
    """Return conventions by name, each with the changes of ``--policy``."""
    return [parse_convention(name, changes) for name in conventions or ("gainful-1",)]


def named_convention(name: str) -> Convention:
    """Return a convention of Gainful or, if it has none of this name, of the project's file."""
    from gainful.conventions import get

    try:
        return get(name)
    except ConventionError as error:
        from gainful.conventions import read

        project = read()
        if name in project:
            return project[name]
        if not project:
            raise
        hint = f"⟪conventions()⟫ lists Gainful's, and the project's file has {', '.join(project)}"
        raise error.replace(hint=hint) from None


def parse_convention(convention: str | None, changes: Sequence[str]) -> Convention:
    """Return a convention by name, with the changes of ``--policy``."""
    from gainful.conventions import POLICIES

    chosen = named_convention(convention or "gainful-1")
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

            from gainful.measures.catalogue import family

            known = [*(policy.name for policy in POLICIES), "name"]
            close = get_close_matches(policy, known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"policies are {', '.join(known)}"
            if any(parameter.name == policy for parameter in family("nDCG").parameters):
                hint = f"{policy} is a parameter of measures, as in 'nDCG({change})@10'"
            raise ConventionError(f"unknown policy {policy!r}", where="--policy", hint=hint)
        policies[policy] = value.strip()
    return chosen.replace(**policies) if policies else chosen


def plot_option(content: str, further: str = "") -> Parameter:
    """Declare ``--plot``, which `gainful.cli.output.write` follows."""
    return Parameter(
        "plot",
        File,
        group=Group.OUTPUT,
        writes=Output(),
        validate=_check_picture,
        help=f"Also draw {content} to this file: .pdf, .svg, .png, .html or .json."
        f"{further and f' {further}'}",
    )


def _check_picture(path: str) -> None:
    """Refuse a wrong suffix or a missing package before the work begins."""
    from gainful.plots.plot import altair, check_suffix

    check_suffix(path, "--plot")
    altair()

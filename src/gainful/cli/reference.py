"""Commands that list what there is, such as measures and defaults; completion and trec_eval."""

from __future__ import annotations

import sys

from gainful.cli.arguments import POLICY, format_option, import_measures, parse_convention
from gainful.cli.command import Command
from gainful.cli.output import deliver, is_drawn, page_width, say, write, write_list
from gainful.parameters import Argument, Folder, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.cli.command import Values
    from gainful.conventions import Convention
    from gainful.measures.family import Family

#: Format of lists that are no results.
LIST_FORMAT = format_option(only=("table", "json", "markdown"), help="Format of the list.")

SHELLS = ("bash", "zsh", "fish")

SIDE_POLICY = POLICY.replace(
    metavar="[A:|B:]NAME=VALUE",
    help="Change one policy of both conventions, such as ties=expected; with the prefix A: or B:"
    " of one of them. Repeatable.",
)


def select_changes(changes: Sequence[str], side: str) -> list[str]:
    """Return the changes of ``--policy`` that apply to convention A or B.

    Examples
    --------
    >>> select_changes(["ties=expected", "b:missing=empty", "rounding=query:2"], "B")
    ['ties=expected', 'missing=empty', 'rounding=query:2']
    >>> select_changes(["ties=expected", "b:missing=empty", "rounding=query:2"], "A")
    ['ties=expected', 'rounding=query:2']
    """
    chosen = []
    for change in changes:
        letter, colon, rest = change.partition(":")
        if not colon or letter.strip().upper() not in ("A", "B"):
            chosen.append(change)
        elif letter.strip().upper() == side:
            chosen.append(rest)
    return chosen


def parse_sides(values: Values) -> tuple[Convention, Convention]:
    """Return conventions A and B, each with its changes of ``--policy``."""
    first, last = (
        parse_convention(getattr(values, side), select_changes(values.changes, side.upper()))
        for side in "ab"
    )
    return first, last


@Command(
    Argument("name", str, complete="measures", required=False),
    Parameter("formulas", bool, help="List formulas and sources, too."),
    LIST_FORMAT,
    examples=(
        "gainful measures",
        "gainful measures nDCG",
        "gainful measures diversity",
        "gainful measures mrr",
        "gainful measures --formulas",
        "gainful measures my_metrics.py",
    ),
)
def measures(values: Values) -> None:
    """List the measures by family, or describe one in full.

    NAME is a measure in any notation: nDCG, trec_eval's ndcg_cut_10, or a common name such as MRR.
    Its description contains the formula, the source, and the parameters with their values.

    NAME can also be a group of measures: cumulated-gain, precision-recall, averaged-precision,
    first-hit, user-models, incomplete-judgments, diversity, spans, preferences, counts or own; or a
    Python file with measures of your own, FILE.py or FILE.py:NAME.
    """
    from gainful.formats.text import WIDTH
    from gainful.measures.listing import described, drawn, plain, tables

    chosen, is_list = _families(values.name)
    is_colored = is_list and is_drawn(values)
    if is_list:
        layout = drawn if is_colored else plain
        shown = [layout(chosen, page_width(WIDTH), formulas=values.formulas)]
    else:
        shown = [described(family, page_width(WIDTH)) for family in chosen]
    entries = [family.to_dict() for family in chosen]
    write_list(values, entries, tables(chosen), shown, has_colors=is_colored)


def _families(name: str | None) -> tuple[list[Family], bool]:
    """Return the measures for a name, and whether they are a list."""
    from gainful.measures import describe, families
    from gainful.measures.catalogue import installed_families
    from gainful.measures.listing import GROUPS

    if name is not None and name.endswith(".py"):
        from gainful.cli.given_values import families_in

        return families_in(name), True
    if name is not None and name not in GROUPS:
        return [describe(import_measures(name))], False
    installed, problems = installed_families()
    for problem in problems:
        say(problem)
    known = [*families(), *installed]
    return [family for family in known if name in (None, family.group)], True


@Command(
    Argument("name", str, complete="conventions", required=False),
    LIST_FORMAT,
    commands={"diff": "gainful.cli.reference:diff_conventions"},
    examples=(
        "gainful conventions",
        "gainful conventions trec_eval",
        "gainful conventions diff trec_eval gainful",
        "gainful evaluate qrels.txt bm25.run --convention trec_eval --policy missing=empty",
    ),
)
def conventions(values: Values) -> None:
    """List the conventions, or describe one.

    A convention defines how a measure is computed: the order of documents with equal scores, the
    grade of unjudged documents, the value of missing queries. A convention named after a tool
    reproduces its numbers.

    `gainful conventions diff A B` lists the policies in which two conventions differ. `gainful
    contrast` computes the effect of each policy on the scores of runs. A convention of the
    project's file, [conventions.NAME], is described by its differences from gainful-1.
    """
    from gainful.conventions import describe, diff, presets, read
    from gainful.conventions.description import (
        PLAIN_WIDTH,
        describe_preset,
        drawn,
        plain,
        preset_table,
        tables,
        to_dict,
    )
    from gainful.formats.text import WIDTH as PAGE

    name = values.name
    if name is not None and name in (declared := read()):
        # The difference from gainful-1 is the whole convention.
        write(diff("gainful-1", declared[name]), values.style, values.output)
        return
    chosen = presets() if name is None else [describe(name)]
    is_colored = name is None and is_drawn(values)
    if name is None:
        pages = tables(chosen)
        shown = [drawn(chosen) if is_colored else plain(chosen, page_width(PLAIN_WIDTH))]
    else:
        pages = [preset_table(chosen[0])]
        shown = [describe_preset(chosen[0], page_width(PAGE))]
    entries = [to_dict(preset) for preset in chosen]
    write_list(values, entries, pages, shown, has_colors=is_colored)


@Command(
    Argument("a", str, complete="conventions"),
    Argument("b", str, complete="conventions"),
    SIDE_POLICY,
    format_option(),
    examples=(
        "gainful conventions diff trec_eval gainful",
        "gainful conventions diff trec_eval gainful --policy missing=empty",
        "gainful conventions diff trec_eval trec_eval --policy b:missing=empty",
    ),
)
def diff_conventions(values: Values) -> None:
    """List the policies in which conventions A and B differ.

    `gainful contrast` computes the effect of each policy on the scores of runs.
    """
    from gainful.conventions import diff

    write(diff(*parse_sides(values)), values.style, values.output)


@Command(
    Argument("folder", Folder, metavar="[FOLDER]", required=False),
    LIST_FORMAT,
    examples=(
        "gainful datasets collections",
        "gainful datasets collections --format json",
        "gainful datasets",
    ),
)
def datasets(values: Values) -> None:
    """List test collections: the BEIR folders below FOLDER, or those of ir_datasets.

    Nothing is read or downloaded. Python loads one with `gainful.datasets.load_dataset(NAME)`. The
    commands take a BEIR folder as judgments, with --split for the split.
    """
    from gainful.datasets import dataset_table, list_datasets

    known = list_datasets(values.folder)
    write_list(values, [dataset.to_dict() for dataset in known], [dataset_table(known)])


@Command(
    Argument("shell", str, choices=SHELLS),
    examples=(
        "gainful completion bash > ~/.local/share/bash-completion/completions/gainful",
        "gainful completion zsh > ~/.zfunc/_gainful    (a folder in $fpath)",
        "gainful completion fish > ~/.config/fish/completions/gainful.fish",
        'eval "$(gainful completion bash)"    (in this shell only)',
    ),
)
def completion(shell: str) -> None:
    """Print a script for shell completion.

    The shell then completes commands, options, measures, conventions and policies.
    """
    from gainful.cli.program import completion_script

    deliver([completion_script(shell)], None)


@Command(
    Argument("words", str, metavar="ARGS...", repeatable=True, required=False),
    takes_words=True,
    examples=(
        "gainful trec_eval qrels.txt bm25.run",
        "gainful trec_eval -q -m ndcg_cut.10 -m map qrels.txt bm25.run",
        "gainful trec_eval --compat 10 -c -m all_trec qrels.txt bm25.run.gz",
    ),
)
def trec_eval(words: tuple[str, ...]) -> None:
    """Evaluate with trec_eval's options and output.

    The output is byte for byte that of trec_eval. `gainful trec_eval -h` lists the options.
    """
    from gainful.compat.trec_eval import main

    sys.exit(main(words))


@Command(
    Argument("name", str, required=False, metavar="[COMMAND]", complete="commands"),
    format_option(only=("table", "json", "markdown"), help="Format of the list."),
    examples=(
        "gainful config",
        "gainful config compare",
        "GAINFUL_COMPARE_ALPHA=0.01 gainful config compare",
    ),
)
def config(values: Values) -> None:
    """Show the defaults of options, and where they are from.

    An option on the command line has precedence over the variable GAINFUL_COMMAND_OPTION, such as
    GAINFUL_COMPARE_ALPHA, and that over the project's file: gainful.toml, or the table
    [tool.gainful] of pyproject.toml, in the current folder or the nearest one above it. The file
    has options of all commands, and a table for each command.

    Without COMMAND, only what differs from the defaults of Gainful is listed.
    """
    from gainful.formats.table import Column, Table, noted

    rows = list(_settings(values.name))
    notes = [] if rows else ["No option has a default of the environment or of a file."]
    columns = list(map(Column, ("command", "option", "default", "from")))
    cells = [[row[0], row[1], _shown(row[2]), row[3]] for row in rows]
    entries = [
        dict(zip(("command", "option", "value", "origin"), row, strict=True)) for row in rows
    ]
    write_list(values, entries, [Table(columns, cells, notes=noted("config", notes))])


def _settings(name: str | None) -> Iterator[tuple[str, str, object, str]]:
    """Yield the command, option, default and origin of settings."""
    import os

    from gainful.cli.defaults import check_variables, commands, project_file, variable
    from gainful.errors import ParameterError

    known = {word: declared for word, declared in commands() if not declared.kind}
    if name is not None and name not in known:
        raise ParameterError(
            where="COMMAND", found=repr(name), expected=f"one of {', '.join(known)}"
        )
    file = project_file()
    if file is not None and name is None:
        for system, color in file.colors().items():
            yield "report", f"colors.{system}", color, file.path
    for word, declared in known.items():
        if name not in (None, word):
            continue
        check_variables(word, declared)
        values = {} if file is None else file.values(word, declared)
        for parameter in declared.parameters.values():
            if parameter.is_argument or parameter.hidden:
                continue
            setting = variable(word, parameter)
            if os.environ.get(setting):
                yield word, parameter.option, os.environ[setting], setting
            elif file is not None and parameter.name in values:
                yield word, parameter.option, values[parameter.name], file.path
            elif name is not None:
                yield word, parameter.option, parameter.default, "default"


def _shown(value: object) -> str:
    if value is None or value == ():
        return ""
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)

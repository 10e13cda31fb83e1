"""``gainful conventions diff``: the policies in which two conventions differ."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    complete_conventions,
    complete_policies,
    examples,
    format_option,
    output_option,
)
from gainful.cli.output import delimited, deliver
from gainful.conventions import diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.conventions.difference import Differences

side_policy_option = click.option(
    "--policy",
    "changes",
    multiple=True,
    metavar="[A:|B:]NAME=VALUE",
    shell_complete=complete_policies,
    help="Change one policy of both conventions, such as ties=expected, or with A: or B: before it"
    " of one of them. Repeatable.",
)


def of_side(changes: Sequence[str], side: str) -> list[str]:
    """Return the changes of ``--policy`` that hold for convention A or for convention B.

    Examples
    --------
    >>> of_side(["ties=expected", "b:missing=empty", "rounding=query:2"], "B")
    ['ties=expected', 'missing=empty', 'rounding=query:2']
    >>> of_side(["ties=expected", "b:missing=empty", "rounding=query:2"], "A")
    ['ties=expected', 'rounding=query:2']
    """
    found = []
    for change in changes:
        letter, colon, rest = change.partition(":")
        if not colon or letter.strip().upper() not in ("A", "B"):
            found.append(change)
        elif letter.strip().upper() == side:
            found.append(rest)
    return found


@click.command(
    epilog=examples(
        "gainful conventions diff trec_eval gainful",
        "gainful conventions diff trec_eval gainful --policy missing=empty",
        "gainful conventions diff trec_eval trec_eval --policy b:missing=empty",
    ),
)
@click.argument("a", metavar="A", shell_complete=complete_conventions)
@click.argument("b", metavar="B", shell_complete=complete_conventions)
@side_policy_option
@format_option(("table", "json", "csv", "markdown"), "How to write the answer.")
@output_option
def command(a: str, b: str, changes: tuple[str, ...], style: str, output: str | None) -> None:
    """List the policies in which conventions A and B differ.

    `gainful contrast` computes what each of them does to the scores of runs.
    """
    found = diff(
        chosen_convention(a, of_side(changes, "A")), chosen_convention(b, of_side(changes, "B"))
    )
    deliver([words(found, style)], output)


def words(found: Differences, style: str) -> str:
    """Return what two conventions do differently in a format."""
    from gainful.conventions import differences as report

    if style == "csv":
        return "".join(delimited("csv")(*report.rows(found)))
    render = {
        "table": report.plain,
        "json": report.json,
        "markdown": report.markdown,
    }
    return render[style](found)

"""``gainful conventions diff``: the policies in which two conventions differ."""

from __future__ import annotations

from gainful.cli.arguments import POLICY, format_option, parse_convention
from gainful.cli.command import Command
from gainful.cli.output import write
from gainful.parameters import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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
    found = []
    for change in changes:
        letter, colon, rest = change.partition(":")
        if not colon or letter.strip().upper() not in ("A", "B"):
            found.append(change)
        elif letter.strip().upper() == side:
            found.append(rest)
    return found


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
def command(a: str, b: str, changes: tuple[str, ...], style: str, output: str | None) -> None:
    """List the policies in which conventions A and B differ.

    `gainful contrast` computes the effect of each policy on the scores of runs.
    """
    from gainful.conventions import diff

    first, last = (
        parse_convention(name, select_changes(changes, side)) for name, side in ((a, "A"), (b, "B"))
    )
    write(diff(first, last), style, output)

"""The output formats of ``gainful gate``."""

from __future__ import annotations

from gainful.cli.arguments import FORMATS, choose_format
from gainful.cli.output import deliver, write
from gainful.cli.written_files import Output
from gainful.errors import ParameterError
from gainful.parameters import Combined, Group, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.gates import GateResult

#: Formats that only this command has.
OWN = ("junit", "github")
_EVERY = (*FORMATS, *OWN)


def parse_also(also: Sequence[str]) -> list[tuple[str, str]]:
    """Return the formats and files of ``--also``.

    Raises
    ------
    ParameterError
        For anything but ``FORMAT=FILE``.
    """
    found = []
    for word in also:
        style, equals, file = word.partition("=")
        if not equals or style not in _EVERY or not file:
            raise ParameterError(
                where="--also",
                found=repr(word),
                expected=f"FORMAT=FILE, with one of {', '.join(_EVERY)}",
            )
        found.append((choose_format(style, file, _EVERY), file))
    return found


ALSO = Combined(
    "also",
    parse_also,
    Parameter(
        "also",
        group=Group.OUTPUT,
        repeatable=True,
        metavar="FORMAT=FILE",
        # Without a file the command reports the error.
        writes=Output(path=lambda word: word.partition("=")[2] or "-"),
        help="Also write this file in another format. Repeatable.",
    ),
)


def write_gate(result: GateResult, style: str, output: str | None) -> None:
    """Write a result in a format to a file or the standard output."""
    if style == "junit":
        from gainful.gates.reports import junit

        deliver([junit(result)], output)
    elif style == "github":
        from gainful.gates.reports import github

        deliver([github(result)], output)
    else:
        write(result, style, output, records="measures")

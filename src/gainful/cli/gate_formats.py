"""The formats of ``gainful gate``, and where each is written."""

from __future__ import annotations

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.gates import GateResult

FORMATS = ("table", "markdown", "json", "junit", "github", "tsv", "csv")


def further(also: Sequence[str]) -> list[tuple[str, str]]:
    """Return the formats and files that ``--also`` names.

    Raises
    ------
    ParameterError
        For anything but ``FORMAT=FILE``.
    """
    found = []
    for word in also:
        style, equals, file = word.partition("=")
        if not equals or style not in FORMATS or not file:
            raise ParameterError(
                where="--also",
                found=repr(word),
                expected=f"FORMAT=FILE, with one of {', '.join(FORMATS)}",
            )
        found.append((style, file))
    return found


def write(result: GateResult, style: str, output: str | None) -> None:
    """Hand a result to the renderer of a format, and its text to where it goes."""
    from gainful.cli.output import deliver, on_terminal
    from gainful.gates import rendering as report

    if style == "table":
        if output in (None, "-") and on_terminal():
            from gainful.formats.console import drawn

            deliver([drawn(report.table(result))], output)
        else:
            deliver([f"{result}\n"], output)
    elif style == "markdown":
        deliver([report.markdown(result)], output)
    elif style == "json":
        deliver(report.document(result), output)
    elif style == "junit":
        from gainful.gates.junit import junit

        deliver([junit(result)], output)
    elif style == "github":
        from gainful.gates.github import github

        deliver([github(result)], output)
    else:
        from gainful.cli.output import delimited

        deliver(delimited(style)(*report.figures(result)), output)

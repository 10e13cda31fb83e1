"""``gainful verify``: whether the input files of a result are unchanged."""

from __future__ import annotations

from gainful.cli.arguments import format_option
from gainful.cli.command import Command
from gainful.parameters import Argument


@Command(
    Argument("result"),
    format_option(),
    examples=(
        "gainful evaluate qrels.txt bm25.run --format json -o result.json",
        "gainful verify result.json",
        "gainful verify snapshot.json",
    ),
)
def command(result: str, style: str, output: str | None) -> int:
    """Check whether a result's input files are unchanged.

    RESULT is a JSON result of a command, a snapshot of `gainful gate`, or an HTML report. It has
    the SHA-256 digests of the files that it was made from. Relative paths are relative to the
    current folder.

    The exit status is 0 if all files are unchanged, 4 if one is changed or missing, and 3 if the
    digest of one is unknown, as for the standard input.
    """
    from gainful.cli.output import write
    from gainful.reproduction import verify

    verification = verify(result)
    write(verification, style, output)
    return int(verification.status)

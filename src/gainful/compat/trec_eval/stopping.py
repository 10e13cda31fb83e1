"""The exception that ends the command, with message and exit status."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

#: Exit statuses of trec_eval.
USAGE = 1
FILES = 2
MEASURES = 4
NO_TOPICS = 7
ZSCORES = 255

#: Our status for input with which trec_eval crashes or does not terminate.
REFUSED = 2


class Stop(Exception):  # noqa: N818 - trec_eval stops with status 0, too
    """The end of the command.

    Parameters
    ----------
    status : int
        The exit status.
    text : str
        The text for the standard error, with line ends.
    output : str
        The text for the standard output.
    """

    def __init__(self, status: int, text: str = "", output: str = "") -> None:
        super().__init__(status, text, output)
        self.status = status
        self.text = text
        self.output = output


def refuse(what: str) -> NoReturn:
    """Raise `Stop` for input that crashes trec_eval, with our own message."""
    raise Stop(REFUSED, f"gainful trec_eval: {what}\n")

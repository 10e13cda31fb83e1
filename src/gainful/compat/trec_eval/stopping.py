"""How the command ends early: what it says, and with which status."""

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

#: Ours, for what trec_eval has no status for: it would have crashed, or never ended.
REFUSED = 2


class Stop(Exception):  # noqa: N818 - trec_eval stops with status 0, too
    """The end of the command.

    Parameters
    ----------
    status : int
        The exit status.
    text : str
        What goes to the standard error, lines and all.
    output : str
        What goes to the standard output.
    """

    def __init__(self, status: int, text: str = "", output: str = "") -> None:
        super().__init__(status, text, output)
        self.status = status
        self.text = text
        self.output = output


def refuse(what: str) -> NoReturn:
    """End with a message of ours about something that trec_eval does not survive."""
    raise Stop(REFUSED, f"gainful trec_eval: {what}\n")

"""The settings of a command line."""

from __future__ import annotations

import sys

from gainful.compat.trec_eval import options
from gainful.compat.trec_eval.c_numbers import atol
from gainful.compat.trec_eval.measures import expand_name
from gainful.compat.trec_eval.stopping import USAGE, Stop, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The message for wrong calls, word for word, because scripts may parse it.
USAGE_TEXT = """\
Usage: trec_eval [-h] [-q] {-m measure}* trec_rel_file trec_top_file
   -h: Give full help information, including other options
   -q: In addition to summary evaluation, give evaluation for each query
   -m: calculate and print measures indicated by 'measure'
       ('-m all_qrels' prints all qrels measures, '-m official' is default)
"""

#: The printed version numbers; release 9.0.8 prints another one.
VERSIONS = {9: "9.0.7", 10: "10.0-rc3"}


class Settings:
    """The parsed command line.

    Attributes
    ----------
    version : {9, 10}
        The reproduced version: 9.0.8 or 10.0-rc3.
    topics, summary : bool
        Print the values of each topic, of all.
    complete : bool
        Average over all topics of the judgments.
    level : int
        The lowest relevant grade.
    depth : int
        The maximum number of documents per topic.
    judged_only : bool
        Remove unjudged documents.
    collection : int
        The number of documents in the collection, which ``utility`` may use.
    debug : int
        The debug level.
    only : str or None
        The only topic to evaluate.
    judgments_format, run_format : str
        The formats of the two files.
    zscores : str or None
        The file of means and deviations.
    help : bool
        Whether to print the help and nothing else.
    marked : set of str
        The requested measures.
    parameters : dict
        The text of the first parameters of each measure.
    judgments, run : str
        The paths of the two files.
    """

    def __init__(self, version: int) -> None:
        self.version = version
        self.topics = False
        self.summary = True
        self.complete = False
        self.level = 1
        self.depth = sys.maxsize
        self.judged_only = False
        self.collection = 0
        self.debug = 0
        self.only: str | None = None
        self.judgments_format = "qrels"
        self.run_format = "trec_results"
        self.zscores: str | None = None
        self.help = False
        self.marked: set[str] = set()
        self.parameters: dict[str, str] = {}
        self.judgments = ""
        self.run = ""

    def take(self, letter: str, value: str) -> None:
        """Apply an option."""
        if letter == "h":
            self.help = True
        elif letter == "v":
            raise Stop(0, f"trec_eval version {VERSIONS[self.version]}\n")
        elif letter == "q":
            self.topics = True
        elif letter == "m":
            self.mark(value)
        elif letter == "c":
            self.complete = True
        elif letter == "l":
            self.level = atol(value)
        elif letter == "n":
            self.summary = False
        elif letter == "D":
            level, dot, only = value.partition(".")
            self.debug = atol(level)
            self.only = only if dot else self.only
        elif letter == "J":
            self.judged_only = True
        elif letter == "N":
            self.collection = atol(value)
        elif letter == "M":
            self.depth = atol(value)
        elif letter == "R":
            self.judgments_format = value
        elif letter == "T":
            self.run_format = value
        elif letter == "Z":
            self.zscores = value

    def mark(self, text: str) -> None:
        """Request a measure, or the measures of a nickname.

        Raises
        ------
        Stop
            If the name is unknown.
        """
        name, dot, parameters = text.partition(".")
        said = ""
        found = expand_name(name, self.version)
        if dot and not parameters:
            said = f"trec_eval: improper measure in parameter '{name}'\n"
        elif found:
            self.marked.update(found)
            if dot:
                self.parameters.setdefault(name, parameters)
            return
        raise Stop(USAGE, f"{said}trec_eval: illegal measure '{name}'\n")


def parse_settings(words: Sequence[str]) -> Settings:
    """Parse a command line.

    Raises
    ------
    Stop
        If it is invalid, or requests the version.
    """
    settings = Settings(_version(words))
    files = []
    for letter, value in options.parse(words):
        if letter == options.FILE:
            files.append(value)
        elif letter == options.WRONG:
            raise Stop(USAGE, f"trec_eval: {value}\n{USAGE_TEXT}")
        else:
            settings.take(letter, value)
    if not settings.help:
        if len(files) != 2:
            raise Stop(USAGE, USAGE_TEXT)
        settings.judgments, settings.run = files
    if not settings.marked and not settings.help:
        settings.mark("official")
    return settings


def _version(words: Sequence[str]) -> int:
    """Return the requested version, which determines the known measures."""
    version = 9
    for letter, value in options.parse(words):
        if letter == options.COMPAT:
            number = value.partition(".")[0]
            if number not in ("9", "10"):
                refuse(f"found --compat {value}, expected --compat 9 or --compat 10")
            version = int(number)
    return version

"""The arguments of trec_eval: its options and measures."""

from __future__ import annotations

import os
import sys

from gainful.measures.catalogue import NICKNAMES, SINCE_10, trec_name
from gainful.measures.family import TrecName
from gainful.measures.index import TREC_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn


# These names have parameters of the form ``name=number``.
_PAIRS = ("gains", "p")


class Row:
    """One of trec_eval's measures.

    Parameters
    ----------
    name : str
        The name in trec_eval.
    family : str, optional
        The family of `gainful.measures`, if it differs from that of the name; empty if Gainful has
        no such measure.
    takes : {"nothing", "cutoffs", "points", "numbers", "pairs"}, optional
        The parameters after a dot, if they differ from those of the name: whole numbers or any
        numbers, with one value each; several numbers for one value; pairs ``level=gain`` for one
        value.
    default : sequence of float
        The default parameters.
    levelled : {"no", "judged", "listed"}
        Whether -l sets the lowest relevant grade, and if so, for judged documents only or for all
        listed ones (which differs only for negative levels).
    reads : {"qrels", "qrels_jg", "prefs", "anything"}
        The required kind of judgments.
    average : {"mean", "sum", "geometric", "none"}
        The aggregate of the values.
    whole : bool
        Whether values are whole numbers.
    topics, summary : bool
        Whether it is printed per topic, and for all topics.

    Attributes
    ----------
    params : dict
        The parameters of the family.
    slot : str
        The parameter of the family for points, numbers and pairs.
    """

    __slots__ = (
        "average",
        "default",
        "family",
        "levelled",
        "name",
        "params",
        "reads",
        "slot",
        "summary",
        "takes",
        "topics",
        "whole",
    )

    def __init__(
        self,
        name: str,
        family: str | None = None,
        *,
        takes: str | None = None,
        default: Sequence[float] = (),
        levelled: str = "no",
        reads: str = "qrels",
        average: str = "mean",
        whole: bool = False,
        topics: bool = True,
        summary: bool = True,
    ) -> None:
        known = trec_name(name) if name in TREC_NAMES else TrecName()
        self.name = name
        self.family = TREC_NAMES.get(name, "") if family is None else family
        self.params = known.params
        self.takes = takes or ("pairs" if known.takes in _PAIRS else known.takes)
        self.default = default or known.cutoffs or known.points
        self.slot = known.into[0].removesuffix("...") if known.into else "gain"
        self.levelled = levelled
        self.reads = reads
        self.average = average
        self.whole = whole
        self.topics = topics
        self.summary = summary


def _count(name: str, levelled: str = "judged", reads: str = "qrels") -> Row:
    return Row(name, levelled=levelled, reads=reads, average="sum", whole=True)


def _preferences(name: str) -> Row:
    if name.startswith("prefs_num_"):
        return _count(name, "no", reads="prefs")
    return Row(name, reads="prefs")


#: In the order of trec_eval's source and output.
ROWS = (
    Row("runid", reads="anything", average="none", topics=False),
    Row("num_q", "", reads="anything", average="none", whole=True, topics=False),
    _count("num_ret", "no"),
    _count("num_rel"),
    _count("num_rel_ret"),
    Row("map", levelled="listed"),
    Row("gm_map", "AP", levelled="listed", average="geometric", topics=False),
    Row("Rprec", levelled="listed"),
    Row("bpref", levelled="judged"),
    Row("recip_rank", levelled="listed"),
    Row("iprec_at_recall", levelled="judged"),
    Row("P", levelled="listed"),
    Row("relstring", takes="numbers", default=(10.0,), average="none", summary=False),
    Row("recall", levelled="listed"),
    Row("infAP", levelled="judged"),
    Row("gm_bpref", "bpref", levelled="judged", average="geometric", topics=False),
    Row("Rprec_mult", levelled="listed"),
    Row("utility", default=(1.0, -1.0, 0.0, 0.0), levelled="judged"),
    Row("11pt_avg", default=trec_name("iprec_at_recall").points, levelled="judged"),
    Row("binG", levelled="listed"),
    *map(Row, ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut")),
    Row("map_cut", levelled="listed"),
    Row("relative_P", levelled="listed"),
    Row("success", levelled="listed"),
    Row("set_P", levelled="judged"),
    Row("set_relative_P", levelled="judged"),
    Row("set_recall", levelled="judged"),
    Row("set_map", levelled="judged"),
    Row("set_F", default=(1.0,), levelled="judged"),
    _count("num_nonrel_judged_ret"),
    *map(_preferences, NICKNAMES["all_prefs"][1:]),
    Row("map_avgjg", levelled="listed", reads="qrels_jg"),
    Row("P_avgjg", levelled="listed", reads="qrels_jg"),
    Row("Rprec_mult_avgjg", levelled="listed", reads="qrels_jg"),
    Row("yaap", levelled="listed"),
    Row("rbp"),
    Row("rbp_resid", takes="nothing"),
    Row("unj"),
)


def rows(version: int) -> dict[str, Row]:
    """Return the measures of a version of trec_eval by name, in output order.

    Examples
    --------
    >>> len(rows(9)), len(rows(10))
    (52, 57)
    """
    return {row.name: row for row in ROWS if version > 9 or row.name not in SINCE_10}


def expand_name(name: str, version: int) -> list[str]:
    """Return the measures of a name or nickname; none if it is unknown.

    Examples
    --------
    >>> expand_name("set", 9)[-1], expand_name("map", 9), expand_name("unj", 9)
    ('set_F', ['map'], [])
    """
    known = rows(version)
    if name not in NICKNAMES:
        return [name] if name in known else []
    names = ["runid", *NICKNAMES[name]]
    if name == "all_trec":
        # Of the new measures of version 10, DCG is not included.
        names += ["relstring", "rbp", "rbp_resid", "unj"]
    return [name for name in names if name in known]


SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"

#: Long names in trec_eval's order, which is the order of its messages: the letter of each, and
#: whether it has a value.
LONG = {
    "help": ("h", False),
    "version": ("v", False),
    "query_eval_wanted": ("q", False),
    "measure": ("m", True),
    "complete_rel_info_wanted": ("c", False),
    "level_for_rel": ("l", True),
    "nosummary": ("n", False),
    "Debug_level": ("D", True),
    "Judged_docs_only": ("J", False),
    "Number_docs_in_coll": ("N", True),
    "Max_retrieved_per_topic": ("M", True),
    "Rel_info_format": ("R", True),
    "Results_format": ("T", True),
    "Output_old_results_format": ("o", True),
    "Zscore": ("Z", True),
}

#: Our option. It cannot be abbreviated, so that abbreviations of trec_eval keep their meaning.
COMPAT = "compat"

#: Yielded instead of an option's letter: for a file, and for an error message of getopt.
FILE = "file"
WRONG = "?"


def parse(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Parse a command line.

    Examples
    --------
    >>> list(parse(["-qm", "map", "a", "--lev=2", "b"]))
    [('q', ''), ('m', 'map'), ('file', 'a'), ('l', '2'), ('file', 'b')]
    >>> list(parse(["--R=x"]))[0][1]
    "option '--R=x' is ambiguous; possibilities: '--Rel_info_format' '--Results_format'"
    """
    permute = "POSIXLY_CORRECT" not in os.environ
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "--":
            break
        if len(word) > 1 and word[0] == "-":
            yield from _long(word[2:], rest) if word[1] == "-" else _short(word[1:], rest)
            continue
        yield FILE, word
        if not permute:
            break
    for word in reversed(rest):
        yield FILE, word


def _short(letters: str, rest: list[str]) -> Iterator[tuple[str, str]]:
    for index, letter in enumerate(letters):
        place = SHORT.find(letter)
        if place < 0 or letter == ":":
            yield WRONG, f"invalid option -- '{letter}'"
        elif SHORT[place + 1 : place + 2] != ":":
            yield letter, ""
        elif index + 1 < len(letters):
            yield letter, letters[index + 1 :]
            return
        elif rest:
            yield letter, rest.pop()
        else:
            yield WRONG, f"option requires an argument -- '{letter}'"


def _long(text: str, rest: list[str]) -> Iterator[tuple[str, str]]:
    name, equals, value = text.partition("=")
    if name == COMPAT:
        letter, takes = COMPAT, True
    else:
        meant = [name] if name in LONG else [full for full in LONG if full.startswith(name)]
        if not meant:
            yield WRONG, f"unrecognized option '--{text}'"
            return
        if len(meant) > 1:
            choices = " ".join(f"'--{full}'" for full in meant)
            yield WRONG, f"option '--{text}' is ambiguous; possibilities: {choices}"
            return
        name = meant[0]
        letter, takes = LONG[name]
    if equals and not takes:
        yield WRONG, f"option '--{name}' doesn't allow an argument"
    elif equals or not takes:
        yield letter, value
    elif rest:
        yield letter, rest.pop()
    else:
        yield WRONG, f"option '--{name}' requires an argument"


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
        """Request a measure, or the measures of a nickname."""
        name, dot, parameters = text.partition(".")
        said = ""
        names = expand_name(name, self.version)
        if dot and not parameters:
            said = f"trec_eval: improper measure in parameter '{name}'\n"
        elif names:
            self.marked.update(names)
            if dot:
                self.parameters.setdefault(name, parameters)
            return
        raise Stop(USAGE, f"{said}trec_eval: illegal measure '{name}'\n")


def parse_settings(words: Sequence[str]) -> Settings:
    """Parse a command line."""
    settings = Settings(_version(words))
    files = []
    for letter, value in parse(words):
        if letter == FILE:
            files.append(value)
        elif letter == WRONG:
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
    for letter, value in parse(words):
        if letter == COMPAT:
            number = value.partition(".")[0]
            if number not in ("9", "10"):
                refuse(f"found --compat {value}, expected --compat 9 or --compat 10")
            version = int(number)
    return version


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


#: White space for C's isspace.
SPACE = " \t\n\v\f\r"


_DIGITS = "0123456789"


_HEXADECIMAL = "0123456789abcdef"


_LONG = 1 << 63


def atol(text: str) -> int:
    """Return the whole number that a text begins with, or 0; clamped to 64 bits.

    Examples
    --------
    >>> atol("23.4"), atol(" -7x"), atol("five"), atol("")
    (23, -7, 0, 0)
    """
    text = text.lstrip(SPACE)
    sign = -1 if text[:1] == "-" else 1
    digits = _run(text, 1 if text[:1] in ("-", "+") else 0, _DIGITS)
    return max(-_LONG, min(_LONG - 1, sign * int(digits))) if digits else 0


def atof(text: str) -> float:
    """Return the number that a text begins with, or 0: decimal, hexadecimal, infinity or NaN.

    Examples
    --------
    >>> atof("2.5x"), atof(".1.2"), atof("1e"), atof("0x1.8p1"), atof("-Infinity"), atof("one")
    (2.5, 0.1, 1.0, 3.0, -inf, 0.0)
    """
    text = text.lstrip(SPACE)
    start = 1 if text[:1] in ("-", "+") else 0
    body = text[start:].lower()
    value = 0.0
    if body.startswith(("inf", "nan")):
        value = float(body[:3])
    elif body.startswith("0x") and (number := _number(body[2:], _HEXADECIMAL, "p")):
        try:
            value = float.fromhex(number)
        except OverflowError:
            value = float("inf")
    elif number := _number(body, _DIGITS, "e"):
        value = float(number)
    return -value if text[:1] == "-" else value


def _number(text: str, digits: str, mark: str) -> str:
    """Return the longest prefix with digits, a decimal point and an exponent; may be empty."""
    whole = _run(text, 0, digits)
    end = len(whole)
    fraction = _run(text, end + 1, digits) if text[end : end + 1] == "." else ""
    if not whole and not fraction:
        return ""
    if text[end : end + 1] == ".":
        end += 1 + len(fraction)
    if text[end : end + 1] == mark:
        signed = text[end + 1 : end + 2] in ("-", "+")
        exponent = _run(text, end + 1 + signed, _DIGITS)
        if exponent:
            end += 1 + signed + len(exponent)
    return text[:end]


def _run(text: str, start: int, digits: str) -> str:
    end = start
    # An empty slice is in every string, hence the length.
    while end < len(text) and text[end] in digits:
        end += 1
    return text[start:end]

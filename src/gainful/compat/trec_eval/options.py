"""Parse the command line like GNU's getopt_long, with its messages.

Options may follow the files, unless POSIXLY_CORRECT is set. Short ones may be bundled, with values
attached or in the next word. Long ones may be abbreviated if unambiguous, with values after ``=``
or in the next word. ``--`` ends the options.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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

    Parameters
    ----------
    words : sequence of str
        The words after the program's name.

    Yields
    ------
    tuple of str and str
        A letter with its value, `COMPAT` with its value, `FILE` with a path, or `WRONG` with the
        message of getopt. Files keep their positions.

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
    for at, letter in enumerate(letters):
        found = SHORT.find(letter)
        if found < 0 or letter == ":":
            yield WRONG, f"invalid option -- '{letter}'"
        elif SHORT[found + 1 : found + 2] != ":":
            yield letter, ""
        elif at + 1 < len(letters):
            yield letter, letters[at + 1 :]
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

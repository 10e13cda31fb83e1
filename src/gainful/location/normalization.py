"""Normalize white space and Unicode, and map places back to the original text."""

from __future__ import annotations

import re
from bisect import bisect_right
from unicodedata import category, combining, is_normalized, normalize

__all__ = ["NormalizedText", "is_joining", "normalized"]

_SPACES = re.compile(r"\s+")
#: Hangul vowels and final consonants, which compose with what is before them.
_JAMO = frozenset(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))


def normalized(text: str) -> str:
    r"""Return a text in NFC, stripped, with one space for each run of white space.

    Examples
    --------
    >>> normalized(" Cafe\u0301\r\n au  lait")
    'Café au lait'
    """
    return normalize("NFC", _SPACES.sub(" ", text).strip())


class NormalizedText:
    r"""A text in NFC with one space for each run of white space, and where its characters were.

    Parameters
    ----------
    text : str
        The original text.

    Attributes
    ----------
    text : str
        The normalized text.

    Examples
    --------
    >>> NormalizedText("Cafe\u0301\r\n au").original(0, 4)
    (0, 5)
    """

    def __init__(self, text: str) -> None:
        #: Where pieces begin, in the normalized and in the original text. A piece is unchanged, or
        #: was replaced as a whole.
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._replaced: list[bool] = []
        self._end = len(text)
        parts: list[str] = []
        length = origin = 0
        for match in re.finditer(_pattern(text), text):
            piece = match[0]
            new = " " if piece[0].isspace() else normalize("NFC", piece)
            if new == piece:
                continue
            kept = text[origin : match.start()]
            if kept:
                self._add(length, origin, False)
            self._add(length + len(kept), match.start(), True)
            parts += (kept, new)
            length += len(kept) + len(new)
            origin = match.end()
        self._add(length, origin, False)
        parts.append(text[origin:])
        self.text = "".join(parts)

    def _add(self, start: int, origin: int, is_replaced: bool) -> None:
        self._starts.append(start)
        self._origins.append(origin)
        self._replaced.append(is_replaced)

    def original(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the original place of characters, ``start < end``.

        None if the place begins or ends inside what was replaced as a whole.
        """
        first, last = self._piece(start), self._piece(end - 1)
        begin, finish = self._origins[first], self._origins[last]
        if not self._replaced[first]:
            begin += start - self._starts[first]
        elif start != self._starts[first]:
            return None
        if not self._replaced[last]:
            finish += end - self._starts[last]
        elif end != self._starts[last + 1]:
            return None
        else:
            finish = self._origins[last + 1]
        return begin, finish

    def _piece(self, place: int) -> int:
        return bisect_right(self._starts, place) - 1


def _pattern(text: str) -> str:
    """Return the pattern of white space, and of what NFC could change in this text."""
    pattern = r"\s+"
    if is_normalized("NFC", text):
        return pattern
    letters = set(text)
    joining = "".join(map(re.escape, filter(is_joining, letters)))
    changing = "".join(map(re.escape, filter(_is_changing, letters)))
    if joining:
        pattern += rf"|.[{joining}]+"
    return rf"{pattern}|[{changing}]" if changing else pattern


def _is_changing(letter: str) -> bool:
    return normalize("NFC", letter) != letter


def is_joining(letter: str) -> bool:
    """Return whether a character may combine with what is before it, or change its place."""
    return combining(letter) > 0 or category(letter) in ("Mn", "Mc") or letter in _JAMO

"""Find quotes in texts, after both are normalized."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import accumulate, pairwise
from typing import NamedTuple
from unicodedata import category, combining, is_normalized, normalize

from gainful._kernel import names_of
from gainful.data.corpus import each_document
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gainful.data.corpus import TextsLike

__all__ = ["Corpus", "NormalizedText", "Place", "Sought", "normalized", "search_quotes"]

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
    joining = "".join(map(re.escape, filter(_is_joining, letters)))
    changing = "".join(map(re.escape, filter(_is_changing, letters)))
    if joining:
        pattern += rf"|.[{joining}]+"
    return rf"{pattern}|[{changing}]" if changing else pattern


def _is_changing(letter: str) -> bool:
    return normalize("NFC", letter) != letter


def _is_joining(letter: str) -> bool:
    """Return whether a character may combine with what is before it, or change its place."""
    return combining(letter) > 0 or category(letter) in ("Mn", "Mc") or letter in _JAMO


#: Scripts that do not separate words: their characters are indexed in pairs.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_WORD = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")

_RUN = re.compile(rf"[{_UNSPACED}]+")

#: How many words of a quote a document needs to be searched.
_WORDS = 3


class Sought(NamedTuple):
    """What is searched: a text, a given place, or both."""

    text: str | None
    document: str | None = None
    start: int | None = None
    end: int | None = None


class Place(NamedTuple):
    """Where a text occurs, in code points of the document.

    Attributes
    ----------
    document : str
        The id of the document.
    start, end : int
        The first character, and the one after the last.
    is_exact : bool
        Whether the text is equal there; otherwise after normalization.
    is_given : bool
        Whether it is the place that was given.
    """

    document: str
    start: int
    end: int
    is_exact: bool = True
    is_given: bool = False


class Corpus(NamedTuple):
    """What a pass over a corpus found.

    Attributes
    ----------
    places : dict of Sought to list of Place
        The places of each text: the exact ones if there are any, or else those after normalization.
    documents : int
        The number of documents.
    duplicates : int
        The number of documents with the id of an earlier one, which were not searched.
    unknown : frozenset of str
        The named documents that the corpus lacks. Their quotes were searched in all documents.
    """

    places: dict[Sought, list[Place]]
    documents: int
    duplicates: int
    unknown: frozenset[str]


def search_quotes(corpus: TextsLike, sought: Iterable[Sought], unit: str = "characters") -> Corpus:
    """Find all places of all quotes."""
    index = _Index(sought)
    ids: set[str] = set()
    duplicates = 0
    has_text = False
    for identifier, text in each_document(corpus):
        has_text = has_text or bool(text.text)
        if identifier in ids:
            duplicates += 1
        else:
            ids.add(identifier)
            index.search(identifier, text.text, unit)
    documents = len(ids)
    if not has_text and documents:
        raise FormatError(
            "no document has a text",
            where="corpus",
            hint=f"names of its field: {', '.join(names_of('document.text'))}",
        )
    names = index.named.keys() - ids
    aliases = _aliases(names, ids)
    unknown = names.difference(*aliases.values())
    unnamed = {
        quote: quote._replace(document=None) for name in unknown for quote in index.named[name]
    }
    elsewhere = _Index(unnamed.values())
    if names and corpus != "-":
        for identifier, text in each_document(corpus):
            if identifier in ids:
                ids.remove(identifier)
                index.search(identifier, text.text, unit, aliases.get(identifier, ()))
                elsewhere.search(identifier, text.text, unit)
    places, others = index.places(), elsewhere.places()
    places |= {quote: others[other] for quote, other in unnamed.items()}
    return Corpus(places, documents, duplicates, frozenset(unknown))


def _aliases(names: set[str], ids: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of documents that mean one id: a path to it, or it without its suffix.

    Examples
    --------
    >>> _aliases({"corpus/a/x.md", "y", "z"}, ["a/x.md", "y.txt"])
    {'a/x.md': ['corpus/a/x.md'], 'y.txt': ['y']}
    """
    known = set(ids) if names else set()
    stems: dict[str, list[str]] = {}
    for identifier in known:
        stems.setdefault(identifier.rpartition(".")[0], []).append(identifier)
    aliases: dict[str, list[str]] = {}
    for name in sorted(names):
        parts = name.replace("\\", "/").split("/")
        ends = ("/".join(parts[first:]) for first in range(len(parts)))
        path = next((end for end in ends if end in known), None)
        meant = [path] if path is not None else stems.get(name, [])
        if len(meant) == 1:
            aliases.setdefault(meant[0], []).append(name)
    return aliases


class _Index:
    """The quotes by the document that they name, or by their words."""

    def __init__(self, sought: Iterable[Sought]) -> None:
        self._exact: dict[Sought, list[Place]] = {quote: [] for quote in sought}
        self._similar: dict[Sought, list[Place]] = {}
        self.named: dict[str, list[Sought]] = {}
        #: Quotes without enough words, which are searched everywhere.
        self._short: list[Sought] = []
        #: By its least frequent word, each quote with its other words.
        self._by_word: dict[str, list[tuple[Sought, frozenset[str]]]] = {}
        words: dict[Sought, list[str]] = {}
        for quote in self._exact:
            if quote.document is not None:
                self.named.setdefault(quote.document, []).append(quote)
            elif quote.text is not None:
                words[quote] = _inner_words(normalize("NFC", quote.text))
        counts = Counter(word for quoted in words.values() for word in quoted)
        for quote, quoted in words.items():
            rarest = sorted(quoted, key=lambda word: (counts[word], -len(word), word))[:_WORDS]
            if rarest:
                entry = (quote, frozenset(rarest[1:]))
                self._by_word.setdefault(rarest[0], []).append(entry)
            else:
                self._short.append(quote)

    def search(
        self, identifier: str, text: str, unit: str, names: Sequence[str] | None = None
    ) -> None:
        """Search a document, for the quotes that name it; or, by its other names, for theirs."""
        document = _Document(identifier, text, unit)
        if names is not None:
            self._add(document, (quote for name in names for quote in self.named[name]))
            return
        self._add(document, self.named.get(identifier, ()))
        self._add(document, self._short)
        if self._by_word:
            words = _words(normalize("NFC", text))
            for word in self._by_word.keys() & words:
                candidates = self._by_word[word]
                self._add(document, (quote for quote, others in candidates if others <= words))

    def _add(self, document: _Document, quotes: Iterable[Sought]) -> None:
        for quote in quotes:
            for place in document.places(quote):
                places = self._exact if place.is_exact else self._similar
                places.setdefault(quote, []).append(place)

    def places(self) -> dict[Sought, list[Place]]:
        """Return the places of each quote."""
        return {
            quote: exact or self._similar.get(quote, []) for quote, exact in self._exact.items()
        }


def _words(text: str) -> set[str]:
    """Return the words of a text, and pairs of characters of scripts without spaces."""
    words = set(_WORD.findall(text))
    for run in [word for word in words if not word.isascii() and _RUN.match(word)]:
        words.discard(run)
        words.update(map("".join, pairwise(run)))
    return words


def _inner_words(text: str) -> list[str]:
    """Return the words that are complete in every text that contains this one.

    Those at its ends may be parts of words, and marks at its beginning belong to what is before it.

    Examples
    --------
    >>> _inner_words("ame at the hotel in Par")
    ['at', 'hotel', 'in', 'the']
    """
    first = next((place for place, letter in enumerate(text) if not _is_joining(letter)), 0)
    inner = []
    for match in _WORD.finditer(text):
        start, end = match.start() <= first, match.end() == len(text)
        if _RUN.match(match[0]):
            inner.append(match[0][start : len(match[0]) - end])
        elif not start and not end:
            inner.append(match[0])
    return sorted(_words(" ".join(inner)))


class _Document:
    """A document in which quotes are searched."""

    def __init__(self, identifier: str, text: str, unit: str) -> None:
        self.id = identifier
        self.text = text
        self._unit = unit
        self._similar: NormalizedText | None = None
        self._ends: list[int] | None = None

    def places(self, quote: Sought) -> list[Place]:
        """Return the places of a quote; the given one is marked if it is right."""
        start, end = self._code_points(quote.start), self._code_points(quote.end)
        if quote.text is None:
            if start is None or end is None:
                return []
            return [Place(self.id, start, end, is_given=True)]
        places = self._exact(quote.text) or self._normalized(quote.text)
        if start is None or (end is None and quote.end is not None):
            return places
        return [
            place._replace(is_given=self._is_at(place, start, place.end if end is None else end))
            for place in places
        ]

    def _is_at(self, place: Place, start: int, end: int) -> bool:
        """Return whether a given range is a place, with white space at its ends or without."""
        around = self.text[start : place.start] + self.text[place.end : end]
        return start <= place.start and place.end <= end and not around.strip()

    def _exact(self, text: str) -> list[Place]:
        return [
            Place(self.id, start, start + len(text)) for start in _starts_of(self.text.find, text)
        ]

    def _normalized(self, text: str) -> list[Place]:
        if self._similar is None:
            self._similar = NormalizedText(self.text)
        text = normalized(text)
        spans = (
            self._similar.original(start, start + len(text))
            for start in _starts_of(self._similar.text.find, text)
        )
        return [Place(self.id, *span, is_exact=False) for span in spans if span is not None]

    def _code_points(self, offset: int | None) -> int | None:
        """Return an offset in code points; None without one, in a character or after the end."""
        if offset is None or self._unit == "characters" or self.text.isascii():
            return offset if offset is None or offset <= len(self.text) else None
        if self._ends is None:
            encoding, size = {"utf16": ("utf-16-le", 2), "bytes": ("utf-8", 1)}[self._unit]
            sizes = (len(letter.encode(encoding)) // size for letter in self.text)
            self._ends = [0, *accumulate(sizes)]
        place = bisect_left(self._ends, offset)
        return place if place < len(self._ends) and self._ends[place] == offset else None


def _starts_of(find: Callable[[str, int], int], text: str) -> Iterator[int]:
    """Yield where a text that is not empty begins in another one, overlapping places too."""
    place = find(text, 0) if text else -1
    while place >= 0:
        yield place
        place = find(text, place + 1)

"""Split text into terms: words without stop words, stemmed."""

from __future__ import annotations

import re
from threading import Lock

from gainful.errors import ArgumentError, ParameterError
from gainful.extras import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["STOPWORDS", "Analyzer"]

#: At least two letters, digits or underscores, as in scikit-learn and bm25s.
_WORD = re.compile(r"\b\w\w+\b")

#: The stop words of Lucene's English analyzer.
STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be but by for if in into is it no not of on or such that the their then"
        " there these they this to was will with",
    )
)

#: The number of cached words. Few words of a corpus are frequent, and many are unique.
_CACHE_SIZE = 1_000_000


class Analyzer:
    """An analyzer, the same for documents and queries.

    Words are runs of two or more letters, digits and underscores, in lower case.

    Parameters
    ----------
    stemmer : str, optional
        A Snowball stemmer, such as "english" or "german"; None for no stemming. Requires PyStemmer,
        of the extra ``baselines``.
    stopwords : "english", iterable of str, or None
        Words to remove before stemming: Lucene's 33 English stop words, the given ones, or none.

    Raises
    ------
    ParameterError
        For an unknown stemmer or list of words.
    GainfulError
        If PyStemmer is needed and not installed.

    Examples
    --------
    >>> Analyzer(stemmer=None).terms("The lamps under a bed")
    ['lamps', 'under', 'bed']
    """

    def __init__(
        self,
        stemmer: str | None = "english",
        stopwords: str | Iterable[str] | None = "english",
    ) -> None:
        self.stopwords: str | tuple[str, ...] | None
        removed: frozenset[str]
        if stopwords is None:
            self.stopwords, removed = None, frozenset()
        elif isinstance(stopwords, str):
            if stopwords != "english":
                raise ParameterError(
                    where="stopwords",
                    found=repr(stopwords),
                    expected="'english', a list of words, or None",
                )
            self.stopwords, removed = stopwords, STOPWORDS
        else:
            words = _words(stopwords)
            self.stopwords, removed = words, frozenset(words)
        self.stemmer = stemmer
        self._stem = None if stemmer is None else _stemmer(stemmer)
        self._terms: dict[str, str | None] = dict.fromkeys(removed)

    @property
    def identity(self) -> dict[str, object]:
        """The identity of the analyzer, as plain JSON values."""
        stopwords = self.stopwords
        return {
            "stemmer": self.stemmer,
            "stopwords": list(stopwords) if isinstance(stopwords, tuple) else stopwords,
        }

    @property
    def summary(self) -> str:
        """A short description."""
        stemmer = "no stemmer" if self.stemmer is None else f"Snowball stemmer for {self.stemmer}"
        if self.stopwords is None:
            return f"{stemmer}, no stop words"
        if self.stopwords == "english":
            return f"{stemmer}, {len(STOPWORDS)} English stop words removed"
        return f"{stemmer}, {len(self.stopwords)} stop words removed"

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order, with repetitions."""
        known = self._terms
        terms = []
        for word in _WORD.findall(text.lower()):
            try:
                term = known[word]
            except KeyError:
                term = word if self._stem is None else self._stem(word)
                if len(known) < _CACHE_SIZE:
                    known[word] = term
            if term is not None:
                terms.append(term)
        return terms


def _words(given: Iterable[str]) -> tuple[str, ...]:
    try:
        words = list(given)
    except TypeError:
        words = [None]  # type: ignore[list-item]
    if not all(isinstance(word, str) for word in words):
        raise ArgumentError(
            where="stopwords", found=repr(given), expected="'english', a list of words, or None"
        )
    return tuple(sorted({word.lower() for word in words}))


def _stemmer(name: str):  # type: ignore[no-untyped-def]
    """Return a function that stems a word."""
    stemmers = load_package(
        "Stemmer", where=f"the stemmer {name!r}", package="PyStemmer", extra="baselines"
    )
    if name not in stemmers.algorithms():
        raise ParameterError(
            where="stemmer",
            found=repr(name),
            expected=f"None, or one of {', '.join(sorted(stemmers.algorithms()))}",
        )
    stemmer = stemmers.Stemmer(name)
    # A stemmer has state, so two threads must not use it at once.
    lock = Lock()

    def stem(word: str) -> str:
        with lock:
            reduced: str = stemmer.stemWord(word)
        return reduced

    return stem

"""Search the demo's products with three systems, two of them SQLite's FTS5.

``fts5-plain``
    All fields have the same weight. A product must contain all words of the query; if no product
    does, any word is enough. Words are not stemmed.
``fts5-tuned``
    Any word is enough, words are stemmed (Porter), function words such as "for" are ignored, and
    the title has a higher weight than the other fields.
``title-words``
    A naive baseline: the number of distinct query words, without function words, in the title. The
    scores are small integers, so most of its ranking is tied.

The first two rank by FTS5's ``bm25()`` (k1 = 1.2, b = 0.75). SQLite returns negative numbers, with
the best lowest; the sign is inverted here, so that higher is better.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from threading import Lock
from types import TracebackType

from gainful.demo.collection import Product, products, queries
from gainful.errors import GainfulError, ParameterError
from gainful.keywords import suggest_keywords

__all__ = ["SYSTEMS", "Index", "runs"]

Ranking = list[tuple[str, float]]

EQUAL_WEIGHTS = (1.0, 1.0, 1.0, 1.0)
"""bm25 weights of title, brand, category and description in ``fts5-plain``."""

TUNED_WEIGHTS = (8.0, 4.0, 2.0, 1.0)
"""bm25 weights of title, brand, category and description in ``fts5-tuned``."""

MAX_WORDS = 64
"""Maximum number of words of a query; FTS5's parser has its own limits."""

_WORD = re.compile(r"[^\W_]+")

FUNCTION_WORDS = frozenset(
    _WORD.findall("a an and at by for from in is it my of on or that the this to with")
)
"""Words that ``fts5-tuned`` and ``title-words`` ignore."""


def split_words(text: str) -> list[str]:
    """Return the distinct words of a text in lower case, in order.

    Examples
    --------
    >>> split_words("Lamp, lamp & NEAR(bed*)")
    ['lamp', 'near', 'bed']
    """
    return list(dict.fromkeys(_WORD.findall(text.lower())))[:MAX_WORDS]


def content_words(text: str) -> list[str]:
    """Return the words of a text without function words, or all if there are no others.

    Examples
    --------
    >>> content_words("lamp for reading in bed")
    ['lamp', 'reading', 'bed']
    >>> content_words("to the")
    ['to', 'the']
    """
    everything = split_words(text)
    return [word for word in everything if word not in FUNCTION_WORDS] or everything


def match_expression(words: Iterable[str], operator: str) -> str:
    """Return words as an FTS5 expression without special syntax.

    Words are in double quotes, so FTS5 reads ``AND``, ``NEAR`` and column names as ordinary text
    (https://sqlite.org/fts5.html#full_text_query_syntax). :func:`split_words` has already removed
    quotes and other punctuation.

    Examples
    --------
    >>> match_expression(split_words('mug NOT "tea*'), "OR")
    '"mug" OR "not" OR "tea"'
    """
    return f" {operator} ".join(f'"{word}"' for word in words)


class Index:
    """An in-memory index of products, for all three systems.

    It is thread-safe.

    Parameters
    ----------
    catalog : iterable of Product, optional
        The products. Default: the demo's products.

    Raises
    ------
    GainfulError
        If Python's SQLite was built without FTS5.

    Examples
    --------
    >>> with Index() as index:
    ...     ranking = index.tuned("gooseneck kettle", top_k=3)
    >>> [doc_id for doc_id, _ in ranking][0]
    'P0052'
    """

    def __init__(self, catalog: Iterable[Product] | None = None) -> None:
        self._products = list(products() if catalog is None else catalog)
        self._titles = {p.doc_id: set(split_words(p.title)) for p in self._products}
        self._lock = Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        modules = self._database.execute("SELECT name FROM pragma_module_list")
        if ("fts5",) not in modules:
            self._database.close()
            raise GainfulError(
                where="demo search",
                found=f"SQLite {sqlite3.sqlite_version} without full-text search (FTS5)",
                expected="a Python with FTS5 in its sqlite3 module",
                hint="Python from python.org, Linux distributions and conda includes FTS5",
            )
        self._build("plain", "unicode61")
        self._build("tuned", "porter unicode61")

    def _build(self, table: str, tokenizer: str) -> None:
        self._database.execute(
            f"CREATE VIRTUAL TABLE {table} USING fts5(doc_id UNINDEXED, title, brand, category,"
            f" description, tokenize = '{tokenizer}')"
        )
        self._database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", self._products)
        self._database.commit()

    def _match(
        self, table: str, expression: str, weights: tuple[float, ...], top_k: int
    ) -> Ranking:
        if not expression:
            return []
        # The first weight belongs to doc_id, which is stored but not searched.
        with self._lock:
            rows = self._database.execute(
                f"SELECT doc_id, -bm25({table}, 0.0, ?, ?, ?, ?) AS score FROM {table}"
                f" WHERE {table} MATCH ? ORDER BY score DESC, doc_id LIMIT ?",
                (*weights, expression, top_k),
            ).fetchall()
        return [(str(doc_id), float(score)) for doc_id, score in rows]

    def plain(self, text: str, *, top_k: int = 50) -> Ranking:
        """Search with equal weights; match all words, or any if no product has all.

        Parameters
        ----------
        text : str
            The query.
        top_k : int, default 50
            Maximum length of the ranking; 1 or more.

        Returns
        -------
        list of (str, float)
            Document ids and scores, best first; empty if no word matches.
        """
        _check(top_k)
        words = split_words(text)
        matches = self._match("plain", match_expression(words, "AND"), EQUAL_WEIGHTS, top_k)
        if matches:
            return matches
        return self._match("plain", match_expression(words, "OR"), EQUAL_WEIGHTS, top_k)

    def tuned(self, text: str, *, top_k: int = 50) -> Ranking:
        """Search any stemmed content word, with a title boost; see :meth:`plain`."""
        _check(top_k)
        expression = match_expression(content_words(text), "OR")
        return self._match("tuned", expression, TUNED_WEIGHTS, top_k)

    def title_words(self, text: str, *, top_k: int = 50) -> Ranking:
        """Count the content words of the query in the title; see :meth:`plain`.

        Products without any of the words are not returned. Equal scores are ordered by document id.
        """
        _check(top_k)
        words = set(content_words(text))
        counts = ((doc_id, len(words & title)) for doc_id, title in self._titles.items())
        hits = [(doc_id, float(count)) for doc_id, count in counts if count]
        return sorted(hits, key=lambda pair: (-pair[1], pair[0]))[:top_k]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the index to a new SQLite file, which ``fts5-tuned.toml`` searches.

        Parameters
        ----------
        path : path
            An existing file is replaced.
        """
        # A backup into an existing database would keep its settings.
        Path(path).unlink(missing_ok=True)
        file = sqlite3.connect(path)
        try:
            with self._lock:
                self._database.backup(file)
        finally:
            file.close()

    def close(self) -> None:
        """Close the index; it cannot be searched afterwards."""
        self._database.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _check(top_k: int) -> None:
    if top_k < 1:
        raise ParameterError(where="top_k", found=str(top_k), expected="1 or more")


SYSTEMS: Mapping[str, Callable[..., Ranking]] = {
    "fts5-plain": Index.plain,
    "fts5-tuned": Index.tuned,
    "title-words": Index.title_words,
}
"""The systems by name: methods of :class:`Index` that take a text and ``top_k``."""


@suggest_keywords
def runs(*, top_k: int = 50) -> dict[str, dict[str, Ranking]]:
    """Run all queries on all systems.

    Parameters
    ----------
    top_k : int, default 50
        Maximum length of a ranking; 1 or more.

    Returns
    -------
    dict of str to dict of str to list of (str, float)
        By system and query id, the document ids with their scores, best first. Rankings can be
        empty.

    Raises
    ------
    GainfulError
        If Python's SQLite was built without FTS5.

    Examples
    --------
    >>> found = runs(top_k=10)
    >>> sorted(found), len(found["fts5-tuned"])
    (['fts5-plain', 'fts5-tuned', 'title-words'], 80)
    """
    with Index() as index:
        return {
            name: {
                query_id: system(index, text, top_k=top_k) for query_id, text in queries().items()
            }
            for name, system in SYSTEMS.items()
        }

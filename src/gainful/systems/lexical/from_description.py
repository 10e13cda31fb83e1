"""Create BM25 and TF-IDF from a description with a corpus."""

from __future__ import annotations

import os
from functools import lru_cache

from gainful.systems.lexical.analysis import Analyzer
from gainful.systems.lexical.bm25 import BM25
from gainful.systems.lexical.collection import Collection
from gainful.systems.lexical.tfidf import TFIDF
from gainful.vocabulary import BM25_METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.systems.description.description import Description
    from gainful.systems.lexical.term_weights import TermWeights

__all__ = ["build", "corpus_paths"]


def build(description: Description) -> TermWeights:
    """Create the system of a description.

    Parameters
    ----------
    description : Description
        With ``corpus``, a path or a list of them, and parameters of `BM25` or `TFIDF`. TOML has no
        null, so ``"none"`` means no stemmer or no stop words.

    Raises
    ------
    FormatError, ParameterError
        For a parameter of the wrong type or outside its range.
    """
    analysis = {
        "stemmer": _or_none(description.text("stemmer", "english")),
        "stopwords": _stopwords(description),
    }
    collection = _collection(description, analysis)
    if description.engine == "tfidf":
        sublinear = description.flag("sublinear", False)
        return TFIDF(collection, sublinear=sublinear, name=description.name)
    return BM25(
        collection,
        k1=description.number("k1", 1.2),
        b=description.number("b", 0.75),
        method=description.choice("method", BM25_METHODS, BM25_METHODS[0]),
        delta=description.number("delta", 0.5),
        name=description.name,
    )


def _or_none(word: str) -> str | None:
    return None if word == "none" else word


def _stopwords(description: Description) -> str | tuple[str, ...] | None:
    if _is_list(description, "stopwords"):
        return tuple(description.texts("stopwords"))
    return _or_none(description.text("stopwords", "english"))


def _is_list(description: Description, key: str) -> bool:
    template = description.template(key)
    return template is not None and template.constant and isinstance(template.value(), list)


def _collection(description: Description, analysis: dict[str, Any]) -> Collection:
    """Return the documents of a description; a sweep reads them only once."""
    paths = corpus_paths(description)
    if all(os.path.isfile(path) for path in paths):
        states = tuple((stat.st_size, stat.st_mtime_ns) for stat in map(os.stat, paths))
        return _read(tuple(paths), states, **analysis)
    return _read.__wrapped__(tuple(paths), (), **analysis)


def corpus_paths(description: Description) -> list[str]:
    """Return the files of the corpus."""
    if _is_list(description, "corpus"):
        return [os.path.join(description.folder, path) for path in description.texts("corpus")]
    return [description.path("corpus")]


@lru_cache(maxsize=1)
def _read(
    paths: tuple[str, ...],
    states: tuple[tuple[int, int], ...],
    stemmer: str | None,
    stopwords: str | tuple[str, ...] | None,
) -> Collection:
    return Collection(list(paths), Analyzer(stemmer, stopwords))

"""BM25 and TF-IDF from a description: ``engine = "bm25"`` and a corpus."""

from __future__ import annotations

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

    from gainful.systems.baselines.lexical import TermWeights

__all__ = ["ENGINES", "described"]

#: What may stand in a description beside `engine` and `corpus`, by engine.
ENGINES = {
    "bm25": ("k1", "b", "method", "delta", "stemmer", "stopwords", "name"),
    "tfidf": ("sublinear", "stemmer", "stopwords", "name"),
}


def described(
    description: Mapping[str, Any], folder: str | PathLike[str] | None = None
) -> TermWeights:
    """Return the system of a description.

    Parameters
    ----------
    description : mapping
        ``engine``, which is "bm25" or "tfidf"; ``corpus``, a path or several; and the parameters
        of `BM25` or `TFIDF`. As TOML has no null, "none" stands for no stemmer and no stop words.
    folder : path, optional
        Where paths begin that are not absolute; the working folder without it.

    Raises
    ------
    ParameterError
        For an engine or a parameter that there is not, or a description without a corpus.

    Examples
    --------
    >>> described({"engine": "bm25", "corpus": "docs.jsonl", "k1": 0.9, "b": 0.4}).words[:31]
    'BM25 (lucene, k1 0.9, b 0.4; Sn'
    """
    engine = description.get("engine")
    if engine not in ENGINES:
        raise ParameterError(
            where="engine", found=repr(engine), expected=f"one of {', '.join(ENGINES)}"
        )
    known = ENGINES[engine]
    parameters: dict[str, Any] = {
        name: None if value == "none" and name in ("stemmer", "stopwords") else value
        for name, value in description.items()
        if name not in ("engine", "corpus")
    }
    for name in parameters:
        if name not in known:
            raise _unknown(engine, name, known)
    if "corpus" not in description:
        raise ParameterError(
            where=f"engine {engine}",
            found="a description without a corpus",
            expected='the documents, as in corpus = "corpus.jsonl"',
        )
    corpus: Any = _placed(description["corpus"], folder)
    if engine == "bm25":
        from gainful.systems.baselines.bm25 import BM25

        return BM25(corpus, **parameters)
    from gainful.systems.baselines.tfidf import TFIDF

    return TFIDF(corpus, **parameters)


def _placed(corpus: Any, folder: str | PathLike[str] | None) -> Any:
    """Return a corpus with its paths below a folder; what is no path stays as it is."""
    import os

    if folder is None:
        return corpus
    if isinstance(corpus, str):
        return os.path.join(folder, corpus)
    if isinstance(corpus, list):
        return [_placed(each, folder) for each in corpus]
    return corpus


def _unknown(engine: str, name: str, known: tuple[str, ...]) -> ParameterError:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return ParameterError(
        where=f"engine {engine}",
        found=f"the unknown parameter {name!r}",
        expected=f"corpus, or one of {', '.join(known)}",
        hint=f"did you mean {close[0]}?" if close else None,
    )

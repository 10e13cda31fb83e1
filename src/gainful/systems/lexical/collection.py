"""The documents of a corpus as terms, for BM25 and TF-IDF."""

from __future__ import annotations

from array import array
from hashlib import sha256

from gainful.data.corpus import each_document
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.corpus import TextsLike
    from gainful.systems.lexical.analysis import Analyzer

__all__ = ["Collection"]


class Collection:
    """Documents as terms, in tie-breaking order: by id, descending on bytes.

    Parameters
    ----------
    corpus : path, several paths, mapping or Texts
        As in `gainful.data.corpus.read_documents`. Title and text are joined.
    analyzer : Analyzer
        The analyzer.

    Attributes
    ----------
    analyzer : Analyzer
        As given.
    documents : list of str
        The ids.
    terms : list of array
        The term numbers of each document, with repetitions.
    vocabulary : dict of str to int
        The number of each term.
    digest : str
        A fingerprint of ids and texts, independent of their order and file.
    duplicates : int
        The number of duplicate ids; the first record is kept.
    empty : int
        The number of documents without terms, which cannot be found.

    Raises
    ------
    FormatError
        For a corpus without documents.
    """

    def __init__(self, corpus: TextsLike, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.vocabulary: dict[str, int] = {}
        self.duplicates = 0
        number, analyse = self.vocabulary.setdefault, analyzer.terms
        read: dict[str, array[int]] = {}
        sums = []
        for document, text in each_document(corpus):
            if document in read:
                self.duplicates += 1
                continue
            whole = f"{text.title} {text.text}" if text.title else text.text
            read[document] = array(
                "i", [number(term, len(self.vocabulary)) for term in analyse(whole)]
            )
            parts = (document, text.title, text.text)
            sums.append(sha256("\x1f".join(parts).encode("utf-8", "surrogateescape")).digest())
        if not read:
            raise FormatError("no documents", where="the corpus")
        self.documents = sorted(read, key=_bytes, reverse=True)
        self.terms = [read[document] for document in self.documents]
        self.empty = sum(not terms for terms in self.terms)
        self.digest = "sha256:" + sha256(b"".join(sorted(sums))).hexdigest()

    def numbers(self, text: str) -> list[int]:
        """Return the term numbers of a query, without unknown terms."""
        known = self.vocabulary
        return [known[term] for term in self.analyzer.terms(text) if term in known]


def _bytes(document: str) -> bytes:
    return document.encode("utf-8", "surrogateescape")

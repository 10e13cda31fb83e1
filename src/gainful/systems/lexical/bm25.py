"""BM25, implemented by bm25s."""

from __future__ import annotations

from warnings import catch_warnings, simplefilter

from gainful.extras import load_package
from gainful.parameters.baselines import BM25_METHOD, DELTA, K1, B
from gainful.systems.lexical.term_weights import TermWeights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    import numpy.typing as npt

    from gainful.data.corpus import TextsLike
    from gainful.systems.lexical.collection import Collection

__all__ = ["BM25"]

#: Variants that score documents for terms that they lack.
_SHIFTED = ("bm25l", "bm25+")


class BM25(TermWeights):
    """BM25 over a corpus, as a system.

    Parameters
    ----------
    corpus : path, several paths, mapping or Texts
        As in `gainful.data.corpus.read_documents`; title and text are joined.
    k1 : float, default 1.2
        How slowly the score saturates with repetitions of a term; 0 or more.
    b : float, default 0.75
        The degree of length normalization, from 0 to 1.
    method : {"lucene", "robertson", "atire", "bm25l", "bm25+"}
        The variant, as in bm25s.
    delta : float, default 0.5
        The parameter of bm25l and bm25+; 0 or more.
    stemmer, stopwords
        As in `Analyzer`.
    name : str
        The name of the run.

    Raises
    ------
    ParameterError
        For a parameter outside its range.
    GainfulError
        If the extra ``baselines`` is not installed.

    Notes
    -----
    In Lucene's variant the score is Σ idf(t) × tf / (tf + k1 (1 - b + b × length / mean length))
    over the terms t of the query, with repetitions, with
    idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)), where n of N documents have the term. Unlike in
    Lucene, lengths are exact. The defaults of k1 and b are those of Lucene, Elasticsearch,
    OpenSearch and Solr.

    References
    ----------
    X. H. Lù: BM25S: Orders of magnitude faster lexical search via eager sparse scoring. 2024,
    arXiv:2407.03618. C. Kamphuis, A. P. de Vries, L. Boytsov, J. Lin: Which BM25 Do You Mean? ECIR
    2020, describes the variants.

    Examples
    --------
    >>> from gainful.systems.protocol import Query
    >>> system = BM25("docs.jsonl")
    >>> answer = system.ask([Query("q2", "bread without yeast")], k=2)[0]
    >>> list(zip(answer.documents, [round(score, 3) for score in answer.scores]))
    [('r09', 3.039), ('r10', 0.936)]
    """

    def __init__(
        self,
        corpus: TextsLike | Collection,
        *,
        k1: float = 1.2,
        b: float = 0.75,
        method: str = "lucene",
        delta: float = 0.5,
        stemmer: str | None = "english",
        stopwords: str | Iterable[str] | None = "english",
        name: str = "bm25",
    ) -> None:
        for parameter, value in ((K1, k1), (B, b), (DELTA, delta), (BM25_METHOD, method)):
            parameter.check(value)
        with catch_warnings():
            # In notebooks without widgets tqdm warns about bars, which are off here.
            simplefilter("ignore")
            bm25s = load_package("bm25s", where="BM25", extra="baselines")
        super().__init__(corpus, stemmer, stopwords)
        self.name = name
        self.k1, self.b, self.method, self.delta = float(k1), float(b), method, float(delta)
        parameters: dict[str, object] = {"k1": self.k1, "b": self.b, "method": method}
        if method in _SHIFTED:
            parameters["delta"] = self.delta
        self.identity = self._about("bm25", **parameters)
        self._index = None
        if self.collection.vocabulary:
            self._index = bm25s.BM25(k1=k1, b=b, method=method, delta=delta, dtype="float64")
            self._index.index(
                (self.collection.terms, self.collection.vocabulary),
                create_empty_token=False,
                show_progress=False,
            )

    @property
    def summary(self) -> str:
        """A description in one line."""
        delta = f", delta {self.delta:g}" if self.method in _SHIFTED else ""
        return (
            f"BM25 ({self.method}, k1 {self.k1:g}, b {self.b:g}{delta};"
            f" {self.collection.analyzer.summary})"
        )

    def _scores(self, numbers: list[int]) -> tuple[npt.NDArray[Any], list[npt.NDArray[Any]]]:
        assert self._index is not None  # otherwise no term would have a number
        index = self._index.scores
        starts = index["indptr"]
        lists = [index["indices"][starts[at] : starts[at + 1]] for at in sorted(set(numbers))]
        return self._index.get_scores_from_ids(numbers), lists

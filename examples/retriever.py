"""Query a retriever in Python, evaluate it, and grid-search its settings.

    python examples/retriever.py

Anything with ``search(query, top_k)`` is a system: this class, a client of a vector database, a
retriever of LangChain. The shop, its queries and judgments come with Gainful.
"""

from __future__ import annotations

import math
import re
from collections import Counter

import gainful
from gainful.demo import products, qrels, queries


class TitleFirst:
    """Score products by the query's words, with more weight for rare words and titles.

    Parameters
    ----------
    title : float
        How much a word of the title counts, where one of the other texts counts 1.
    stem : int
        How many letters of a word are looked at.
    """

    def __init__(self, title: float = 1.0, stem: int = 20) -> None:
        self.stem = stem
        self.products: dict[str, Counter[str]] = {}
        for product in products():
            words: Counter[str] = Counter()
            for word in self.words(product.title):
                words[word] += title
            for text in (product.brand, product.category, product.description):
                for word in self.words(text):
                    words[word] += 1
            self.products[product.doc_id] = words
        self.found_in = Counter(word for words in self.products.values() for word in words)

    def words(self, text: str) -> list[str]:
        """Return the words of a text, cut to their first letters."""
        return [word[: self.stem] for word in re.findall(r"\w+", text.lower())]

    def search(self, query: str, top_k: int) -> list[tuple[str, float]]:
        """Return the ids of the best products with their scores."""
        asked = set(self.words(query))
        scores: Counter[str] = Counter()
        for product, words in self.products.items():
            # In one order, so that sums round the same each time.
            for word in sorted(asked & words.keys()):
                rare = math.log(len(self.products) / self.found_in[word])
                scores[product] += rare * words[word] / (words[word] + 1.2)
        return scores.most_common(top_k)


def main() -> None:
    """Search, evaluate, and sweep the two settings."""
    run = gainful.search(TitleFirst(), queries(), k=50)
    print(gainful.evaluate(qrels(), run, ["nDCG@10", "R@50"]))
    print()

    # A class makes the system of each point: TitleFirst(title=1, stem=5), and so on.
    grid = {"title": [1, 2, 4], "stem": [4, 5, 6, 20]}
    sweep = gainful.sweep(TitleFirst, queries(), qrels(), grid, k=50, baseline="title=1,stem=20")
    print(sweep)
    print()

    gain = sweep.choice.improvements["nDCG@10"]
    here, elsewhere = f"{gain.measured:.3f}", f"{gain.expected:.3f}"
    print(f"{sweep.best.name} gains {here} here, and elsewhere about {elsewhere}.")


if __name__ == "__main__":
    main()

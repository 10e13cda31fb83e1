"""What a paper says about systems on several collections."""

from __future__ import annotations

from gainful.evaluation.methods import (
    describe_evaluation,
    join_names,
    numbers_of_queries,
    references_of,
)
from gainful.evaluation.summary_tables import count_queries
from gainful.formats.markup import Methods, Reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.result import Suite

__all__ = ["describe_comparison", "describe_suite", "methods_of", "references_of_suite"]

_SOURCES = (
    "W. Cochran: Sampling Techniques, 3rd edition. Wiley, 1977",
    "G. Zou, A. Donner: Construction of confidence limits about effect measures: a general"
    " approach. Statistics in Medicine 27(10), 2008",
    "W. Webber, A. Moffat, J. Zobel: Score standardization for inter-collection comparison of"
    " retrieval systems. SIGIR 2008",
    "J. Urbano, H. Lima, A. Hanjalic: A new perspective on score standardization. SIGIR 2019",
)

#: How values relative to all systems on the same query are computed.
_RELATIVE = {
    "standardized": "by a normal distribution {webber2008}",
    "empirical": "by the empirical distribution {urbano2019}",
}


def methods_of(suite: Suite) -> Methods:
    """Return the paragraph about a suite."""
    return Methods(describe_suite(suite), references_of_suite(suite))


def references_of_suite(suite: Suite) -> Iterator[Reference]:
    """Yield the publications that define the measures and the macro-average."""
    yield from references_of(suite.measures)
    yield from filter(None, map(Reference.parse, _SOURCES))


def describe_suite(suite: Suite) -> Iterator[str]:
    """Yield sentences about the measures, the collections and the macro-average.

    Examples
    --------
    >>> import gainful
    >>> suite = gainful.evaluate_suite("collections")
    >>> for sentence in list(describe_suite(suite))[:1]:
    ...     print(sentence)
    We report nDCG@10 {jarvelin2002} over 16 queries of help and 6 queries of recipes.
    """
    counts = [
        f"{count_queries(numbers_of_queries(evaluation, suite.measures))} of {name}"
        for name, evaluation in suite.evaluations.items()
    ]
    yield from describe_evaluation(suite._first, suite.measures, join_names(counts))
    if suite.predictions:
        yield (
            f"Means of {join_names([*suite.predictions])} combine human judgments with predictions"
            " of a model."
        )
    if suite.aggregate != "mean":
        yield (
            "The values that are averaged over collections are relative to all systems on the same"
            f" query, {_RELATIVE[suite.aggregate]}."
        )
    yield (
        f"A macro-average is the mean of the means on {join_names(suite.over)}, each with the same"
        " weight; its interval is a 95% confidence interval for new queries of these collections"
        " {zou2008}, with Satterthwaite's degrees of freedom {cochran1977}."
    )


def describe_comparison(comparison: SuiteComparison) -> Iterator[str]:
    """Yield sentences about the suite, and what is special about tests of macro-averages."""
    suite = comparison.suite
    yield from describe_suite(suite)
    if len(suite.over) > 1 and comparison.pairs:
        yield (
            "Differences are those of macro-averages, and queries are resampled within their"
            " collections."
        )
    if any(comparison.gaps.values()):
        yield (
            "Differences on each collection have p-values of the same test, corrected by Holm's"
            " method {holm1979}."
        )

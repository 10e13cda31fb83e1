"""The rows of a suite and of its comparison, for TSV, CSV and data frames."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.evaluation.records import Rows
    from gainful.results import Records
    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.result import Suite

__all__ = ["cell_rows", "pair_records", "slice_rows"]

CELLS = ("measure", "system", "collection", "mean", "low", "high", "median", "n", "oracle_gap")


def cell_rows(suite: Suite) -> Rows:
    """Return headers and one row per measure, system and collection, and per macro-average.

    The collection of a macro-average is None. The values of a missing run, and of the macro-average
    of its system, are None.

    Examples
    --------
    >>> import gainful
    >>> headers, rows = cell_rows(gainful.evaluate_suite("collections"))
    >>> for row in rows:
    ...     print(*(round(cell, 3) if isinstance(cell, float) else cell for cell in row[1:5]))
    fts5-plain help 0.786 0.647
    fts5-plain recipes 0.551 0.268
    fts5-plain None 0.669 0.519
    fts5-tuned help 0.859 0.744
    fts5-tuned recipes 0.737 0.307
    fts5-tuned None 0.798 0.58
    title-words help 0.5 0.297
    title-words recipes None None
    title-words None None None
    """
    return CELLS, _cells(suite)


def _cells(suite: Suite) -> Iterator[Sequence[object]]:
    for measure in suite.measures:
        for system in suite.systems:
            for name in suite.collections:
                found = suite.summary(system, name, measure)
                figures = (
                    (None,) * 5
                    if found is None
                    else (found.mean, *(found.interval or (None, None)), found.median, found.n)
                )
                gap = suite.oracle_gap(system, name, measure)
                yield (repr(measure), system, name, *figures, gap)
            macro = suite.macro(system, measure)
            ends = (
                (None,) * 5
                if macro is None
                else (macro.mean, *(macro.interval or (None, None)), None, macro.queries)
            )
            yield (repr(measure), system, None, *ends, suite.oracle_gap(system, None, measure))


def slice_rows(suite: Suite) -> Rows:
    """Return headers and one row per measure, slice and system with a macro-average."""
    return ("measure", "slice", "system", "mean", "low", "high", "n"), (
        (repr(measure), name, system, macro.mean, *(macro.interval or (None, None)), macro.queries)
        for measure in suite.measures
        for name in suite.slices
        for system in suite.systems
        if (macro := suite.macro(system, measure, name)) is not None
    )


def pair_records(comparison: SuiteComparison) -> Records:
    """Return the fields of pairs as columns.

    The pairs over all collections come first. The others have their collection or slice as segment.

    Examples
    --------
    >>> import gainful
    >>> suite = gainful.evaluate_suite("collections")
    >>> records = pair_records(suite.compare("fts5-plain", resamples=1000))
    >>> for system, segment in zip(records["system"], records["segment"]):
    ...     print(system, segment)
    fts5-tuned None
    fts5-tuned help
    title-words help
    fts5-tuned recipes
    """
    from gainful.comparison import rendering

    parts = {f"collection {name}": pairs for name, pairs in comparison.gaps.items()}
    parts |= {f"slice {name}": pairs for name, pairs in comparison.slices.items()}
    return rendering.pair_records(comparison.pairs, parts)

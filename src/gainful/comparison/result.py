"""The result of a comparison."""

from __future__ import annotations

from gainful.comparison.data import ComparisonData
from gainful.errors import ParameterError
from gainful.formats.saving import rendered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.formats.markup import Methods
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot

__all__ = ["Comparison"]


class Comparison(ComparisonData):
    """The result of `compare`: a `Pair` per compared pair of systems and measure.

    It exports its pairs, with those of segments, as an Arrow stream, so
    ``polars.DataFrame(comparison)`` works.

    Examples
    --------
    >>> import gainful
    >>> qrels = {f"q{n}": {"a": 2, "b": 1} for n in range(12)}
    >>> runs = {"old": {q: ["b", "a"] for q in qrels}, "new": {q: ["a", "b"] for q in qrels}}
    >>> result = gainful.compare(qrels, runs, "nDCG@10")
    >>> pair = result.pair("new", "old")
    >>> pair.verdict, pair.p, pair.exact, (pair.wins, pair.ties, pair.losses)
    ('better', 0.00048828125, True, (12, 0, 0))
    >>> result.pair("old", "new").verdict
    'worse'
    """

    SCHEMA = "gainful.comparison/1"
    COMMAND = "compare"

    def tables(
        self,
        *,
        details: bool = False,
        risk: float | None = None,
        worst: int = 0,
        wide: bool = False,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> list[Table]:
        """Return the comparison as tables, at least one per measure.

        Parameters
        ----------
        details : bool
            Whether to add further tests, bootstrap interval, effect size and power of each pair.
        risk : float, optional
            How much more a loss counts than a win in the table of risk. Default: no such table.
        worst : int
            Number of queries to list where each system loses most.
        wide : bool
            Whether one table of systems by measures, with significance marks, replaces those of
            the pairs.
        digits, sort, percent
            As for `Evaluation.tables`, with `wide`.
        """
        if wide:
            from gainful.comparison.rendering import matrix_tables
            from gainful.formats.table import TableFormat

            look = TableFormat(digits, sort, percent)
            return matrix_tables(self, look, details=details, risk=risk, worst=worst)
        from gainful.comparison.rendering import tables

        if digits is not None or sort is not None or percent:
            raise ParameterError("digits, sort and percent need wide=True")
        return tables(self, details=details, risk=risk, worst=worst)

    def to_latex(
        self,
        *,
        notes: bool = False,
        details: bool = False,
        risk: float | None = None,
        worst: int = 0,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> str:
        """Return a LaTeX table of systems by measures, with significance marks.

        It has a caption and a label, and uses the package booktabs.

        Parameters
        ----------
        notes : bool
            Whether notes are below the tables.
        details, risk, worst
            As for `tables`.
        digits, sort, percent
            As for `Evaluation.tables`.
        """
        look: dict[str, Any] = {"digits": digits, "sort": sort, "percent": percent}
        tables = self.tables(wide=True, details=details, risk=risk, worst=worst, **look)
        return rendered(tables, "latex", notes=notes, name=self._name)

    def to_markdown(
        self,
        *,
        notes: bool = False,
        wide: bool = False,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> str:
        """Return the tables as Markdown.

        Parameters
        ----------
        notes : bool
            Whether to add all notes that explain the tables; without it there are two at most.
        digits, sort, percent
            As for `Evaluation.tables`, with `wide`.
        wide : bool
            Whether to return the table of `to_latex`, with significance marks.
        """
        tables = self.tables(wide=wide, digits=digits, sort=sort, percent=percent)
        return rendered(tables, "markdown", () if wide else self._heading(), notes=notes)

    def methods(self) -> Methods:
        r"""Describe the comparison in a paragraph for the methods section of a paper.

        It names measures and their definitions, the convention, tests, corrections and intervals.

        Returns
        -------
        gainful.formats.markup.Methods
            The paragraph with its references. ``save`` writes it as LaTeX, Markdown or text, and
            the references as BibTeX.

        Examples
        --------
        >>> import gainful
        >>> found = gainful.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10")
        >>> print(found.methods().to_latex().partition(". ")[0])
        We report nDCG@10 \cite{jarvelin2002} over 6 queries
        """
        from gainful.comparison.notes import methods_of
        from gainful.evaluation.methods import describe_evaluation, references_of

        about = describe_evaluation(self.evaluations[0], self.measures)
        return methods_of(self, about, references_of(self.measures))

    def _html_heading(self) -> list[str]:
        from gainful.comparison.headlines import headlines

        return headlines(self)

    def __repr__(self) -> str:
        versus = f" vs. {', '.join(self.baselines)}" if self.baselines else ""
        measures = ", ".join(map(repr, self.measures))
        return f"<Comparison of {', '.join(self.systems)}{versus}: {measures}>"

    def _picture(
        self, name: str, measure: Measure | str | None = None, baseline: str | None = None
    ) -> Plot:
        from gainful import plots
        from gainful.comparison.rendering import coverage_rows, is_over_budgets

        if name == "differences" and measure is None and is_over_budgets(self.measures):
            return plots.budgets(coverage_rows(self.evaluations))
        return super()._picture(name, measure, baseline)

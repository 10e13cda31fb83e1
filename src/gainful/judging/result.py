"""The result of an assessment of judgments."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful.errors import ParameterError
from gainful.judging.contract import figures, to_dict
from gainful.judging.rendering import tables
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.formats.table import Table
    from gainful.judging.audit_summaries import JudgeAudit, VersionDifference
    from gainful.judging.choices import Choices
    from gainful.judging.ratings import Ratings
    from gainful.judging.summaries import (
        AlphaSummary,
        Coverage,
        FinalSummary,
        PairSummary,
        RaterSummary,
        SliceSummary,
    )
    from gainful.judging.systems_result import SystemsByRater
    from gainful.plots import Plot

__all__ = ["JudgmentQuality"]

_COLUMNS = ("about", "name", "other", "figure", "value", "low", "high")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class JudgmentQuality(Result):
    """The quality of judgments, as returned by `assess_judgments`.

    ``print`` shows it in 100 columns. It exports the Arrow C stream with one row per figure, so
    ``polars.DataFrame(quality)`` works.

    Attributes
    ----------
    ratings : Ratings
        The labels.
    choices : Choices
        The options of the agreement.
    coverage : Coverage
        The coverage of queries and documents.
    raters : tuple of RaterSummary
        The summary of each rater.
    pairs : tuple of PairSummary
        The agreement of each pair of raters with a common document.
    alphas : tuple of AlphaSummary
        Krippendorff's alpha of all raters and, with several kinds, of each kind; empty for one
        rater.
    final : FinalSummary or None
        The summary of the final grades.
    systems : SystemsByRater or None
        The systems by rater.
    not_scored : str or None
        Why `systems` is None despite runs.
    slices : dict of str to SliceSummary
        The agreement and the systems on each slice of the queries; empty without slices.
    audits : tuple of JudgeAudit
        The audit of each model against people; empty without models or without people.
    versions : tuple of VersionDifference
        The differences between models, versions and prompts, if there are several and people.
    attribute, cluster : str or None
        The names of the attributes of the slices and of the clusters.
    weighted : bool
        Whether the queries are weighted.

    Examples
    --------
    >>> import gainful
    >>> rows = [("q1", "d1", "ana", 3), ("q1", "d1", "ben", 2), ("q1", "d2", "ana", 0),
    ...         ("q1", "d2", "ben", 0), ("q2", "d1", "ana", 1), ("q2", "d1", "ben", 1)]
    >>> quality = gainful.assess_judgments(rows)
    >>> quality.alpha.value, quality.rater("ben").bias, quality.confusion("ana")[3.0, 2.0]
    (0.9494949494949495, -0.3333333333333333, 1)
    """

    RECORDS = {"figures": None}
    PICTURES = ("agreement",)

    ratings: Ratings
    choices: Choices
    coverage: Coverage
    raters: tuple[RaterSummary, ...]
    pairs: tuple[PairSummary, ...]
    alphas: tuple[AlphaSummary, ...]
    final: FinalSummary | None
    systems: SystemsByRater | None
    not_scored: str | None
    slices: dict[str, SliceSummary] = field(default_factory=dict)
    audits: tuple[JudgeAudit, ...] = ()
    versions: tuple[VersionDifference, ...] = ()
    attribute: str | None = None
    cluster: str | None = None
    weighted: bool = False

    @property
    def alpha(self) -> AlphaSummary | None:
        """Krippendorff's alpha of all raters; None for one rater."""
        return self.alphas[0] if self.alphas else None

    def audit(self, judge: str) -> JudgeAudit:
        """Return the audit of a model.

        Raises
        ------
        ParameterError
            For a rater without an audit.
        """
        for each in self.audits:
            if each.judge == judge:
                return each
        names = ", ".join(each.judge for each in self.audits) or "a model, next to people"
        raise ParameterError(where="judge", found=repr(judge), expected=names)

    @property
    def grades(self) -> tuple[float, ...]:
        """All grades in use, in ascending order."""
        given = [each.distribution for each in self.raters]
        if self.final is not None:
            given.append(self.final.distribution)
        return tuple(sorted({grade for distribution in given for grade in distribution}))

    def rater(self, name: str) -> RaterSummary:
        """Return the summary of a rater.

        Raises
        ------
        ParameterError
            For an unknown rater.
        """
        for each in self.raters:
            if each.rater.name == name:
                return each
        names = ", ".join(each.rater.name for each in self.raters)
        raise ParameterError(where="rater", found=repr(name), expected=f"one of {names}")

    def confusion(self, name: str) -> dict[tuple[float, float], int]:
        """Return the counts of pairs of grades: the rater's and any other rater's.

        A document is counted once for each other rater.

        Raises
        ------
        ParameterError
            For an unknown rater.
        """
        self.rater(name)
        found: dict[tuple[float, float], int] = {}
        for pair in self.pairs:
            if name not in (pair.first, pair.second):
                continue
            for (one, two), often in pair.confusion.items():
                cell = (one, two) if pair.first == name else (two, one)
                found[cell] = found.get(cell, 0) + often
        return dict(sorted(found.items()))

    # --- display and export ---------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the rows."""
        return _COLUMNS

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield one row per figure: about, name, other, figure, value, low, high."""
        return figures(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the assessment as the JSON contract ``gainful.judgments/1``."""
        return to_dict(self)

    def __repr__(self) -> str:
        alpha = self.alpha
        suffix = "" if alpha is None or alpha.value is None else f": alpha {alpha.value:.4f}"
        return f"<JudgmentQuality of {self.ratings!r}{suffix}>"

    def tables(self) -> list[Table]:
        """Return the raters, their agreement, the coverage and the systems as tables."""
        return tables(self)

    def _heading(self) -> list[str]:
        from gainful.judging.rendering import heading

        return list(heading(self))

    def _picture(self, name: str) -> Plot:
        """Draw the weighted kappa of each pair of raters."""
        from gainful import plots

        rows = [
            {"one": each.first, "other": each.second, "value": each.kappa} for each in self.pairs
        ]
        return plots.agreement(rows, "Cohen's kappa of each pair of raters")

    def _records(self, name: str) -> Records:
        # Leave out verdicts, which are not numbers.
        rows = [row for row in self.rows() if not isinstance(row[4], str)]
        numbers = [
            (*row[:4], *(None if each is None else float(each) for each in row[4:]))  # type: ignore[arg-type]
            for row in rows
        ]
        return as_records(_COLUMNS, numbers)

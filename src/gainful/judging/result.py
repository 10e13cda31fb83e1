"""The result of an assessment of judgments."""

from __future__ import annotations

from gainful import plots
from gainful.errors import ParameterError
from gainful.formats.table import noted
from gainful.judging.audit_result import (
    JudgeAudit,
    VersionDifference,
    audit_figures,
    audit_tables,
)
from gainful.judging.cells import grade_text
from gainful.judging.choices import Choices
from gainful.judging.summaries import (
    AlphaSummary,
    Coverage,
    FinalSummary,
    PairSummary,
    RaterSummary,
    SliceSummary,
)
from gainful.judging.systems_result import SystemsByRater, means_table, verdicts_table
from gainful.judging.tables import (
    agreement_table,
    confusion_table,
    coverage_table,
    raters_table,
    slices_table,
    sources_table,
)
from gainful.records import derived, field
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.formats.table import Table
    from gainful.judging.ratings import Ratings
    from gainful.plots import Plot

__all__ = ["JudgmentQuality"]

_COLUMNS = ("about", "name", "other", "figure", "value", "low", "high")


class JudgmentQuality(Result):
    """The quality of judgments, as returned by `assess_judgments`.

    ``print`` shows it in 100 columns. It exports the Arrow C stream with one row per figure, so
    ``polars.DataFrame(quality)`` works.

    Examples
    --------
    >>> import gainful
    >>> rows = [("q1", "d1", "ana", 3), ("q1", "d1", "ben", 2), ("q1", "d2", "ana", 0),
    ...         ("q1", "d2", "ben", 0), ("q2", "d1", "ana", 1), ("q2", "d1", "ben", 1)]
    >>> quality = gainful.assess_judgments(rows)
    >>> quality.alpha.value, quality.rater("ben").bias, quality.confusion("ana")[3.0, 2.0]
    (0.9494949494949495, -0.3333333333333333, 1)
    """

    SCHEMA = "gainful.judgments/1"
    COMMAND = "assess-judgments"
    RECORDS = {"figures": None}
    PICTURES = ("agreement",)

    ratings: Ratings = field(key="")
    """The labels."""
    choices: Choices
    """The options of the agreement."""
    final: FinalSummary | None
    """The summary of the final grades; None without any."""
    coverage: Coverage
    """The coverage of queries and documents."""
    raters: tuple[RaterSummary, ...]
    """The summary of each rater."""
    pairs: tuple[PairSummary, ...]
    """The agreement of each pair of raters with a common document."""
    alphas: tuple[AlphaSummary, ...]
    """Krippendorff's alpha of all raters and, with several kinds, of each kind; empty for one
    rater."""
    systems: SystemsByRater | None
    """The systems by rater; None without runs."""
    not_scored: str | None
    """Why `systems` is None despite runs."""
    audits: tuple[JudgeAudit, ...] = ()
    """The audit of each model against people; empty without models or without people."""
    versions: tuple[VersionDifference, ...] = ()
    """The differences between models, versions and prompts, if there are several and people."""
    weighted: bool = False
    """Whether agreement and means are weighted by query."""
    cluster: str | None = field(default=None, key="clusters")
    """The attribute of the clusters; None if queries are independent."""
    attribute: str | None = field(default=None, key="")
    """The attribute of the slices."""
    slices: dict[str, SliceSummary] = field(key="")
    """The agreement and the systems on each slice of the queries; empty without slices."""
    _by: str | None = derived(
        lambda quality: quality.attribute if quality.slices else None, key="by", optional=True
    )
    """The attribute of the slices; absent without slices."""
    _slices: dict[str, SliceSummary] | None = derived(
        lambda quality: quality.slices or None, key="slices", optional=True
    )
    """By slice of the queries, the agreement and the systems; absent without slices."""

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
        for audit in self.audits:
            if audit.judge == judge:
                return audit
        names = ", ".join(audit.judge for audit in self.audits) or "a model, next to people"
        raise ParameterError(where="judge", found=repr(judge), expected=names)

    @property
    def grades(self) -> tuple[float, ...]:
        """All grades in use, in ascending order."""
        used = {grade for rater in self.raters for grade in rater.distribution}
        return tuple(sorted(used.union(self.final.distribution if self.final else ())))

    def rater(self, name: str) -> RaterSummary:
        """Return the summary of a rater.

        Raises
        ------
        ParameterError
            For an unknown rater.
        """
        for rater in self.raters:
            if rater.name == name:
                return rater
        names = ", ".join(rater.name for rater in self.raters)
        raise ParameterError(where="rater", found=repr(name), expected=f"one of {names}")

    def confusion(self, name: str) -> dict[tuple[float, float], int]:
        """Return the counts of pairs of grades: the rater's and any other rater's.

        A document is counted once for each other rater.

        Raises
        ------
        ParameterError
            For an unknown rater.
        """
        return self.rater(name).confusion

    # --- display and export ---------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the rows."""
        return _COLUMNS

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield one row per figure: about, name, other, figure, value, low, high."""
        return _figures(self)

    def tables(self) -> list[Table]:
        """Return the raters, their agreement, the coverage and the systems as tables."""
        systems = self.systems
        every = [
            sources_table(self),
            raters_table(self) if self.raters else None,
            agreement_table(self),
            confusion_table(self),
            coverage_table(self),
            means_table(systems) if systems else None,
            verdicts_table(systems) if systems else None,
            *audit_tables(self),
            slices_table(self),
        ]
        *found, last = (table for table in every if table is not None)
        return [*found, last.replace(notes=[*last.notes, *noted("scoring", _ending(self))])]

    def _heading(self) -> list[str]:
        return list(_heading(self))

    def _picture(self, name: str) -> Plot:
        """Draw the weighted kappa of each pair of raters."""
        rows = [
            {"one": pair.first, "other": pair.second, "value": pair.kappa} for pair in self.pairs
        ]
        return plots.agreement(rows, "Cohen's kappa of each pair of raters")

    def _records(self, name: str) -> Records:
        # Leave out verdicts, which are not numbers.
        rows = [
            (*row[:4], *(None if number is None else float(number) for number in row[4:]))  # type: ignore[arg-type]
            for row in self.rows()
            if not isinstance(row[4], str)
        ]
        return as_records(_COLUMNS, rows)

    def __repr__(self) -> str:
        alpha = self.alpha
        suffix = "" if alpha is None or alpha.value is None else f": alpha {alpha.value:.4f}"
        return f"<JudgmentQuality of {self.ratings!r}{suffix}>"


def _figures(quality: JudgmentQuality) -> Iterator[tuple[object, ...]]:
    """Yield one row per figure: about, name, other, figure, value, low, high."""

    def row(
        about: str,
        name: str,
        other: str,
        figure: str,
        value: object,
        ends: tuple[float, float] | None = None,
    ) -> tuple[object, ...]:
        return about, name, other, figure, value, *(ends or (None, None))

    coverage = quality.coverage
    for figure in ("queries", "documents", "labels", "blank"):
        yield row("coverage", "", "", figure, getattr(coverage, figure))
    for n, count in coverage.rated_by.items():
        yield row("coverage", "", "", f"rated by {n}", count)
    yield row("coverage", "", "", "no relevant", len(coverage.no_relevant))
    for system, share in coverage.judged.items():
        if share is not None:
            yield row("coverage", system, "", f"judged@{coverage.cutoff}", share)
        yield row("coverage", system, "", "unjudged queries", coverage.unjudged[system])
    for rater in quality.raters:
        name = rater.name
        yield row("rater", name, "", "labels", rater.labels)
        yield row("rater", name, "", "queries", rater.queries)
        for grade, count in rater.distribution.items():
            yield row("rater", name, "", f"grade {grade_text(grade)}", count)
        yield row("rater", name, "", "mean", rater.mean)
        if rater.bias is not None:
            yield row("rater", name, "", "bias", rater.bias, rater.interval)
        if rater.same_as_final is not None:
            yield row("rater", name, "", "same as final", rater.same_as_final)
    if quality.final is not None:
        name = quality.final.name
        yield row("final", name, "", "documents", quality.final.documents)
        for grade, count in quality.final.distribution.items():
            yield row("final", name, "", f"grade {grade_text(grade)}", count)
        yield row("final", name, "", "mean", quality.final.mean)
    for pair in quality.pairs:
        two = pair.first, pair.second
        yield row("raters", *two, "documents", pair.documents)
        yield row("raters", *two, "same", pair.same)
        yield row("raters", *two, "weighted kappa", pair.kappa, pair.interval)
        for (grade, other), count in pair.confusion.items():
            yield row("raters", *two, f"{grade_text(grade)} and {grade_text(other)}", count)
    for alpha in quality.alphas:
        yield row("alpha", alpha.kind or "", "", "alpha", alpha.value, alpha.interval)
    for name, part in quality.slices.items():
        yield row("slice", name, "", "queries", part.queries)
        yield row("slice", name, "", "documents", part.documents)
        for pair in part.pairs:
            raters = f"{pair.first} and {pair.second}"
            yield row("slice", name, raters, "same", pair.same)
            yield row("slice", name, raters, "weighted kappa", pair.kappa, pair.interval)
        for alpha in part.alphas:
            yield row("slice", name, alpha.kind or "", "alpha", alpha.value, alpha.interval)
    for audit in quality.audits:
        for figure, value, ends in audit_figures(audit):
            yield row("audit", audit.judge, audit.people, figure, value, ends)
    systems = quality.systems
    if systems is None:
        return
    for system, means in systems.means.items():
        for judge, mean in means.items():
            yield row("system", system, judge, repr(systems.measure), mean)
    for order in systems.taus:
        yield row("raters", order.first, order.second, "tau", order.tau, order.interval)
    for compared in systems.verdicts:
        for judge, verdict in compared.verdict_texts.items():
            figure = f"verdict for {judge}"
            yield row("systems", compared.system, compared.baseline, figure, verdict)


# --- sentences ------------------------------------------------------------------------------------


def _heading(quality: JudgmentQuality) -> Iterator[str]:
    """Yield a summary of the judgments in sentences."""
    coverage, raters = quality.coverage, len(quality.raters)
    yield (
        f"{_counted(coverage.queries, 'query')} with"
        f" {_counted(coverage.documents, 'judged document')}:"
        f" {_counted(coverage.labels, 'label')} from {_counted(raters, 'rater')}."
    )
    parts = []
    sizes = coverage.per_query
    if sizes.min == sizes.max:
        parts.append(f"{_counted(sizes.min, 'document')} per query.")
    else:
        parts.append(
            f"{sizes.min} to {_counted(sizes.max, 'document')} per query, median {sizes.median:g}."
        )
    if raters > 1:
        parts.append(_rated(coverage.rated_by))
    if coverage.blank:
        parts.append(f"{_counted(coverage.blank, 'empty cell')}.")
    if quality.ratings.final:
        parts.append(f"Final grades: {quality.ratings.final}.")
    without = coverage.no_relevant
    if without:
        named = f": {', '.join(without)}" if len(without) <= 5 else ""
        parts.append(
            f"{_counted(len(without), 'query')} with no relevant documents"
            f" (grade 1 or more){named}."
        )
    yield " ".join(parts)


def _rated(rated_by: dict[int, int]) -> str:
    if len(rated_by) == 1:
        (often,) = rated_by
        return f"{_counted(often, 'label')} per document."
    parts = [f"{documents:,} with {often}" for often, documents in sorted(rated_by.items())]
    return f"Documents by number of labels: {', '.join(parts)}."


def _ending(quality: JudgmentQuality) -> Iterator[str]:
    if quality.alphas and not quality.pairs:
        yield "No document was graded by two raters, so kappa and alpha are not defined."
    if quality.not_scored:
        yield f"The systems were not scored by rater: {quality.not_scored}."
    if quality.systems is not None:
        yield str(quality.systems.convention)


def _counted(n: int, thing: str) -> str:
    many = {"query": "queries"}.get(thing, f"{thing}s")
    return f"{n:,} {thing if n == 1 else many}"

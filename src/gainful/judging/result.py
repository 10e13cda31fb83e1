"""The result of an assessment of judgments."""

from __future__ import annotations

from gainful import plots
from gainful.errors import ParameterError
from gainful.formats.numbers import digits, span, spans, thousands
from gainful.formats.table import Column, Note, Table, noted
from gainful.inference.raters import FEWEST_CLUSTERS
from gainful.judging.audit_result import JudgeAudit, VersionDifference, audit_figures
from gainful.judging.source import (
    Source,
    cut,
    grade_text,
    listed,
    median,
    share,
    signed,
    signed_grade,
)
from gainful.judging.systems import (
    AlphaSummary,
    Coverage,
    FinalSummary,
    PairSummary,
    RaterSummary,
    SliceSummary,
    SystemsByRater,
    means_table,
    verdicts_table,
)
from gainful.parameters.comparing import SEED
from gainful.parameters.judging import AGREEMENT_RESAMPLES, AGREEMENT_SCALE, KAPPA
from gainful.records import Record, derived, field
from gainful.records.tables import columns_of, table_of, table_of_columns
from gainful.results import Records, Result, as_records
from gainful.vocabulary import KAPPA_WEIGHTS, SCALES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gainful.judging.audit_result import RankAgreement, Share
    from gainful.judging.ratings import Ratings
    from gainful.plots import Plot

    Cells = tuple[str, str, str]

__all__ = ["AssessOptions", "JudgmentQuality", "audit_tables", "checked", "level"]


class AssessOptions(Record):
    """The options of inter-annotator agreement."""

    scale: str = field(default="ordinal", json={"enum": list(SCALES)})
    """The distance between grades for Krippendorff's alpha."""
    kappa: str = field(default="quadratic", json={"enum": list(KAPPA_WEIGHTS)})
    """The weights of Cohen's kappa."""
    level: float = field(default=0.95, json={"minimum": 0, "maximum": 1})
    """The confidence level of intervals."""
    resamples: int = field(default=1_999, json={"minimum": 1})
    """Number of bootstrap resamples, of queries, for the intervals of tau."""
    seed: int = 0
    """The random seed."""


def checked(choices: AssessOptions) -> AssessOptions:
    """Return the options, or refuse a wrong one."""
    for parameter in (AGREEMENT_SCALE, KAPPA, AGREEMENT_RESAMPLES, SEED):
        parameter.check(getattr(choices, parameter.name))
    if not 0.0 < choices.level < 1.0:
        raise ParameterError(where="level", found=repr(choices.level), expected="between 0 and 1")
    return choices


#: The most grades with one column each; otherwise minimum, median and maximum are shown.
_GRADES = 7
#: The most rows of pairs of raters, and of confusions.
_PAIRS, _CONFUSION = 15, 30


def coverage_table(quality: JudgmentQuality) -> Table | None:
    """Return the judged share of each run; None without runs."""
    coverage = quality.coverage
    if not coverage.judged:
        return None
    cutoff = coverage.cutoff
    table = Table(
        [
            Column("system"),
            Column("judged", f"top {cutoff} judged", share),
            Column("unjudged", "queries without judgments", thousands),
        ],
        [
            (cut(system), part, coverage.unjudged[system])
            for system, part in coverage.judged.items()
        ],
        title="Coverage of the runs",
    )
    return table.only(lambda column: cutoff is not None or column.key != "judged")


def sources_table(quality: JudgmentQuality) -> Table | None:
    """Return one row per source of raters; None if unknown."""
    by_source: dict[str, list[str]] = {}
    labels: dict[str, int] = {}
    for summary in quality.raters:
        source = str(summary.rater.source)
        by_source.setdefault(source, []).append(summary.name)
        labels[source] = labels.get(source, 0) + summary.labels
    if all(summary.rater.source == Source() for summary in quality.raters):
        return None
    rows = [
        (source, listed(raters, 3), labels[source], labels[source] / quality.coverage.labels)
        for source, raters in by_source.items()
    ]
    columns = [
        Column("source"),
        Column("raters"),
        Column("labels", show=thousands),
        Column("share", show=share),
    ]
    return Table(columns, rows, title="Sources of the labels")


def raters_table(quality: JudgmentQuality) -> Table:
    """Return one row per rater with grades and bias, and one for the final grades."""
    grades, final = quality.grades, quality.final
    several = len(quality.raters) > 1
    rows: list[list[object]] = []
    for rater in quality.raters:
        shares = _spread(rater.distribution, grades)
        rows.append([cut(rater.name), rater.labels, *shares, rater.mean])
        rows[-1] += [rater.bias, rater.interval] if several else []
        rows[-1] += [rater.same_as_final] if final else []
    if final:
        shares = _spread(final.distribution, grades)
        rows.append([cut(final.name), final.documents, *shares, final.mean])
        rows[-1] += ["", "", ""] if several else [""]
    few = len(grades) <= _GRADES
    names = [grade_text(grade) for grade in grades] if few else ["min", "median", "max"]
    columns = [
        Column("rater"),
        Column("labels", show=thousands),
        *(Column(f"grade.{name}", name, share) for name in names),
        Column("mean", show=lambda mean: f"{mean:.2f}"),
    ]
    if several:
        columns += [
            Column("bias", show=signed_grade),
            Column("interval", level(quality), spans(signed_grade)),
        ]
    if final:
        columns.append(Column("same_as_final", "same as final", share))
    note = "Bias: mean difference from the other raters' grades of the same documents."
    return Table(
        columns,
        rows,
        title="Grades by rater" if several else "Grades",
        notes=[Note("bias", note, explains=True)] if several else [],
    )


def _spread(distribution: dict[float, int], grades: Sequence[float]) -> list[float | str]:
    if len(grades) <= _GRADES:
        total = sum(distribution.values())
        return [distribution.get(grade, 0) / total for grade in grades]
    counts = list(distribution)
    return [_short(counts[0]), median(distribution), _short(counts[-1])]


def _short(grade: float) -> str:
    """Return a grade with the digits that fit in a table."""
    text = grade_text(grade)
    return text if len(text) <= 8 else f"{grade:.4g}"


def agreement_table(quality: JudgmentQuality) -> Table | None:
    """Return one row per pair of raters; None without common documents."""
    if not quality.pairs:
        return None
    most = sorted(quality.pairs, key=lambda pair: -pair.documents)[:_PAIRS]
    shown = [pair for pair in quality.pairs if pair in most]
    columns = columns_of(shown, "agreement", labels={"level": level(quality)})
    systems = quality.systems
    if systems is not None:
        orders = [systems.correlation(pair.first, pair.second) for pair in shown]
        columns.append((Column("tau", show=digits), [order and order.tau for order in orders]))
        if len(systems.means) > 1:
            ends: list[object] = [order and order.interval for order in orders]
            columns.append((Column("tau_interval", level(quality), spans(), priority=1), ends))
    return table_of_columns(
        columns,
        title="Inter-annotator agreement",
        notes=[*noted("agreement", _agreement_notes(quality, len(shown))), *_limits(quality)],
    )


def slices_table(quality: JudgmentQuality) -> Table | None:
    """Return one row per slice: its agreement, and the verdicts that depend on the rater."""
    if not quality.slices:
        return None
    rows: list[tuple[object, ...]] = []
    for name, part in quality.slices.items():
        alpha = part.alphas[0] if part.alphas else None
        alone = part.pairs[0] if len(part.pairs) == 1 else None
        every = part.systems.taus if part.systems else ()
        taus = [order.tau for order in every if order.tau is not None]
        rows.append(
            (
                *(cut(name), part.queries, part.documents),
                *((alpha.value, alpha.interval) if alpha else (None, None)),
                *((alone.same, alone.kappa) if alone else (None, None)),
                min(taus) if taus else None,
                part.systems and f"{len(part.systems.changed)} of {len(part.systems.verdicts)}",
            )
        )
    by = quality.attribute or "slice"
    one_pair = all(len(part.pairs) < 2 for part in quality.slices.values())
    table = Table(
        [
            Column("slice", by),
            Column("queries", show=thousands),
            Column("documents", show=thousands),
            Column("alpha", show=digits),
            Column("interval", level(quality), spans()),
            Column("same", "same grade", share),
            Column("kappa", show=digits),
            Column("tau", "tau" if one_pair else "lowest tau", digits),
            Column("changed", "changed verdicts", str, align="r"),
        ],
        rows,
        title=f"Agreement by {by}",
    )
    empty = {
        column.key
        for index, column in enumerate(table.columns)
        if all(row[index] is None for row in rows)
    }
    return table.only(lambda column: column.key not in empty)


def _agreement_notes(quality: JudgmentQuality, shown: int) -> Iterator[str]:
    for alpha in quality.alphas:
        yield alpha_line(alpha, quality)
    weights = {
        "quadratic": "quadratic weights",
        "linear": "linear weights",
        "none": "unweighted",
    }[quality.choices.kappa]
    of = f"clusters ({quality.cluster})" if quality.cluster else "queries"
    yield f"Cohen's kappa, {weights}. Intervals: jackknife over {of}."
    if any(alpha.value is not None and alpha.interval is None for alpha in quality.alphas):
        yield (
            f"No interval where fewer than {FEWEST_CLUSTERS} {of} have documents of several raters,"
            " or raters disagree in at most one."
        )
    if quality.weighted:
        yield "Agreement and means are weighted by query; counts and mean grades are not."
    if shown < len(quality.pairs):
        rest = f"{len(quality.pairs) - shown:,} more pairs of raters"
        yield f"{rest} have fewer documents in common; JSON and CSV have all."


def _limits(quality: JudgmentQuality) -> list[Note]:
    text = "Customary limits of alpha: .667 for tentative conclusions, .800 for reliable data."
    return [Note("limits", text, explains=True)] if quality.alphas else []


def alpha_line(alpha: AlphaSummary, quality: JudgmentQuality) -> str:
    """Return alpha with its interval and interpretation on one line."""
    name = f"Krippendorff's alpha ({quality.choices.scale})"
    if alpha.kind:
        name += f" of the {alpha.kind} raters"
    if alpha.value is None:
        return f"{name} is not defined for these grades."
    line = f"{name}: {digits(alpha.value)}"
    if alpha.interval is None:
        return f"{line}, {alpha.interpretation}."
    return f"{line} ({level(quality)} {span(*alpha.interval)}), {alpha.interpretation}."


def confusion_table(quality: JudgmentQuality) -> Table | None:
    """Return the confusion table of grades; None if it does not fit."""
    grades = quality.grades
    # With two raters, one table covers both directions.
    who = [rater.name for rater in quality.raters if rater.compared]
    two = len(who) == 2
    shown = who[:1] if two else who
    if not shown or len(grades) > _GRADES or len(shown) * len(grades) > _CONFUSION:
        return None
    rows: list[list[object]] = []
    for name in shown:
        counts = quality.confusion(name)
        for index, grade in enumerate(grades):
            start = [cut(name) if index == 0 else "", grade_text(grade)]
            rows.append([*start, *(counts.get((grade, other), 0) for other in grades)])
    other = cut(who[1]) if two else "others"
    whose = "a rater's grades in rows, the others' in columns"
    if two:
        whose = f"{cut(who[0])}'s grades in rows, {other}'s in columns"
    names = list(map(grade_text, grades))
    labels = [f"{other}: {names[0]}", *names[1:]]
    return Table(
        [
            Column("rater"),
            Column("grade", align="r"),
            *(
                Column(f"grade.{name}", label, thousands)
                for name, label in zip(names, labels, strict=True)
            ),
        ],
        rows,
        title=f"Confusion matrix: {whose}",
    )


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
    choices: AssessOptions
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
        *tables_before, last = (table for table in every if table is not None)
        return [*tables_before, last.replace(notes=[*last.notes, *noted("scoring", _ending(self))])]

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
    for system, judged in coverage.judged.items():
        if judged is not None:
            yield row("coverage", system, "", f"judged@{coverage.cutoff}", judged)
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


#: The number of queries in the table of those with the largest bias.
_QUERIES = 5


#: The most grades of a model that have a column each.
_GRADES = 7


#: The number of pairs of systems in the table of verdicts.
_VERDICTS = 10


_KAPPA = {"quadratic": "kappa, quadratic weights", "linear": "kappa, linear weights"}


_OUTCOMES = {
    "refusal": "refused",
    "length": "answer cut at its maximum length",
    "no-grade": "answer without a grade",
    "off-scale": "grade not on the scale",
}


def audit_tables(quality: JudgmentQuality) -> Iterator[Table]:
    """Yield the tables of each model, and of the differences between models."""
    for audit in quality.audits:
        yield _summary(quality, audit)
        yield _by_grade(quality, audit)
        if len(audit.by_query) > 1:
            yield _by_query(audit)
        if audit.verdicts:
            yield _verdicts(quality, audit)
        if audit.families:
            yield _families(quality, audit)
    if quality.versions:
        title = "Differences between models, versions and prompts"
        labels = {"level": level(quality)}
        yield table_of(quality.versions, "versions", title=title, labels=labels)


def _summary(quality: JudgmentQuality, audit: JudgeAudit) -> Table:
    choices = quality.choices
    rows: list[Cells] = [("same grade", share(audit.same), "")]
    if choices.kappa != "none":
        rows.append(_row(_KAPPA[choices.kappa], audit.kappa, audit.kappa_interval))
        rows.append(_row("kappa, unweighted", audit.unweighted, None))
    else:
        rows.append(_row("kappa, unweighted", audit.kappa, audit.kappa_interval))
    rows += [
        _row(f"Krippendorff's alpha, {choices.scale}", audit.alpha, audit.alpha_interval),
        _row("bias", audit.bias, audit.bias_interval, signed),
        _row("tau of the documents of a query", audit.tau, audit.tau_interval),
    ]
    if audit.length is not None:
        effect = audit.length
        rows.append(_row("bias per doubling of length", effect.slope, effect.interval, signed))
    rows += [(_OUTCOMES.get(name, name), *_share(part)) for name, part in audit.outcomes.items()]
    if audit.obeyed is not None:
        rows.append((f"obeyed injections, of {audit.obeyed.of}", *_share(audit.obeyed)))
    for order in audit.systems:
        rows += _order(order)
    notes = [
        Note(
            "bias",
            f"Bias: mean grade of {audit.judge} minus that of {audit.people}, on"
            f" {audit.documents:,} documents of {audit.queries:,} queries that both graded.",
            explains=True,
        )
    ]
    columns = [Column("figure"), Column("value", align="r"), Column("interval", level(quality))]
    title = f"Audit of {cut(audit.judge)} against {cut(audit.people)}"
    return Table(columns, rows, title=title, notes=notes)


def _order(order: RankAgreement) -> list[Cells]:
    which = f"the best {order.systems} systems" if order.best else f"all {order.systems} systems"
    rows = [_row(f"tau of {which}", order.tau, order.interval)]
    if order.verdicts:
        same = f"{order.same:,} of {order.verdicts:,}"
        rows.append((f"same verdicts, {which}", same, ""))
        for name, count in (
            ("contradicted", order.contradicted),
            ("found only by the model", order.found),
            ("missed by the model", order.missed),
        ):
            if count:
                rows.append((f"verdicts {name}, {which}", f"{count:,}", ""))
    return rows


def _by_grade(quality: JudgmentQuality, audit: JudgeAudit) -> Table:
    labels = {"people": cut(audit.people), "level": level(quality)}
    columns, judge = columns_of(audit.by_grade, "grades", labels=labels), cut(audit.judge)
    grades = sorted({grade for row in audit.by_grade for grade in row.counts})
    if len(grades) <= _GRADES:
        texts = [grade_text(grade) for grade in grades]
        columns[2:2] = [
            (
                Column(
                    f"grade.{text}", f"{judge}: {text}" if text == texts[0] else text, thousands
                ),
                [row.counts.get(grade, 0) for row in audit.by_grade],
            )
            for grade, text in zip(grades, texts, strict=True)
        ]
    return table_of_columns(columns, title=f"Agreement of {judge} by grade")


def _by_query(audit: JudgeAudit) -> Table:
    worst = sorted(audit.by_query, key=lambda row: -abs(row.bias))[:_QUERIES]
    count = len(audit.by_query)
    title = f"Queries with the largest bias of {cut(audit.judge)}, of {count:,}"
    return table_of(worst, "queries", title=title)


def _verdicts(quality: JudgmentQuality, audit: JudgeAudit) -> Table:
    changed = [pair for pair in audit.verdicts if pair.changes] or list(audit.verdicts)
    changed.sort(key=lambda pair: not pair.contradicts)
    rows = [
        (
            f"{cut(pair.system)} vs. {cut(pair.baseline)}",
            pair.differences[audit.people],
            pair.intervals[audit.people],
            pair.differences[audit.judge],
            pair.intervals[audit.judge],
        )
        for pair in changed[:_VERDICTS]
    ]
    columns = [
        Column("systems"),
        Column("people", cut(audit.people), signed),
        Column("people_interval", level(quality), spans(signed)),
        Column("judge", cut(audit.judge), signed),
        Column("judge_interval", level(quality), spans(signed)),
    ]
    differ = sum(pair.changes for pair in audit.verdicts)
    title = (
        f"Differences between systems whose verdict differs: {differ:,} of {len(audit.verdicts):,}"
        if differ
        else f"Differences between systems: no verdict of {len(audit.verdicts):,} differs"
    )
    return Table(columns, rows, title=title)


def _families(quality: JudgmentQuality, audit: JudgeAudit) -> Table:
    note = "Inflation: mean score of the systems under the model minus that under people."
    return table_of(
        audit.families,
        "families",
        title=f"Scores of families of systems under {cut(audit.judge)}",
        labels={"level": level(quality)},
        notes=[Note("inflation", note, explains=True)],
    )


def _row(
    name: str,
    value: float | None,
    ends: tuple[float, float] | None,
    show: Callable[[float], str] = digits,
) -> Cells:
    interval = "" if ends is None else span(*ends, show)
    return name, "–" if value is None else show(value), interval


def _share(part: Share) -> tuple[str, str]:
    return share(part.value), span(*part.interval, share)


def level(quality: JudgmentQuality) -> str:
    """Return the heading of the intervals of agreement."""
    return f"{100 * quality.choices.level:g}% CI"

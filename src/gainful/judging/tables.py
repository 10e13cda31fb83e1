"""Tables of raters: sources, grades, agreement, confusion, coverage."""

from __future__ import annotations

from gainful.formats.numbers import digits, span, spans, thousands
from gainful.formats.table import Column, Note, Table, noted
from gainful.inference.raters import FEWEST_CLUSTERS
from gainful.judging.cells import cut, grade_text, level, listed, median, share, signed_grade
from gainful.judging.source import Source
from gainful.records.tables import columns_of, table_of_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.judging.result import JudgmentQuality
    from gainful.judging.summaries import AlphaSummary

__all__ = [
    "agreement_table",
    "confusion_table",
    "coverage_table",
    "raters_table",
    "slices_table",
    "sources_table",
]

#: The most grades with one column each; otherwise minimum, median and maximum are shown.
_GRADES = 7
#: The most rows of pairs of raters, and of confusions.
_PAIRS, _CONFUSION = 15, 30


def coverage_table(quality: JudgmentQuality) -> Table | None:
    """Return the judged share of each run; None without runs."""
    coverage = quality.coverage
    if not coverage.judged:
        return None
    at = coverage.cutoff
    table = Table(
        [
            Column("system"),
            Column("judged", f"top {at} judged", share),
            Column("unjudged", "queries without judgments", thousands),
        ],
        [
            (cut(system), part, coverage.unjudged[system])
            for system, part in coverage.judged.items()
        ],
        title="Coverage of the runs",
    )
    return table.only(lambda column: at is not None or column.key != "judged")


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
    given = list(distribution)
    return [_short(given[0]), median(distribution), _short(given[-1])]


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
        for at, column in enumerate(table.columns)
        if all(row[at] is None for row in rows)
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
        for at, grade in enumerate(grades):
            start = [cut(name) if at == 0 else "", grade_text(grade)]
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

"""The tables of judgments and raters: sources, grades, agreement, confusion, coverage."""

from __future__ import annotations

from gainful.formats.table import TextTable, digits
from gainful.judging.cells import cut, interval, level, listed, median, share, signed
from gainful.judging.contract import grade_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.judging.accounts import AlphaAccount
    from gainful.judging.result import JudgmentQuality

__all__ = [
    "agreement_table",
    "confusion_table",
    "coverage_table",
    "raters_table",
    "sources_table",
]

#: How many grades have a column each; of more, the least, the median and the most are told.
_GRADES = 7
#: Rows of pairs of raters, and of confusion.
_PAIRS, _CONFUSION = 15, 30
#: How much of a name stands in a table of two.
_TWO = 17


def coverage_table(quality: JudgmentQuality) -> TextTable | None:
    """Return how much of each run is judged; None without runs."""
    coverage = quality.coverage
    if not coverage.judged:
        return None
    at = "" if coverage.cutoff is None else f"judged@{coverage.cutoff}"
    rows = [
        [
            cut(system),
            *([share(part)] if at else []),
            f"{coverage.unjudged[system]:,}",
        ]
        for system, part in coverage.judged.items()
    ]
    return TextTable(
        ["system", *([at] if at else []), "queries without judgments"],
        rows,
        align="l" + "r" * (len(rows[0]) - 1),
        title="Coverage of the runs",
    )


def sources_table(quality: JudgmentQuality) -> TextTable | None:
    """Return who or what the raters are, a row a source; None where nobody said."""
    by_source: dict[str, list[str]] = {}
    labels: dict[str, int] = {}
    for each in quality.raters:
        source = str(each.rater.source)
        by_source.setdefault(source, []).append(each.rater.name)
        labels[source] = labels.get(source, 0) + each.labels
    if set(by_source) <= {"not said"}:
        return None
    rows = [
        [
            source,
            listed(raters, 3),
            f"{labels[source]:,}",
            share(labels[source] / quality.coverage.labels),
        ]
        for source, raters in by_source.items()
    ]
    return TextTable(
        ["source", "raters", "labels", "share"], rows, align="llrr", title="Who gave the labels"
    )


def raters_table(quality: JudgmentQuality) -> TextTable:
    """Return a row a rater: how they grade, and their bias; and one for the settled grades."""
    grades, settled = quality.grades, quality.settled
    several = len(quality.raters) > 1
    rows = []
    for each in quality.raters:
        bias = [signed(each.bias), interval(each.low, each.high, signed)] if several else []
        same = [share(each.as_settled)] if settled else []
        spread = _spread(each.distribution, grades)
        name, labels = cut(each.rater.name), f"{each.labels:,}"
        rows.append([name, labels, *spread, f"{each.mean:.2f}", *bias, *same])
    if settled:
        empty = ["", "", ""] if several else [""]
        spread = _spread(settled.distribution, grades)
        documents = f"{settled.documents:,}"
        rows.append([cut(settled.name), documents, *spread, f"{settled.mean:.2f}", *empty])
    few = len(grades) <= _GRADES
    columns = [grade_text(grade) for grade in grades] if few else ["least", "median", "most"]
    headers = [
        "rater",
        "labels",
        *columns,
        "mean",
        *(["bias", level(quality)] if several else []),
        *(["as settled"] if settled else []),
    ]
    note = "Bias: how much higher a rater grades than the others, in the mean over documents."
    return TextTable(
        headers,
        rows,
        align="l" + "r" * (len(headers) - 1),
        title="Grades of each rater" if several else "Grades",
        notes=[note] if several else [],
    )


def _spread(distribution: dict[float, int], grades: Sequence[float]) -> list[str]:
    if len(grades) <= _GRADES:
        total = sum(distribution.values())
        return [share(distribution.get(grade, 0) / total) for grade in grades]
    own = list(distribution)
    return [_short(own[0]), median(distribution), _short(own[-1])]


def _short(grade: float) -> str:
    """Return a grade with the digits that a table has room for."""
    text = grade_text(grade)
    return text if len(text) <= 8 else f"{grade:.4g}"


def agreement_table(quality: JudgmentQuality) -> TextTable | None:
    """Return a row for any two raters; None where no document was graded twice."""
    if not quality.pairs:
        return None
    taus = quality.systems.taus if quality.systems else {}
    most = sorted(quality.pairs, key=lambda pair: -pair.documents)[:_PAIRS]
    shown = [pair for pair in quality.pairs if pair in most]
    rows = [
        [
            f"{cut(pair.first, _TWO)} and {cut(pair.second, _TWO)}",
            f"{pair.documents:,}",
            share(pair.same),
            digits(pair.kappa),
            interval(pair.low, pair.high),
            *([digits(taus.get((pair.first, pair.second)))] if taus else []),
        ]
        for pair in shown
    ]
    headers = ["raters", "documents", "same grade", "kappa", level(quality)]
    headers += ["tau"] if taus else []
    return TextTable(
        headers,
        rows,
        align="l" + "r" * (len(headers) - 1),
        title="Agreement",
        notes=list(_agreement_notes(quality, len(shown))),
    )


def _agreement_notes(quality: JudgmentQuality, shown: int) -> Iterator[str]:
    for alpha in quality.alphas:
        yield alpha_line(alpha, quality.choices.scale)
    weights = {
        "quadratic": "weighted by the square of the distance between grades",
        "linear": "weighted by the distance between grades",
        "none": "without weights",
    }[quality.choices.kappa]
    draws = f"{quality.choices.resamples:,} bootstrap resamples of queries"
    yield f"Kappa: Cohen's, {weights}. Intervals: {draws}, seed {quality.choices.seed}."
    if shown < len(quality.pairs):
        rest = f"{len(quality.pairs) - shown:,} more pairs of raters"
        yield f"{rest} have fewer documents in common; JSON and CSV hold all."


def alpha_line(alpha: AlphaAccount, scale: str) -> str:
    """Return what alpha is, in a line."""
    whose = f" of the raters that are {alpha.kind}" if alpha.kind else ""
    if alpha.value is None:
        return f"Krippendorff's alpha ({scale}){whose} is not defined for these grades."
    line = f"Krippendorff's alpha ({scale}){whose} {digits(alpha.value)}"
    if alpha.low is None:
        return f"{line}: {alpha.words}."
    held = interval(alpha.low, alpha.high)
    return f"{line}, interval {held}: {alpha.words} (his customary limits are .667 and .800)."


def confusion_table(quality: JudgmentQuality) -> TextTable | None:
    """Return which grades the others gave where a rater gave one; None where it would not fit."""
    grades = quality.grades
    # Of two raters, one table says it for both.
    who = [each.rater.name for each in quality.raters if each.compared]
    two = len(who) == 2
    shown = who[:1] if two else who
    if not shown or len(grades) > _GRADES or len(shown) * len(grades) > _CONFUSION:
        return None
    rows = []
    for name in shown:
        counts = quality.confusion(name)
        for at, own in enumerate(grades):
            rows.append(
                [
                    cut(name) if at == 0 else "",
                    grade_text(own),
                    *(f"{counts.get((own, other), 0):,}" for other in grades),
                ]
            )
    other = cut(who[1]) if two else "others"
    first, *rest = map(grade_text, grades)
    whose = "a rater's grade down, that of the others"
    if two:
        whose = f"{cut(who[0])}'s grade down, {other}'s"
    return TextTable(
        ["rater", "grade", f"{other}: {first}", *rest],
        rows,
        align="lr" + "r" * len(grades),
        title=f"Confusion: {whose} across",
    )

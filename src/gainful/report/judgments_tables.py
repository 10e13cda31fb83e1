"""The tables of a judgment of judgments: coverage, raters, agreement, confusion, systems."""

from __future__ import annotations

from gainful.judging.contract import grade_text
from gainful.table import TextTable, digits, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.judging import AlphaAccount, JudgmentQuality, SystemsUnderRaters

__all__ = [
    "agreement_table",
    "confusion_table",
    "coverage_table",
    "means_table",
    "raters_table",
    "sources_table",
    "verdicts_table",
]

#: How many grades have a column each; of more, the least, the median and the most are told.
_GRADES = 7
#: How much of a name stands in a table.
_NAME = 24
#: Rows of pairs of raters, of confusion, and of pairs of systems.
_PAIRS, _CONFUSION, _VERDICTS = 15, 30, 20


def coverage_table(quality: JudgmentQuality) -> TextTable | None:
    """Return how much of each run is judged; None without runs."""
    coverage = quality.coverage
    if not coverage.judged:
        return None
    at = "" if coverage.cutoff is None else f"judged@{coverage.cutoff}"
    rows = [
        [
            cut(system),
            *([_share(share)] if at else []),
            f"{coverage.unjudged[system]:,}",
        ]
        for system, share in coverage.judged.items()
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
            _listed(raters, 3),
            f"{labels[source]:,}",
            _share(labels[source] / quality.coverage.labels),
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
        same = [_share(each.as_settled)] if settled else []
        spread = _spread(each.distribution, grades)
        name, labels = cut(each.rater.name), f"{each.labels:,}"
        rows.append([name, labels, *spread, f"{each.mean:.2f}", *bias, *same])
    if settled:
        empty = ["", "", ""] if several else [""]
        spread = _spread(settled.distribution, grades)
        documents = f"{settled.documents:,}"
        rows.append([cut(settled.name), documents, *spread, f"{settled.mean:.2f}", *empty])
    headers = [
        "rater",
        "labels",
        *(map(grade_text, grades) if len(grades) <= _GRADES else ("least", "median", "most")),
        "mean",
        *(["bias", _level(quality)] if several else []),
        *(["as settled"] if settled else []),
    ]
    bias = "Bias: the mean of a rater's grade less the mean of the others', document by document."
    return TextTable(
        headers,
        rows,
        align="l" + "r" * (len(headers) - 1),
        title="Grades of each rater" if several else "Grades",
        notes=[bias] if several else [],
    )


def _spread(distribution: dict[float, int], grades: Sequence[float]) -> list[str]:
    if len(grades) <= _GRADES:
        total = sum(distribution.values())
        return [_share(distribution.get(grade, 0) / total) for grade in grades]
    own = list(distribution)
    return [grade_text(own[0]), _median(distribution), grade_text(own[-1])]


def agreement_table(quality: JudgmentQuality) -> TextTable | None:
    """Return a row for any two raters; None where no document was graded twice."""
    if not quality.pairs:
        return None
    taus = quality.systems.taus if quality.systems else {}
    most = sorted(quality.pairs, key=lambda pair: -pair.documents)[:_PAIRS]
    shown = [pair for pair in quality.pairs if pair in most]
    rows = [
        [
            f"{cut(pair.first)} and {cut(pair.second)}",
            f"{pair.documents:,}",
            _share(pair.same),
            digits(pair.kappa),
            interval(pair.low, pair.high),
            *([digits(taus.get((pair.first, pair.second)))] if taus else []),
        ]
        for pair in shown
    ]
    headers = ["raters", "documents", "same grade", "kappa", _level(quality)]
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
    whose = f"{cut(who[0])}'s grade down, {other}'s" if two else "a rater's grade down, the others'"
    return TextTable(
        ["rater", "grade", f"{other}: {first}", *rest],
        rows,
        align="lr" + "r" * len(grades),
        title=f"Confusion: {whose} across",
    )


def means_table(systems: SystemsUnderRaters, columns: int) -> TextTable:
    """Return the systems with their means under each rater, or from the least to the most."""
    rows = [
        [cut(system), *(digits(means[rater]) for rater in systems.raters)]
        for system, means in systems.means.items()
    ]
    headers = ["system", *map(cut, systems.raters)]
    wide = sum(2 + max(map(width, column)) for column in zip(headers, *rows, strict=True))
    if wide > columns:
        headers = ["system", "least", "under", "most", "under"]
        rows = []
        for system, means in systems.means.items():
            least, most = min(means, key=lambda r: means[r]), max(means, key=lambda r: means[r])
            rows.append(
                [cut(system), digits(means[least]), cut(least), digits(means[most]), cut(most)]
            )
    align = "lrlrl" if wide > columns else "l" + "r" * len(systems.raters)
    return TextTable(
        headers,
        rows,
        align=align,
        title=f"Systems under each rater: {systems.measure!r}",
        notes=list(_orders(systems)),
    )


def _orders(systems: SystemsUnderRaters) -> Iterator[str]:
    known = {pair: tau for pair, tau in systems.taus.items() if tau is not None}
    if len(systems.means) > 1 and known:
        least = min(known, key=lambda pair: known[pair])
        told = f"Kendall's tau-b between the orders of the {len(systems.means)} systems"
        if len(known) == 1:
            yield f"{told} {digits(known[least])}."
        else:
            between = f"between {least[0]} and {least[1]}"
            yield f"{told}: {digits(known[least])} at the least, {between}."
    held = f"the {systems.documents:,} documents of {systems.queries:,} queries"
    yield f"Scored with {held} that all of them graded; other documents count as unjudged."


def verdicts_table(systems: SystemsUnderRaters, columns: int) -> TextTable | None:
    """Return what comparisons come to under each rater: all, or those that depend on the rater."""
    if not systems.verdicts:
        return None
    changed = systems.changed
    whole = len(systems.verdicts) <= _VERDICTS
    shown = systems.verdicts if whole else changed[:_VERDICTS]
    rows = []
    for told in shown:
        pair = f"{cut(told.system)} beside {cut(told.baseline)}"
        groups: dict[str, list[str]] = {}
        for rater, verdict in told.verdicts.items():
            groups.setdefault(verdict, []).append(rater)
        if len(groups) == 1:
            lines = [f"{next(iter(groups))} under all"]
        else:
            lines = [f"{verdict} under {_listed(who, 4)}" for verdict, who in groups.items()]
        rows.append([pair, _range(told.differences), lines[0]])
        rows += [["", "", line] for line in lines[1:]]
    notes = [_changes(systems)]
    if not whole and len(shown) < len(systems.verdicts):
        notes.append("The table holds verdicts that depend on the rater; JSON and CSV hold all.")
    if not rows:
        rows = [["none", "", ""]]
    return TextTable(
        ["system", "difference", "verdict"],
        rows,
        align="lrl",
        title="Verdicts under each rater",
        notes=notes,
    )


def _changes(systems: SystemsUnderRaters) -> str:
    changed, all_of = len(systems.changed), len(systems.verdicts)
    against = sum(each.contradicts for each in systems.verdicts)
    of = "the one verdict" if all_of == 1 else f"{all_of} verdicts"
    if not changed:
        if all_of == 1:
            return "The verdict does not depend on who judged."
        return f"None of {of} depends on who judged."
    verb = "depends" if changed == 1 else "depend"
    line = f"{changed} of {of} {verb} on who judged"
    if not against:
        return f"{line}; none is better under one and worse under another."
    verb = "is" if against == 1 else "are"
    return f"{line}; {against} {verb} better under one and worse under another."


# --- cells --------------------------------------------------------------------------------------


def cut(name: str) -> str:
    """Return a name that fits in a table."""
    return name if width(name) <= _NAME else name[: _NAME - 1] + "…"


def signed(value: float | None) -> str:
    """Return a difference of grades, with its sign."""
    if value is None:
        return "–"
    text = digits(value, 2)
    return text if text.startswith("-") or not float(text) else f"+{text}"


def interval(low: float | None, high: float | None, write: object = None) -> str:
    """Return the ends of an interval."""
    if low is None or high is None:
        return "–"
    if write is signed:
        return f"{signed(low)} to {signed(high)}"
    return f"{digits(low)} to {digits(high)}"


def _range(differences: dict[str, float]) -> str:
    least, most = min(differences.values()), max(differences.values())
    one, two = (_difference(value) for value in (least, most))
    return one if one == two else f"{one} to {two}"


def _difference(value: float) -> str:
    text = digits(value)
    return text if text.startswith("-") else f"+{text}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _level(quality: JudgmentQuality) -> str:
    return f"{100 * quality.choices.level:g} % interval"


def _median(distribution: dict[float, int]) -> str:
    """Return the lower median of grades that were given some times each."""
    half = (sum(distribution.values()) + 1) // 2
    for grade, often in distribution.items():
        half -= often
        if half <= 0:
            return grade_text(grade)
    return "–"


def _listed(names: Sequence[str], most: int) -> str:
    shown = ", ".join(map(cut, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"

"""Write a comparison as a LaTeX table with significance marks."""

from __future__ import annotations

from string import ascii_lowercase

from gainful.comparison.notes import notes as all_notes
from gainful.comparison.rendering import further_tables
from gainful.comparison.tables import detail_table
from gainful.formats.latex import escaped
from gainful.formats.latex import latex as written
from gainful.formats.numbers import digits
from gainful.formats.table import Table, brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.comparison import Comparison
    from gainful.measures import Measure

__all__ = ["latex"]


def latex(
    comparison: Comparison,
    *,
    notes: bool = False,
    details: bool = False,
    risk: float | None = None,
    worst: int = 0,
) -> str:
    r"""Return a table of the systems' means, with significance marks.

    Superscript letters name the systems than which a mean is significantly better, subscripts those
    than which it is worse; the best mean is bold. The document must load ``booktabs``. Slices and
    other requested tables follow.

    Examples
    --------
    >>> import gainful
    >>> qrels = {f"q{n}": {"a": 2, "b": 1} for n in range(12)}
    >>> runs = {"old": {q: ["b", "a"] for q in qrels}, "new": {q: ["a", "b"] for q in qrels}}
    >>> print(latex(gainful.compare(qrels, runs, "nDCG@10")).partition(r"\medskip")[0])
    \begin{tabular}{llr}
    \toprule
    & system & nDCG@10 \\
    \midrule
    $a$ & old & .8597$_{b}$ \\
    $b$ & new & \textbf{1.0000}$^{a}$ \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    <BLANKLINE>
    """
    letters = {system: _letter(at) for at, system in enumerate(comparison.systems)}
    columns = [_column(comparison, measure, letters) for measure in comparison.measures]
    lines = [
        rf"\begin{{tabular}}{{ll{'r' * len(columns)}}}",
        r"\toprule",
        " & ".join(["", "system", *(escaped(repr(each)) for each in comparison.measures)]).lstrip()
        + r" \\",
        r"\midrule",
    ]
    for at, system in enumerate(comparison.systems):
        cells = [column[at] for column in columns]
        lines.append(" & ".join([f"${letters[system]}$", escaped(system), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", "", r"\medskip", "{\\footnotesize"]
    lines.append(rf"{_legend(comparison)}\par")
    # This table shows neither group letters nor intervals.
    texts = [
        note
        for note in all_notes(comparison, comparison.pairs)
        if note.key not in ("group", "intervals", "ends")
    ]
    legend = Table([], [], notes=texts)
    lines += [rf"{escaped(note)}\par" for note in (legend if notes else brief([legend])[0]).notes]
    lines.append("}")
    further = [
        written(table)
        for measure in comparison.measures
        for table in _further(comparison, measure, details, risk, worst)
    ]
    return "\n\\bigskip\n".join(["\n".join(lines) + "\n", *further])


def _further(
    comparison: Comparison, measure: Measure, details: bool, risk: float | None, worst: int
) -> list[Table]:

    pairs = [pair for pair in comparison.pairs if pair.measure == repr(measure)]
    found = [detail_table(comparison, pairs)] if details else []
    return found + further_tables(comparison, measure, pairs, risk=risk, worst=worst)


def _column(comparison: Comparison, measure: Measure, letters: dict[str, str]) -> list[str]:
    means = comparison.means(measure)
    best = max(means.values())
    above: dict[str, list[str]] = {system: [] for system in letters}
    below: dict[str, list[str]] = {system: [] for system in letters}
    for pair in comparison.pairs:
        if pair.measure != repr(measure) or pair.verdict not in ("better", "worse"):
            continue
        one, two = pair.system, pair.baseline
        if pair.verdict == "worse":
            one, two = two, one
        above[one].append(letters[two])
        below[two].append(letters[one])
    cells = []
    for system in letters:
        mean = digits(means[system])
        text = rf"\textbf{{{mean}}}" if means[system] == best else mean
        cells.append(text + _marks("^", above[system]) + _marks("_", below[system]))
    # Superscript and subscript share one math expression.
    return [cell.replace("$$", "") for cell in cells]


def _marks(sign: str, letters: list[str]) -> str:
    return f"${sign}{{{''.join(sorted(letters))}}}$" if letters else ""


def _legend(comparison: Comparison) -> str:
    return r"$^{a}$: significantly better than system $a$; $_{a}$: significantly worse" + (
        f"; compared only with {escaped(', '.join(comparison.baselines))}."
        if comparison.baselines
        else "."
    )


def _letter(at: int) -> str:
    around, place = divmod(at, len(ascii_lowercase))
    return ascii_lowercase[place] + ("'" * around)

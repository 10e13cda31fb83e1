"""Systems on several collections, for terminals, notebooks and pages."""

from __future__ import annotations

from gainful.formats.grid import Grid, laid_out
from gainful.formats.table import TextTable, digits, with_sign
from gainful.suite.comparison_tables import comparison_notes, gap_tables, pair_tables
from gainful.suite.notes import notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.measures import Measure
    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.result import Suite

__all__ = ["tables"]

WIDTH = 100


def tables(
    suite: Suite, columns: int = WIDTH, comparison: SuiteComparison | None = None
) -> list[TextTable]:
    """Return for each measure what the systems come to, their differences, and what was met.

    Parameters
    ----------
    suite : Suite
        What to show.
    columns : int
        How wide a table may be. One that is wider has its collections as rows, and if that is too
        wide as well, it is cut into several.
    comparison : SuiteComparison, optional
        Of this suite: then the pairs and their verdicts are shown, too.

    Examples
    --------
    >>> import gainful
    >>> print(tables(gainful.evaluate_suite("collections"))[0])
    nDCG@10
    system        help  recipes  macro    95 % interval
    ───────────────────────────────────────────────────
    fts5-tuned   .8594    .7374  .7984  .5966 to 1.0000
    fts5-plain   .7861    .5509  .6685   .5157 to .8213
    title-words  .4996        –      –                –
    oracle       .9004    .7374  .8189
    """
    found = []
    for measure in suite.measures:
        order = ranked(suite, measure)
        found += values_tables(suite, measure, order, columns, comparison)
        if comparison is not None:
            found += pair_tables(comparison, measure, columns)
            found += gap_tables(comparison, measure, order, columns)
        found += oracle_tables(suite, measure, order, columns)
    found.append(met_table(suite))
    told = comparison_notes(comparison) if comparison is not None else []
    return [*found[:-1], found[-1].told(notes=[*told, *notes(suite)])]


def ranked(suite: Suite, measure: Measure) -> list[str]:
    """Return the systems, the best macro-average first; those without one come last, as given."""
    macros = {system: suite.macro(system, measure) for system in suite.systems}
    return sorted(
        suite.systems,
        key=lambda system: -macro.mean if (macro := macros[system]) else float("inf"),
    )


def values_tables(
    suite: Suite,
    measure: Measure,
    order: Sequence[str],
    columns: int,
    comparison: SuiteComparison | None = None,
) -> list[TextTable]:
    """Return the means of the systems in the collections, and their macro-averages.

    Where all pairs were compared, also the groups of systems that are not told apart.
    """
    groups: dict[str, str] = {}
    if comparison is not None and not comparison.baselines and len(comparison.systems) > 2:
        groups = comparison.letters(measure)
    further = ["macro", "95 % interval", *(["groups"] if groups else [])]
    grid = Grid("system", "collection", suite.collections, further)
    for system in order:
        macro = suite.macro(system, measure)
        interval = "–"
        if macro is not None and macro.low is not None:
            interval = f"{digits(macro.low)} to {digits(macro.high)}"
        grid.add(
            system,
            [digits(suite.value(system, name, measure)) for name in suite.collections],
            [
                digits(macro.mean if macro else None),
                interval,
                *([groups.get(system, "–")] if groups else []),
            ],
        )
    best = {name: suite.oracle_mean(name, measure) for name in suite.collections}
    averaged = [mean for name in suite.over if (mean := best[name]) is not None]
    whole = sum(averaged) / len(averaged) if len(averaged) == len(suite.over) else None
    grid.add(
        suite.oracle or "oracle",
        [digits(best[name]) for name in suite.collections],
        [digits(whole), "", *([""] if groups else [])],
    )
    return laid_out(grid, repr(measure), columns)


def oracle_tables(
    suite: Suite, measure: Measure, order: Sequence[str], columns: int
) -> list[TextTable]:
    """Return how far each system is from the oracle in each collection."""
    grid = Grid("system", "collection", suite.collections, ("macro",))
    for system in order:
        grid.add(
            system,
            [with_sign(suite.oracle_gap(system, name, measure)) for name in suite.collections],
            [with_sign(suite.oracle_gap(system, None, measure))],
        )
    return laid_out(grid, f"{measure!r}, gap to {suite.oracle or 'the oracle'}", columns)


def met_table(suite: Suite) -> TextTable:
    """Return what the evaluation of each collection met: the range over its systems."""
    headers = ["collection", "queries", "nothing relevant", "not in the run"]
    counts = {
        name: [each.counts(system) for system in each.systems]
        for name, each in suite.evaluations.items()
    }
    cutoffs = list(next(iter(counts.values()))[0]["judged_at_cutoff"])  # type: ignore[call-overload]
    further = [
        (name, key)
        for name, key in (("only in the run", "extra"), ("duplicates", "duplicates"))
        if any(each[key] for found in counts.values() for each in found)
    ]
    rows = []
    for name, found in counts.items():
        nothing = [number for each in found for number in _of(each, "no_relevant").values()]
        row = [name, _span([each["judged_queries"] for each in found]), _span(nothing)]
        row.append(_span([each["missing"] for each in found]))
        row += [_span([each[key] for each in found]) for _, key in further]
        row += [
            _span([_of(each, "ties_at_cutoff")[cutoff] for each in found]) for cutoff in cutoffs
        ]
        row += [
            _share([_of(each, "judged_at_cutoff")[cutoff] for each in found]) for cutoff in cutoffs
        ]
        rows.append(row)
    headers += [name for name, _ in further]
    headers += [f"ties at {cutoff}" for cutoff in cutoffs]
    headers += [f"judged@{cutoff}" for cutoff in cutoffs]
    return TextTable(headers, rows, align="l" + "r" * (len(headers) - 1), title="What was met")


def _of(counts: dict[str, object], key: str) -> dict[str, object]:
    found = counts[key]
    assert isinstance(found, dict)
    return found


def _span(numbers: Sequence[object]) -> str:
    least, most = min(numbers), max(numbers)  # type: ignore[type-var]
    return str(least) if least == most else f"{least} to {most}"


def _share(shares: Sequence[object]) -> str:
    known = [share for share in shares if isinstance(share, float)]
    if not known:
        return "–"
    least, most = (f"{100 * share:.1f}" for share in (min(known), max(known)))
    return f"{least} %" if least == most else f"{least} to {most} %"

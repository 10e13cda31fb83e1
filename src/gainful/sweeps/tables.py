"""The tables of a sweep: the points under each measure, and the choice."""

from __future__ import annotations

from gainful.comparison.tables import leaderboard_table, pair_table
from gainful.formats.numbers import digits, percent, spans, with_sign
from gainful.formats.table import Column, Table
from gainful.sweeps.notes import SHOWN, notes
from gainful.sweeps.points import CURRENT, format_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.inference.choice import ChosenBest
    from gainful.measures import Measure
    from gainful.sweeps.result import Sweep

__all__ = ["tables"]


def tables(sweep: Sweep) -> list[Table]:
    """Return the points under each measure, the best first, and the choice."""
    found = [_board(sweep, measure) for measure in sweep.comparison.measures]
    if sweep.choice is not None:
        found.append(_choice(sweep))
    return [*found[:-1], found[-1].replace(notes=notes(sweep))]


def _board(sweep: Sweep, measure: Measure) -> Table:
    """Return the points under one measure, with their settings instead of names."""
    comparison = sweep.comparison
    means = comparison.means(measure)
    order = sorted(means, key=lambda name: -means[name])
    if sweep.baseline is None:
        # The settings take the place of the ranks.
        table = leaderboard_table(comparison, measure).only(lambda column: "rank" not in column.key)
        table = table.replace(title=f"{table.title}, {len(order)} points")
        names = [str(row[0]) for row in table.rows]
    else:
        names = [name for name in order if name != sweep.baseline]
        pairs = [comparison.pair(name, sweep.baseline, measure) for name in names]
        table = pair_table(comparison, pairs)
    settings = [[_value(sweep, name, each) for each in sweep.settings] for name in names]
    # A setting that retrieves unjudged documents has lower scores for that reason alone.
    judged = [sweep.evaluation.summary(measure, name).judged for name in names]
    sides = ["r" if all(map(_numeric, cells)) else "l" for cells in zip(*settings, strict=True)]
    columns = (
        Column(f"setting.{setting}", setting, align=side)
        for setting, side in zip(sweep.settings, sides, strict=True)
    )
    rows = [
        [*own, *row[1:], share]
        for own, row, share in zip(settings, table.rows, judged, strict=True)
    ]
    return table.replace(
        columns=[*columns, *table.columns[1:], Column("judged", show=percent)], rows=rows[:SHOWN]
    )


def _value(sweep: Sweep, name: str, setting: str) -> str | None:
    settings = sweep.point(name).settings
    return format_value(settings[setting]) if setting in settings else None


def _numeric(cell: str | None) -> bool:
    try:
        float(cell or 0)
    except ValueError:
        return False
    return True


def _choice(sweep: Sweep) -> Table:
    """Return the best point's value here and its estimate for other queries."""
    choice = sweep.choice
    assert choice is not None
    share = f"{100 * choice.shares[choice.best]:.0f}%"
    rows = [
        [name, *_figures(estimate, digits), share if name == choice.by else ""]
        for name, estimate in choice.estimates.items()
    ]
    for name, improvement in choice.improvements.items():
        rows.append([f"{name} − {_baseline(sweep)}", *_figures(improvement, with_sign), ""])
    return Table(
        [
            Column("measure"),
            Column("measured", "on these queries", align="r"),
            Column("expected", "on others", align="r"),
            Column("interval", f"{100 * (1 - sweep.comparison.alpha):g}% CI", align="r"),
            Column("chosen", align="r"),
        ],
        rows,
        title=f"The best of {len(sweep.points)} points by {choice.by}: {choice.best}",
    )


def _baseline(sweep: Sweep) -> str:
    return CURRENT if sweep.baseline == CURRENT else "baseline"


def _figures(found: ChosenBest, show: Callable[[float], str]) -> list[str]:
    ends = spans(show)((found.low, found.high))
    expected = "–" if found.expected is None else show(found.expected)
    return [show(found.measured), expected, ends]

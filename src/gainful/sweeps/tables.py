"""A sweep as tables of text: the points under each measure, and what the choice is worth."""

from __future__ import annotations

from gainful.comparison.tables import WIDTH, leaderboard_table, pair_table
from gainful.evaluation.words import percent
from gainful.formats.differences import changed, signed
from gainful.formats.table import TextTable, digits, with_sign
from gainful.sweeps.notes import SHOWN, notes
from gainful.sweeps.points import CURRENT, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.inference.choice import ChosenBest
    from gainful.measures import Measure
    from gainful.sweeps.result import Sweep

__all__ = ["tables"]


def tables(sweep: Sweep, width: int = WIDTH) -> list[TextTable]:
    """Return the points under each measure, the best first, and what the choice is worth.

    Parameters
    ----------
    sweep : Sweep
        What to show.
    width : int
        Columns that a table takes at most, if it can.
    """
    found = [_board(sweep, measure, width) for measure in sweep.comparison.measures]
    if sweep.choice is not None:
        found.append(_choice(sweep))
    return [*found[:-1], found[-1].told(notes=notes(sweep))]


def _board(sweep: Sweep, measure: Measure, width: int) -> TextTable:
    """Return the points under one measure, their settings in the place of their names."""
    comparison = sweep.comparison
    means = comparison.means(measure)
    order = sorted(means, key=lambda name: -means[name])
    if sweep.baseline is None:
        board = leaderboard_table(comparison, measure)
        table = board.told(title=f"{board.title}, {len(order)} points")
    else:
        order.remove(sweep.baseline)
        pairs = [comparison.pair(name, sweep.baseline, measure) for name in order]
        # The column of names gives way to those of the settings.
        names = TextTable(["system"], [[name] for name in order])
        taken = _wide(_with_settings(sweep, measure, names)) - _wide(names)
        table = pair_table(comparison, pairs, width=width - taken)
    rows = table.rows[:SHOWN]
    cut = TextTable(table.headers, rows, align=table.align, title=table.title)
    return _with_settings(sweep, measure, cut)


def _with_settings(sweep: Sweep, measure: Measure, table: TextTable) -> TextTable:
    """Put a column for each setting in the place of the first, and how much is judged at the end.

    A setting that brings up documents which nobody judged would lose by that alone.
    """
    names = [row[0] for row in table.rows]
    columns = [[_value(sweep, name, setting) for name in names] for setting in sweep.settings]
    judged = [sweep.evaluation.summary(measure, name).judged for name in names]
    shares = [percent(share) for share in judged]
    rows = [
        [*settings, *row[1:], share]
        for *settings, row, share in zip(*columns, table.rows, shares, strict=True)
    ]
    sides = "".join("r" if all(map(_numeric, column)) else "l" for column in columns)
    return TextTable(
        [*sweep.settings, *table.headers[1:], "judged"],
        rows,
        align=f"{sides}{table.align[1:]}r",
        title=table.title,
        notes=table.notes,
    )


def _value(sweep: Sweep, name: str, setting: str) -> str:
    settings = sweep.point(name).settings
    return text_of(settings[setting]) if setting in settings else "–"


def _numeric(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell == "–"
    return True


def _wide(table: TextTable) -> int:
    return max(map(len, str(table).split("\n")))


def _choice(sweep: Sweep) -> TextTable:
    """Return what the best point comes to here, and what it is expected to come to elsewhere."""
    choice = sweep.choice
    assert choice is not None
    share = f"{100 * choice.shares[choice.best]:.0f} %"
    rows = [
        [name, *_figures(worth, digits), share if name == choice.by else ""]
        for name, worth in choice.worth.items()
    ]
    for name, gain in choice.gain.items():
        mean = choice.worth[name].measured
        here = signed(changed(mean - gain.measured, mean, 4), 4)
        rows.append([f"{name} less {_baseline(sweep)}", here, *_figures(gain, with_sign)[1:], ""])
    level = f"{100 * (1 - sweep.comparison.alpha):g} % interval"
    return TextTable(
        ["measure", "on these queries", "on others", level, "chosen"],
        rows,
        align="lrrrr",
        title=f"The best of {len(sweep.points)} points by {choice.by}: {choice.best}",
    )


def _baseline(sweep: Sweep) -> str:
    return CURRENT if sweep.baseline == CURRENT else "the baseline's"


def _figures(found: ChosenBest, written: Callable[[float | None], str]) -> list[str]:
    interval = "–"
    if found.low is not None and found.high is not None:
        interval = f"{written(found.low)} to {written(found.high)}"
    return [written(found.measured), written(found.expected), interval]

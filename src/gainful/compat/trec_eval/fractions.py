"""Warn of fractional gains, which trec_eval sorts incorrectly.

It compares gains by the whole part of their difference, so that gains that differ by less than 1
are equal, and the ideal ranking may be wrong. Gainful sorts them as numbers.
"""

from __future__ import annotations

from gainful.compat.trec_eval.reading import Judgments, standard_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful._kernel import Rows
    from gainful.compat.trec_eval.plan import Plan


def warn_about_gains(plan: Plan, judgments: Judgments) -> None:
    """Warn once if gains of a measure differ by less than 1."""
    for measure, gains in plan.tables.items():
        pair = _find_close_gains(dict(gains), judgments.rows)
        if pair is not None:
            low, high = pair
            standard_error(
                f"gainful trec_eval: warning: {measure} with the gains {low:g} and {high:g}: "
                "trec_eval treats gains that differ by less than 1 as equal, so its value is "
                "wrong; this value is correct\n"
            )
            return


def _find_close_gains(gains: dict[int, float], rows: Rows) -> tuple[float, float] | None:
    """Return two gains that differ by less than 1, including those of grades in the data."""
    every = set(gains.values())
    for gain in gains.values():
        for level in (int(gain), int(gain) + 1):
            if level not in gains and level >= 0 and (level == 0 or len(rows.at_least(level))):
                every.add(float(level))
    order = sorted(every)
    for at in range(1, len(order)):
        if order[at] - order[at - 1] < 1:
            return order[at - 1], order[at]
    return None

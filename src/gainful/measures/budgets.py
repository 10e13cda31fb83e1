"""Coverage over budgets: SpanR at several numbers of units."""

from __future__ import annotations

from math import log

from gainful.errors import ParameterError
from gainful.measures.algebra import Measure
from gainful.numerals import parse_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["budget_measures", "budget_of", "units_measure", "with_units"]

#: Budgets per doubling.
_STEPS = 2

#: The parameters that limit what is read.
_READING = ("budget", "unit", "last")

#: The most budgets.
_MOST = 50


def budget_measures(budgets: str, unit: str | None = None) -> tuple[Measure, ...]:
    """Return SpanR at each budget.

    Examples
    --------
    >>> [measure.params["budget"] for measure in budget_measures("500:4000")]
    [500, 710, 1000, 1400, 2000, 2800, 4000]
    >>> budget_measures("1000,2000", "tokens")
    (SpanR(budget=1000, unit='tokens'), SpanR(budget=2000, unit='tokens'))
    """
    shared = {} if unit is None else {"unit": unit}
    return tuple(Measure("SpanR", {"budget": budget, **shared}) for budget in _budgets(budgets))


def budget_of(measure: Measure) -> int | None:
    """Return the budget of a coverage; None for other measures."""
    budget = measure.params.get("budget") if measure.family == "SpanR" else None
    return budget if isinstance(budget, int) else None


def units_measure(measure: Measure) -> Measure | None:
    """Return the measure of how many units a measure of spans reads; None for other measures.

    Examples
    --------
    >>> from gainful.measures import parse_measures
    >>> list(map(units_measure, parse_measures(["SpanR@5", "SpanFull(budget=90)", "nDCG@5"])))
    [SpanUnits@5, SpanUnits(budget=90), None]
    """
    if measure.declaration.judgments != "spans" or measure.family == "SpanUnits":
        return None
    reading = {name: measure.params[name] for name in _READING if name in measure.params}
    return Measure("SpanUnits", reading, measure.cutoff)


def with_units(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return measures, and those of the units that they read."""
    units = filter(None, map(units_measure, measures))
    return tuple(dict.fromkeys([*measures, *units]))


def _budgets(text: str) -> list[int]:
    try:
        if ":" not in text:
            return sorted({_whole(part) for part in text.split(",")})
        low, high, *number = (_whole(part) for part in text.split(":"))
        if len(number) > 1:
            raise ValueError
    except (ValueError, TypeError):
        expected = "LOW:HIGH, such as 500:8000, LOW:HIGH:NUMBER or a list"
        raise ParameterError(where="budgets", found=repr(text), expected=expected) from None
    if low >= high:
        raise ParameterError(
            where="budgets", found=f"{low}:{high}", expected="LOW:HIGH with LOW below HIGH"
        )
    count = number[0] if number else 1 + round(_STEPS * log(high / low) / log(2))
    if not 2 <= count <= _MOST:
        raise ParameterError(
            where="budgets",
            found=repr(text),
            expected=f"LOW:HIGH:NUMBER with a number from 2 to {_MOST}",
        )
    ratio = (high / low) ** (1 / (count - 1))
    between = {_rounded(low * ratio**step) for step in range(1, count - 1)}
    return sorted({low, *between, high})


def _whole(text: str) -> int:
    number = parse_number(text.strip())
    if number != int(number) or number < 1:
        raise ValueError
    return int(number)


def _rounded(value: float) -> int:
    """Return a number with two digits."""
    return int(float(f"{value:.1e}"))

"""Measures at their cutoffs, and aggregations over queries."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from itertools import product

from gainful.measures import Measure
from gainful.policies import split
from gainful.reconciliation.space import (
    COMMON_MEASURES,
    DEEPEST,
    MOST_LEVELS,
    PARAMETERS,
    UNUSUAL,
    cutoff_cost,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful import _kernel
    from gainful.conventions import Convention
    from gainful.reconciliation.survey import Survey


@dataclass(frozen=True)
class Series:
    """A measure with its parameters set, at several cutoffs.

    `rank` is the position of the measure in the search. `preset` is the index of the only preset
    that the series belongs to, or None. `as_reported` is false for a measure other than the
    reported one, which is as implausible as an unusual cutoff.
    """

    measure: Measure
    params: dict[str, object]
    cutoffs: Sequence[int | None]
    _: KW_ONLY
    rank: int = 0
    preset: int | None = None
    rounding: str = "none"
    as_reported: bool = True

    def spec(self, convention: Convention | None) -> _kernel.Series:
        """Return the series as the kernel's argument."""
        kernel, values = self.measure.spec(convention)
        family = self.measure.family
        base = 1000 * self.rank + (0 if self.as_reported else UNUSUAL)
        costs = [base]
        if len(self.cutoffs) > 1:
            costs = [base + cutoff_cost(cutoff, family) for cutoff in self.cutoffs]
        rounding = split(self.rounding)
        return repr(self.measure), kernel, values, list(self.cutoffs), costs, *rounding


@dataclass(frozen=True)
class Way:
    """An aggregation of the values of queries.

    A mean is over `extra` more queries than are evaluated, all with the value 0, or over fewer.
    """

    no_relevant: str | float
    missing: str
    rounding: str
    aggregation: str
    preset: int | None = None
    extra: int = 0

    def spec(self) -> _kernel.Way:
        """Return the aggregation as the kernel's argument."""
        valued = not isinstance(self.no_relevant, str)
        return (
            "value" if valued else str(self.no_relevant),
            float(self.no_relevant) if valued else 0.0,
            self.missing,
            *split(self.rounding),
            self.aggregation,
            self.extra,
        )


def common_measures() -> list[tuple[Measure, Sequence[int | None]]]:
    """Return the measures to search if none is given."""
    named = [(Measure(family), cutoffs) for family, cutoffs in COMMON_MEASURES]
    return [(Measure("nDCG"), ()), *named]


def cutoffs_of(measure: Measure, deepest: int) -> Sequence[int | None]:
    """Return the cutoffs of a measure: its own, or all that make a difference."""
    if measure.cutoff is not None:
        return [measure.cutoff]
    if not measure.declaration.takes_cutoff:
        return [None]
    return [*range(1, min(deepest, DEEPEST) + 1), None]


def variants(measure: Measure, survey: Survey) -> Iterator[tuple[Measure, dict[str, object]]]:
    """Yield a measure with every combination of the parameters that it does not set."""
    plain = Measure(measure.family, measure.params)
    free: dict[str, Sequence[object]] = {}
    for parameter in plain.declaration.parameters:
        name = parameter.name
        if name in measure.params:
            continue
        if name == "rel":
            levels = survey.relevance_levels()[:MOST_LEVELS]
            free[name] = sorted({1.0, *levels})
        elif name == "max_grade" and measure.family in ("ERR", "nERR"):
            free[name] = sorted({4.0, *(grade for grade in survey.grades[-1:] if grade > 0)})
        elif name in PARAMETERS.get(measure.family, {}):
            free[name] = PARAMETERS[measure.family][name]
    if "gain" in free and set(survey.grades) <= {0.0, 1.0}:
        free["gain"] = ("linear", "exponential+1", "judged")
    largest = survey.grades[-1] if survey.grades else 0.0
    for chosen in product(*free.values()):
        params = dict(zip(free, chosen, strict=True))
        if params.get("ideal") == "max-grade":
            if largest <= 0:
                continue
            params["max_grade"] = largest
        own = plain(**params)
        yield own, dict(own.resolve().params)

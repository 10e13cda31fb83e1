"""Convert the kernel's matches to measures and conventions, and confirm them."""

from __future__ import annotations

from math import fsum, nan

from gainful.conventions import POLICIES, Convention
from gainful.errors import GainfulError, MeasureError
from gainful.evaluation.call import evaluate_runs
from gainful.measures import Measure
from gainful.measures.parameters import format_value
from gainful.policies import split
from gainful.reconciliation.result import Match
from gainful.reconciliation.space import (
    DEEPEST,
    MIND,
    REFUSALS,
    Reported,
    TriedPreset,
    cutoff_cost,
    describe_factor,
    describe_reading,
    joint_value,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeGuard

    from gainful import _kernel
    from gainful.data import Qrels, Run
    from gainful.reconciliation.combinations import Combinations
    from gainful.reconciliation.space import Series

    #: A measure, convention and aggregation, the changes, and the value of each run.
    _Described = tuple[Measure, Convention, str, tuple[str, ...], list[float]]
    #: The value of each run, and the number of its queries.
    _Evaluated = list[tuple[float, int]]

#: Measures whose parameters follow a convention's defaults for nDCG.
_GAIN_FAMILIES = ("nDCG", "DCG", "IDCG", "CG")
#: The change of a preset that has a default cutoff, for the whole ranking.
_NO_CUTOFF = "no cutoff"


class Confirmer:
    """A converter of the kernel's results to matches, each confirmed by an evaluation."""

    def __init__(
        self,
        combinations: Combinations,
        qrels: Qrels,
        runs: Mapping[str, Run],
        numbers: Sequence[Reported],
        threads: int,
    ) -> None:
        self._combinations = combinations
        self._qrels = qrels
        self._runs = runs
        self._numbers = numbers
        self._threads = threads
        self._values: dict[tuple[Measure, Convention, str], _Evaluated | None] = {}

    def match(
        self,
        member: _kernel.Member,
        also: Sequence[_kernel.Member] = (),
        count: int = 1,
        *,
        coincidences: float | None = None,
    ) -> Match | None:
        """Return a match; None if the evaluation does not give the value."""
        known = self._combinations.survey.known
        combination = self._combination(member)
        presets: dict[int, _Described] = {}
        for other in sorted((member, *also), key=lambda pair: pair[1]):
            described = combination if other == member else self._combination(other)
            if described is not None and described[3] == known[other[1]].relaxed:
                presets.setdefault(other[1], described)
        if presets:
            first = min(presets, key=lambda number: (*_complexity(presets[number]), number))
            if combination is None or _complexity(presets[first]) < _complexity(combination):
                member = (member[0], first, *member[2:])
                combination = presets[first]
        if combination is None:
            return None
        measure, convention, aggregation, changes, values = combination
        others = []
        for number, described in presets.items():
            if number != member[1]:
                name = " with ".join(
                    part for part in (known[number].name, ", ".join(described[3])) if part
                )
                others.append(name if described[0] == measure else f"{name} ({described[0]!r})")
        series = self._combinations.series[member[3]]
        extra = self._combinations.ways[member[5]].extra
        readings: list[str] = []
        queries = self._queries(measure, convention, aggregation) + extra if extra else None
        if extra or not series.as_reported:
            reported = self._combinations.measures[0][0]
            readings = describe_reading(reported, measure, (queries or 0) - extra, extra)
        return Match(
            measure=measure,
            convention=convention,
            aggregation=aggregation,
            value=values[0],
            difference=values[0] - self._numbers[0].value,
            values=tuple(values),
            nearest=self._combinations.survey.known[member[1]].name,
            changes=changes,
            also=tuple(others),
            combinations=count,
            coincidences=coincidences,
            readings=tuple(readings),
            queries=queries,
        )

    def scaled(
        self, known: TriedPreset, measure: Measure
    ) -> tuple[tuple[float, ...], Match | None]:
        """Return the values of a preset, and a match if one factor makes them the numbers."""
        evaluated = self._evaluate(measure, known.convention, "mean") or []
        values = tuple(value for value, _ in evaluated)
        if not values or not all(value > 0.0 for value in values):
            return (), None
        pairs = list(zip(values, self._numbers, strict=True))
        low = max(number.low / value for value, number in pairs)
        high = min(number.high / value for value, number in pairs)
        if low > high:
            return values, None
        factor, reading = describe_factor(low, high, evaluated[0][1])
        return values, self._reading(known, measure, [factor * value for value in values], reading)

    def averaged(
        self, known: TriedPreset, measure: Measure
    ) -> tuple[tuple[float, ...], Match | None]:
        """Return the means of 1/rank over all relevant documents, and a match if they do."""
        level = measure.params.get("rel", 1)
        assert isinstance(level, (int, float))
        gain = tuple((grade, float(grade >= level)) for grade in self._combinations.survey.grades)
        total = Measure("DCG", {"gain": gain, "discount": "reciprocal"}, measure.cutoff)
        relevant = Measure("NumRel", {"rel": level})
        try:
            evaluation = evaluate_runs(
                self._qrels,
                dict(self._runs),
                [total, relevant],
                # Under its own name a preset gives only measures that it is verified for.
                known.convention.replace(name="reconcile"),
                threads=self._threads,
            )
        except GainfulError:
            return (), None
        values = []
        for run in self._runs:
            sums, counts = (evaluation.per_query(of, run) for of in (total, relevant))
            means = [sums[query] / counts[query] if counts[query] else 0.0 for query in sums]
            values.append(fsum(means) / len(means) if means else nan)
        matching = all(map(Reported.contains, self._numbers, values))
        return tuple(values), self._reading(known, measure, values, MIND) if matching else None

    def _reading(
        self, known: TriedPreset, measure: Measure, values: list[float], reading: str
    ) -> Match:
        return Match(
            measure=measure,
            convention=known.convention,
            aggregation="mean",
            value=values[0],
            difference=values[0] - self._numbers[0].value,
            values=tuple(values),
            nearest=known.name,
            changes=known.relaxed,
            readings=(reading,),
        )

    def separated(self, match: Match) -> Match:
        """Return a match of a preset with what separates it from the default convention."""
        if match.preset is None:
            return match
        default = Convention()
        evaluated = self._queries(match.measure, match.convention, match.aggregation)
        extra = 0 if match.queries is None else match.queries - evaluated
        resolved, usual = match.measure.resolve(match.convention), match.measure.resolve(default)
        policies = {
            policy.name: getattr(match.convention, policy.name)
            for policy in POLICIES
            if policy.name not in self._combinations.survey.indifferent
            and getattr(match.convention, policy.name) != getattr(default, policy.name)
        }
        params = {
            name: value
            for name, value in resolved.params.items()
            if usual.params.get(name) != value
        }

        def gives_value(names: Sequence[str]) -> bool:
            convention = default.replace(
                **{name: value for name, value in policies.items() if name in names}
            )
            chosen = {name: value for name, value in params.items() if name in names}
            try:
                measure = type(resolved)(
                    resolved.family, {**usual.params, **chosen}, resolved.cutoff
                )
            except MeasureError:
                return False  # A parameter that applies to one value of another.
            values = self._values_of(measure, convention, match.aggregation, extra)
            return values is not None and all(
                _is_equal(*pair, match.convention)
                for pair in zip(values, match.values, strict=True)
            )

        names = [*policies, *params]
        if not names or gives_value([]) or not gives_value(names):
            return match
        needed = next(([name] for name in names if gives_value([name])), names)
        for name in needed if len(needed) > 1 else ():
            rest = [other for other in needed if other != name]
            needed = rest if gives_value(rest) else needed
        changes = {**policies, **params}
        separating = tuple(f"{name}={format_value(changes[name])}" for name in needed)
        return match.replace(separating=separating)

    def _combination(self, member: _kernel.Member) -> _Described | None:
        """Return measure, convention, aggregation, changes and value for confirmation."""
        *_, at_way, number = member
        extra = self._combinations.ways[at_way].extra
        for whole in (False, True):
            measure, convention, aggregation, changes = self._describe(member, whole=whole)
            if _NO_CUTOFF in changes:
                # A tool that always has a cutoff gives the same value at a deep one.
                known = self._combinations.survey.known[member[1]]
                deep = measure @ DEEPEST
                values = self._values_of(deep, known.convention, aggregation, extra)
                if len(changes) == len(known.relaxed) + 1 and self._gives(
                    values, number, convention
                ):
                    return deep, known.convention, aggregation, known.relaxed, values
            values = self._values_of(measure, convention, aggregation, extra)
            if self._gives(values, number, convention):
                return measure, convention, aggregation, changes, values
        return None

    def _gives(
        self, values: list[float] | None, found: float, convention: Convention
    ) -> TypeGuard[list[float]]:
        return values is not None and _is_equal(
            joint_value(values, self._numbers), found, convention
        )

    def _values_of(
        self, measure: Measure, convention: Convention, aggregation: str, extra: int
    ) -> list[float] | None:
        evaluated = self._evaluate(measure, convention, aggregation)
        if evaluated is None:
            return None
        return [
            value * queries / (queries + extra) if extra else value for value, queries in evaluated
        ]

    def _queries(self, measure: Measure, convention: Convention, aggregation: str) -> int:
        evaluated = self._evaluate(measure, convention, aggregation)
        assert evaluated is not None
        return evaluated[0][1]

    def _evaluate(
        self, measure: Measure, convention: Convention, aggregation: str
    ) -> _Evaluated | None:
        key = (measure, convention, aggregation)
        if key not in self._values:
            try:
                evaluation = evaluate_runs(
                    self._qrels, dict(self._runs), measure, convention, threads=self._threads
                )
            except GainfulError:
                self._values[key] = None
            else:
                summaries = [evaluation.summary(system=name) for name in self._runs]
                self._values[key] = [
                    (float(getattr(summary, aggregation)), summary.n) for summary in summaries
                ]
        return self._values[key]

    def _describe(
        self, member: _kernel.Member, *, whole: bool
    ) -> tuple[Measure, Convention, str, tuple[str, ...]]:
        """Return a combination as a preset with changes.

        With `whole`, the changes include policies that have no effect on these data and policies
        that reject data.
        """
        _, preset, at_convention, at_series, at_cutoff, at_way, _ = member
        combinations = self._combinations
        survey = combinations.survey
        known = combinations.known[preset]
        relaxed = survey.known[preset].relaxed
        ours = combinations.conventions[at_convention]
        series = combinations.series[at_series]
        way = combinations.ways[at_way]
        base = combinations.measures[series.rank][0]
        cutoff = series.cutoffs[at_cutoff]
        measure = type(base)(base.family, base.params, cutoff)
        changed: dict[str, object] = {}
        if ours != known:
            policies = survey.differing(ours, known)
            if whole:
                policies = [
                    name for name in survey.values if getattr(ours, name) != getattr(known, name)
                ]
                changed |= {
                    name: value for name, value in REFUSALS.items() if getattr(known, name) != value
                }
            changed |= {name: getattr(ours, name) for name in policies}
        if way.preset is None:
            differing = combinations.differing_ways(way, known)
            changed |= {name: getattr(way, name) for name in differing if name != "aggregation"}
        changes = list(relaxed)
        changes += [f"{name}={format_value(value)}" for name, value in changed.items()]
        params = combinations.differing_params(series, known) if series.preset is None else []
        defaults = dict(known.defaults)
        gains: dict[str, object] = dict(defaults.get("nDCG", {}))
        if measure.family in _GAIN_FAMILIES:
            free = [name for name in params if name not in base.params]
            for name in free:
                gains[name] = series.params.get(name)
                changes.append(f"{name}={format_value(series.params.get(name))}")
            _set_dependent_params(gains, series, free)
        else:
            measure = measure(
                **{name: series.params[name] for name in params if name in series.params}
            )
        if cutoff is None and measure.resolve(known).cutoff is not None:
            gains.pop("cutoff", None)
            changes.append(_NO_CUTOFF)
        if gains != dict(defaults.get("nDCG", {})):
            changed["defaults"] = {**defaults, "nDCG": gains}
        if way.aggregation == "median":
            changes.append("the median")
        return measure, known.replace(**changed), way.aggregation, tuple(dict.fromkeys(changes))


def _complexity(described: _Described) -> tuple[float, ...]:
    """Return a sort key for equal combinations: the simplest has the smallest."""
    measure, convention, _, changes, _ = described
    rounded = convention.rounding.startswith("query")
    return len(changes), cutoff_cost(measure.cutoff, measure.family), rounded


def _is_equal(value: float, found: float, convention: Convention) -> bool:
    return abs(value - found) <= _tolerance(convention, found)


def _tolerance(convention: Convention, found: float) -> float:
    """Return the tolerance between an evaluation's mean and the kernel's sum."""
    what, places = split(convention.rounding)
    rounded = 10.0**-places if what == "mean" else 0.0
    return rounded + 1e-12 * max(1.0, abs(found))


def _set_dependent_params(gains: dict[str, object], series: Series, changed: list[str]) -> None:
    """Set or remove parameters that apply only to one value of another parameter."""
    for name, owner, value in (
        ("base", "discount", "jarvelin-kekalainen"),
        ("max_grade", "ideal", "max-grade"),
    ):
        if owner in changed:
            gains.pop(name, None)
            if series.params.get(owner) == value:
                gains[name] = series.params[name]

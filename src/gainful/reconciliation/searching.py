"""Search the conventions that give the reported numbers."""

from __future__ import annotations

from dataclasses import replace

from gainful import _kernel
from gainful.conventions import presets
from gainful.conventions.convention import preset_convention
from gainful.data.table import kernel_rows
from gainful.measures import Measure
from gainful.measures.algebra import is_verified
from gainful.reconciliation.combinations import Combinations
from gainful.reconciliation.matches import Confirmer
from gainful.reconciliation.result import Match, Reconciliation
from gainful.reconciliation.space import (
    UNUSUAL,
    cutoff_cost,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gainful.data import Qrels, Run
    from gainful.reconciliation.combinations import Searched
    from gainful.reconciliation.space import Reported, Survey, TriedPreset


#: How many matches and nearest misses to report, and from how many groups to choose the matches.
_MATCHES, _NEAREST, _GROUPS = 10, 5, 40
#: More than there are presets.
_PRESET_GROUPS = 1000
#: From how many candidates to choose the nearest misses, because some differ only in rounding.
_NEARBY = 25
#: Half the width of the narrowest interval around the number in which distinct values are counted:
#: relative to the number, and its minimum in units of the last digit.
_NEAR, _UNITS = 0.0025, 2.5
#: Values that agree to this many digits are equal.
_EQUAL_DIGITS = 9
#: Each next interval is twice as wide, up to this many times _NEAR. An interval with fewer values
#: than _ENOUGH is too narrow to estimate their density.
_WIDEST, _ENOUGH = 16, 10


def _distance_limit(kernel_limit: int | None, product_limit: int) -> int | None:
    """Return the largest searched distance from a preset; None if there was no limit."""
    limits = [
        *([] if kernel_limit is None else [kernel_limit]),
        *([product_limit - 1] if product_limit < 99 else []),
    ]
    return min(limits, default=None)


def _plausibility(match: Match, measures: Searched) -> tuple[float, ...]:
    """Return a sort key of a match: the most plausible has the smallest.

    An unusual cutoff counts as one more change, unless it was reported. Among equals, a match with
    more presets comes first.
    """
    families = [measure.family for measure, _ in measures]
    rank = families.index(match.measure.family)
    cost = cutoff_cost(match.measure.cutoff, match.measure.family)
    unusual = cost >= UNUSUAL and len(measures[rank][1]) > 1
    # A relevance level, for example, is part of the measure.
    changes = len(match.changes) + len(match.measure.params) - len(measures[rank][0].params)
    presets = 0 if changes else -1 - len(match.also)
    return changes + unusual, unusual, rank, cost, presets


def _unverified_presets(measures: Searched) -> tuple[str, ...]:
    """Return the presets that are verified for none of the measures."""
    return tuple(
        preset.name
        for preset in presets()
        if not any(is_verified(measure, preset_convention(preset)) for measure, _ in measures)
    )


class Search:
    """A search for the conventions behind the numbers of runs.

    Parameters
    ----------
    qrels, runs
        The judgments and the rankings.
    survey : Survey
        The policies that make a difference on them.
    bounds : list of (str, float, float)
        Queries with reported values, each with the range of values that round to it.
    threads : int
        Number of threads.
    progress : callable, optional
        Called with (work done, total work).
    """

    def __init__(
        self,
        qrels: Qrels,
        runs: Mapping[str, Run],
        survey: Survey,
        bounds: list[tuple[str, float, float]],
        threads: int,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        self._qrels = qrels
        self._runs = runs
        self._survey = survey
        self._bounds = bounds
        self._threads = threads
        self._progress = progress

    def result(
        self, numbers: Sequence[Reported], requested: Measure | None, measures: Searched
    ) -> Reconciliation:
        """Search for the number of each run and return the confirmed matches."""
        number = numbers[0]
        combinations = Combinations(self._survey, measures, number.digits)
        outcome = self._search(combinations, numbers)
        confirmer = self._confirmer(combinations, numbers)
        known = bool(self._bounds)
        confirmable = [
            _confirm(confirmer, group, numbers, are_queries_reported=known)
            for group in outcome["best"]
        ]
        confirmed = [match for match in confirmable if match is not None]
        confirmed.sort(key=lambda match: _plausibility(match, measures))
        matches = [confirmer.separated(match) for match in confirmed[:_MATCHES]]
        if matches and matches[0].preset is not None and len(measures) == len(measures[0][1]) == 1:
            matches[0] = self._compare_with_presets(matches[0], numbers, measures)
        misses: list[Match] = []
        if not matches:
            misses = self._find_misses(numbers, measures, combinations, outcome)
        unverified = _unverified_presets(measures)
        return Reconciliation(
            numbers=dict(zip(self._runs, numbers, strict=True)),
            measure=requested,
            matches=tuple(matches),
            found=outcome["groups"] - (len(confirmable) - len(confirmed)),
            coincidences=_by_chance(outcome, numbers),
            searched=outcome["searched"],
            matching=outcome["matching"],
            contradicted=outcome["contradicted"],
            reported_queries=len(self._bounds),
            nearest=tuple(misses),
            indifferent=dict(self._survey.indifferent),
            refused={
                name: why for name, why in self._survey.refusals.items() if name not in unverified
            },
            unverified=unverified,
            farthest=_distance_limit(outcome["farthest"], combinations.distance_limit),
        )

    def with_readings(self, before: Reconciliation, readings: Searched) -> Reconciliation:
        """Return a result with the matches of presets under other readings of the measure."""
        numbers = [*before.numbers.values()]
        combinations = Combinations(
            self._survey, readings, numbers[0].digits, product_too=False, readings=True
        )
        outcome = self._search(combinations, numbers)
        confirmer = self._confirmer(combinations, numbers)
        matches = []
        groups = outcome["groups"]
        for group in outcome["best"]:
            _, _, _, at_series, _, at_way, _ = group[0]
            other_measure = not combinations.series[at_series].as_reported
            other_count = combinations.ways[at_way].extra != 0
            if not other_measure and not other_count:
                groups -= 1  # The search before found it.
            if other_measure == other_count:
                continue
            match = _confirm(confirmer, group, numbers, are_queries_reported=bool(self._bounds))
            if match is None:
                groups -= 1
            else:
                matches.append(confirmer.separated(match))
        # A preset that is read in another way is more plausible than a changed one.
        whole = [match for match in before.matches if match.preset is not None]
        changed = [match for match in before.matches if match.preset is None]
        every = [*whole, *matches, *changed]
        every.sort(key=lambda match: not match.explains)
        return before.replace(
            matches=tuple(every[:_MATCHES]),
            found=before.found + groups,
            coincidences=before.coincidences + _by_chance(outcome, numbers),
            searched=before.searched + outcome["searched"],
            matching=before.matching + outcome["matching"],
            contradicted=before.contradicted + outcome["contradicted"],
            nearest=() if every else before.nearest,
        )

    def with_computed(self, before: Reconciliation, measure: Measure) -> Reconciliation:
        """Return a result with the readings that need the values of each preset.

        These are MIND's reciprocal rank, and for several runs one constant factor.
        """
        number, *further = before.numbers.values()
        if measure.family == "RR":
            before = self._with_values(before, measure, Confirmer.averaged, [number, *further])
        if further and not before.explained:
            # The factor is free, so it fits one of the numbers.
            before = self._with_values(before, measure, Confirmer.scaled, further)
        return before

    def _with_values(
        self,
        before: Reconciliation,
        measure: Measure,
        read: Callable[[Confirmer, TriedPreset, Measure], tuple[tuple[float, ...], Match | None]],
        evidence: Sequence[Reported],
    ) -> Reconciliation:
        """Return a result with the presets that match in one reading."""
        numbers = [*before.numbers.values()]
        alone = Combinations(
            self._survey, [(measure, [measure.cutoff])], numbers[0].digits, product_too=False
        )
        confirmer = self._confirmer(alone, numbers)
        tried: dict[tuple[float, ...], list[str]] = {}
        matches: dict[tuple[float, ...], Match] = {}
        for known in self._survey.known:
            if known.refuses or not is_verified(measure, known.convention):
                continue
            values, match = read(confirmer, known, measure)
            if not values:
                continue
            key = tuple(round(value, _EQUAL_DIGITS) for value in values)
            tried.setdefault(key, []).append(known.name)
            if match is not None:
                matches.setdefault(key, match)
        chance = _chance(evidence, 2 * _intervals(numbers[0])[0])
        confirmed = [
            match.replace(also=tuple(tried[key][1:]), coincidences=len(tried) * chance)
            for key, match in matches.items()
        ]
        every = sorted((*before.matches, *confirmed), key=lambda match: not match.explains)
        return before.replace(
            matches=tuple(every[:_MATCHES]),
            found=before.found + len(confirmed),
            searched=before.searched + len(tried),
            matching=before.matching + len(confirmed),
            coincidences=before.coincidences + len(tried) * chance,
            nearest=() if every else before.nearest,
        )

    def _compare_with_presets(
        self, match: Match, numbers: Sequence[Reported], measures: Searched
    ) -> Match:
        """Return a match of presets, compared with values that as many presets agree on."""
        alone = Combinations(self._survey, measures, numbers[0].digits, product_too=False)
        far = _intervals(numbers[0])[-1] / _width(numbers[0])
        wide = [
            replace(
                number,
                low=number.low - far * _width(number),
                high=number.high + far * _width(number),
            )
            for number in numbers
        ]
        agreeing = 1 + len(match.also)
        values = 0
        for member, also, _, _ in self._search(alone, wide, groups=_PRESET_GROUPS)["best"]:
            values += len({combination[1] for combination in (member, *also)}) >= agreeing
        values = max(0, values - 1) + (not self._bounds)
        coincidences = values * _chance(numbers, _width(wide[0]))
        assert match.coincidences is not None
        return match.replace(coincidences=min(coincidences, match.coincidences))

    def _find_misses(
        self,
        numbers: Sequence[Reported],
        measures: Searched,
        combinations: Combinations,
        found: _kernel.Found,
    ) -> list[Match]:
        """Return the nearest presets, then the nearest of all combinations."""
        alone = Combinations(self._survey, measures, numbers[0].digits, product_too=False)
        misses: dict[tuple[str, str], Match] = {}
        for space, nearest in (
            (alone, self._search(alone, numbers)["nearest"]),
            (combinations, found["nearest"]),
        ):
            confirmer = self._confirmer(space, numbers)
            most = len(misses) + _NEAREST
            for member in nearest:
                match = confirmer.match(member)
                if match is not None and len(misses) < most:
                    changes = [
                        change for change in match.changes if not change.startswith("rounding")
                    ]
                    key = repr(match.measure), " ".join((match.nearest, *changes))
                    misses.setdefault(key, match)
        return list(misses.values())

    def _confirmer(self, combinations: Combinations, numbers: Sequence[Reported]) -> Confirmer:
        return Confirmer(combinations, self._qrels, self._runs, numbers, self._threads)

    def _search(
        self, combinations: Combinations, numbers: Sequence[Reported], groups: int = _GROUPS
    ) -> _kernel.Found:
        number, *further = numbers
        target: _kernel.Target = {
            "low": number.low,
            "high": number.high,
            "further": [(other.low, other.high) for other in further],
            "near": _intervals(number),
            "per_query": self._bounds,
            "groups": groups,
            "nearest": _NEARBY,
        }
        return _kernel.reconcile_search(
            kernel_rows(self._qrels),
            [kernel_rows(run) for run in self._runs.values()],
            combinations.spec(),
            target,
            threads=self._threads,
            report=self._progress,
        )


def _confirm(
    confirmer: Confirmer,
    group: tuple[_kernel.Member, list[_kernel.Member], int, list[int]],
    numbers: Sequence[Reported],
    *,
    are_queries_reported: bool,
) -> Match | None:
    """Return the match of a group, with the number of chance matches as plausible as it."""
    member, also, count, around = group
    near = _intervals(numbers[0])
    # The first interval that contains enough values, else the widest.
    enough = (index for index, values in enumerate(around) if values >= _ENOUGH)
    place = next(enough, len(near) - 1)
    # The match itself is a value in the interval. Reported values of queries confirm it apart from
    # its mean, and only values that agree with them are counted.
    values = around[place] + (not are_queries_reported)
    return confirmer.match(
        member, also, count, coincidences=values * _chance(numbers, 2 * near[place])
    )


def _by_chance(found: _kernel.Found, numbers: Sequence[Reported]) -> float:
    """Return how many of all values round to the numbers by chance."""
    return found["around"] * _chance(numbers, 2 * _intervals(numbers[0])[0])


def _chance(numbers: Sequence[Reported], interval: float) -> float:
    """Return the share of values in an interval around the numbers that round to them.

    Conventions change the values of all runs in similar ways, so several numbers count as two.
    """
    return (_width(numbers[0]) / interval) ** min(len(numbers), 2)


def _width(number: Reported) -> float:
    return number.high - number.low


def _intervals(number: Reported) -> list[float]:
    """Return half the widths of the intervals in which values are counted, ascending."""
    scale = max(1.0, abs(number.value))
    near = max(_NEAR * scale, _UNITS * _width(number))
    intervals = [near]
    while 2 * intervals[-1] <= _WIDEST * _NEAR * scale:
        intervals.append(2 * intervals[-1])
    return intervals

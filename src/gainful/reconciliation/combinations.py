"""The combinations of policies, measures and cutoffs to search."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from gainful import _kernel
from gainful.conventions import Convention
from gainful.errors import MeasureError
from gainful.measures import Measure
from gainful.measures.algebra import is_verified
from gainful.policies import split
from gainful.reconciliation.space import (
    NUMBER,
    OTHER_COUNTS,
    RANKING,
    Series,
    Way,
    variants,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.reconciliation.space import Survey

    Searched = Sequence[tuple[Measure, Sequence[int | None]]]


#: Larger than any distance from a preset.
_FAR = 99
#: Maximum numbers of rankings to build and of query values to sum.
_ROWS = 40_000_000
_VALUES = 250_000_000
_MOST_RANKINGS = 3000


class Combinations:
    """The combinations to search: a product of policies, and presets outside of it.

    Parameters
    ----------
    survey : Survey
        The policies that make a difference on these data.
    measures : sequence of (Measure, cutoffs)
        The measures with their cutoffs, the most common measure first. The cutoff None is the
        whole ranking.
    digits : int
        Digits of the reported number.
    product_too : bool, default True
        Whether to search the product; otherwise, search only presets.
    readings : bool, default False
        Whether all measures but the first are other readings of the reported measure, and means
        over other numbers of queries are searched too.
    """

    def __init__(
        self,
        survey: Survey,
        measures: Sequence[tuple[Measure, Sequence[int | None]]],
        digits: int,
        *,
        product_too: bool = True,
        readings: bool = False,
    ) -> None:
        self.survey = survey
        self.digits = digits
        self.measures = measures
        self._readings = readings
        self.known = [known.convention for known in survey.known]
        self._keys = [survey.values_of(known) for known in self.known]
        self.conventions: list[Convention] = []
        self.series: list[Series] = []
        self.ways: list[Way] = []
        self._plans: list[tuple[list[int], list[int]]] = []
        self._plan_of: list[int] = []
        self._convention_distances: list[list[int]] = []
        self._series_distances: list[list[int]] = []
        self._way_distances: list[list[int]] = []
        #: Combinations in the product differ from the nearest preset in fewer ranking policies
        #: than this.
        self.distance_limit = _FAR
        # The measure under each preset.
        self._resolved: dict[tuple[int, Convention], dict[str, object]] = {}
        if product_too:
            self._add_product()
        for number in range(len(self.known)):
            self._add_preset(number)

    # --- the product

    def _add_product(self) -> None:
        aggregate = self.measures[0][0].aggregate
        for rank, (measure, cutoffs) in enumerate(self.measures):
            for family, params in variants(measure, self.survey):
                self.series.append(Series(family, params, cutoffs, rank=rank))
        numbers = dict(NUMBER)
        if not self.survey.missing:
            numbers["missing"] = ("empty",)
            # No query has an empty ranking.
            numbers["no_relevant"] = (0.0, 1.0, "skip")
        if aggregate != "mean":
            numbers["aggregation"] = ("sum",) if aggregate == "sum" else ("mean",)
        numbers["rounding"] = tuple(
            value for value in NUMBER["rounding"] if split(str(value))[1] <= self.digits
        )
        self.ways = [
            Way(*values)  # type: ignore[arg-type]
            for values in product(*(numbers[name] for name in NUMBER))
        ]
        self._series_distances = [self._distances_of_series(series) for series in self.series]
        self._way_distances = [self._distances_of_way(way) for way in self.ways]
        rankings = [
            (self._distances_of_convention(ranking), ranking) for ranking in self._rankings()
        ]
        # Keep those nearest to a preset. The number is smaller for large runs.
        most = max(24, min(_MOST_RANKINGS, _ROWS // max(1, self.survey.rows)))
        rankings.sort(key=lambda pair: min(pair[0]))
        if len(rankings) > most:
            self.distance_limit = min(rankings[most][0])
        for distances, convention in rankings[:most]:
            self.conventions.append(convention)
            self._convention_distances.append(distances)
            self._plan_of.append(0)
        self._plans.append((list(range(len(self.series))), list(range(len(self.ways)))))

    def _rankings(self) -> Iterator[Convention]:
        values = self.survey.values
        seen = set()
        for chosen in product(*(values[policy] for policy in RANKING)):
            convention = Convention(**dict(zip(RANKING, chosen, strict=True)))  # type: ignore[arg-type]
            key = self.survey.key(convention)
            if key not in seen:
                seen.add(key)
                yield convention

    # --- presets

    def _add_preset(self, number: int) -> None:
        """Add the parts of a preset that the product lacks."""
        known = self.survey.known[number]
        if known.refuses:
            return
        convention = known.convention
        conventions = [
            index
            for index, distances in enumerate(self._convention_distances)
            if distances[number] == 0
        ]
        ways = [
            index for index, distances in enumerate(self._way_distances) if distances[number] == 0
        ]
        preset_series = [
            self._preset_series(number, *measure, rank)
            for rank, measure in enumerate(self.measures)
        ]
        plan: list[int] = []
        covered = bool(conventions and ways)
        for preset_part in preset_series:
            if preset_part is None:
                continue
            places = [
                index
                for index, series in enumerate(self.series)
                if self._series_distances[index][number] == 0
                and series.rank == preset_part.rank
                and series.preset is None
                and preset_part.rounding == "none"
            ]
            covered = covered and bool(places)
            if places:
                plan.append(places[0])
            else:
                plan.append(len(self.series))
                self.series.append(preset_part)
                self._series_distances.append(self._distances_alone(number))
        if covered or not plan:
            return
        if not ways:
            rounded = split(convention.rounding)[0] in ("query", "mean")
            rounding = convention.rounding if rounded else "none"
            aggregate = self.measures[0][0].aggregate
            way = Way(
                convention.no_relevant,
                convention.missing,
                rounding,
                "sum" if aggregate == "sum" else "mean",
                number,
            )
            ways = [len(self.ways)]
            self.ways.append(way)
            self._way_distances.append(self._distances_alone(number))
        ways = ways[:1]
        if self._readings and self.ways[ways[0]].aggregation == "mean":
            queries = self.survey.queries + self.survey.missing
            for extra in OTHER_COUNTS:
                if 10 * abs(extra) > queries:
                    continue
                ways.append(len(self.ways))
                self.ways.append(replace(self.ways[ways[0]], extra=extra))
                self._way_distances.append(self._distances_alone(number, 1))
        self.conventions.append(convention)
        self._convention_distances.append(self._distances_alone(number))
        self._plan_of.append(len(self._plans))
        self._plans.append((plan, ways))

    def _preset_series(
        self, number: int, measure: Measure, cutoffs: Sequence[int | None], rank: int
    ) -> Series | None:
        convention = self.known[number]
        if not is_verified(measure, convention):
            return None
        try:
            resolved = measure.resolve(convention)
        except MeasureError:
            return None
        plain = Measure(resolved.family, resolved.params)
        rounding = convention.rounding if convention.rounding.startswith("term") else "none"
        return Series(
            plain,
            dict(plain.params),
            cutoffs,
            rank=rank,
            preset=number,
            rounding=rounding,
            as_reported=not (self._readings and rank),
        )

    def _distances_alone(self, number: int, distance: int = 0) -> list[int]:
        return [distance if other == number else _FAR for other in range(len(self.known))]

    # --- distances from presets

    def _distances_of_convention(self, convention: Convention) -> list[int]:
        ours = self.survey.key(convention)
        return [
            sum(
                value is not None and value != other
                for value, other in zip(ours, theirs, strict=True)
            )
            for theirs in self._keys
        ]

    def _distances_of_series(self, series: Series) -> list[int]:
        # Many presets have the same parameters.
        counts: dict[tuple[tuple[str, object], ...], int] = {}
        distances = []
        for known in self.known:
            if not is_verified(series.measure, known):
                # A preset that is not verified for this measure cannot be the nearest.
                distances.append(_FAR)
                continue
            theirs = tuple(self._params_of(series.rank, known).items())
            if theirs not in counts:
                counts[theirs] = len(self.differing_params(series, known))
            distances.append(counts[theirs])
        return distances

    def _distances_of_way(self, way: Way) -> list[int]:
        return [len(self.differing_ways(way, known)) for known in self.known]

    def differing_params(self, series: Series, known: Convention) -> list[str]:
        """Return the parameters in which a series differs from the measure under a preset."""
        theirs = self._params_of(series.rank, known)
        names = []
        for name in dict.fromkeys((*series.params, *theirs)):
            ours, other = series.params.get(name), theirs.get(name)
            if ours == other:
                continue
            logarithms = {ours, other} == {"log2", "ln"}
            if name == "discount" and logarithms and series.measure.family == "nDCG":
                continue
            if name == "gain" and self._is_same_gain(ours, other):
                continue
            # These parameters exist only for one value of another parameter, which already differs.
            if name in ("base", "max_grade") and None in (ours, other):
                continue
            names.append(name)
        return names

    def _params_of(self, rank: int, known: Convention) -> dict[str, object]:
        key = rank, known
        if key not in self._resolved:
            self._resolved[key] = dict(self.measures[rank][0].resolve(known).params)
        return self._resolved[key]

    def differing_ways(self, way: Way, known: Convention) -> list[str]:
        """Return the policies in which an aggregation differs from a preset."""
        names = []
        no_relevant, rounding = known.no_relevant, known.rounding
        if no_relevant == "agree" and not self.survey.missing:
            no_relevant = 0.0
        if no_relevant != way.no_relevant:
            names.append("no_relevant")
        if self.survey.missing and known.missing != way.missing:
            names.append("missing")
        # Rounding to more digits than the reported number has cannot change it.
        what, digits = split(rounding)
        if what == "mean" and digits >= self.digits:
            rounding = "none"
        if rounding != way.rounding:
            names.append("rounding")
        if way.aggregation == "median":
            names.append("aggregation")
        return names

    def _is_same_gain(self, ours: object, theirs: object) -> bool:
        """Return whether two gain functions agree on the grades in the judgments."""
        grades = set(self.survey.grades)
        same_if_binary = {"linear", "exponential", "binary"}
        return grades <= {0.0, 1.0} and {ours, theirs} <= same_if_binary

    # --- for the kernel

    def spec(self) -> _kernel.Space:
        """Return the space as the kernel's argument."""
        return {
            "conventions": [convention.spec() for convention in self.conventions],
            "plan_of": self._plan_of,
            "series": [
                series.spec(None if series.preset is None else self.known[series.preset])
                for series in self.series
            ],
            "ways": [way.spec() for way in self.ways],
            "plans": self._plans,
            "convention_far": self._convention_distances,
            "series_far": self._series_distances,
            "way_far": self._way_distances,
            "budget": _VALUES,
        }

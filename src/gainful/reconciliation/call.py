"""Search the conventions that give a reported number."""

from __future__ import annotations

from gainful import _kernel
from gainful.conventions import Convention, presets
from gainful.conventions.convention import preset_convention
from gainful.data import Qrels, Run
from gainful.errors import MeasureError
from gainful.evaluation import evaluate
from gainful.evaluation.judgments import judgments_for
from gainful.measures import Measure
from gainful.measures.checking import is_verified
from gainful.measures.notation import parse_measure
from gainful.reconciliation.combinations import Combinations
from gainful.reconciliation.matches import Confirmer
from gainful.reconciliation.queries import read_per_query
from gainful.reconciliation.reported import Reported, read_reported
from gainful.reconciliation.result import Match, Reconciliation
from gainful.reconciliation.series import common_measures, cutoffs_of
from gainful.reconciliation.space import UNUSUAL, cutoff_cost
from gainful.reconciliation.survey import Survey
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.reconciliation.queries import PerQuery

    Searched = Sequence[tuple[Measure, Sequence[int | None]]]

#: How many matches and nearest misses to report, and from how many groups to choose the matches.
_MATCHES, _NEAREST, _GROUPS = 10, 5, 40
#: From how many candidates to choose the nearest misses, because some differ only in rounding.
_NEARBY = 25
#: Half the width of the interval around the number in which distinct values are counted: relative
#: to the number, and its minimum in units of the last digit.
_NEAR, _UNITS = 0.0025, 2.5


def reconcile(
    qrels: QrelsLike,
    run: RunLike,
    reported: str | float,
    measure: Measure | str | None = None,
    *,
    digits: int | None = None,
    per_query: PerQuery | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Reconciliation:
    """Find the conventions that give a reported number.

    The search covers all presets verified for the measure and all combinations of the policies that
    make a difference on these data, with every cutoff, relevance level and other parameter that the
    measure does not set. The result lists the combinations that give the number to its digits, the
    most plausible first, and estimates how many would match by chance.

    Parameters
    ----------
    qrels : path, mapping, data frame or Qrels
        The judgments, as for `evaluate`.
    run : path, mapping, data frame or Run
        The ranking behind the number.
    reported : str or float
        The number as printed: ``"0.4312"``, ``".4312"``, ``"43.12"`` (percent, if the measure is a
        share) or ``"43.12%"``. A value halfway between two roundings matches both.
    measure : Measure or str, optional
        The measure as reported: ``"nDCG@10"``. Without a cutoff, all cutoffs from 1 to 1000 are
        searched; without a measure, nDCG and other common measures (AP, RR, P, R, ERR, ...). Only
        parameters that the measure does not set are varied.
    digits : int, optional
        Digits after the point, 1 to 12, if the text does not show them.
    per_query : mapping or path, optional
        Reported values of single queries, which rule out coincidences: a mapping of query ids to
        numbers, or a file. Each line of the file has a query id and a number, or a measure, a query
        id and a number.
    threads : int, optional
        Number of threads; it does not affect the result.
    progress : callable, optional
        Called about ten times a second with (work done, total work).

    Returns
    -------
    Reconciliation
        The matches, or the nearest misses.

    Raises
    ------
    ParameterError
        For an invalid number, or one without digits.
    GainfulError
        For anything that cannot be read, matched or evaluated, as in `evaluate`.

    Notes
    -----
    Each match is confirmed by `evaluate` under its convention. Only unweighted means are searched.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"d1": 3, "d2": 2, "d3": 1}, "q2": {"d4": 1, "d5": 2}}
    >>> run = {"q1": {"d2": 3.0, "d9": 2.0, "d1": 1.0}, "q2": {"d4": 2.0, "d5": 1.0}}
    >>> found = gainful.reconcile(qrels, run, "0.7974", "nDCG")
    >>> found.matches[0].preset
    'gainful-1'
    """
    requested = parse_measure(measure) if isinstance(measure, str) else measure
    largest = 1.0 if requested is None else requested.range()[1]
    number = read_reported(reported, digits, largest=largest)
    probe = requested if requested is not None else Measure("nDCG", cutoff=10)
    _reject_preferences(probe)
    judged = judgments_for((probe,), qrels)
    ranked = run if isinstance(run, Run) else Run(run, duplicates="count")
    per_query_values = {}
    if per_query is not None:
        per_query_values = read_per_query(per_query, judged, digits=digits, largest=largest)
    count = thread_count(threads)
    tied = []
    for precision in ("float64", "float32"):
        lenient = Convention(duplicates="count", precision=precision)
        # A measure that no convention supports is an error, as in an evaluation.
        base = evaluate(judged, ranked, probe, convention=lenient, threads=count)
        found = base.counts()["tied"]
        assert isinstance(found, int)
        tied.append(found)
    survey = Survey(judged, ranked, (tied[0], tied[1]), count)
    deepest = max(survey.longest, survey.deepest)
    bounds = [(query, value.low, value.high) for query, value in per_query_values.items()]
    search = _Search(judged, ranked, survey, bounds, count, progress)
    if requested is not None:
        return search.result(number, requested, [(requested, cutoffs_of(requested, deepest))])
    measures = [(each, cutoffs or cutoffs_of(each, deepest)) for each, cutoffs in common_measures()]
    shares = [each for each in measures if each[0].range()[1] is not None]
    if not number.per_cent:
        return search.result(number, None, measures)
    result = search.result(number, None, shares)
    if number.text.endswith("%") or per_query_values:
        return result
    # The number exceeds 1: it is either a percentage or a sum of gains.
    plain = read_reported(reported, digits, largest=None)
    sums = [each for each in measures if each not in shares]
    return result.combined_with(search.result(plain, None, sums))


def _reject_preferences(measure: Measure) -> None:
    if _kernel.needs((repr(measure), *measure.spec())).preferences:
        raise MeasureError(
            where=repr(measure),
            found="a measure of preferences",
            expected="a measure of grades or subtopics",
        )


def _distance_limit(kernel_limit: int | None, product_limit: int) -> int | None:
    """Return the largest searched distance from a preset; None if there was no limit."""
    limits = [
        *([] if kernel_limit is None else [kernel_limit]),
        *([product_limit - 1] if product_limit < 99 else []),
    ]
    return min(limits, default=None)


def _plausibility(match: Match, measures: Searched) -> tuple[float, ...]:
    """Return a sort key of a match: the most plausible has the smallest.

    An unusual cutoff counts as one more change. Among equals, a match with more presets comes
    first.
    """
    families = [measure.family for measure, _ in measures]
    rank = families.index(match.measure.family)
    cost = cutoff_cost(match.measure.cutoff, match.measure.family)
    unusual = cost >= UNUSUAL
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


class _Search:
    """A search for the conventions behind numbers of one run."""

    def __init__(
        self,
        qrels: Qrels,
        run: Run,
        survey: Survey,
        bounds: list[tuple[str, float, float]],
        threads: int,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        self._qrels = qrels
        self._run = run
        self._survey = survey
        self._bounds = bounds
        self._threads = threads
        self._progress = progress

    def result(
        self, number: Reported, requested: Measure | None, measures: Searched
    ) -> Reconciliation:
        """Search for a number and return the confirmed matches."""
        combinations = Combinations(self._survey, measures, number.digits)
        found, near = self._search(combinations, number)
        confirmer = Confirmer(combinations, self._qrels, self._run, number, self._threads)
        confirmable = [confirmer.match(*group) for group in found["best"]]
        confirmed = [match for match in confirmable if match is not None]
        confirmed.sort(key=lambda match: _plausibility(match, measures))
        matches = confirmed[:_MATCHES]
        misses: list[Match] = []
        if not matches:
            misses = self._find_misses(number, measures, combinations, found)
        width = number.high - number.low
        unverified = _unverified_presets(measures)
        return Reconciliation(
            reported=number,
            measure=requested,
            matches=tuple(matches),
            found=found["groups"] - (len(confirmable) - len(confirmed)),
            expected=found["around"] / (2 * near) * width,
            searched=found["searched"],
            matching=found["matching"],
            contradicted=found["contradicted"],
            reported_queries=len(self._bounds),
            nearest=tuple(misses),
            indifferent=dict(self._survey.indifferent),
            refused={
                name: why for name, why in self._survey.refusals.items() if name not in unverified
            },
            unverified=unverified,
            farthest=_distance_limit(found["farthest"], combinations.distance_limit),
        )

    def _find_misses(
        self,
        number: Reported,
        measures: Searched,
        combinations: Combinations,
        found: _kernel.Found,
    ) -> list[Match]:
        """Return the nearest presets, then the nearest of all combinations."""
        alone = Combinations(self._survey, measures, number.digits, product_too=False)
        misses: dict[tuple[str, str], Match] = {}
        for space, nearest in (
            (alone, self._search(alone, number)[0]["nearest"]),
            (combinations, found["nearest"]),
        ):
            confirmer = Confirmer(space, self._qrels, self._run, number, self._threads)
            most = len(misses) + _NEAREST
            for member in nearest:
                match = confirmer.match(member, [], 1)
                if match is not None and len(misses) < most:
                    changes = [each for each in match.changes if not each.startswith("rounding")]
                    key = repr(match.measure), " ".join((match.nearest, *changes))
                    misses.setdefault(key, match)
        return list(misses.values())

    def _search(self, combinations: Combinations, number: Reported) -> tuple[_kernel.Found, float]:
        near = max(_NEAR * max(1.0, abs(number.value)), _UNITS * (number.high - number.low))
        target: _kernel.Target = {
            "low": number.low,
            "high": number.high,
            "near": near,
            "per_query": self._bounds,
            "groups": _GROUPS,
            "nearest": _NEARBY,
        }
        found = _kernel.reconcile_search(
            self._qrels._rows,
            self._run._rows,
            combinations.spec(),
            target,
            threads=self._threads,
            report=self._progress,
        )
        return found, near

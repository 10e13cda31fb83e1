"""Which pairs get no verdict, because the systems return other chunks, or lists end too early."""

from __future__ import annotations

from gainful.data.table import kernel_rows
from gainful.evaluation.call import evaluate_runs
from gainful.measures import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.comparison.pair import Pair
    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.evaluation import Evaluation

    #: By measure, system and baseline, why the pair has no verdict.
    Reasons = dict[tuple[str, str, str], str]

__all__ = ["withhold_verdicts", "without_verdict"]

#: The measure of how much is read, which is itself no measure of quality.
_UNITS = "SpanUnits"

#: Coverage from which all is found, whatever the rounding.
_ALL = 1 - 1e-12


def without_verdict(
    evaluation: Evaluation,
    runs: Mapping[str, Run],
    measures: Sequence[Measure],
    couples: Iterable[tuple[str, str]],
    policies: Convention,
) -> Reasons:
    """Return the pairs of systems and measures that get no verdict, with the reason.

    At a rank, systems with other chunks have read other amounts of text. Within a budget they have
    not, unless a list ends before it.
    """
    couples = list(couples)
    reasons: Reasons = {}
    same: dict[tuple[str, str], bool] = {}
    short = _Lengths(evaluation, runs, policies)
    for measure in measures:
        if measure.family == _UNITS:
            continue
        resolved = measure.resolve(policies)
        budget = resolved.params.get("budget") or resolved.params.get("L")
        unit = resolved.params.get("unit")
        for couple in couples:
            if not runs.keys() >= set(couple):
                reason: str | None = "the chunks are unknown; compare the runs"
            elif budget is None:
                if couple not in same:
                    one, other = (kernel_rows(runs[system]) for system in couple)
                    same[couple] = one.same_chunks(other)
                reason = None if same[couple] else "other chunks; compare within a budget"
            else:
                reason = short.reason(couple, float(str(budget)), unit)
            if reason is not None:
                reasons[repr(measure), *couple] = reason
    return reasons


class _Lengths:
    """How many units the lists of systems have, and how much of the relevant text they cover."""

    def __init__(
        self, evaluation: Evaluation, runs: Mapping[str, Run], policies: Convention
    ) -> None:
        judged: Any = evaluation._judgments
        self._inputs = judged, runs, policies
        self._by_unit: dict[object, Evaluation] = {}

    def reason(self, couple: tuple[str, str], budget: float, unit: object) -> str | None:
        """Return which list ends before the budget without all of the relevant text."""
        judged, runs, policies = self._inputs
        if unit not in self._by_unit:
            measures = [Measure(_UNITS, {} if unit is None else {"unit": unit}), Measure("SpanR")]
            self._by_unit[unit] = evaluate_runs(judged, runs, measures, policies)
        read, covered = self._by_unit[unit].measures
        for system in couple:
            lengths = self._by_unit[unit].per_query(read, system)
            coverage = self._by_unit[unit].per_query(covered, system)
            ended = [
                length
                for query, length in lengths.items()
                if length < budget and coverage.get(query, 1.0) < _ALL
            ]
            if ended:
                lists = "1 list" if len(ended) == 1 else f"{len(ended):,} lists"
                return (
                    f"{lists} of {system} {'ends' if len(ended) == 1 else 'end'} before"
                    f" {budget:,.0f}, the shortest at {min(ended):,.0f}"
                )
        return None


def withhold_verdicts(pairs: Iterable[Pair], reasons: Reasons) -> list[Pair]:
    """Return pairs, some of them without a verdict."""
    return [
        pair
        if (reason := reasons.get((pair.measure, pair.system, pair.baseline))) is None
        else pair.replace(verdict="not comparable", withheld=reason, within_margin=False)
        for pair in pairs
    ]

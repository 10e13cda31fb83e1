"""The provider and its evaluator, in ir_measures' classes; importing this imports ir_measures."""

from __future__ import annotations

import ir_measures

from gainful.compat.ir_measures.data import judgments, ranking
from gainful.compat.ir_measures.translation import translate
from gainful.conventions import get
from gainful.errors import MatchError, MeasureError
from gainful.evaluation import evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from gainful.conventions import Convention
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure

__all__ = ["GainfulEvaluator", "GainfulProvider", "provider"]

#: What ir_measures asks of one measure otherwise than of the others. A document that trec_eval
#: takes for unjudged, because its grade is negative, counts as judged in ir_measures' Judged.
_OTHERWISE = {"Judged": {"negative": "zero"}}


class GainfulProvider(ir_measures.Provider):  # type: ignore[misc]
    """Gainful as a provider of ir_measures.

    Parameters
    ----------
    convention : str or Convention
        The policies on ties, missing queries, ... under which everything is measured.
    """

    NAME = "gainful"

    def __init__(self, convention: str | Convention = "ir_measures-0.4.3") -> None:
        super().__init__()
        self.convention = get(convention)

    def supports(self, measure: Any) -> bool:
        """Whether Gainful computes this measure with these parameters.

        Raises
        ------
        MeasureError
            For a value that no program could take, such as a cutoff of 0, which others crash on.
        """
        measure.validate_params()
        return translate(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> GainfulEvaluator:
        chosen = list(measures)
        if not isinstance(measures, (list, tuple)):
            # The order of a set is another one in each process.
            chosen.sort(key=repr)
        return GainfulEvaluator(chosen, qrels, self.convention)


class GainfulEvaluator(ir_measures.Evaluator):  # type: ignore[misc]
    """Judgments and measures, ready for runs.

    Parameters
    ----------
    measures : list of ir_measures.Measure
        The order of the results. No value depends on it.
    qrels
        As ir_measures takes them.
    convention : Convention
        The policies.
    """

    def __init__(self, measures: list[Any], qrels: Any, convention: Convention) -> None:
        self._judged = judgments(qrels)
        self._translated = {measure: _translated(measure) for measure in measures}
        self._groups = _grouped(self._translated.values(), convention)
        super().__init__(measures, set(self._judged))

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield each measure's value for each query, the queries in byte order."""
        yield from self._per_query(self._evaluated(run))

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """Return the mean of each measure, of counts the sum."""
        return self._aggregated(self._evaluated(run))

    def calc(self, run: Any) -> Any:
        """Return the means with the values of the queries."""
        evaluated = self._evaluated(run)
        return ir_measures.CalcResults(
            self._aggregated(evaluated), list(self._per_query(evaluated))
        )

    def _evaluated(self, run: Any) -> dict[Measure, Evaluation]:
        """Return the evaluation that each measure is part of."""
        held = ranking(run)
        found: dict[Measure, Evaluation] = {}
        for convention, measures in self._groups.items():
            try:
                evaluation = evaluate(self._judged, held, measures, convention=convention)
            except MatchError as error:
                if not self._judged:
                    raise
                # Nothing at all was found for the judged queries, which ir_measures counts as such.
                if held:
                    _warn(error)
                held = {query: {} for query in self._judged}
                evaluation = evaluate(self._judged, held, measures, convention=convention)
            found.update(dict.fromkeys(measures, evaluation))
        return found

    def _aggregated(self, evaluated: dict[Measure, Evaluation]) -> dict[Any, float]:
        aggregated = {}
        for measure, own in self._translated.items():
            summary = evaluated[own].summary(own)
            aggregated[measure] = summary.sum if own.aggregate == "sum" else summary.mean
        return aggregated

    def _per_query(self, evaluated: dict[Measure, Evaluation]) -> Iterator[Any]:
        columns = {
            measure: evaluated[own].per_query(own) for measure, own in self._translated.items()
        }
        # Each measure can leave other queries out.
        for query in sorted(set().union(*columns.values()), key=_bytes):
            for measure, values in columns.items():
                if query in values:
                    yield ir_measures.Metric(query, measure, values[query])


def _translated(measure: Any) -> Measure:
    measure.validate_params()
    own = translate(measure)
    if own is None:
        raise MeasureError(
            where=repr(measure),
            found="a measure of ir_measures that Gainful does not compute",
            expected="one that `provider.supports`",
            hint="ir_measures.calc_aggregate() asks its other providers for it",
        )
    return own


def _grouped(
    measures: Iterable[Measure], convention: Convention
) -> dict[Convention, tuple[Measure, ...]]:
    """Put measures together that are evaluated under one convention, each once."""
    groups: dict[Convention, dict[Measure, None]] = {}
    for measure in measures:
        own = convention.replace(**_OTHERWISE.get(measure.family, {}))
        groups.setdefault(own, {})[measure] = None
    return {own: tuple(group) for own, group in groups.items()}


def _warn(error: MatchError) -> None:
    import warnings

    warnings.warn(str(error), stacklevel=5)


def _bytes(query: str) -> bytes:
    return query.encode("utf-8", "surrogateescape")


provider = GainfulProvider()

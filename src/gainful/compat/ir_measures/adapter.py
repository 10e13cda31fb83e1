"""The provider and its evaluator, in ir_measures' classes; importing this imports ir_measures."""

from __future__ import annotations

import ir_measures

from gainful.byte_order import in_byte_order
from gainful.compat.ir_measures.data import judgments, ranking
from gainful.compat.ir_measures.measuring import Column, grouped
from gainful.compat.ir_measures.translation import translate
from gainful.conventions import Convention, get
from gainful.errors import MeasureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from gainful.measures import Measure

__all__ = ["GainfulEvaluator", "GainfulProvider", "provider"]


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
        self._own = {measure: _translated(measure) for measure in measures}
        self._groups = grouped(self._own.values(), convention)
        kinds = {group.kind for group in self._groups} or {"grades"}
        self._judged = judgments(qrels, kinds)
        super().__init__(measures, set(next(iter(self._judged.values()))))

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield each measure's value for each query, the queries in byte order."""
        yield from _per_query(self._measured(run))

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """Return the mean of each measure, of counts the sum."""
        return {measure: column.aggregate() for measure, column in self._measured(run).items()}

    def calc(self, run: Any) -> Any:
        """Return the means with the values of the queries."""
        measured = self._measured(run)
        means = {measure: column.aggregate() for measure, column in measured.items()}
        return ir_measures.CalcResults(means, list(_per_query(measured)))

    def _measured(self, run: Any) -> dict[Any, Column]:
        held = ranking(run)
        found: dict[Measure, Column] = {}
        for group in self._groups:
            found |= group.measured(self._judged[group.kind], held)
        return {measure: found[own] for measure, own in self._own.items()}


def _per_query(measured: dict[Any, Column]) -> Iterator[Any]:
    columns = {measure: column.per_query() for measure, column in measured.items()}
    # Each measure can leave other queries out.
    for query in in_byte_order(set().union(*columns.values())):
        for measure, values in columns.items():
            if query in values:
                yield ir_measures.Metric(query, measure, values[query])


def _translated(measure: Any) -> Measure:
    measure.validate_params()
    own = translate(measure)
    if own is None:
        raise MeasureError(
            "Gainful does not compute this measure",
            where=repr(measure),
            hint="ir_measures.calc_aggregate() uses other providers for it",
        )
    # There a grade above the scale is cut down to it.
    return own(clip=True) if "max_rel" in own.params else own


provider = GainfulProvider()

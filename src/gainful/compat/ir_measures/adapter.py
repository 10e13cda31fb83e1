"""The provider and its evaluator, as subclasses of ir_measures' classes."""

from __future__ import annotations

import ir_measures

from gainful.byte_order import in_byte_order
from gainful.compat.ir_measures.data import read_judgments, read_run
from gainful.compat.ir_measures.measuring import Column, group_measures
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
        The convention of all values.
    """

    NAME = "gainful"

    def __init__(self, convention: str | Convention = "ir_measures-0.4.3") -> None:
        super().__init__()
        self.convention = get(convention)

    def supports(self, measure: Any) -> bool:
        """Return whether Gainful supports a measure with its parameters.

        Raises
        ------
        MeasureError
            For a value that no provider can compute, such as a cutoff of 0.
        """
        measure.validate_params()
        return translate(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> GainfulEvaluator:
        chosen = list(measures)
        if not isinstance(measures, (list, tuple)):
            # The order of a set differs between processes.
            chosen.sort(key=repr)
        return GainfulEvaluator(chosen, qrels, self.convention)


class GainfulEvaluator(ir_measures.Evaluator):  # type: ignore[misc]
    """Judgments and measures, ready for runs.

    Parameters
    ----------
    measures : list of ir_measures.Measure
        The measures, in the order of the results.
    qrels
        As in ir_measures.
    convention : Convention
        The policies.
    """

    def __init__(self, measures: list[Any], qrels: Any, convention: Convention) -> None:
        self._own = {measure: _translate(measure) for measure in measures}
        self._groups = group_measures(self._own.values(), convention)
        kinds = {group.kind for group in self._groups} or {"grades"}
        self._judged = read_judgments(qrels, kinds)
        super().__init__(measures, set(next(iter(self._judged.values()))))

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield the values of all measures and queries, with queries in byte order."""
        yield from _per_query(self._measure(run))

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """Return the mean of each measure, or the sum of counts."""
        return {measure: column.aggregate() for measure, column in self._measure(run).items()}

    def calc(self, run: Any) -> Any:
        """Return means and per-query values."""
        measured = self._measure(run)
        means = {measure: column.aggregate() for measure, column in measured.items()}
        return ir_measures.CalcResults(means, list(_per_query(measured)))

    def _measure(self, run: Any) -> dict[Any, Column]:
        ranking = read_run(run)
        found: dict[Measure, Column] = {}
        for group in self._groups:
            found |= group.measure(self._judged[group.kind], ranking)
        return {measure: found[own] for measure, own in self._own.items()}


def _per_query(measured: dict[Any, Column]) -> Iterator[Any]:
    columns = {measure: column.per_query() for measure, column in measured.items()}
    # Measures may exclude different queries.
    for query in in_byte_order(set().union(*columns.values())):
        for measure, values in columns.items():
            if query in values:
                yield ir_measures.Metric(query, measure, values[query])


def _translate(measure: Any) -> Measure:
    measure.validate_params()
    own = translate(measure)
    if own is None:
        raise MeasureError(
            "Gainful does not compute this measure",
            where=repr(measure),
            hint="ir_measures.calc_aggregate() uses other providers for it",
        )
    # ir_measures clips grades to the scale.
    return own(clip=True) if "max_rel" in own.params else own


provider = GainfulProvider()

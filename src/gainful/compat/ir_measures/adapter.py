"""The interface of ir_measures: its measures, data and results, computed by Gainful."""

from __future__ import annotations

import warnings

import ir_measures

from gainful import _kernel
from gainful.byte_order import in_byte_order
from gainful.conventions import Convention, get
from gainful.data import Qrels, Run
from gainful.data.table import kernel_rows
from gainful.errors import MatchError, MeasureError
from gainful.measures import Measure, describe
from gainful.measures.family import plain
from gainful.measures.index import ALIASES, FAMILIES
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

__all__ = ["GainfulProvider", "provider", "translate"]


#: Our column names, and the ones that ir_measures requires in a frame. Aliases such as PyTerrier's
#: `qid` are ignored.
_QRELS = {"query_id": "query_id", "doc_id": "doc_id", "grade": "relevance"}
#: The subtopic of judgments without one, as in ir_measures.
_ALL = "0"
_RUN = {"query_id": "query_id", "doc_id": "doc_id", "score": "score"}


def read_judgments(qrels: Any, kinds: set[str]) -> dict[str, Qrels]:
    """Return judgments by kind: ``"grades"`` and ``"subtopics"``.

    ``{query: {document: grade}}``, a data frame, or an iterable of `Qrel`, whose ``iteration`` is
    the subtopic; without it there is one subtopic. Iterators are stored for the second kind.
    """
    if len(kinds) > 1 and hasattr(qrels, "__next__"):
        qrels = list(qrels)
    judgments = {}
    if "grades" in kinds:
        judgments["grades"] = Qrels(qrels, columns=_columns(qrels, _QRELS))
    if "subtopics" in kinds:
        judgments["subtopics"] = _read_subtopics(qrels)
    return judgments


def _read_subtopics(qrels: Any) -> Qrels:
    if isinstance(qrels, dict):
        nested = {query: {_ALL: grades} for query, grades in qrels.items()}
        return Qrels(nested, subtopics=True)
    columns = _columns(qrels, _QRELS)
    if columns is not None:
        if "iteration" not in qrels.columns:
            qrels = qrels.assign(iteration=_ALL)
        return Qrels(qrels, columns={**columns, "subtopic": "iteration"}, subtopics=True)
    rows = ((r.query_id, getattr(r, "iteration", _ALL), r.doc_id, r.relevance) for r in qrels)
    return Qrels(rows, subtopics=True)


def read_run(run: Any) -> Run | dict[Any, Any]:
    """Read a run: ``{query: {document: score}}``, a data frame, or an iterable of `ScoredDoc`.

    Dictionaries are returned unchanged; the kernel measures them directly.
    """
    if type(run) is dict:
        return run
    if hasattr(run, "__len__"):
        return _run(run) if len(run) else {}
    if hasattr(run, "__next__"):
        # ir_measures' readers are generators; an empty file is an empty run.
        for first in run:
            return _run(_prepend(first, run))
        return {}
    return _run(run)


def _run(run: Any) -> Run:
    # Duplicates are detected when the run is measured.
    return Run(run, columns=_columns(run, _RUN), duplicates="count")


def _prepend(first: Any, others: Any) -> Iterator[Any]:
    yield first
    yield from others


def _columns(obj: Any, names: dict[str, str]) -> dict[str, str] | None:
    present = getattr(obj, "columns", None)
    return names if present is not None and set(names.values()) <= set(present) else None


def translate(measure: Any) -> Measure | None:
    """Return the equivalent of a measure of ir_measures."""
    name = str(measure.NAME)
    family = name if name in FAMILIES else ALIASES.get(plain(name))
    # Measures that a user has defined with one of these names are the user's own.
    if family is None or hasattr(measure, "runtime_impl"):
        return None
    parameters = _set_parameters(measure)
    if _is_unsupported(name, parameters):
        return None
    cutoff = parameters.pop("cutoff", None)
    declared = describe(family)
    values_by_name = declared.named(name, parameters)
    if declared.translate is not None:
        family, values_by_name = declared.translate(values_by_name)
        declared = describe(family)
    if any(declared.parameter(parameter) is None for parameter in values_by_name):
        return None
    translated = Measure(family, values_by_name)
    return translated if cutoff is None else translated(cutoff=cutoff)


def _set_parameters(measure: Any) -> dict[str, object]:
    """Return the parameters that differ from their defaults."""
    known = measure.SUPPORTED_PARAMS
    return {name: value for name, value in measure.params.items() if value != known[name].default}


def _is_unsupported(name: str, given: Mapping[str, object]) -> bool:
    """Return whether Gainful has no equivalent measure.

    RBP without ``rel`` has graded gains on an unspecified scale. For trec_eval a negative grade is
    not a judgment, which ir_measures circumvents by changing the judgments.
    """
    rel = given.get("rel")
    gains = given.get("gains")
    return (
        (name == "RBP" and rel is None)
        or (isinstance(rel, int) and rel < 0)
        or (isinstance(gains, dict) and any(word < 0 for pair in gains.items() for word in pair))
    )


#: Policies of single measures in ir_measures. A document with a negative grade is unjudged in
#: trec_eval but counts as judged in ir_measures' Judged; its Accuracy is undefined for a query
#: without a retrieved relevant document. Ties are the same for all measures. The policies of
#: Accuracy have their own name, because the preset is not verified for it.
_SPECIAL_POLICIES: dict[str, dict[str, Any]] = {
    "Judged": {"negative": "zero"},
    "Accuracy": {"no_relevant": "skip", "name": "ir_measures' Accuracy"},
}

#: The flag of a query that a measure excludes.
_LEFT_OUT = 2


class Group:
    """Measures with the same convention and kind of judgments.

    Parameters
    ----------
    convention : Convention
        The policies.
    kind : {"grades", "subtopics"}
        The kind of judgments.

    Attributes
    ----------
    measures : list of Measure
        The distinct measures.
    """

    def __init__(self, convention: Convention, kind: str) -> None:
        self.convention = convention
        self.kind = kind
        self.measures: list[Measure] = []
        self._policies = convention.spec()
        self._kernels: list[_kernel.Kernel] = []

    def add(self, measure: Measure) -> None:
        """Add a measure."""
        self.measures.append(measure)
        self._kernels.append((repr(measure), *measure.spec(self.convention)))

    def measure(self, judged: Qrels, run: Run | dict[Any, Any]) -> dict[Measure, Column]:
        """Measure a run."""
        source = run if isinstance(run, dict) else kernel_rows(run)
        try:
            table = self._table(judged, source)
        except MatchError as error:
            if not judged:
                raise
            # The run has no judged query, which is not an error in ir_measures.
            if run:
                _warn(error)
            table = self._table(judged, {query: {} for query in judged})
        return {
            measure: Column(table, index, measure) for index, measure in enumerate(self.measures)
        }

    def _table(self, judged: Qrels, source: _kernel.Rows | dict[Any, Any]) -> _kernel.Evaluated:
        return _kernel.evaluate(
            kernel_rows(judged), source, self._policies, self._kernels, threads=thread_count(None)
        )


class Column:
    """One measure of one run."""

    def __init__(self, table: _kernel.Evaluated, at: int, measure: Measure) -> None:
        self._table = table
        self._at = at
        self._sums = measure.aggregate == "sum"

    def aggregate(self) -> float:
        """Return the mean over the queries, or their sum."""
        figures = self._table.summary(self._at)
        return figures.sum if self._sums else figures.mean

    def per_query(self) -> dict[str, float]:
        """Return the values of the counted queries, in byte order."""
        table = self._table
        rows = zip(table.query_ids(), table.column(self._at), table.flags(self._at), strict=True)
        return {query: value for query, value, flags in rows if not flags & _LEFT_OUT}


def group_measures(measures: Iterable[Measure], convention: Convention) -> list[Group]:
    """Group measures that can be computed together."""
    groups: dict[tuple[Convention, str], Group] = {}
    for measure in dict.fromkeys(measures):
        special = _SPECIAL_POLICIES.get(measure.family)
        adapted = convention.replace(**special) if special else convention
        key = adapted, getattr(measure.declaration, "judgments", "grades")
        if key not in groups:
            groups[key] = Group(*key)
        groups[key].add(measure)
    return list(groups.values())


def _warn(error: MatchError) -> None:
    warnings.warn(str(error), stacklevel=6)


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
        """Return whether Gainful supports a measure with its parameters."""
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
        columns: dict[Measure, Column] = {}
        for group in self._groups:
            columns |= group.measure(self._judged[group.kind], ranking)
        return {measure: columns[column] for measure, column in self._own.items()}


def _per_query(measured: dict[Any, Column]) -> Iterator[Any]:
    columns = {measure: column.per_query() for measure, column in measured.items()}
    # Measures may exclude different queries.
    for query in in_byte_order(set().union(*columns.values())):
        for measure, values in columns.items():
            if query in values:
                yield ir_measures.Metric(query, measure, values[query])


def _translate(measure: Any) -> Measure:
    measure.validate_params()
    translated = translate(measure)
    if translated is None:
        raise MeasureError(
            "Gainful does not compute this measure",
            where=repr(measure),
            hint="ir_measures.calc_aggregate() uses other providers for it",
        )
    # ir_measures clips grades to the scale.
    return translated(clip=True) if "max_rel" in translated.params else translated


provider = GainfulProvider()

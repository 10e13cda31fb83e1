"""The evaluator of pytrec_eval."""

from __future__ import annotations

from gainful import _kernel, conventions
from gainful.compat.pytrec_eval.columns import columns
from gainful.compat.pytrec_eval.names import chosen
from gainful.errors import ArgumentError, ColumnError, FormatError
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Setup = tuple[
        dict[str, object], list[_kernel.Kernel], list[tuple[str, _kernel.Column]], frozenset[str]
    ]

__all__ = ["RelevanceEvaluator"]

# Programs may create an evaluator per query, always with the same measures.
_setups: dict[tuple[frozenset[str], float, bool], Setup] = {}
_MOST_SETUPS = 64

#: The lower limit of logarithms in trec_eval.
_LEAST = 0.00001


class RelevanceEvaluator:
    """Evaluate runs like pytrec_eval.

    Parameters
    ----------
    query_relevance : mapping of str to mapping of str to int
        ``{query: {document: grade}}``. Grades are numbers, including NumPy's and fractions. Queries
        without judgments are excluded. The judgments are copied.
    measures : iterable of str
        Names as in ``{"map", "ndcg_cut.5,10", "P_5", "official"}``; see `supported_measures` and
        `supported_nicknames`.
    relevance_level : float, default 1
        The lowest relevant grade; above 0.
    judged_docs_only_flag : bool, default False
        Whether unjudged documents are removed from the rankings.

    Raises
    ------
    MeasureError
        For an unknown measure, or invalid numbers.
    ArgumentError
        For arguments of the wrong type.
    FormatError
        For a grade that is not finite, or beyond 2^53.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}}
    >>> evaluator = RelevanceEvaluator(qrels, {"ndcg", "P_2"}, relevance_level=2)
    >>> evaluator.evaluate({"q1": {"d1": 3.0, "d3": 2.0, "d2": 1.0}})
    {'q1': {'P_2': 0.5, 'ndcg': 1.0}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int | float]],
        measures: Iterable[str],
        relevance_level: float = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        level = _level(relevance_level)
        convention, kernels, names, self._measures = _setup(
            measures, level, bool(judged_docs_only_flag)
        )
        rows = _judgments(query_relevance)
        self._kernel = (
            None
            if rows is None
            else _kernel.Evaluator(rows, convention, kernels, names, thread_count)
        )

    @property
    def measures(self) -> frozenset[str]:
        """The names of the measures, as in ``ndcg_cut.5,10``."""
        return self._measures

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Measure a run.

        Parameters
        ----------
        scores : mapping of str to mapping of str to float
            ``{query: {document: score}}``. Scores are compared as 32-bit floats; ties are ordered
            by descending document id.

        Returns
        -------
        dict
            ``{query: {measure: value}}`` for the judged queries, in the order of the run; empty for
            an empty run.

        Raises
        ------
        ArgumentError
            For other types than dictionaries of texts and numbers.
        FormatError
            For a score that is NaN.
        """
        if self._kernel is None or not scores:
            return {}
        return self._kernel.evaluate(scores)

    def __repr__(self) -> str:
        return f"<RelevanceEvaluator of {', '.join(sorted(self._measures)) or 'nothing'}>"


def _level(level: Any) -> float:
    if hasattr(level, "__float__") or hasattr(level, "__index__"):
        number = float(level)
        if 0 < number < float("inf"):
            return int(number) if number.is_integer() else number
    raise ArgumentError(
        where="relevance_level",
        found=repr(level),
        expected="a grade above 0",
        hint="documents of grade 0 are judged and not relevant",
    )


def _setup(measures: Iterable[str], level: float, judged_only: bool) -> Setup:
    """Return the arguments of the kernel except the judgments."""
    key = None
    if isinstance(measures, (set, frozenset, list, tuple)):
        measures = tuple(measures)
        if all(isinstance(measure, str) for measure in measures):
            key = (frozenset(measures), level, judged_only)
            known = _setups.get(key)
            if known is not None:
                return known
    found = chosen(measures)
    # pytrec_eval refuses fractional grades; they are accepted here.
    policies = conventions.get("trec_eval-9.0.8").replace(
        fractions="keep", unjudged="condense" if judged_only else "zero"
    )
    kernels: list[_kernel.Kernel] = []
    names: list[tuple[str, _kernel.Column]] = []
    for name, measure in columns(found, level):
        if isinstance(measure, float):
            names.append((name, measure))
        else:
            place = len(kernels)
            # The values of queries are logarithms, whose mean is the aggregate.
            names.append((name, (place, _LEAST) if name.startswith("gm_") else place))
            kernels.append((repr(measure), *measure.spec(policies)))
    titles = frozenset(
        f"{name}.{','.join(map(str, numbers))}" if numbers else name
        for name, numbers in found.items()
    )
    setup = policies.spec(), kernels, names, titles
    if key is not None:
        if len(_setups) >= _MOST_SETUPS:
            _setups.clear()
        _setups[key] = setup
    return setup


def _judgments(query_relevance: Any) -> _kernel.Rows | None:
    """Return the judgments as rows of the kernel; None if empty."""
    if not hasattr(query_relevance, "items"):
        raise ArgumentError(
            where="query_relevance",
            found=f"{query_relevance!r:.60}",
            expected="a dictionary {query: {document: grade}}",
        )
    try:
        judged = {query: grades for query, grades in query_relevance.items() if len(grades)}
    except TypeError:
        # A value is not a dictionary; the kernel raises the error.
        judged = query_relevance
    if not judged:
        return None
    try:
        return _kernel.rows_from_mapping(judged, "qrels")
    except (ColumnError, FormatError) as error:
        if isinstance(error, FormatError) and _is_number(query_relevance, error):
            raise
        # pytrec_eval also raises a TypeError for wrong types.
        raise ArgumentError(
            where="query_relevance",
            query=error.query,
            document=error.document,
            found=error.found,
            expected=error.expected,
            hint=error.hint,
        ) from None


def _is_number(judged: Mapping[str, Mapping[str, object]], error: FormatError) -> bool:
    """Return whether a refused grade is a number."""
    try:
        grade = judged[error.query][error.document]  # type: ignore[index]
    except (KeyError, TypeError):
        return False
    return hasattr(grade, "__float__") or hasattr(grade, "__index__")
